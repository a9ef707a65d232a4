"""Which passages may support a point: the share of its content words a passage holds, rare ones counting more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from lexforge.domain.evidence import Passage
from lexforge.domain.record import Record
from lexforge.extract.content_words import content_words

THRESHOLD = 0.35
"""Share of a point's weighted words below which a passage is noise: on the demo support has .77 and more, noise .33."""
SHORTEST = 8
"""Words; a shorter passage is a heading, an address or a stamp."""


class Candidate(Record):
    """A passage with its score, 0 to 1."""

    passage: str
    score: float


class Retriever:
    """Ranks a fixed set of passages."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._words = {p.id: set(content_words(p.text)) for p in passages if len(p.text.split()) >= SHORTEST}
        self._counts = Counter(word for found in self._words.values() for word in found)

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._words) / (1 + self._counts[word]))

    def rank(self, point: str, most: int) -> list[Candidate]:
        """The best passages at or above THRESHOLD, best first; ties in reading order."""
        wanted = {word: self._weight(word) for word in content_words(point)}
        total = sum(wanted.values())
        if not total:
            return []
        scored = [
            Candidate(passage=name, score=sum(w for word, w in wanted.items() if word in found) / total)
            for name, found in self._words.items()
        ]
        return sorted((c for c in scored if c.score >= THRESHOLD), key=lambda c: -c.score)[:most]
