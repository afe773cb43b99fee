"""The scenes: a shadow map of the teapot, its lit view, two triangles with opposite biases, blended leaves."""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ..capture import Capture
from ..gpu import Gpu
from .builder import BIAS_Z32F, BLEND_ALPHA, GREATER, LESS, SceneBuilder
from .matrices import Matrix, look_at, orthographic, perspective, transform
from .teapot import Mesh, teapot

TWO_SIDED_BIAS: Final = 0x01001A48      # PA_SU_SC_MODE_CNTL of a title's shadow pass: a bias of its own for each face
FRONT_SCALE: Final = -17.6              # PA_SU_POLY_OFFSET_FRONT_SCALE, in sixteenths: the API's -1.1
BACK_SCALE: Final = -480000.0           # PA_SU_POLY_OFFSET_BACK_SCALE: pushes back faces out of the map
GROUND, CLAY, PAPER = 0.0, 1.0, 2.0     # materials
LIGHT: Final = (-6.0, -4.4, 7.4)
LIGHT_TARGET: Final = (0.7, -0.6, 0.8)
EYE: Final = (1.6, -9.4, 5.2)
SKY: Final = 0xFFE8D9C6                 # the colour target's first content, A B G R


class World(NamedTuple):
    """What stands in the scene.

    Attributes
    ----------
    casters, everything : Mesh
        Without and with the ground.
    materials : float32[vertices]
        Of `everything`.
    """

    casters: Mesh
    everything: Mesh
    materials: npt.NDArray[np.float32]


class Biases(NamedTuple):
    """Depth bias registers of a shadow pass."""

    mode: int = TWO_SIDED_BIAS
    front_scale: float = FRONT_SCALE
    back_scale: float = BACK_SCALE


def _quad(corners: npt.ArrayLike) -> Mesh:
    """A one-sided quad; its front sees the corners counter-clockwise."""
    positions = np.array(corners, np.float32)
    normal = np.cross(positions[1] - positions[0], positions[2] - positions[0])
    normals = np.tile(normal / np.linalg.norm(normal), (4, 1)).astype(np.float32)
    return Mesh(positions, normals, np.array([[0, 1, 2], [0, 2, 3]], np.uint32))


def _together(*meshes: Mesh) -> Mesh:
    starts = np.cumsum([0, *(len(mesh.positions) for mesh in meshes[:-1])])
    return Mesh(np.concatenate([mesh.positions for mesh in meshes]), np.concatenate([mesh.normals for mesh in meshes]),
                np.concatenate([mesh.indices + np.uint32(start) for mesh, start in zip(meshes, starts, strict=True)]))


def world(steps: int) -> World:
    """The teapot, a one-sided sheet of paper whose back is turned to the light, and the ground."""
    pot = teapot(steps)
    paper = _quad([(3.0, -3.6, 0.15), (1.7, -2.7, 0.15), (2.0, -2.3, 1.65), (3.3, -3.2, 1.65)])
    ground = _quad([(-14, -14, 0), (14, -14, 0), (14, 14, 0), (-14, 14, 0)])
    casters = _together(pot, paper)
    materials = np.repeat(np.array([CLAY, PAPER, GROUND], np.float32), [len(pot.positions), 4, 4])
    return World(casters, _together(casters, ground), materials)


def light_matrix() -> Matrix:
    """World to the shadow map's clip space."""
    return look_at(LIGHT, LIGHT_TARGET) @ orthographic(4.7, 4.7, 2.0, 18.0)


def _rows(xyz: npt.NDArray[np.float32], last: npt.NDArray[np.float32] | float = 1.0) -> npt.NDArray[np.float32]:
    rows = np.empty((len(xyz), 4), np.float32)
    rows[:, :3], rows[:, 3] = xyz, last
    return rows


def shadow_map(scene: World, size: int, biases: Biases) -> Capture:
    """The casters seen from the light: depth only, GREATER (reverse z), every triangle, each face with its bias."""
    build = SceneBuilder(size, size)
    build.depth_target(0.0, GREATER)
    build.registers(PA_SU_SC_MODE_CNTL=biases.mode, PA_SU_POLY_OFFSET_DB_FMT_CNTL=BIAS_Z32F,
                    PA_SU_POLY_OFFSET_FRONT_SCALE=float(biases.front_scale), PA_SU_POLY_OFFSET_FRONT_OFFSET=0.0,
                    PA_SU_POLY_OFFSET_BACK_SCALE=float(biases.back_scale), PA_SU_POLY_OFFSET_BACK_OFFSET=0.0,
                    PA_SU_POLY_OFFSET_CLAMP=0.0)
    build.vertices(transform(scene.casters.positions, light_matrix()))
    build.draw_indexed(scene.casters.indices)
    return build.capture(
        "Shadow map of the Utah teapot and a sheet of paper: Z32_FLOAT, reverse z, no culling, front faces biased by "
        f"a slope factor of {biases.front_scale}/16, back faces by {biases.back_scale}/16.",
        "Vertices come in clip space; there is no HTILE.")


def no_shadow() -> npt.NDArray[np.float32]:
    """A shadow map that nothing casts into."""
    return np.zeros((4, 4), np.float32)


def lit_view(scene: World, width: int, height: int, *, hidden: bool = False) -> Capture:
    """The scene seen by the camera. Attribute 0 is the normal (w: material), attribute 1 the position in the world.

    With `hidden` the scissor is empty.
    """
    build = SceneBuilder(width, height)
    build.color_target(SKY)
    build.depth_target(0.0, GREATER)
    camera = look_at(EYE, (0.6, -0.2, 0.9)) @ perspective(36.0, width / height, 1.0, 60.0)
    mesh = scene.everything
    build.vertices(transform(mesh.positions, camera), _rows(mesh.normals, scene.materials), _rows(mesh.positions))
    build.show_attribute(0)
    if hidden:
        build.registers(PA_SC_VPORT_SCISSOR_0_BR=0)
    build.draw_indexed(mesh.indices)
    return build.capture("Lit view of the Utah teapot: 8_8_8_8 UNORM and Z32_FLOAT.",
                         "The demo shades it with a pixel shader written in Python, which a capture cannot hold; "
                         "here the interpolated normal is the colour.")


def run_with(capture: Capture, pixel: Any) -> Gpu:
    """Run a capture with another pixel shader."""
    gpu = capture.prepare()
    gpu.bind("ps", pixel)
    capture.execute(gpu)
    return gpu


def two_triangles(front_offset: float, back_offset: float, size: int = 128) -> Capture:
    """A front-facing and a back-facing triangle at z = 0.5 over a depth of 0.5, LESS: a negative offset passes."""
    build = SceneBuilder(size, size)
    build.color_target(0xFF402020)
    build.depth_target(0.5, LESS)
    build.registers(PA_SU_SC_MODE_CNTL=TWO_SIDED_BIAS, PA_SU_POLY_OFFSET_DB_FMT_CNTL=BIAS_Z32F,
                    PA_SU_POLY_OFFSET_FRONT_OFFSET=float(front_offset),
                    PA_SU_POLY_OFFSET_BACK_OFFSET=float(back_offset))
    corners = np.array([(-0.9, -0.7), (-0.1, -0.7), (-0.5, 0.7), (0.9, -0.7), (0.1, -0.7), (0.5, 0.7)], np.float32)
    positions = np.column_stack([corners, np.full(6, 0.5), np.ones(6)]).astype(np.float32)
    colors = np.repeat(np.array([(1, 0.7, 0.2, 1), (0.3, 0.7, 1, 1)], np.float32), 3, axis=0)
    build.vertices(positions, colors)
    build.show_attribute(0)
    build.draw_auto(6)
    return build.capture(f"A front and a back face at z = 0.5 with offsets {front_offset:g} and {back_offset:g}.",
                         "Offsets only, no slope.")


def leaves(width: int = 320, height: int = 200, count: int = 14) -> Capture:
    """Overlapping translucent triangles, facing front and back in turn, blended in one draw in stream order."""
    build = SceneBuilder(width, height)
    build.color_target(0xFFF4F4F4)
    build.registers(CB_BLEND0_CONTROL=BLEND_ALPHA, PA_SU_SC_MODE_CNTL=TWO_SIDED_BIAS,
                    PA_SU_POLY_OFFSET_DB_FMT_CNTL=BIAS_Z32F, PA_SU_POLY_OFFSET_FRONT_SCALE=FRONT_SCALE,
                    PA_SU_POLY_OFFSET_BACK_SCALE=BACK_SCALE)
    positions, colors = [], []
    for n in range(count):
        x = -0.78 + 1.56 * n / (count - 1)
        triangle = [(x - 0.25, -0.75, 0.5, 1), (x + 0.25, -0.75, 0.5, 1), (x + 0.12 * (n % 3 - 1), 0.75, 0.5, 1)]
        front = n % 2 == 0
        positions += triangle if front else triangle[::-1]
        colors += [(0.95, 0.55, 0.1, 0.6) if front else (0.1, 0.4, 0.85, 0.6)] * 3
    build.vertices(np.array(positions, np.float32), np.array(colors, np.float32))
    build.show_attribute(0)
    build.draw_auto(3 * count)
    return build.capture("Translucent triangles, front (orange) and back (blue) faces in turn, in one draw.",
                         "No depth target.")
