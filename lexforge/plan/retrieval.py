"""Which passages may support a point: the share of its content words a passage holds, rare ones counting more."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lexforge.domain.evidence import Passage
from lexforge.domain.record import Record, sha256_of
from lexforge.extract.bates_registry import prefix_key
from lexforge.extract.content_words import content_words
from lexforge.extract.sentences import sentences
from lexforge.store.search import Entry, Opener, in_memory

THRESHOLD = 0.35
"""Share of a point's weighted words below which a passage is noise: on the demo support has .77 and more, noise .33."""
WINDOW = 3
"""Sentences that may together support one point."""
NEAREST = 200
"""Passages that full-text search hands on; only these are compared in full."""
_NUMBER = re.compile(r"\b[A-Z][A-Za-z.&]*(?:[-_ ]?[A-Z]+)*[-_ ]?\d{4,15}\b")
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
    """Ranks a fixed set of passages: full-text search finds those that share words, their windows are then compared."""

    def __init__(
        self,
        passages: Iterable[Passage],
        bates: Mapping[str, str] = MappingProxyType({}),
        opened: Opener = in_memory,
        name: str = "passages",
    ) -> None:
        """`bates` are the numbers on the page of a passage, by its id; `opened` and `name` say where the index is."""
        self._passages = {p.id: p for p in passages if len(p.text.split()) >= SHORTEST}
        key = sha256_of([[id_, p.text, bates.get(id_, "")] for id_, p in self._passages.items()])
        self._search = opened(
            name,
            key,
            lambda: (
                Entry(id_, content_words(p.text), number_words(bates.get(id_, ""))) for id_, p in self._passages.items()
            ),
        )

    def _weight(self, word: str) -> float:
        return math.log(1 + self._search.size / (1 + self._search.count(word)))

    def rank(self, point: str, most: int, least: float = THRESHOLD) -> list[Candidate]:
        """The best passages that score at or above `least`, best first; ties in reading order.

        A point may name pages by their Bates numbers; a passage there that shares words with it goes before others.
        """
        wanted = {word: self._weight(word) for word in content_words(_NUMBER.sub(" ", point))}
        total = sum(wanted.values())
        if not total:
            return []
        numbers = number_words(point)
        near = set(self._search.find(wanted, numbers, NEAREST))
        named = set(self._search.find((), numbers, NEAREST))
        scored = [
            Candidate(passage=name, score=_score(wanted, passage.text, total, on_named_page=name in named))
            for name, passage in self._passages.items()
            if name in near
        ]
        return sorted((c for c in scored if c.score >= least), key=lambda c: -c.score)[:most]


def _score(wanted: dict[str, float], text: str, total: float, *, on_named_page: bool) -> float:
    score = max(_held(wanted, window) for window in _windows(text)) / total
    return (1 + score) / 2 if on_named_page and score else score


def number_words(text: str) -> list[str]:
    """Numbers that begin with letters, as Bates numbers do, without what separates their parts."""
    return [prefix_key(found) for found in _NUMBER.findall(text)]
