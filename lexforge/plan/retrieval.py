"""Which passages may support a point: the share of its content words a passage holds, rare ones counting more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from lexforge.domain.evidence import Passage
from lexforge.domain.record import Record
from lexforge.extract.content_words import content_words
from lexforge.extract.sentences import sentences

THRESHOLD = 0.35
"""Share of a point's weighted words below which a passage is noise: on the demo support has .77 and more, noise .33."""
WINDOW = 3
"""Sentences that may together support one point."""
SHORTEST = 8
"""Words; a shorter passage is a heading, an address or a stamp."""


class Candidate(Record):
    """A passage with its score, 0 to 1."""

    passage: str
    score: float


def _windows(text: str) -> list[set[str]]:
    """Content words of each WINDOW consecutive sentences: a long passage must not win by its length."""
    words = [set(content_words(sentence)) for sentence in sentences(text)]
    return [set().union(*words[n : n + WINDOW]) for n in range(max(1, len(words) - WINDOW + 1))]


def _held(wanted: dict[str, float], window: set[str]) -> float:
    return sum(weight for word, weight in wanted.items() if word in window)


class Retriever:
    """Ranks a fixed set of passages."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._windows = {p.id: _windows(p.text) for p in passages if len(p.text.split()) >= SHORTEST}
        self._counts = Counter(word for windows in self._windows.values() for word in set().union(*windows))

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._windows) / (1 + self._counts[word]))

    def rank(self, point: str, most: int) -> list[Candidate]:
        """The best passages at or above THRESHOLD, best first; ties in reading order."""
        wanted = {word: self._weight(word) for word in content_words(point)}
        total = sum(wanted.values())
        if not total:
            return []
        scored = [
            Candidate(passage=name, score=max(_held(wanted, window) for window in windows) / total)
            for name, windows in self._windows.items()
        ]
        return sorted((c for c in scored if c.score >= THRESHOLD), key=lambda c: -c.score)[:most]
