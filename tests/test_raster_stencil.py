"""Stencil against a model in plain Python."""

import numpy as np
import pytest
import tile_scene
from hypothesis import given
from hypothesis import strategies as st

from refgpu.raster import stencil
from refgpu.raster.layout import RecordFlag
from refgpu.raster.pipeline import run_tiles
from refgpu.raster.tables import empty_targets

NAMES = ["KEEP", "ZERO", "ONES", "REPLACE_TEST", "REPLACE_OP", "ADD_CLAMP", "SUB_CLAMP", "INVERT", "ADD_WRAP",
         "SUB_WRAP", "AND", "OR", "XOR", "NAND", "NOR", "XNOR"]
MODEL = {
    "KEEP": lambda s, t, o: s, "ZERO": lambda s, t, o: 0, "ONES": lambda s, t, o: 255,
    "REPLACE_TEST": lambda s, t, o: t,
    "REPLACE_OP": lambda s, t, o: o, "ADD_CLAMP": lambda s, t, o: min(s + o, 255),
    "SUB_CLAMP": lambda s, t, o: max(s - o, 0), "INVERT": lambda s, t, o: 255 - s,
    "ADD_WRAP": lambda s, t, o: (s + o) % 256, "SUB_WRAP": lambda s, t, o: (s - o) % 256, "AND": lambda s, t, o: s & o,
    "OR": lambda s, t, o: s | o, "XOR": lambda s, t, o: s ^ o, "NAND": lambda s, t, o: 255 - (s & o),
    "NOR": lambda s, t, o: 255 - (s | o), "XNOR": lambda s, t, o: 255 - (s ^ o),
}
COMPARE = [lambda a, b: False, lambda a, b: a < b, lambda a, b: a == b, lambda a, b: a <= b, lambda a, b: a > b,
           lambda a, b: a != b, lambda a, b: a >= b, lambda a, b: True]
byte = st.integers(0, 255)
BOX = [((0, 0), (4 * 256, 0), (0, 4 * 256))]


def draw(stored, front, back=None, *, flags=0, z=0.5, depth=0.5, **columns):
    """Stencil of the pixels of a 4x4 rect after one draw; front and back are the 8 columns of S.STENCIL_*."""
    targets = empty_targets(4, 4, depth=True, stencil=True)
    targets.stencil[:], targets.depth[:] = stored, depth
    row_i, row_f = tile_scene.state(**({"STENCIL_ENABLE": 1, "Z_FORMAT": 3, "Z_ENABLE": 1, "ZFUNC": 1} | columns))
    row_i[0, 30:38], row_i[0, 38:46] = front, front if back is None else back
    geometry = tile_scene.geometry(BOX, np.full((1, 3), z), [(row_i, row_f)], targets,
                                   flags=np.array([int(RecordFlag.RECT) | flags]))
    statistics = run_tiles(geometry, targets, 1)
    plane = tile_scene.plane(targets, targets.stencil)[0]
    assert len(set(plane.ravel())) == 1
    return int(plane[0, 0]), int(statistics[0, 1])


@pytest.mark.jit_off
@pytest.mark.parametrize("operation", range(16))
@given(stored=byte, test_value=byte, op_value=byte, mask=byte)
def test_operations(operation, stored, test_value, op_value, mask):
    result = int(stencil.stencil_operation(operation, stored, test_value, op_value))
    assert result == MODEL[NAMES[operation]](stored, test_value, op_value)
    merged = int(stencil.stencil_merge(np.uint8(stored), result, mask))
    assert merged == sum((result if mask >> bit & 1 else stored) & 1 << bit for bit in range(8))


@pytest.mark.jit_off
@given(st.integers(0, 7), byte, byte, byte)
def test_the_reference_is_on_the_left(function, test_value, mask, stored):
    passes = bool(stencil.stencil_passes(function, test_value, mask, stored))
    assert passes == COMPARE[function](test_value & mask, stored & mask)


@pytest.mark.parametrize("operation", range(16))
def test_every_operation_with_every_function_through_the_tile(operation):
    random = np.random.default_rng(operation)
    for function in range(8):
        for z, depth in ((0.25, 0.5), (0.5, 0.5)):
            stored, test_value, mask, write_mask, op_value = random.integers(0, 256, 5).tolist()
            others = random.integers(0, 16, 2).tolist()
            stencil_ok = COMPARE[function](test_value & mask, stored & mask)
            place = 0 if not stencil_ok else (1 if z < depth else 2)
            operations = others[:]
            operations.insert(place, operation)
            fail, zpass, zfail = operations
            got, passed = draw(stored, [function, fail, zpass, zfail, test_value, mask, write_mask, op_value], z=z,
                               depth=depth)
            wanted = MODEL[NAMES[operation]](stored, test_value, op_value)
            assert got == (stored & ~write_mask) | (wanted & write_mask)
            assert passed == 16 * (stencil_ok and z < depth)


@pytest.mark.jit_off
def test_operand_values_of_the_cases():
    always = [7, 0, 0, 0]
    for operation, stored, op_value, expected in (
        (2, 0x00, 0x5A, 0xFF), (3, 0x11, 0x5A, 0x00), (4, 0x00, 0x5A, 0x5A),                       # cases.md B22
        (5, 0xF0, 0x20, 0xFF), (8, 0xF0, 0x20, 0x10), (6, 0x10, 0x20, 0x00), (9, 0x10, 0x20, 0xF0),  # B24
    ):
        always[2] = operation
        assert draw(stored, [*always, 0x00, 0xFF, 0xFF, op_value], ZFUNC=7)[0] == expected


@pytest.mark.jit_off
def test_each_face_uses_its_own_columns():
    front, back = [7, 0, 4, 0, 0, 255, 255, 1], [7, 0, 4, 0, 0, 255, 255, 2]
    assert draw(0, front, back, ZFUNC=7)[0] == 1
    assert draw(0, front, back, ZFUNC=7, flags=int(RecordFlag.BACK))[0] == 2
    never = [0, 4, 0, 0, 0, 255, 255, 9]
    assert draw(0, front, never, ZFUNC=7, flags=int(RecordFlag.BACK)) == (9, 0)


@pytest.mark.jit_off
def test_depth_fail_operation_and_no_depth_write_when_stencil_fails():
    assert draw(7, [7, 1, 2, 10, 0, 255, 255, 3], z=0.75) == (7 & 3, 0)
    targets = empty_targets(4, 4, depth=True, stencil=True)
    targets.depth[:] = 1
    row_i, row_f = tile_scene.state(STENCIL_ENABLE=1, Z_FORMAT=3, Z_ENABLE=1, Z_WRITE=1, ZFUNC=1)
    row_i[0, 30:46] = [0, 0, 0, 0, 0, 255, 255, 1] * 2
    run_tiles(tile_scene.geometry(BOX, [[0.5] * 3], [(row_i, row_f)], targets), targets, 1)
    assert (targets.depth == 1).all()


@pytest.mark.jit_off
def test_stencil_clear_replaces_the_value_but_does_not_create_a_write():
    clear = {"STENCIL_CLEAR": 1, "STENCIL_CLEAR_VALUE": 0x77, "ZFUNC": 7}
    assert draw(0x11, [7, 0, 3, 0, 0, 255, 255, 1], **clear)[0] == 0x77
    assert draw(0x11, [7, 0, 3, 0, 0, 255, 0x0F, 1], **clear)[0] == 0x17
    assert draw(0x11, [7, 0, 0, 0, 0, 255, 255, 1], **clear)[0] == 0x11      # KEEP: nothing is written
    assert draw(0x11, [7, 0, 3, 0, 0, 255, 255, 1], **(clear | {"STENCIL_ENABLE": 0}))[0] == 0x11
