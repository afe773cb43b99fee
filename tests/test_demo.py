"""The demo's mesh, matrices and scenes, and what `refgpu demo` writes."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import refgpu
from refgpu.demo import scenes
from refgpu.demo import teapot as teapot_module
from refgpu.demo.matrices import look_at, orthographic, perspective, transform
from refgpu.demo.pages import Demo
from refgpu.demo.teapot import control_points, teapot


def directed_edges(mesh):
    a, b, c = mesh.indices.T.astype(np.int64)
    return list(zip(np.concatenate([a, b, c]).tolist(), np.concatenate([b, c, a]).tolist(), strict=True))


def test_the_published_data_is_whole():
    points = teapot_module._numbers("teapot_points.csv")
    patches = teapot_module._numbers("teapot_patches.csv")
    assert points.shape == (306, 3)
    assert patches.shape == (32, 16)
    # Four points beside the lid's tip are in the list but in no patch.
    assert set(range(1, 307)) - set(patches.astype(int).ravel()) == {205, 206, 216, 223}
    assert points.min(axis=0).tolist() == [-3.0, -2.0, 0.0]
    assert points.max(axis=0).tolist() == [3.525, 2.0, 3.15]


def test_body_lid_and_bottom_have_two_mirror_planes_and_the_rest_one():
    points = control_points()
    everything = {tuple(np.round(p, 6) + 0.0) for p in points.reshape(-1, 3)}
    assert {(x, -y + 0.0, z) for x, y, z in everything} == everything
    turned = np.concatenate([points[:12], points[20:]]).reshape(-1, 3)
    round_parts = {tuple(np.round(p, 6) + 0.0) for p in turned}
    assert {(-x + 0.0, y, z) for x, y, z in round_parts} == round_parts


@pytest.mark.parametrize("steps", [2, 3, 8])
def test_mesh_is_oriented_and_shares_vertices(steps):
    mesh = teapot(steps)
    edges = directed_edges(mesh)
    there = set(edges)
    assert len(edges) == len(there), "an edge is used twice in one direction"
    boundary = [edge for edge in edges if edge[::-1] not in there]
    # Open are: the lid's rim, the body's rim (4 patches each), both ends of handle and spout (2 patches each).
    assert len(boundary) == steps * (4 + 4 + 2 + 2 + 2 + 2)
    assert len({tuple(p) for p in mesh.positions.tolist()}) == len(mesh.positions)
    assert set(mesh.indices.ravel().tolist()) == set(range(len(mesh.positions)))


def test_normals_point_outwards_and_are_of_unit_length():
    mesh = teapot(8)
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-6)
    corners = mesh.positions[mesh.indices].astype(np.float64)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert ((faces * mesh.normals[mesh.indices].mean(axis=1)).sum(axis=1) > 0).all()
    volume = (corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume > 20
    top = mesh.positions[:, 2].argmax()
    assert np.allclose(mesh.normals[top], [0, 0, 1], atol=1e-3)


def test_vertices_lie_on_the_exact_patch():
    """Against de Casteljau's construction in rational numbers."""
    steps = 4
    mesh = {tuple(np.round(p.astype(np.float64), 5)) for p in teapot(steps).positions}
    for patch in control_points()[[0, 13, 17, 20, 31]]:
        control = [[[Fraction(str(value)) for value in point] for point in row] for row in patch]
        for u, v in ((1, 2), (3, 1), (0, 4)):
            point = casteljau([casteljau(row, Fraction(v, steps)) for row in control], Fraction(u, steps))
            near = [np.abs(np.array(p) - np.array([float(value) for value in point])).max() for p in mesh]
            assert min(near) < 2e-5


def casteljau(points, t):
    while len(points) > 1:
        points = [[a + (b - a) * t for a, b in zip(p, q, strict=True)] for p, q in pairwise(points)]
    return points[0]


def test_no_steps_is_an_error():
    with pytest.raises(refgpu.InputError, match="steps"):
        teapot(0)


def test_matrices():
    view = look_at((0, -5, 0), (0, 0, 0))
    assert np.allclose(transform(np.array([[0, 0, 0], [1, 0, 2]], np.float32), view)[:, :3], [[0, 0, -5], [1, 2, -5]])
    box = orthographic(2, 4, 1, 9)
    assert np.allclose(transform(np.array([[2, -4, -1], [0, 0, -9]], np.float32), box), [[1, -1, 1, 1], [0, 0, 0, 1]])
    cone = perspective(90, 2, 1, 11)
    near, far = transform(np.array([[2, 1, -1], [0, 0, -11]], np.float32), cone)
    assert np.allclose(near, [1, 1, 1, 1])
    assert np.allclose(far / far[3], [0, 0, 0, 1], atol=1e-6)
    assert cone.dtype == view.dtype == np.float32


SIZE = 256
UNBIASED = scenes.Biases(mode=0x01000248)
ONE_BIAS = scenes.Biases(back_scale=scenes.FRONT_SCALE)


@pytest.fixture(scope="module")
def maps():
    """Shadow maps, float32[SIZE, SIZE], by their biases."""
    world = scenes.world(3)
    return {biases: scenes.shadow_map(world, SIZE, biases).run().depth().read()[0]
            for biases in (scenes.Biases(), ONE_BIAS, UNBIASED)}


def paper_in_the_map():
    """The sheet's corners in pixels and depth, float64, and the pixels well inside it."""
    paper = scenes.world(1).casters.positions[-4:]
    clip = transform(paper, scenes.light_matrix()).astype(np.float64)
    corners = np.column_stack([(clip[:, 0] + 1) * SIZE / 2, (1 - clip[:, 1]) * SIZE / 2, clip[:, 2]])
    middle = corners[:, :2].mean(axis=0).astype(int)
    return corners, np.s_[middle[1] - 5 : middle[1] + 5, middle[0] - 5 : middle[0] + 5]


def test_the_sheet_is_in_the_map_at_its_depth(maps):
    corners, inside = paper_in_the_map()
    plane = np.linalg.solve(np.column_stack([corners[:3, :2], np.ones(3)]), corners[:3, 2])
    rows, columns = np.mgrid[inside] + 0.5
    assert np.allclose(maps[UNBIASED][inside], plane[0] * columns + plane[1] * rows + plane[2], atol=2e-5)


def test_bias_of_the_sheet_is_the_slope_times_the_factor(maps):
    corners, inside = paper_in_the_map()
    plane = np.linalg.solve(np.column_stack([corners[:3, :2], np.ones(3)]), corners[:3, 2])
    expected = scenes.FRONT_SCALE / 16 * np.abs(plane[:2]).max()
    assert np.allclose(maps[ONE_BIAS][inside] - maps[UNBIASED][inside], expected, rtol=5e-3)


def test_the_back_faces_bias_pushes_the_sheet_out_of_the_map(maps):
    _, inside = paper_in_the_map()
    assert (maps[scenes.Biases()][inside] == 0).all()
    assert (maps[ONE_BIAS][inside] > 0).all()


def test_front_faces_are_the_same_whatever_the_back_faces_bias_is(maps):
    both, one = maps[scenes.Biases()], maps[ONE_BIAS]
    kept = both != 0
    assert kept.sum() > 5000
    assert (both[kept] <= one[kept]).all()
    assert (both[kept] == one[kept]).mean() > 0.95  # the rest: back faces seen through the gap at the lid


@pytest.mark.parametrize(("front", "back", "stored"), [(-64, 64, (True, False)), (64, -64, (False, True)),
                                                        (-64, -64, (True, True)), (64, 64, (False, False))])
def test_two_triangles(front, back, stored):
    words = scenes.two_triangles(front, back, 64).run().depth().words()[0]
    for half, is_stored in ((words[:, :32], stored[0]), (words[:, 32:], stored[1])):
        assert set(np.unique(half)) == ({0x3F000000, 0x3EFFFF80} if is_stored else {0x3F000000})


@pytest.mark.parametrize("two_passes", [False, True])
def test_leaves_blend_in_the_order_of_the_path(two_passes):
    """The bottom row is covered by known triangles; blend them by hand, in codes."""
    width, count = 64, 6
    found = scenes.leaves(width, 64, count).run(faces_as_two_passes=two_passes).color(0).read()[0]
    row = 55
    y = 1 - 2 * (row + 0.5) / 64
    orange, blue = np.array([0.95, 0.55, 0.1]), np.array([0.1, 0.4, 0.85])
    order = [0, 2, 4, 1, 3, 5] if two_passes else range(count)
    checked = 0
    for column in range(width):
        x = 2 * (column + 0.5) / width - 1
        value, close = np.full(3, 0xF4 / 255), False
        for n in order:
            middle = -0.78 + 1.56 * n / (count - 1)
            up = (y + 0.75) / 1.5
            left = middle - 0.25 + up * (0.12 * (n % 3 - 1) + 0.25)
            right = middle + 0.25 + up * (0.12 * (n % 3 - 1) - 0.25)
            close |= min(abs(x - left), abs(x - right)) < 0.01
            if left < x < right:
                value = np.rint(((orange if n % 2 == 0 else blue) * 0.6 + value * 0.4) * 255) / 255
        if not close:
            checked += 1
            assert np.abs(found[row, column, :3] - value).max() <= 1.01 / 255, column
    assert checked > 50


def test_demo_writes_everything(tmp_path):
    names = []
    demo = Demo(tmp_path / "new" / "demo", 64, (80, 50), 2, step=names.append)
    demo.write()
    assert all(path.stat().st_size > 100 for path in demo.files)
    there = {path.relative_to(demo.folder).as_posix() for path in demo.folder.rglob("*") if path.is_file()}
    assert there == {path.relative_to(demo.folder).as_posix() for path in demo.files}
    page = (demo.folder / "index.html").read_text("utf-8")
    assert page.count("<img") == 3 + 3 + 4 + 3
    for words in ("0x01001a48", "-17.6", "-480000", "0x000001e9", "0x3effff80"):
        assert words in page
    assert demo.figures["order: pixels that two passes get wrong"] > 0
    assert np.load(demo.folder / "shadow-biased.npy").shape == (1, 64, 64)
    assert len(names) > 8
    again = refgpu.Capture.load(demo.folder / "captures" / "shadow-map.zip").run().depth().words()
    assert np.array_equal(again, np.load(demo.folder / "shadow-biased.npy"))
