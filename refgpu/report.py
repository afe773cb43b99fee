"""HTML pages that need no other file: pictures are inside."""

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .compare import TILE, Comparison, axes_of, ulp_distance
from .image_files import picture, png_bytes

_LARGEST_SIDE = 1024  # pictures of whole images are thinned out to this
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; } figcaption { color: #555; }
img { image-rendering: pixelated; border: 1px solid #ccc; max-width: 100%; background: #fff; }
table { border-collapse: collapse; margin: .5rem 0; } td, th { padding: .1rem .8rem .1rem 0; text-align: left;
vertical-align: top; } code, td.code { font-family: ui-monospace, monospace; font-size: 13px; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } figcaption { color: #aaa; } }
"""


def escape(text: object) -> str:
    """Text for HTML."""
    return html.escape(str(text))


def paragraph(text: str) -> str:
    """One paragraph."""
    return f"<p>{escape(text)}</p>"


def heading(text: str) -> str:
    """A section's heading."""
    return f"<h2>{escape(text)}</h2>"


def table(rows: Iterable[Sequence[object]]) -> str:
    """Rows of cells."""
    body = "".join("<tr>" + "".join(f'<td class="code">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows)
    return f"<table>{body}</table>"


def figure(image: npt.NDArray[np.uint8], caption: str, png: bytes = b"") -> str:
    """A picture with its caption; `png` is its file when that is there already."""
    source = base64.b64encode(png or png_bytes(image)).decode()
    shown = min(2048 // max(1, image.shape[1]) * image.shape[1], 560) or image.shape[1]
    return (f'<figure><img alt="{escape(caption)}" style="width:{shown}px" src="data:image/png;base64,{source}">'
            f"<figcaption>{escape(caption)}</figcaption></figure>")


def row(figures: Iterable[str]) -> str:
    """Pictures beside each other."""
    return f'<div class="row">{"".join(figures)}</div>'


def page(title: str, blocks: Iterable[str]) -> str:
    """A whole page."""
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
            f"<body><h1>{escape(title)}</h1>{''.join(blocks)}</body></html>\n")


def write_page(path: Path, title: str, blocks: Iterable[str]) -> None:
    """Write a page; missing folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(title, blocks), "utf-8")


def layer_image(array: npt.NDArray[Any], layer: int) -> npt.NDArray[Any]:
    """[y, x] or [y, x, channel] of one layer, sample 0."""
    axes = axes_of(array.shape)
    for axis, index in (("l", layer), ("s", 0)):
        if axis in axes:
            array = array.take(index, axis=axes.index(axis))
    return array.reshape(1, -1) if array.ndim < 2 else array


def difference_picture(expected: npt.NDArray[Any], actual: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Where two images differ: red, the brighter the more units in the last place; equal pixels are dark grey."""
    if expected.dtype.kind == "b":
        expected, actual = expected.view(np.uint8), actual.view(np.uint8)
    ulp = ulp_distance(expected, actual)
    bits = f"u{expected.dtype.itemsize}"
    unequal = np.ascontiguousarray(expected).view(bits) != np.ascontiguousarray(actual).view(bits)
    if ulp.ndim == 3:
        ulp, unequal = ulp.max(axis=-1), unequal.any(axis=-1)
    strength = np.minimum(96 + 159 * np.log2(1.0 + ulp.astype(np.float64)) / (8 * expected.dtype.itemsize), 255)
    image = np.repeat((picture(actual).reshape(*ulp.shape, -1).mean(axis=-1) / 4)[..., None], 3, axis=-1)
    image[unequal] = 0
    image[unequal, 0] = strength[unequal]
    return image.astype(np.uint8)


def _thinned(image: npt.NDArray[Any]) -> npt.NDArray[Any]:
    step = -(-max(image.shape[:2]) // _LARGEST_SIDE)
    return image[::step, ::step]


def comparison_blocks(name: str, result: Comparison, expected: npt.NDArray[Any], actual: npt.NDArray[Any]) -> list[str]:
    """What a page says of one comparison."""
    blocks = [heading(name or "image"), table(comparison_rows(result))]
    layer, y, x = result.first or (0, 0, 0)
    left, right = layer_image(expected, layer), layer_image(actual, layer)
    finite = np.concatenate([side[np.isfinite(side)].ravel() for side in (left, right)]).astype(np.float64)
    low, high = (None, None) if left.ndim == 3 or not finite.size else (finite.min(), finite.max())

    def trio(a: npt.NDArray[Any], b: npt.NDArray[Any], what: str) -> str:
        return row([figure(picture(a, low, high), f"expected, {what}"),
                    figure(picture(b, low, high), f"actual, {what}"),
                    figure(difference_picture(a, b), f"difference, {what}")])

    blocks.append(trio(_thinned(left), _thinned(right), f"layer {layer}"))
    if result.first:
        top, start = y // TILE * TILE, x // TILE * TILE
        window = np.s_[top : top + TILE, start : start + TILE]
        blocks.append(trio(left[window], right[window], f"tile at x {start}, y {top}"))
    return blocks


def comparison_rows(result: Comparison) -> list[tuple[str, str]]:
    """A comparison as (what, value) rows."""
    rows = [("shape", f"{'x'.join(map(str, result.shape))} {result.dtype}")]
    if result.equal:
        return [*rows, ("result", "equal")]
    share = 100 * result.differing_pixels / result.pixels
    rows.append(("differing pixels", f"{result.differing_pixels} of {result.pixels} ({share:.3g} %)"))
    if len(result.channel_counts) > 1:
        rows.append(("by channel", ", ".join(map(str, result.channel_counts))))
    largest = "a NaN against a number" if result.max_ulp < 0 else f"{result.max_ulp}"
    rows.append(("largest distance", f"{largest} ulp, {result.max_difference:g}"))
    if result.bounding_box:
        x0, y0, x1, y1 = result.bounding_box
        rows.append(("bounding box", f"x {x0}..{x1 - 1}, y {y0}..{y1 - 1}"))
    if result.first and result.tile:
        data = result.to_dict()["first"]
        layer, y, x = result.first
        rows.append(("first", f"x {x}, y {y}" + (f", layer {layer}" if layer else "")
                     + f", in the tile at x {result.tile.x}, y {result.tile.y}"))
        rows.append(("  expected", ", ".join(data["expected"])))
        rows.append(("  actual", ", ".join(data["actual"])))
    return rows
