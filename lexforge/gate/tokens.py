"""Words of a text with their places, folded so that typography and layout make no difference.

Folding (ligatures, accents, case, quotation marks, dashes) never joins or drops words: a word of the text is a
word of the stream. What layout can add to a word (a footnote mark stuck to it, a hyphen at the end of a line) is
kept beside it as another reading, so that whoever compares decides whether it is licensed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

TOKEN = re.compile(
    r"[$€£%§¶]"
    r"|\d+(?:[.,]\d+)+"
    r"|(?:[^\W_]+\[(?:[^\W\d_]|['’]){0,24}\]|\[(?:[^\W\d_]|['’]){1,24}\])[^\W_]*(?:['’ʼ][^\W\d_]+)*"
    r"|[^\W_]+(?:['’ʼ][^\W\d_]+)*"
)
APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "[": None, "]": None})
STUCK_MARK = re.compile(r"([a-z']{3,})(\d{1,2})\Z")
YEAR_AND_MARK = re.compile(r"((?:1[6-9]|20)\d\d)[.,](\d{1,3})\Z")
STANDING_MARK = re.compile(r"\d{1,3}\Z")
LAST_GAP = 4
LINE_END_HYPHEN = re.compile(r"(?:[-‐‑]\s*\n|\u00ad)")


class Word(NamedTuple):
    """A folded word at `text[start:end]`."""

    norm: str
    start: int
    end: int


def fold(raw: str) -> str:
    """One word in lower case without ligatures, accents, brackets or curly apostrophes."""
    if not raw.isascii():
        parts = unicodedata.normalize("NFKD", raw)
        raw = "".join(c for c in parts if not unicodedata.combining(c))
    return raw.translate(APOSTROPHES).rstrip("'").lower()


def words_of(text: str) -> list[Word]:
    """All words of `text` in order; numbers keep their decimal and thousands marks."""
    return [Word(fold(m.group()), m.start(), m.end()) for m in TOKEN.finditer(text)]


def norms_of(text: str) -> tuple[str, ...]:
    """The folded words of `text` without their places."""
    return tuple(fold(m.group()) for m in TOKEN.finditer(text))


class Stream:
    """Words of one source in reading order, with an index from word to positions.

    `positions` are indices into `words`; `text` is the text the words' offsets refer to.
    """

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.words = words
        self.norms = [word.norm for word in words]

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """Where each word stands, ascending."""
        found: dict[str, list[int]] = {}
        for place, norm in enumerate(self.norms):
            found.setdefault(norm, []).append(place)
        return found

    def find(self, wanted: Sequence[str]) -> Iterable[int]:
        """Positions at which the words `wanted` stand one after the other; nothing for no words."""
        if not wanted:
            return
        rarest = min(range(len(wanted)), key=lambda i: len(self.positions.get(wanted[i], ())))
        size = len(wanted)
        goal = list(wanted)
        for place in self.positions.get(wanted[rarest], ()):
            first = place - rarest
            if first >= 0 and self.norms[first : first + size] == goal:
                yield first

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets into `text` of the words `first` to `last`, both included."""
        return self.words[first].start, self.words[last].end

    def gap(self, place: int) -> str:
        """The text between the word at `place` and the next one; after the last word, a little of what follows it."""
        if place + 1 >= len(self.words):
            return self.text[self.words[place].end : self.words[place].end + LAST_GAP]
        return self.text[self.words[place].end : self.words[place + 1].start]

    def is_broken_word(self, place: int) -> bool:
        """Whether a hyphen at the end of a line (or a soft hyphen) splits a word after `place`."""
        return LINE_END_HYPHEN.match(self.gap(place)) is not None

    def without_mark(self, place: int) -> str | None:
        """The word at `place` without a footnote mark stuck to it, or None when it carries none.

        A mark is one or two digits stuck to letters, or up to three after a year and its full stop ("2016.247").
        """
        norm = self.norms[place]
        match = YEAR_AND_MARK.match(norm) or STUCK_MARK.match(norm)
        return match.group(1) if match else None

    def is_mark(self, place: int) -> bool:
        """Whether the word at `place` is a footnote mark: digits stuck to a closing mark, followed by white space.

        A number beside another number is never a mark: "10" in "within 10 days" is not, "3" in "1,000 3" is not.
        """
        if place == 0 or not STANDING_MARK.match(self.norms[place]):
            return False
        before, word = self.words[place - 1], self.words[place]
        between = self.text[before.end : word.start]
        after = self.text[word.end : word.end + 1]
        if not between or between[-1].isspace() or between[-1] not in ".,;:?!”’\"')]":
            return False
        return not before.norm[-1:].isdigit() and (not after or after.isspace())
