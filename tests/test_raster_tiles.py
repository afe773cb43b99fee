"""The tile half as a whole: interpolation, deferred against immediate, kill and depth export, order, threads."""

import numpy as np
import pytest
import tile_scene
from hypothesis import given, settings
from hypothesis import strategies as st

from refgpu.base.kernel import callback
from refgpu.base.pointers import float32_at, int32_at
from refgpu.raster.layout import PS_IN_ATTRIBUTES, ROW, PixelFlag, RecordFlag
from refgpu.raster.pipeline import run_tiles
from refgpu.raster.tables import empty_targets
from refgpu.shaders.abi import SIGNATURE
from refgpu.texture.formats import color_format

LESS = 1


def _row(address, row, lanes):
    return float32_at(address + np.int64(4) * ROW * row, lanes)


@callback(SIGNATURE)
def copy_attribute(inputs, outputs, constants, lanes, live):
    """Export 0 is attribute 0."""
    for component in range(4):
        source = float32_at(inputs + np.int64(4) * ROW * (PS_IN_ATTRIBUTES + component), lanes)
        target = float32_at(outputs + np.int64(4) * ROW * component, lanes)
        for lane in range(lanes):
            target[lane] = source[lane]


@callback(SIGNATURE)
def copy_position(inputs, outputs, constants, lanes, live):
    """Export 0 is X, Y, Z, W; export 1 the facing, then the derivative of X along x and of Y along y."""
    for component in range(4):
        source = float32_at(inputs + np.int64(4) * ROW * component, lanes)
        target = float32_at(outputs + np.int64(4) * ROW * component, lanes)
        for lane in range(lanes):
            target[lane] = source[lane]
    face = float32_at(inputs + np.int64(16) * ROW, lanes)
    x, y = float32_at(inputs, lanes), float32_at(inputs + np.int64(4) * ROW, lanes)
    facing = float32_at(outputs + np.int64(16) * ROW, lanes)
    ddx, ddy = float32_at(outputs + np.int64(20) * ROW, lanes), float32_at(outputs + np.int64(24) * ROW, lanes)
    for lane in range(lanes):
        left, up = lane - (lane // 16 % 2) * 16, lane - (lane // 32 % 2) * 32
        facing[lane] = face[lane]
        ddx[lane] = x[left + 16] - x[left]
        ddy[lane] = y[up + 32] - y[up]


@callback(SIGNATURE)
def kill_half(inputs, outputs, constants, lanes, live):
    """Kills lanes where attribute 0's alpha is below 1/2; exports the attribute and its red as depth."""
    alive = int32_at(live, lanes)
    for component in range(4):
        source = float32_at(inputs + np.int64(4) * ROW * (PS_IN_ATTRIBUTES + component), lanes)
        target = float32_at(outputs + np.int64(4) * ROW * component, lanes)
        for lane in range(lanes):
            target[lane] = source[lane]
    alpha = float32_at(inputs + np.int64(4) * ROW * (PS_IN_ATTRIBUTES + 3), lanes)
    red = float32_at(inputs + np.int64(4) * ROW * PS_IN_ATTRIBUTES, lanes)
    depth = float32_at(outputs + np.int64(16) * ROW, lanes)
    for lane in range(lanes):
        if alpha[lane] < np.float32(0.5):
            alive[lane] = np.int32(0)
        depth[lane] = red[lane]


def shaded(shader=copy_attribute, **columns):
    """State of a draw that writes 32_32_32_32_FLOAT into target 0 with depth LESS."""
    layout = color_format(14, 7, 0)
    return tile_scene.state(**({
        "Z_FORMAT": 3, "Z_ENABLE": 1, "Z_WRITE": 1, "ZFUNC": LESS, "PS_ADDRESS": shader.address, "PS_EXPORTS": 1,
        "PS_INPUTS": 1, "c0_MASK": 15, "c0_EXPORT": 9, "c0_WORDS": 4, "c0_FORMAT_ROW": layout.row,
        "c0_INFO": 14 << 2 | 7 << 8} | columns))


def render(xy, z, states, size=64, threads=1, targets=None, words=(4,), clear=1.0, **geometry):
    """Targets and statistics."""
    if targets is None:
        targets = empty_targets(size, size, depth=True, color_words=words)
        targets.depth[:] = clear
    statistics = run_tiles(tile_scene.geometry(xy, z, states, targets, **geometry), targets, threads)
    return targets, statistics


def image(targets, n=0):
    words = [tile_scene.plane(targets, targets.colors[n][:, w])[0] for w in range(targets.colors[n].shape[1])]
    return np.stack(words, -1).view(np.float32)


def soup(seed, count=120, size=64):
    random = np.random.default_rng(seed)
    xy = random.integers(0, size * 256, (count, 1, 2)) + random.integers(-12 * 256, 12 * 256, (count, 3, 2))
    xy[::9] = random.integers(-size * 64, size * 320, (len(xy[::9]), 3, 2))
    return xy, random.uniform(0, 1, (count, 3)), random.uniform(0, 1, (count, 3, 4)), random.uniform(0.3, 3, (count, 3))


def equal(a, b):
    np.testing.assert_array_equal(a.depth.view(np.uint32), b.depth.view(np.uint32))
    for left, right in zip(a.colors, b.colors, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("function", range(8))
@pytest.mark.parametrize("write", [0, 1])
def test_deferred_equals_immediate(function, write):
    xy, z, params, inverse_w = soup(function)
    states = [[shaded(ZFUNC=function, Z_WRITE=write, DEFER=defer)] for defer in (1, 0)]
    results = [render(xy, z, s, clear=0.5, params=params, inverse_w=inverse_w) for s in states]
    equal(results[0][0], results[1][0])
    assert results[0][1][0, :2].tolist() == results[1][1][0, :2].tolist()
    assert results[0][1][0, 2] <= results[1][1][0, 2]


def test_deferred_and_immediate_draws_mixed_keep_the_order():
    xy, z, params, inverse_w = soup(77, 200)
    rows = np.random.default_rng(1).integers(0, 4, 200).cumsum() // 9 % 4
    blend = {"c0_BLEND": 0x40000504}
    def states(defer):
        return [shaded(DEFER=defer), shaded(**blend), shaded(DEFER=defer, ZFUNC=7), shaded(c0_MASK=5)]
    arguments = {"rows": rows, "params": params, "inverse_w": inverse_w}
    equal(render(xy, z, states(1), **arguments)[0], render(xy, z, states(0), **arguments)[0])


@pytest.mark.jit_off
def test_a_blended_draw_sees_the_deferred_one_before_it():
    box, flags = [((0, 0), (8 * 256, 0), (0, 8 * 256))] * 2, np.full(2, int(RecordFlag.RECT))
    params = np.ones((2, 3, 4)) * [[[0.5, 0.25, 1, 1]], [[1, 1, 0, 0.5]]]
    states = [shaded(DEFER=1, ZFUNC=7), shaded(ZFUNC=7, c0_BLEND=0x40000504)]
    targets, _ = render(box, [[0.5] * 3] * 2, states, 8, rows=[0, 1], params=params, flags=flags)
    assert image(targets)[3, 3].tolist() == [0.75, 0.625, 0.5, 0.75]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("chunks", [1, 4])
def test_threads_and_chunks_do_not_change_a_bit(threads, chunks):
    xy, z, params, inverse_w = soup(5, 300, 200)
    rows = np.arange(300) // 50 % 3
    states = [shaded(DEFER=1), shaded(c0_BLEND=0x40000504), shaded(kill_half, PS_FLAGS=int(PixelFlag.KILL), LATE=1)]
    arguments = {"rows": rows, "params": params, "inverse_w": inverse_w, "size": 200}
    one, counted = render(xy, z, states, **arguments)
    many, counted_many = render(xy, z, states, threads=threads, chunks=chunks, **arguments)
    equal(one, many)
    assert (counted[:, [0, 1, 3]] == counted_many[:, [0, 1, 3]]).all()


@pytest.mark.jit_off
def test_affine_attributes_are_the_plane():
    # attribute = (x, y, x + y, 1) at the pixel centre, w = 1; all of it exact in float32
    xy = [((0, 0), (16 * 256, 0), (0, 16 * 256))]
    params = np.array([[[0, 0, 0, 1], [16, 0, 16, 1], [0, 16, 16, 1]]])
    targets, statistics = render(xy, [[0.5] * 3], [shaded(DEFER=1)], 16, params=params)
    got = image(targets)
    inside = np.add.outer(np.arange(16), np.arange(16)) < 15
    y, x = np.mgrid[0:16, 0:16] + 0.5
    np.testing.assert_array_equal(got[inside], np.stack([x, y, x + y, np.ones_like(x)], -1)[inside].astype(np.float32))
    assert (got[~inside] == 0).all()
    assert statistics[0].tolist() == [120, 120, 120, 0]


@pytest.mark.parametrize("turn", [0, 1])
@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_perspective_attributes_are_close_to_the_exact_ones(turn, seed):
    random = np.random.default_rng(seed)
    order = [0, 2, 1] if turn else [0, 1, 2]
    xy = np.array([[(100, 200), (15 * 256, 900), (700, 14 * 256)]])[:, order]
    inverse_w, params = random.uniform(0.2, 4, (1, 3)).astype(np.float32), random.uniform(-1, 1, (1, 3, 4))
    params = params.astype(np.float32)
    targets, _ = render(xy, [[0.5] * 3], [shaded(DEFER=1)], 16, params=params, inverse_w=inverse_w)
    got = image(targets)
    (x0, y0), (x1, y1), (x2, y2) = xy[0].astype(float)
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    for j, i in ((2, 3), (5, 5), (8, 6), (4, 11)):
        px, py = 256 * i + 128, 256 * j + 128
        b1 = ((px - x0) * (y2 - y0) - (x2 - x0) * (py - y0)) / area
        b2 = ((x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)) / area
        weights = np.array([1 - b1 - b2, b1, b2]) * inverse_w[0]
        exact = weights @ params[0] / weights.sum()
        np.testing.assert_allclose(got[j, i], exact, atol=1e-6)


@pytest.mark.jit_off
def test_flat_linear_and_default_attributes():
    xy = [((0, 0), (16 * 256, 0), (0, 16 * 256))]
    params = np.array([[[0.25, 0.5, 0.75, 1], [16, 0, 16, 2], [0, 16, 16, 3]]])
    base = {"DEFER": 1}
    flat, _ = render(xy, [[0.5] * 3], [shaded(FLAT=1, **base)], 16, params=params, inverse_w=[[1, 2, 3]])
    assert (image(flat)[2, 2] == [0.25, 0.5, 0.75, 1]).all()
    linear, _ = render(xy, [[0.5] * 3], [shaded(LINEAR=1, **base)], 16, params=params, inverse_w=[[1, 2, 3]])
    affine, _ = render(xy, [[0.5] * 3], [shaded(**base)], 16, params=params, inverse_w=[[1, 1, 1]])
    np.testing.assert_allclose(image(linear), image(affine), atol=1e-6)
    for value, expected in enumerate(([0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1])):
        row_i, row_f = shaded(**base)
        row_i[0, 60] = 32 + value
        targets, _ = render(xy, [[0.5] * 3], [(row_i, row_f)], 16, params=params)
        assert image(targets)[1, 1].tolist() == expected


@callback(SIGNATURE)
def copy_two_attributes(inputs, outputs, constants, lanes, live):
    """Exports 0 and 1 are attributes 0 and 1."""
    for component in range(8):
        source = float32_at(inputs + np.int64(4) * ROW * (PS_IN_ATTRIBUTES + component), lanes)
        target = float32_at(outputs + np.int64(4) * ROW * component, lanes)
        for lane in range(lanes):
            target[lane] = source[lane]


TARGET1 = {f"c1_{name}": value for name, value in {"MASK": 15, "WORDS": 4, "INFO": 14 << 2 | 7 << 8,
                                                   "FORMAT_ROW": color_format(14, 7, 0).row}.items()}


@pytest.mark.jit_off
@pytest.mark.parametrize("triangles", [1, 2])
def test_flat_and_smooth_attributes_side_by_side(triangles):
    # one triangle fills whole waves, two share them
    xy = [((0, 0), (32 * 256, 0), (0, 32 * 256)), ((0, 32 * 256), (32 * 256, 0), (32 * 256, 32 * 256))][:triangles]
    params = np.array([[[1, 2, 3, 4, 0, 0, 0, 1], [9, 9, 9, 9, 32, 0, 32, 1], [8, 8, 8, 8, 0, 32, 32, 1]],
                       [[5, 6, 7, 8, 0, 32, 32, 1], [9, 9, 9, 9, 32, 0, 32, 1], [8, 8, 8, 8, 32, 32, 64, 1]]])
    row_i, row_f = shaded(copy_two_attributes, DEFER=1, PS_INPUTS=2, PS_EXPORTS=2, FLAT=1, **TARGET1)
    row_i[0, 60:62] = 0, 1
    targets, _ = render(xy, [[0.5] * 3] * triangles, [(row_i, row_f)], 32, words=(4, 4), params=params[:triangles])
    y, x = np.mgrid[0:32, 0:32] + 0.5
    first = x + y < 32 if triangles == 2 else x + y <= 31
    np.testing.assert_array_equal(image(targets)[first], np.broadcast_to([1, 2, 3, 4], (first.sum(), 4)))
    if triangles == 2:
        np.testing.assert_array_equal(image(targets)[~first], np.broadcast_to([5, 6, 7, 8], ((~first).sum(), 4)))
        first[:] = True
    smooth = np.stack([x, y, x + y, np.ones_like(x)], -1)
    np.testing.assert_array_equal(image(targets, 1)[first], smooth[first].astype(np.float32))


@pytest.mark.jit_off
@pytest.mark.parametrize("defer", [0, 1])
@pytest.mark.parametrize("back", [0, int(RecordFlag.BACK)])
def test_position_facing_and_derivatives(defer, back):
    state = shaded(copy_position, PS_FLAGS=int(PixelFlag.POSITION | PixelFlag.FACE), PS_EXPORTS=2, PS_INPUTS=0,
                   DEFER=defer, **TARGET1)
    # one pixel high, so that most lanes are helpers
    xy = [((66 * 256, 66 * 256), (76 * 256, 66 * 256), (66 * 256, 68 * 256))]
    targets, _ = render(xy, [[0.25, 0.5, 0.25]], [state], 128, words=(4, 4), inverse_w=[[2, 2, 2]],
                        flags=np.array([back]))
    position, other = image(targets)[66, 68], image(targets, 1)[66, 68]
    depth = tile_scene.plane(targets, targets.depth)[0][66, 68]
    assert position.tolist() == [68.5, 66.5, depth, 0.5]
    assert other[:3].tolist() == [-1 if back else 1, 1, 1]


@pytest.mark.jit_off
def test_kill_acts_before_late_tests():
    box, params = [((0, 0), (8 * 256, 0), (0, 8 * 256))] * 2, np.zeros((2, 3, 4))
    params[0, :, 3], params[1, :, 3], params[1, :, 0] = 0.25, 0.75, 0.5
    flags = np.full(2, int(RecordFlag.RECT))
    late = shaded(kill_half, PS_FLAGS=int(PixelFlag.KILL), LATE=1)
    targets, statistics = render(box, [[0.25] * 3, [0.5] * 3], [late], 8, params=params, flags=flags)
    # the nearer one is killed and leaves no depth behind
    assert (tile_scene.plane(targets, targets.depth) == 0.5).all()
    assert (image(targets)[..., 0] == 0.5).all()
    assert statistics[0].tolist() == [128, 64, 128, 64]
    early = shaded(kill_half, PS_FLAGS=int(PixelFlag.KILL), LATE=0)
    targets, statistics = render(box, [[0.25] * 3, [0.5] * 3], [early], 8, params=params, flags=flags)
    # tested early: the killed one has written its depth, the other fails
    assert (tile_scene.plane(targets, targets.depth) == 0.25).all()
    assert (image(targets) == 0).all()
    assert statistics[0].tolist() == [128, 64, 64, 64]


@pytest.mark.jit_off
def test_exported_depth_replaces_the_plane_only_when_enabled():
    box, params = [((0, 0), (8 * 256, 0), (0, 8 * 256))], np.ones((1, 3, 4))
    params[..., 0] = 0.1
    flags = np.full(1, int(RecordFlag.RECT))
    for enabled, stored in ((1, 0.1), (0, 0.6)):       # cases.md B27
        state = shaded(kill_half, PS_FLAGS=int(PixelFlag.DEPTH), LATE=enabled, PS_Z_EXPORT=enabled)
        targets, _ = render(box, [[0.6] * 3], [state], 8, params=params, flags=flags)
        assert (tile_scene.plane(targets, targets.depth) == np.float32(stored)).all()


def test_late_draws_equal_early_ones_when_the_shader_changes_nothing():
    xy, z, params, inverse_w = soup(9)
    arguments = {"params": params, "inverse_w": inverse_w}
    early, late = render(xy, z, [shaded()], **arguments), render(xy, z, [shaded(LATE=1)], **arguments)
    equal(early[0], late[0])
    assert early[1][0, 1] == late[1][0, 1]


def test_depth_only_draws_leave_colour_and_count():
    xy, z, _, _ = soup(4)
    targets, statistics = render(xy, z, [shaded(PS_ADDRESS=0)])
    drawn, counted = render(xy, z, [shaded(DEFER=1)])
    np.testing.assert_array_equal(targets.depth, drawn.depth)
    assert (image(targets) == 0).all()
    assert statistics[0, :2].tolist() == counted[0, :2].tolist()
    assert statistics[0, 2] == 0


@pytest.mark.jit_off
def test_layers_and_dirty_tiles():
    targets = empty_targets(128, 64, layers=2, depth=True, color_words=(4,))
    targets.depth[:] = 1
    xy = [((70 * 256, 256), (75 * 256, 256), (70 * 256, 6 * 256))]
    render(xy, [[0.5] * 3], [shaded(DEFER=1, LAYER=1)], targets=targets, params=np.ones((1, 3, 4)))
    assert targets.dirty.tolist() == [0, 0, 0, 3]
    targets.dirty[:] = 0
    render(xy, [[0.25] * 3], [shaded(DEFER=1, Z_WRITE=0)], targets=targets, params=np.ones((1, 3, 4)))
    assert targets.dirty.tolist() == [0, 2, 0, 0]
    assert tile_scene.plane(targets, targets.depth)[0].min() == 1
    assert tile_scene.plane(targets, targets.depth)[1].min() == 0.5
    assert image(targets)[2, 71].tolist() == [1, 1, 1, 1]


def test_nothing_to_draw():
    targets = empty_targets(64, 64, depth=True)
    geometry = tile_scene.geometry([((0, 0), (1, 1), (2, 2))], [[0.0] * 3], [tile_scene.state()], targets)
    assert run_tiles(geometry, targets, 2).tolist() == [[0, 0, 0, 0]]
