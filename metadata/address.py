"""From coordinates to a metadata element and back: scalar kernels over one small table per layout.

An element is the smallest unit: a nibble (CMASK), a byte (DCC) or a byte of a 4-byte word (HTILE). Inside a metablock
its number is linear over GF(2) in the coordinate bits (see `equations`), so the table holds XOR sums of six coordinate
bits at a time: five look-ups forward, three back. Metablocks lie row by row, slices one after the other.
"""

import numpy as np

from ..base.errors import InputError
from ..base.kernel import kernel
from .equations import Equation

# int64 table: a header, five forward groups of 64 sums, three backward groups of 64
BLOCK_WIDTH_LOG2, BLOCK_HEIGHT_LOG2, BLOCKS_PER_ROW, BLOCK_LOG2, SLICE_ELEMENTS, XOR = range(6)
_HEADER = 8
_GROUP = 64
_GROUPS = (("x", 2), ("x", 8), ("y", 2), ("y", 8), ("z", 0))
_BACK = _HEADER + _GROUP * len(_GROUPS)
_BACK_GROUPS = 3
TABLE_SIZE = _BACK + _GROUP * _BACK_GROUPS
_Y_SHIFT = 16  # the backward sums hold x | y << 16


def _xor_sums(columns: list[int]) -> list[int]:
    """XOR of the columns picked by each 6-bit number."""
    sums = [0]
    for column in columns:
        sums += [value ^ column for value in sums]
    return sums


def _solve(equation: Equation, width_log2: int, height_log2: int) -> list[int]:
    """For each address bit, the in-block coordinate bits (x | y << 16) that set this bit alone.

    Coordinate bits that an element spans stay 0. Raises InputError when the equation does not reach every element.
    """
    order = [(axis, bit) for bit in range(15, -1, -1) for axis in "yx"
             if bit < (width_log2 if axis == "x" else height_log2)]
    used = [index for index, terms in enumerate(equation) if terms]
    rows: list[tuple[int, int]] = []  # (address bits, coordinate bits that give them), in echelon form
    for axis, bit in order:
        effect = sum(1 << index for index in used if (axis, bit) in equation[index])
        coordinate = 1 << (bit + (_Y_SHIFT if axis == "y" else 0))
        for row_effect, row_coordinate in rows:
            if effect ^ row_effect < effect:
                effect, coordinate = effect ^ row_effect, coordinate ^ row_coordinate
        if effect:
            rows.append((effect, coordinate))
            rows.sort(reverse=True)
    if len(rows) != len(used):
        raise InputError("the equation does not reach every element of a metablock")
    result = []
    for index in range(len(equation)):
        effect, coordinate = (1 << index if equation[index] else 0), 0
        for row_effect, row_coordinate in rows:
            if effect ^ row_effect < effect:
                effect, coordinate = effect ^ row_effect, coordinate ^ row_coordinate
        result.append(coordinate)
    return result


def build_table(equation: Equation, block_width_log2: int, block_height_log2: int, blocks_per_row: int,
                slice_elements: int, xor: int) -> np.ndarray:
    """Pack a layout for the kernels below; all sizes in elements."""
    table = np.zeros(TABLE_SIZE, np.int64)
    table[:6] = block_width_log2, block_height_log2, blocks_per_row, len(equation), slice_elements, xor
    for number, (axis, first) in enumerate(_GROUPS):
        columns = [sum(1 << index for index, terms in enumerate(equation) if (axis, bit) in terms)
                   for bit in range(first, first + 6)]
        start = _HEADER + number * _GROUP
        table[start:start + _GROUP] = _xor_sums(columns)
    back = _solve(equation, block_width_log2, block_height_log2)
    back += [0] * (6 * _BACK_GROUPS - len(back))
    for number in range(_BACK_GROUPS):
        start = _BACK + number * _GROUP
        table[start:start + _GROUP] = _xor_sums(back[6 * number:6 * number + 6])
    return table


@kernel
def block_offset(table, x, y, z):
    """Element inside its metablock, before the pipe xor.  [META-EQUATIONS]"""
    return (table[8 + ((x >> 2) & 63)] ^ table[72 + ((x >> 8) & 63)] ^ table[136 + ((y >> 2) & 63)]
            ^ table[200 + ((y >> 8) & 63)] ^ table[264 + (z & 63)])


@kernel
def element_offset(table, x, y, z):
    """Element of pixel (x, y) of slice z, counted from the start of the metadata.  [META-BLOCK-ORDER]"""
    x = np.int64(x)
    y = np.int64(y)
    z = np.int64(z)
    block = (y >> table[1]) * table[2] + (x >> table[0])
    return z * table[4] + (block << table[3]) + (block_offset(table, x, y, z) ^ table[5])


@kernel
def element_position(table, element):
    """Pixel (x, y) and slice where the element's area begins: the inverse of `element_offset`."""
    element = np.int64(element)
    z = element // table[4]
    inside = element - z * table[4]
    block = inside >> table[3]
    base_y = (block // table[2]) << table[1]
    base_x = (block % table[2]) << table[0]
    bits = (inside & ((np.int64(1) << table[3]) - 1)) ^ table[5] ^ block_offset(table, base_x, base_y, z)
    packed = table[328 + (bits & 63)] ^ table[392 + ((bits >> 6) & 63)] ^ table[456 + ((bits >> 12) & 63)]
    return base_x + (packed & 0xFFFF), base_y + (packed >> 16), z


@kernel
def offsets_of(table, x, y, z, shift, out):
    """`element_offset` of each place, divided by 2**shift; an array of one element stands for all places."""
    step_x = np.int64(x.size > 1)
    step_y = np.int64(y.size > 1)
    step_z = np.int64(z.size > 1)
    for i in range(out.size):
        out[i] = element_offset(table, x[i * step_x], y[i * step_y], z[i * step_z]) >> shift


@kernel
def offsets_of_grid(table, step_x, step_y, shift, out):
    """`element_offset` of every tile [slice, tile_y, tile_x], divided by 2**shift."""
    for z in range(out.shape[0]):
        for tile_y in range(out.shape[1]):
            for tile_x in range(out.shape[2]):
                out[z, tile_y, tile_x] = element_offset(table, tile_x * step_x, tile_y * step_y, z) >> shift


@kernel
def positions_of(table, elements, x, y, z):
    """`element_position` of each element."""
    for i in range(elements.size):
        x[i], y[i], z[i] = element_position(table, elements[i])
