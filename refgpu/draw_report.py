"""What a Gpu has done so far: counts, the claims it rested on, warnings."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """Grows with every draw.

    Attributes
    ----------
    draws : int
        Draws executed.
    counts : Counter
        Primitives, vertices and samples by name.
    claims : set of str
        Ids of claims of grade inferred or assumed that some draw rested on.
    warnings : list of str
        What a developer should know, each said once.
    """

    draws: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    claims: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)

    def warn(self, text: str) -> None:
        """Add a warning unless it is there already."""
        if text not in self.warnings:
            self.warnings.append(text)

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {"draws": self.draws, "counts": dict(sorted(self.counts.items())), "claims": sorted(self.claims),
                "warnings": list(self.warnings)}
