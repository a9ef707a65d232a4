"""Sentences of a draft. A full stop inside a mention or behind an abbreviation ends nothing."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lexforge.domain.mentions import Mention, MentionKind
from lexforge.gate.resolve.alignment import ABBREVIATIONS

PARAGRAPH_BREAK = re.compile(r"\n[ \t]*\n+|\f")
STOP = re.compile(r"[.?!]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9§¶“\[(])")
LAST_WORD = re.compile(r"([\w'’.&-]+?)[.?!]+[\"'”’)\]]*\Z")
NUMBERING = re.compile(r"\s*(?:\d{1,4}|[A-Za-z]|[IVXLC]+)[.)]?\Z")
CITING_WORDS = re.compile(r"\w+")
MOST_WORDS_AROUND_CITES = 4
INTRODUCES = re.compile(
    r"(?:\bfollowing\b|\bfacts\b|\bas follows\b|\b(?:says|states|reads|shows|records|recounts) (?:this|so)\b|:)"
    r"[.:\s\"”’)]*\Z",
    re.I,
)


@dataclass(frozen=True)
class Sentence:
    """`text[start:end]` of the draft; `paragraph` counts from 0."""

    start: int
    end: int
    paragraph: int


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Spans of the paragraphs: what an empty line or a page break divides."""
    spans: list[tuple[int, int]] = []
    start = 0
    for gap in PARAGRAPH_BREAK.finditer(text):
        spans.append((start, gap.start()))
        start = gap.end()
    spans.append((start, len(text)))
    return [(s, e) for s, e in spans if text[s:e].strip()]


def _is_abbreviation(text: str, start: int, stop: re.Match[str]) -> bool:
    last = LAST_WORD.search(text, start, stop.end())
    if last is None or stop.group()[0] != ".":
        return False
    word = last.group(1)
    bare = word.lower().rsplit(".", 1)[-1].replace("’", "'")
    return bare in ABBREVIATIONS or (len(bare) == 1 and bare.isalpha()) or "." in word


class Sentences:
    """All sentences of one draft, found by place."""

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self.text = text
        self.mentions = mentions
        self._closed = [m for m in mentions if m.kind is not MentionKind.QUOTATION]
        self._closed_starts = [m.start for m in self._closed]
        self.all = [s for number, span in enumerate(paragraphs(text)) for s in self._split(*span, number)]
        self._starts = [s.start for s in self.all]

    def _inside_mention(self, offset: int) -> bool:
        """Whether a full stop at `offset` belongs to a mention that goes on behind it."""
        at = bisect.bisect_right(self._closed_starts, offset) - 1
        return at >= 0 and offset + 1 < self._closed[at].end

    def _split(self, start: int, end: int, paragraph: int) -> list[Sentence]:
        found: list[Sentence] = []
        begin = start
        for stop in STOP.finditer(self.text, start, end):
            if self._inside_mention(stop.start()) or NUMBERING.match(self.text[begin : stop.start()]):
                continue
            if _is_abbreviation(self.text, begin, stop):
                continue
            found.append(Sentence(begin, stop.end(), paragraph))
            begin = stop.end()
        if self.text[begin:end].strip():
            found.append(Sentence(begin, end, paragraph))
        return found

    def place_of(self, offset: int) -> int:
        """Index of the sentence that holds `offset`."""
        return max(0, bisect.bisect_right(self._starts, offset) - 1)

    def is_citation_sentence(self, place: int) -> bool:
        """Whether nothing but citations and signals stands in it ("See Ex. A at 3.")."""
        sentence = self.all[place]
        kept: list[str] = []
        at = sentence.start
        first = bisect.bisect_left(self._closed_starts, sentence.start)
        for mention in self._closed[first : bisect.bisect_left(self._closed_starts, sentence.end)]:
            kept.append(self.text[at : max(at, mention.start)])
            at = max(at, mention.end)
        if at == sentence.start:
            return False
        kept.append(self.text[at : sentence.end])
        return len(CITING_WORDS.findall(" ".join(kept))) <= MOST_WORDS_AROUND_CITES

    def following_citations(self, place: int) -> list[Sentence]:
        """The citation sentences that directly follow in the same paragraph."""
        found: list[Sentence] = []
        for after in range(place + 1, len(self.all)):
            if self.all[after].paragraph != self.all[place].paragraph or not self.is_citation_sentence(after):
                break
            found.append(self.all[after])
        return found

    def introduction(self, place: int) -> Sentence | None:
        """The sentence before, when it announces what comes ("The report recounts the following.")."""
        if place == 0 or self.all[place - 1].paragraph != self.all[place].paragraph:
            return None
        before = self.all[place - 1]
        return before if INTRODUCES.search(self.text[before.start : before.end]) else None
