"""The words around a date: when a draft repeats a sentence of a source, it must repeat the date in it too.

Dates recur in every record, so a wrong date often stands somewhere. Compared are the words that run outward from the
date, in the draft and at each date of the source; only a run long enough to be a repetition decides anything.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import NamedTuple

from lexforge.domain.mentions import DateValue
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.source_dates import Dated
from lexforge.gate.tokens import Stream, norms_of

REACH = 9
REPETITION = 6
CHANCE = 2


class Surroundings(NamedTuple):
    """Folded words before a date, the nearest first, and after it."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class Repeated(NamedTuple):
    """A date of a source in the same words, and how many of them agree."""

    held: SourceText
    dated: Dated
    run: int


def surroundings(text: str, start: int, end: int, first: int, last: int) -> Surroundings:
    """Words around `text[start:end]` within the sentence `text[first:last]`."""
    before = norms_of(text[first:start])[-REACH:]
    return Surroundings(tuple(reversed(before)), norms_of(text[end:last])[:REACH])


def _run(ours: Sequence[str], theirs: Sequence[str]) -> int:
    count = 0
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            break
        count += 1
    return count


def run_at(stream: Stream, starts: Sequence[int], dated: Dated, ours: Surroundings) -> int:
    """How many words agree outward from a date of a source, on both sides together."""
    first = bisect.bisect_left(starts, dated.start)
    last = bisect.bisect_left(starts, dated.end)
    before = stream.norms[max(0, first - REACH) : first][::-1]
    return _run(ours.before, before) + _run(ours.after, stream.norms[last : last + REACH])


def repetition(
    value: DateValue, ours: Surroundings, held: SourceText, dates: Sequence[Dated], matches: Sequence[Dated]
) -> Repeated | None:
    """The other date that stands in one source in the draft's own words, when the claimed one stands in none like them.

    `dates` are those of the source, `matches` the ones among them that agree with `value`.
    """
    if value.day is None or len(ours.before) + len(ours.after) < REPETITION:
        return None
    starts = held.body.starts
    everywhere = held.full.starts
    agreeing = {id(dated) for dated in matches}
    best: Repeated | None = None
    for dated in dates:
        run = run_at(held.body, starts, dated, ours)
        if id(dated) in agreeing:
            # A footnote stands in no body text, and the claimed date may well stand in a footnote.
            if max(run, run_at(held.full, everywhere, dated, ours)) > CHANCE:
                return None
        elif dated.value.day is not None and dated.value.year is not None and run > (best.run if best else 0):
            best = Repeated(held, dated, run)
    return best if best is not None and best.run >= REPETITION else None
