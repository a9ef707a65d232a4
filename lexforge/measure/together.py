"""Times on one clock: how many spans lie over each other, and how long there was any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lexforge.domain.run import Call

Span = tuple[float, float]
"""Beginning and end in milliseconds."""


def waits(calls: Iterable[Call]) -> list[Span]:
    """When each caller waited."""
    return [(call.began_ms, call.began_ms + call.wall_ms) for call in calls]


def decodes(calls: Iterable[Call]) -> list[Span]:
    """When each answer was written: the engine's decode time, taken to end when the caller has the answer."""
    return [(end - ms, end) for end, ms in ((c.began_ms + c.wall_ms, c.completion_ms) for c in calls)]


def prefills(calls: Iterable[Call]) -> list[Span]:
    """When each prompt was read: the engine's prefill time, taken to end where its decode time begins."""
    return [(end - ms, end) for end, ms in ((c.began_ms + c.wall_ms - c.completion_ms, c.prompt_ms) for c in calls)]


def at_once(spans: Sequence[Span]) -> int:
    """The most spans at any moment; two that only touch are not at once."""
    now = most = 0
    for _, change in sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans]):
        now += change
        most = max(most, now)
    return max(most, 1) if spans else 0


def busy_ms(spans: Iterable[Span]) -> float:
    """Milliseconds in which there was at least one span."""
    total, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total
