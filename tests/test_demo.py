"""The demo's mesh, matrices and scenes, and what `refgpu demo` writes."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import refgpu
from refgpu.demo import teapot as teapot_module
from refgpu.demo.matrices import look_at, orthographic, perspective, transform
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
