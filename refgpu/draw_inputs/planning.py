"""Which of a draw's inputs an emulator may read where they lie, and which it must copy first, and why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..memory import Memory
from .ranges import Range
from .timeline import Access, Timeline

MISALIGNED = "misaligned for its reader"
NOT_IMPORTED = "not inside one imported region"


@dataclass(frozen=True)
class Plan:
    """What to do with one range.

    Attributes
    ----------
    range : Range
    in_place : bool
        True: bind guest memory itself. False: copy the bytes when the draw is recorded.
    reasons : tuple of str
        Why it must be copied; empty when it need not be.
    waits : tuple of int
        Submissions that must be completed before the copy is taken; one that is still recorded must be submitted first.
    """

    range: Range
    in_place: bool
    reasons: tuple[str, ...] = ()
    waits: tuple[int, ...] = ()


def plan(ranges: Iterable[Range], imported: Memory | Sequence[tuple[int, int]], timeline: Timeline | None = None, *,
         note: bool = True) -> list[Plan]:
    """Decide for each range of a draw: in place, or copied.

    Parameters
    ----------
    ranges : iterable of Range
        From `draw_ranges`, or made by hand.
    imported : Memory, or sequence of (address, nbytes)
        Regions that the host GPU can read: those of guest memory by default an emulator imports whole.
    timeline : Timeline, optional
        Accesses that are not done yet; none without.
    note : bool
        Note the ranges that are read in place in the timeline, so that later writes of these bytes wait.

    Returns
    -------
    list of Plan
        In the order of `ranges`. Carried out as told, each draw sees the bytes that a copy, taken after everything
        before it was completed, would hold.  [DRAW-IN-PLACE]

    Examples
    --------
    >>> from refgpu.draw_inputs import Access, Range, Timeline, plan
    >>> timeline = Timeline()
    >>> indices = Range(0x1002, 6, 2, what="indices")
    >>> plan([indices], [(0x1000, 0x1000)], timeline)[0].in_place
    True
    >>> timeline.order(Access.CPU_STORE, 0x1004, 4).waits   # it would change the bytes under the draw
    (0,)
    >>> timeline.complete(timeline.submit())
    >>> timeline.write(Access.LABEL, 0x1004, 4)
    >>> plan([indices], [(0x1000, 0x1000)], timeline)[0].reasons
    ('a queued label store',)
    """
    regions = [(region.address, region.nbytes) for region in imported.regions] if isinstance(imported, Memory) \
        else list(imported)
    plans = [_plan(one, regions, timeline) for one in ranges]
    if note and timeline is not None:
        for decided in plans:
            if decided.in_place:
                timeline.read(decided.range.address, decided.range.nbytes)
    return plans


def _plan(one: Range, regions: Sequence[tuple[int, int]], timeline: Timeline | None) -> Plan:
    reasons: dict[str, None] = {}
    waits: dict[int, None] = {}
    if not one.aligned:
        reasons[MISALIGNED] = None
    if not any(start <= one.address and one.end <= start + nbytes for start, nbytes in regions):
        reasons[NOT_IMPORTED] = None
    if timeline is not None:
        for access in timeline.pending(one.address, one.nbytes):
            if access.kind is not Access.READ:
                reasons[access.kind.value] = None
                waits[access.submission] = None
    return Plan(one, not reasons, tuple(reasons), tuple(waits))
