"""The two sides of a comparison, and what keeps them from being compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lexforge.domain.record import Record
from lexforge.domain.run import Call
from lexforge.errors import RunError
from lexforge.measure.runs import MeasuredRun
from lexforge.measure.throughput import Key, by_section, cached_share, split_warm_up
from lexforge.measure.together import at_once, waits

MOST_CACHED_APART = 0.1
"""The cached shares of a pair may differ by so much; beyond, the cache is compared and not the model."""

SLOTS = "slots"
"""The name of an identity's slots; naming it as varying lets the number of calls at once vary, too."""


class Side(Record):
    """One side: `letter` A or B, and its runs, which are repetitions of each other."""

    letter: str
    runs: tuple[MeasuredRun, ...]


def warm(run: MeasuredRun) -> dict[Key, list[Call]]:
    """What the run's calls were for, without the first call of each seat."""
    return by_section(split_warm_up(run.calls)[1])


def shared_keys(a: Side, b: Side) -> tuple[Key, ...]:
    """What all runs of both sides have calls for, in the order of the first run."""
    all_of_them = [warm(run) for side in (a, b) for run in side.runs]
    return tuple(key for key in all_of_them[0] if all(key in keys for keys in all_of_them))


def left_out(a: Side, b: Side) -> tuple[Key, ...]:
    """What some run has calls for and another has not."""
    shared = set(shared_keys(a, b))
    every = [key for side in (a, b) for run in side.runs for key in warm(run)]
    return tuple(key for key in dict.fromkeys(every) if key not in shared)


def require_comparable(a: Side, b: Side, varying: Sequence[str] = ()) -> None:
    """RunError that names every difference, unless only the identity keys `varying` differ between the sides.

    A side's own runs may differ in nothing. A key in `varying` that does not differ is refused as well: the comparison
    would not be of what it says.
    """
    _require_different_runs(a, b)
    matters = {run.matter for side in (a, b) for run in side.runs}
    if len(matters) > 1:
        raise _refused([f"the runs are of different matters: {', '.join(sorted(matters))}"])
    keys = shared_keys(a, b)
    if not keys:
        raise _refused([f"no section was worked on in all of them ({_sections_of(a)}; {_sections_of(b)})"])
    found: list[str] = []
    for side in (a, b):
        for other in side.runs[1:]:
            found += _differences(side.runs[0], other, keys, ())
    if not found:
        for first, second in ((x, y) for x in a.runs for y in b.runs):
            found += _differences(first, second, keys, varying)
        found += _not_varying(a.runs[0], b.runs[0], keys, varying)
    if found:
        raise _refused(list(dict.fromkeys(found)), _keys_that_differ(a.runs[0], b.runs[0], keys))


def _require_different_runs(a: Side, b: Side) -> None:
    named = [(run.place, run.number) for side in (a, b) for run in side.runs]
    twice = [run.name for side in (a, b) for run in side.runs if named.count((run.place, run.number)) > 1]
    if twice:
        raise _refused([f"{twice[0]} is named more than once, and agrees with itself in everything"])


def _sections_of(side: Side) -> str:
    names = dict.fromkeys(told(key) for run in side.runs for key in warm(run))
    return f"side {side.letter}: {', '.join(names) or 'nothing after the warm-up'}"


def told(key: Key) -> str:
    """A key in words."""
    seat, step, section = key
    return f"{step} {section} ({seat})" if section else f"{step} ({seat})"


def _differences(x: MeasuredRun, y: MeasuredRun, keys: Sequence[Key], varying: Sequence[str]) -> Iterator[str]:
    where = f"{x.name} and {y.name}"
    for seat, key, mine, theirs in _identity_differences(x, y, keys):
        if key not in varying:
            yield f"the {seat}'s {key} is {_apart(mine, theirs)} in {where}"
    yield from () if SLOTS in varying else _concurrency(x, y, keys)
    mine_by_key, theirs_by_key = warm(x), warm(y)
    for pair in keys:
        one, two = cached_share(mine_by_key[pair]) or 0.0, cached_share(theirs_by_key[pair]) or 0.0
        if abs(one - two) > MOST_CACHED_APART:
            yield f"the cached share of {told(pair)} is {one:.0%} and {two:.0%} in {where}"


def _identity_differences(x: MeasuredRun, y: MeasuredRun, keys: Sequence[Key]) -> Iterator[tuple[str, str, Any, Any]]:
    for seat in dict.fromkeys(key[0] for key in keys):
        mine, theirs = x.identities[seat], y.identities[seat]
        for key in dict.fromkeys([*mine, *theirs]):
            if mine.get(key) != theirs.get(key):
                yield seat, key, mine.get(key), theirs.get(key)


def _keys_that_differ(x: MeasuredRun, y: MeasuredRun, keys: Sequence[Key]) -> list[str]:
    return list(dict.fromkeys(key for _, key, _, _ in _identity_differences(x, y, keys)))


def _concurrency(x: MeasuredRun, y: MeasuredRun, keys: Sequence[Key]) -> Iterator[str]:
    for seat in dict.fromkeys(key[0] for key in keys):
        one, two = (at_once(waits([call for call in run.calls if call.seat == seat])) for run in (x, y))
        if one != two:
            yield f"the {seat} had at most {one} and {two} calls at once in {x.name} and {y.name}"


def _not_varying(x: MeasuredRun, y: MeasuredRun, keys: Sequence[Key], varying: Sequence[str]) -> Iterator[str]:
    differing = _keys_that_differ(x, y, keys)
    if any(_concurrency(x, y, keys)):
        differing.append(SLOTS)
    for key in varying:
        if key not in differing:
            yield f"{key} was said to vary and is the same on both sides"


def _apart(mine: Any, theirs: Any) -> str:
    """Two values; of two lists only what one has and the other has not."""
    if isinstance(mine, list) and isinstance(theirs, list):
        only = ([v for v in mine if v not in theirs], [v for v in theirs if v not in mine])
        mine, theirs = (" ".join(map(str, side)) or "without that" for side in (only if any(only) else (mine, theirs)))
    return f"{_short(mine)} and {_short(theirs)}"


def _short(value: Any) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 and " " not in text else text


def _refused(differences: list[str], keys: Sequence[str] = ()) -> RunError:
    options = " ".join(f"--varying {key}" for key in keys)
    advice = "Only runs that are alike in model, cache and concurrency say anything about each other."
    if options:
        advice += f" If the models are what you compare, say so: {options}."
    return RunError(f"These runs cannot be compared: {'; '.join(differences)}.", advice)
