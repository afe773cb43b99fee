"""Stand-ins as plain data, the way captures store them: see docs/capture-format.md."""

from collections.abc import Mapping
from typing import Any

from refgpu.texture.buffers import Buffer

from ..base.errors import InputError
from ..memory import Memory
from .abi import Shader
from .pixel_builtin import attribute, flat, user_data_color, weighted
from .vertex_builtin import clear_rect, vertex


def _buffer(entry: Mapping[str, Any], memory: Memory) -> Buffer:
    return Buffer.from_words([int(str(word), 0) for word in entry["vsharp"]], memory)


def from_description(description: Mapping[str, Any], memory: Memory) -> Shader:
    """Shader that a capture's entry describes.

    Parameters
    ----------
    description : mapping
        ``{"kind": ..., ...}``.
    memory : Memory
        Where V#s point into.

    Raises
    ------
    InputError
        Unknown kind, or a field that the kind needs is missing or unusable.
    """
    kind = description.get("kind")
    try:
        if kind == "vertex":
            return vertex(position=_buffer(description["position"], memory),
                          attributes=[_buffer(entry, memory) for entry in description.get("attributes", ())])
        if kind == "clear_rect":
            return clear_rect()
        if kind == "flat":
            return flat(*(float(channel) for channel in description["color"]))
        if kind == "attribute":
            return attribute(int(description["index"]), linear=bool(description.get("linear", False)))
        if kind == "user_data_color":
            return user_data_color(int(description["first"]))
        if kind == "weighted":
            terms = [(int(term["attribute"]), bool(term.get("linear", False)), [float(x) for x in term["scale"]])
                     for term in description["terms"]]
            return weighted(terms, [float(x) for x in description["constant"]])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"stand-in of kind {kind!r}: {error!r}") from error
    raise InputError(f"no stand-in of kind {kind!r}")
