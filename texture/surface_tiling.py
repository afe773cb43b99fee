"""Whole mips between tiled bytes and rows of texels: word sizes, tables, planes and threads for `surface_copy`."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .surface_copy import copy_plane, over_units
from .surface_equations import Equation, xor_sums
from .surface_mips import Mip

if TYPE_CHECKING:
    from .surface import SurfaceLayout

_WORD: dict[int, Any] = {0: np.uint8, 1: np.uint16, 2: np.uint32, 3: np.uint64}
_LINEAR_BAND = 16  # rows


def _run_log2(rule: Equation, element_log2: int) -> int:
    """log2 of the bytes that lie side by side in memory as in the row."""
    run = element_log2
    while run < len(rule):
        bit = ("x", run - element_log2)
        if rule[run] != {bit} or sum(bit in terms for terms in rule) != 1:
            break
        run += 1
    return run


def _tables(layout: "SurfaceLayout", mip: Mip, word_log2: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """In words: what each word of a row, and each row, adds to the address inside a block."""
    nbytes = np.arange(0, mip.width << layout.element_log2, 1 << word_log2)
    x = xor_sums(layout.axes["x"], (nbytes >> layout.element_log2) + mip.tail_x)
    x += nbytes & ((1 << layout.element_log2) - 1)
    y = xor_sums(layout.axes["y"], np.arange(mip.real_height) + mip.tail_y)
    return (x >> word_log2).astype(np.int32), (y >> word_log2).astype(np.int32)


def _writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same bytes without a read-only flag, for a kernel that has both directions and only reads these."""
    interface = dict(array.__array_interface__)
    interface["data"] = interface["data"][0], False
    return np.asarray(SimpleNamespace(__array_interface__=interface))


def _copy_linear(layout: "SurfaceLayout", tiled: npt.NDArray[np.uint8], rows: npt.NDArray[np.uint8], mip: Mip,
                 first_slice: int, count: int, to_rows: bool) -> None:
    row_nbytes, pitch_nbytes = mip.width << layout.element_log2, mip.pitch << layout.element_log2
    there = tiled.reshape(layout.slices, layout.slice_size)[first_slice:, mip.offset:]
    here = rows.reshape(count, mip.real_height, row_nbytes)

    def copy_rows(plane: int, top: int, bottom: int) -> None:
        texels = there[plane, :mip.height * pitch_nbytes].reshape(mip.height, pitch_nbytes)[top:bottom, :row_nbytes]
        if to_rows:
            here[plane, top:bottom] = texels
        else:
            texels[...] = here[plane, top:bottom]

    over_units(copy_rows, count, mip.real_height, _LINEAR_BAND, rows.size)


def copy_mip(layout: "SurfaceLayout", tiled: npt.NDArray[np.uint8], rows: npt.NDArray[np.uint8], mip: Mip,
             first_slice: int, count: int, to_rows: bool) -> None:
    """Copy `count` slices of a mip out of tiled bytes into rows, or back."""
    if not rows.size:
        return
    if layout.linear:
        _copy_linear(layout, tiled, rows, mip, first_slice, count, to_rows)
        return
    row_nbytes = mip.width << layout.element_log2
    aligned = min(_run_log2(layout.rule, layout.element_log2), (row_nbytes & -row_nbytes).bit_length() - 1)
    word_log2, step = min(aligned, 3), 2 if aligned > 3 else 1
    x_table, y_table = _tables(layout, mip, word_log2)
    tiled_words, row_words = (_writable(array.view(_WORD[word_log2])) for array in (tiled, rows))
    planes = count * layout.samples
    plane_words = row_words.size // planes
    slices = np.arange(first_slice, first_slice + count)
    turns = xor_sums(layout.axes["z"], slices)[:, None] ^ xor_sums(layout.axes["s"], np.arange(layout.samples))
    turns = (turns ^ layout.xor).reshape(-1) >> word_log2
    starts = (slices // layout.block_depth * (layout.slice_size * layout.block_depth) + mip.offset) >> word_log2
    sizes = [np.int64(size) for size in (
        layout.base_align >> word_log2, mip.pitch // layout.block_width,
        layout.block_width << layout.element_log2 >> word_log2, layout.block_height, row_nbytes >> word_log2)]

    def copy_blocks(plane: int, top: int, bottom: int) -> None:
        words = row_words[plane * plane_words:(plane + 1) * plane_words]
        copy_plane(tiled_words, words, to_rows, x_table, y_table, turns[plane], starts[plane // layout.samples], *sizes,
                   np.int64(top), np.int64(bottom), np.int64(1 << word_log2), np.int64(step))

    over_units(copy_blocks, planes, mip.real_height, layout.block_height, rows.size)
