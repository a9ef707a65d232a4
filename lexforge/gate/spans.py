"""Spans of a text that answer quickly whether they touch a given stretch."""

from __future__ import annotations

import bisect
from collections.abc import Iterable


class Spans:
    """Spans (start, end) in any order; they may overlap. Each question costs the logarithm of their number."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._all = sorted(spans)
        self._starts = [start for start, _ in self._all]
        self._reach: list[int] = []
        for _, end in self._all:
            self._reach.append(max(end, self._reach[-1] if self._reach else 0))

    def touch(self, start: int, end: int) -> bool:
        """Whether any of them shares a character with `start:end`."""
        before = bisect.bisect_left(self._starts, end)
        return before > 0 and self._reach[before - 1] > start

    def within(self, start: int, end: int) -> range:
        """Indices, in sorted order, of the spans that begin in `start:end`."""
        return range(bisect.bisect_left(self._starts, start), bisect.bisect_left(self._starts, end))

    def holding(self, start: int, end: int) -> int | None:
        """Index, in sorted order, of the last span that holds all of `start:end`, or None."""
        for at in range(bisect.bisect_right(self._starts, start) - 1, -1, -1):
            if self._all[at][1] >= end:
                return at
            if self._reach[at] < end:
                return None
        return None
