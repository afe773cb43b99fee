"""The table of claims: what refgpu models, how sure that is, and from where."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from .errors import InputError

GRADES = ("measured", "documented", "driver", "inferred", "assumed")
OPEN_GRADES = ("inferred", "assumed")


@dataclass(frozen=True)
class Claim:
    """One claim; `alternatives` maps a name to a sentence, the first is what refgpu does by default."""

    id: str
    statement: str
    grade: str
    source: str
    test: str
    alternatives: Mapping[str, str] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether nobody has measured or documented it."""
        return self.grade in OPEN_GRADES

    @property
    def default(self) -> str:
        """Name of the alternative taken by default, or an empty string."""
        return next(iter(self.alternatives), "")


@functools.cache
def table() -> Mapping[str, Claim]:
    """All claims by id."""
    raw = tomllib.loads((files("refgpu") / "claims.toml").read_text("utf-8"))
    return {id_: Claim(id=id_, **entry) for id_, entry in raw.items()}


def get(id_: str) -> Claim:
    """One claim; InputError when there is none of that id."""
    try:
        return table()[id_]
    except KeyError:
        raise InputError(f"no claim {id_!r}; `refgpu claims` lists them") from None


class Variant:
    """Which alternative of each contested claim a Gpu follows."""

    def __init__(self, chosen: Mapping[str, str] | None = None):
        self.chosen = dict(chosen or {})
        for id_, name in self.chosen.items():
            claim = get(id_)
            if name not in claim.alternatives:
                known = ", ".join(claim.alternatives) or "none"
                raise InputError(f"claim {id_} has no alternative {name!r}; it has: {known}")

    def __getitem__(self, id_: str) -> str:
        return self.chosen.get(id_) or get(id_).default

    def __repr__(self) -> str:
        return f"Variant({self.chosen})"
