"""Depth rules and the depth part of the tile half."""

from fractions import Fraction

import numpy as np
import pytest
import tile_scene
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refgpu.raster import depth
from refgpu.raster.pipeline import run_tiles
from refgpu.raster.tables import empty_targets

FULL = [((0, 0), (64 * 256, 0), (0, 64 * 256)), ((0, 64 * 256), (64 * 256, 0), (64 * 256, 64 * 256))]
COMPARE = [lambda a, b: False, lambda a, b: a < b, lambda a, b: a == b, lambda a, b: a <= b, lambda a, b: a > b,
           lambda a, b: a != b, lambda a, b: a >= b, lambda a, b: True]
finite = st.floats(-2, 2, width=32)


def draw(stored, z, triangles=None, size=16, **columns):
    """Draw triangles (two that fill everything by default) over a depth plane; returns plane and statistics."""
    targets = empty_targets(size, size, depth=True)
    tile_scene.plane(targets, targets.depth)[0][:] = 0
    targets.depth[:] = np.float32(stored)
    triangles = FULL if triangles is None else triangles
    z = np.broadcast_to(np.asarray(z, np.float32), (len(triangles), 3))
    state = {"Z_FORMAT": 3, "Z_ENABLE": 1, "Z_WRITE": 1} | columns
    geometry = tile_scene.geometry(triangles, z, [tile_scene.state(**state)], targets)
    statistics = run_tiles(geometry, targets, 1)
    return tile_scene.plane(targets, targets.depth)[0], statistics[0]


@pytest.mark.jit_off
@pytest.mark.parametrize("function", range(8))
def test_compare_functions(function):
    for left in (0.0, 0.25, 0.5, 1.0):
        for right in (0.0, 0.5, 1.0):
            assert bool(depth.compare(function, np.float32(left), np.float32(right))) == COMPARE[function](left, right)


@pytest.mark.jit_off
@pytest.mark.parametrize("function", range(8))
@pytest.mark.parametrize("stored", [0.25, 0.5, 0.75, -0.5])
def test_every_function_through_the_tile(function, stored):
    # a negative stored depth takes the general path, the others the fast one
    plane, statistics = draw(stored, 0.5, size=8, ZFUNC=function)
    passes = COMPARE[function](0.5, stored)
    assert set(plane.ravel()) == {np.float32(0.5 if passes else stored)}
    assert statistics.tolist() == [64, 64 * passes, 0, 0]


@pytest.mark.jit_off
@pytest.mark.parametrize("function", range(8))
@pytest.mark.parametrize("stored", [-0.0, np.nan])
def test_stored_depths_that_have_no_order_of_bits(function, stored):
    _, statistics = draw(stored, 0.0, size=4, ZFUNC=function)
    with np.errstate(invalid="ignore"):
        assert statistics[1] == 16 * bool(COMPARE[function](np.float32(0), np.float32(stored)))


@pytest.mark.parametrize("function", range(8))
@pytest.mark.parametrize("write", [0, 1])
def test_fast_and_general_path_give_the_same_bits(function, write):
    random = np.random.default_rng(function)
    triangles = random.integers(-2000, 64 * 256 + 2000, (40, 3, 2))
    triangles[::3] = triangles[::3, :1] + random.integers(-900, 900, (14, 3, 2))
    z = random.uniform(-0.2, 1.2, (40, 3))
    z[::4] = z[::4, :1]
    fast, fast_count = draw(0.5, z, triangles, 64, ZFUNC=function, Z_WRITE=write)
    bounds = {"BOUNDS_ENABLE": 1, "BOUNDS_MIN": -9.0, "BOUNDS_MAX": 9.0}  # not on the fast path
    general, general_count = draw(0.5, z, triangles, 64, ZFUNC=function, Z_WRITE=write, **bounds)
    np.testing.assert_array_equal(fast.view(np.uint32), general.view(np.uint32))
    assert fast_count.tolist() == general_count.tolist()


@pytest.mark.jit_off
@pytest.mark.parametrize(("limits", "z", "stored"), [
    ((0.25, 0.75), 0.1, 0.25), ((0.25, 0.75), 0.9, 0.75), ((0.25, 0.75), 0.5, 0.5),
    ((1.0, 0.0), 0.5, 0.5), ((1.0, 0.0), 1.5, 1.0),          # inverted limits still are an interval
])
def test_viewport_clamp(limits, z, stored):
    plane, _ = draw(0.125, z, size=4, ZMIN=limits[0], ZMAX=limits[1])
    assert (plane == np.float32(stored)).all()


@pytest.mark.jit_off
@pytest.mark.parametrize(("z", "stored"), [(-0.25, 0.0), (1.5, 1.0), (0.75, 0.75)])
def test_without_the_viewport_clamp_depth_still_ends_in_the_unit_range(z, stored):
    plane, _ = draw(0.125, z, size=4, Z_CLAMP=0, ZMIN=0.4, ZMAX=0.6)
    assert (plane == np.float32(stored)).all()


@pytest.mark.jit_off
def test_nan_depth_becomes_the_lower_limit():
    assert depth.clamp_depth(np.float32(np.nan), np.float32(0.25), np.float32(1)) == np.float32(0.25)


@pytest.mark.jit_off
@given(st.floats(0, 1, width=32), st.sampled_from([(1, 65535), (2, 16777215)]))
@example(0.5, (1, 65535))
@example(0.5, (2, 16777215))        # 8388608, cases.md B05
@example(1.5 / 65535, (1, 65535))
def test_unorm_depth_is_rounded_half_up(z, target):
    z_format, top = target
    code = depth.stored_depth(np.float32(z), z_format)
    assert int(code) == (Fraction(float(np.float32(z))) * top + Fraction(1, 2)).__floor__()
    assert float(code) == int(code)


@pytest.mark.jit_off
@pytest.mark.parametrize(("z_format", "z", "code"), [(1, 0.500003, 32768), (2, 0.5, 8388608)])
def test_codes_are_compared_not_the_values(z_format, z, code):
    plane, statistics = draw(code, z, size=4, Z_FORMAT=z_format, ZFUNC=4)
    assert statistics[1] == 0
    plane, statistics = draw(code, z, size=4, Z_FORMAT=z_format, ZFUNC=6)
    assert statistics[1] == 16
    assert (plane == code).all()


@pytest.mark.jit_off
@pytest.mark.parametrize(("stored", "passes"), [(0.25, True), (0.2499999, False), (0.75, True), (0.76, False)])
def test_depth_bounds_look_at_the_stored_depth(stored, passes):
    plane, statistics = draw(stored, 0.1, size=4, ZFUNC=7, BOUNDS_ENABLE=1, BOUNDS_MIN=0.25, BOUNDS_MAX=0.75)
    assert statistics[1] == 16 * passes
    assert (plane == np.float32(0.1 if passes else stored)).all()


@pytest.mark.jit_off
def test_depth_bounds_of_z16_are_in_units_of_one():
    _, statistics = draw(16384, 0.0, size=4, Z_FORMAT=1, ZFUNC=7, BOUNDS_ENABLE=1, BOUNDS_MIN=0.25, BOUNDS_MAX=0.75)
    assert statistics[1] == 16
    _, statistics = draw(16383, 0.0, size=4, Z_FORMAT=1, ZFUNC=7, BOUNDS_ENABLE=1, BOUNDS_MIN=0.25, BOUNDS_MAX=0.75)
    assert statistics[1] == 0


@pytest.mark.jit_off
def test_depth_clear_only_replaces_the_value():
    clear = {"DEPTH_CLEAR": 1, "CLEAR_Z": 0.9}
    plane, _ = draw(0.25, 0.5, size=4, ZFUNC=7, Z_ENABLE=0, **clear)
    assert (plane == np.float32(0.25)).all()                      # cases.md B19
    plane, _ = draw(0.25, 0.5, size=4, ZFUNC=7, Z_WRITE=0, **clear)
    assert (plane == np.float32(0.25)).all()
    plane, _ = draw(0.25, 0.5, size=4, ZFUNC=7, **clear)
    assert (plane == np.float32(0.9)).all()
    plane, statistics = draw(0.25, 0.5, size=4, ZFUNC=1, **clear)  # the geometry's depth is compared
    assert (plane == np.float32(0.25)).all()
    assert statistics[1] == 0


@pytest.mark.jit_off
def test_no_clear_is_implied_by_reverse_z():
    assert draw(0.0, 0.3, size=4, ZFUNC=6)[1][1] == 16             # cases.md B21
    assert draw(1.0, 0.3, size=4, ZFUNC=6)[1][1] == 0


@settings(max_examples=20)
@given(st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=4), st.sampled_from([1, 3, 4, 6]))
def test_depth_is_the_plane_rule_pixel_by_pixel(depths, function):
    from refgpu.raster.plane import pixel_offset, plane_gradients, plane_row, plane_value
    triangle = ((300, 200), (5000, 700), (900, 5200))
    plane, _ = draw(0.5, depths, [triangle] * len(depths), 24, ZFUNC=function)
    expected = np.full((24, 24), 0.5, np.float32)
    (x0, y0), (x1, y1), (x2, y2) = triangle
    for z in np.array(depths, np.float32):
        along_x, along_y = plane_gradients(x0, y0, x1, y1, x2, y2, z[0], z[1], z[2], 8)
        for j in range(24):
            for i in range(24):
                px, py = 256 * i + 128, 256 * j + 128
                sides = [(bx - ax) * (py - ay) - (by - ay) * (px - ax)
                         for (ax, ay), (bx, by) in zip(triangle, triangle[1:] + triangle[:1], strict=True)]
                if min(sides) <= 0:
                    continue  # no sample lies on an edge of this triangle
                row = plane_row(z[0], along_y, pixel_offset(j, y0, 8))
                value = min(max(plane_value(row, along_x, pixel_offset(i, x0, 8)), np.float32(0)), np.float32(1))
                if COMPARE[function](value, expected[j, i]):
                    expected[j, i] = value
    np.testing.assert_array_equal(plane, expected)
