"""Prefill and decode of a run, seat by seat and section by section, from the engines' own counters."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from lexforge.domain.record import Record
from lexforge.domain.run import Call
from lexforge.measure.together import at_once, busy_ms, decodes, prefills, waits

FEWEST_READ = 64
"""Prompt tokens a call, on average, from which their rate says something of prefill. A step of a few tokens costs
about as much as one of many: SmolLM2-135M Q4_1 on one core read 1 token at 38 tok/s, 4 at 60, 16 at 80, 64 to 512 at 65
to 106 (llama-server, 2026-12-01). A GPU needs several hundred, so compare prompts of like length."""

FEWEST_TIMED = 32
"""Decoded tokens in sum from which their rate says something. In the same session three answers of 2 tokens differed by
a factor of 1.7, of 32 by 1.2, of 64 by 1.1."""

Key = tuple[str, str, str]
"""Seat, step, section."""


class Kind(StrEnum):
    """What a row is of: the first call of a seat, the calls for a section, all calls of a seat but the first."""

    WARM_UP = "warm-up"
    SECTION = "section"
    SEAT = "seat"


class Row(Record):
    """Figures of some calls of one seat. Tokens, milliseconds and `truncations` are sums, rates tokens per second.

    `prefill` and `decode` are of one slot, `*_in_sum` of all slots while any of them was at it; a rate is None where
    there are too few tokens for one, `*_in_sum` also where no two calls ran together. `queue_ms` is what callers waited
    over and above the engine's own time,
    `at_once` how many of them waited at most. Shares are None where there is nothing to share.
    """

    kind: Kind
    seat: str
    step: str = ""
    section: str = ""
    calls: int
    at_once: int
    prompt_tokens: int
    cached_tokens: int
    cached_share: float | None
    prompt_ms: float
    prefill: float | None
    prefill_in_sum: float | None
    completion_tokens: int
    completion_ms: float
    decode: float | None
    decode_in_sum: float | None
    wall_ms: float
    queue_ms: float
    truncations: int
    drafted: int
    accepted: int
    accepted_share: float | None


def rows(calls: Sequence[Call]) -> tuple[Row, ...]:
    """Seat by seat in the order they were first asked: its warm-up, its sections, all of it but the warm-up."""
    warm_ups, rest = split_warm_up(calls)
    sections, found = by_section(rest), []
    for seat in dict.fromkeys(call.seat for call in warm_ups):
        of_seat = [call for call in warm_ups if call.seat == seat]
        found.append(_row(of_seat, Kind.WARM_UP, seat, of_seat[0].step, of_seat[0].section))
        found += [_row(same, Kind.SECTION, *key) for key, same in sections.items() if key[0] == seat]
        all_of_seat = [call for call in rest if call.seat == seat]
        if all_of_seat:
            found.append(_row(all_of_seat, Kind.SEAT, seat))
    return tuple(found)


def in_time(calls: Sequence[Call]) -> list[Call]:
    """Calls in the order they began, whatever order they come in."""
    return sorted(calls, key=lambda call: (call.began_ms, call.content_sha256))


def split_warm_up(calls: Sequence[Call]) -> tuple[list[Call], list[Call]]:
    """The first call of each seat in each sitting, and all others; both in the order they began."""
    begun: set[tuple[str, int]] = set()
    first: list[Call] = []
    rest: list[Call] = []
    for call in in_time(calls):
        (rest if (call.seat, call.sitting) in begun else first).append(call)
        begun.add((call.seat, call.sitting))
    return first, rest


def by_section(calls: Sequence[Call]) -> dict[Key, list[Call]]:
    """Calls that were made for the same, in the order they began."""
    found: dict[Key, list[Call]] = {}
    for call in in_time(calls):
        found.setdefault((call.seat, call.step, call.section), []).append(call)
    return found


def cached_share(calls: Sequence[Call]) -> float | None:
    """What part of the prompts had been read before."""
    cached = sum(call.cached_tokens for call in calls)
    return _share(cached, cached + sum(call.prompt_tokens for call in calls))


def prefill_rate(calls: Sequence[Call]) -> float | None:
    """Prompt tokens per second of one slot; what was cached is not counted."""
    return _prefill(calls, sum(call.prompt_ms for call in calls))


def decode_rate(calls: Sequence[Call]) -> float | None:
    """Answer tokens per second of one slot."""
    return _decode(calls, sum(call.completion_ms for call in calls))


def wait_per_token(calls: Sequence[Call]) -> float | None:
    """Milliseconds that callers waited, for each token of the answers."""
    tokens = sum(call.completion_tokens for call in calls)
    return sum(call.wall_ms for call in calls) / tokens if tokens >= FEWEST_TIMED else None


def _prefill(calls: Sequence[Call], ms: float) -> float | None:
    tokens = sum(call.prompt_tokens for call in calls)
    return 1000 * tokens / ms if tokens >= FEWEST_READ * len(calls) and ms > 0 else None


def _decode(calls: Sequence[Call], ms: float) -> float | None:
    # The first token of an answer comes out of prefill and takes none of the decode time: llama-server reports 0 ms for
    # an answer of one token, and its own `predicted_per_second` leaves that token out as well.
    timed = sum(max(0, call.completion_tokens - 1) for call in calls)
    return 1000 * timed / ms if timed >= FEWEST_TIMED and ms > 0 else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _row(calls: Sequence[Call], kind: Kind, seat: str, step: str = "", section: str = "") -> Row:
    together = at_once(waits(calls))
    drafted, accepted = sum(call.drafted for call in calls), sum(call.accepted for call in calls)
    return Row(
        kind=kind,
        seat=seat,
        step=step,
        section=section,
        calls=len(calls),
        at_once=together,
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        cached_tokens=sum(call.cached_tokens for call in calls),
        cached_share=cached_share(calls),
        prompt_ms=sum(call.prompt_ms for call in calls),
        prefill=prefill_rate(calls),
        prefill_in_sum=_prefill(calls, busy_ms(prefills(calls))) if together > 1 else None,
        completion_tokens=sum(call.completion_tokens for call in calls),
        completion_ms=sum(call.completion_ms for call in calls),
        decode=decode_rate(calls),
        decode_in_sum=_decode(calls, busy_ms(decodes(calls))) if together > 1 else None,
        wall_ms=sum(call.wall_ms for call in calls),
        queue_ms=sum(call.wall_ms - call.prompt_ms - call.completion_ms for call in calls),
        truncations=sum(call.truncated or call.finish_reason == "length" for call in calls),
        drafted=drafted,
        accepted=accepted,
        accepted_share=_share(accepted, drafted),
    )
