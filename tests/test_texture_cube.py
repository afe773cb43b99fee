"""Cube maps: directions, seams, corners, arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from texture_scene import BORDER, CLAMP, make_image

from refgpu.base.claims import Variant
from refgpu.texture.cube import cube_coords, over_the_edge
from refgpu.texture.samplers import Sampler
from refgpu.texture.sampling import sample

N = 4
AXES = {0: ("-z", "-y", "x"), 1: ("z", "-y", "-x"), 2: ("x", "z", "y"), 3: ("x", "-z", "-y"), 4: ("x", "-y", "z"),
        5: ("-x", "-y", "-z")}          # texture.md 4: s, t and outward normal of each face


def vector(text):
    v = np.zeros(3)
    v["xyz".index(text[-1])] = -1 if text[0] == "-" else 1
    return v


def direction(face, x, y, n=N):
    """Direction through the centre of a texel."""
    s, t, normal = (vector(a) for a in AXES[face])
    return normal * n + s * (2 * x + 1 - n) + t * (2 * y + 1 - n)


def smp(linear=0, **fields):
    return Sampler.from_fields(**({"XY_MAG_FILTER": linear, "XY_MIN_FILTER": linear, "CLAMP_X": CLAMP,
                                   "CLAMP_Y": CLAMP} | fields))


FACES = np.arange(6 * N * N, dtype=np.float32).reshape(6, N, N)
CUBE = make_image([FACES], kind="cube")


def test_directions():
    for face in range(6):
        for y in range(N):
            for x in range(N):
                coords = cube_coords([direction(face, x, y)])
                assert coords[0, 2] == face
                assert sample(CUBE, smp(), coords)[0, 0] == FACES[face, y, x]
    ties = cube_coords([[1, 1, 1], [1, 1, 0.5], [1, 0.5, -1], [-1, -1, -1], [-1, 1, 0], [0.0, 0.0, -0.0]])
    assert ties[:, 2].tolist() == [4, 2, 5, 5, 2, 4]


@pytest.mark.jit_off
def test_face_centre():
    # cases.md B53
    one = make_image([np.arange(54, dtype=np.float32).reshape(6, 3, 3)], kind="cube")
    assert sample(one, smp(), [[1.5, 1.5, f] for f in range(6)])[:, 0].tolist() == [9 * f + 4 for f in range(6)]
    assert cube_coords([[2, 0, 0]]).tolist() == [[1.5, 1.5, 0]]
    assert sample(one, smp(), [[1.5, 1.5, 0.5], [1.5, 1.5, 1.5], [1.5, 1.5, 7]])[:, 0].tolist() == [4, 22, 49]


@given(st.integers(0, 5), st.integers(-1, N), st.integers(0, N - 1), st.booleans())
def test_edges_meet(face, a, b, swap):
    """A texel beyond an edge is the texel nearest in space on the neighbour: fold the step over the edge."""
    x, y = (b, a) if swap else (a, b)
    got = tuple(int(v) for v in over_the_edge(face, x, y, N))
    if 0 <= a < N:
        assert got == (face, x, y)
        return
    # geometry: the point one texel over the edge, folded down by that much
    s, t, normal = (vector(v) for v in AXES[face])
    ps, pt = 2 * x + 1 - N, 2 * y + 1 - N
    over = 1
    clipped = normal * (N - over) + s * np.clip(ps, -N, N) + t * np.clip(pt, -N, N)
    best = min((np.abs(clipped - direction(f, u, v)).sum(), f, u, v) for f in range(6) if f != face
                for u in range(N) for v in range(N))
    assert got == best[1:]


def test_seamless_is_continuous():
    """Walking over an edge, both faces give the same values on the seam itself."""
    rng = np.random.default_rng(3)
    image = make_image([rng.random((6, N, N), np.float32)], kind="cube")
    k = np.arange(3, 4 * N - 3)
    for a, b in ((0, 4), (0, 5), (1, 4), (1, 5), (2, 4), (3, 4), (0, 2), (1, 3), (2, 5), (3, 5), (0, 3), (1, 2)):
        na, nb = vector(AXES[a][2]), vector(AXES[b][2])
        along = np.abs(np.cross(na, nb))
        points = (na + nb)[None] + along[None] * ((k / (2 * N) - 1)[:, None])
        values = []
        for face in (a, b):
            s, t = vector(AXES[face][0]), vector(AXES[face][1])
            coords = np.stack([points @ s / 2 + 1.5, points @ t / 2 + 1.5, np.full(k.size, face)], axis=1)
            values.append(sample(image, smp(1), coords.astype(np.float32))[:, 0])
        assert np.array_equal(*values), (a, b)


def test_corner():
    for face in range(6):
        got = sample(CUBE, smp(1), [[1.0, 1.0, face]])[0, 0]
        corner = vector(AXES[face][2]) - vector(AXES[face][0]) - vector(AXES[face][1])
        meeting = []
        for f, axes in AXES.items():
            s, t, normal = (vector(v) for v in axes)
            if normal @ corner > 0:
                meeting.append(FACES[f, 0 if t @ corner < 0 else N - 1, 0 if s @ corner < 0 else N - 1])
        assert len(meeting) == 3
        assert got == np.float32(sum(meeting) / 3), face
    nearest = sample(CUBE, smp(1), [[1.0, 1.0, 0.0]], variant=Variant({"TEX-CUBE-CORNER": "nearest"}))[0, 0]
    assert nearest != sample(CUBE, smp(1), [[1.0, 1.0, 0.0]])[0, 0]
    constant = make_image([np.full((6, N, N), 0.1, np.float32)], kind="cube")
    assert sample(constant, smp(1), [[1.0, 1.0, 2]])[0, 0] == np.float32(0.1)


@pytest.mark.jit_off
def test_point_sample_at_the_edge():
    assert sample(CUBE, smp(), [[2.0, 1.5, 0]])[0, 0] == FACES[0, 2, N - 1]
    crosses = Variant({"TEX-CUBE-POINT-EDGE": "crosses"})
    assert sample(CUBE, smp(), [[2.0, 1.5, 0]], variant=crosses)[0, 0] == FACES[5, 2, 0]


@pytest.mark.jit_off
def test_faces_alone():
    sampler = smp(1, DISABLE_CUBE_WRAP=1, CLAMP_X=BORDER, BORDER_COLOR_TYPE=2)
    got = sample(CUBE, sampler, [[1.0, 1.5, 1]])[0, 0]
    assert got == (FACES[1, 1:3, 0].mean() + 1) / 2


@pytest.mark.jit_off
def test_cube_arrays():
    data = np.arange(12, dtype=np.float32).reshape(12, 1, 1)
    image = make_image([data], kind="cube")
    faces = [0, 5, 8, 13, 21, 99, -4]          # 8 * layer + face
    got = sample(image, smp(), [[1.5, 1.5, f] for f in faces])[:, 0]
    assert got.tolist() == [0, 5, 6, 11, 11, 9, 0]


def test_one_texel_cube():
    image = make_image([np.arange(6, dtype=np.float32).reshape(6, 1, 1)], kind="cube")
    assert sample(image, smp(1), [[1.5, 1.5, f] for f in range(6)])[:, 0].tolist() == list(range(6))
    assert sample(image, smp(1), [[1.0, 1.5, 4]])[0, 0] == (4 + 1) / 2
