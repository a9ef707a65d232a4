"""Words of a text with their places, folded so that typography and layout make no difference.

Folding (ligatures, accents, case, quotation marks, dashes) never joins or drops words: a word of the text is a
word of the stream. What layout can add to a word (a footnote mark stuck to it, a hyphen at the end of a line) is
kept beside it as another reading, so that whoever compares decides whether it is licensed.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

TOKEN = re.compile(
    r"[$€£%§¶]"
    r"|\d+(?:[.,]\d+)+"
    r"|[^\W_]+(?:\[(?:[^\W\d_]|['’]){0,24}\][^\W_]*)?(?:['’ʼ][^\W\d_]+)*"
    r"|\[(?:[^\W\d_]|['’]){1,24}\][^\W_]*(?:['’ʼ][^\W\d_]+)*"
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


@lru_cache(maxsize=2**16)
def fold(raw: str) -> str:
    """One word in lower case without ligatures, accents, brackets or curly apostrophes."""
    if not raw.isascii():
        parts = unicodedata.normalize("NFKD", raw)
        raw = "".join(c for c in parts if not unicodedata.combining(c))
    return raw.translate(APOSTROPHES).rstrip("'").lower()


def words_of(text: str) -> list[Word]:
    """All words of `text` in order; numbers keep their decimal and thousands marks."""
    return [Word(fold(m.group()), *m.span()) for m in TOKEN.finditer(text)]


def norms_of(text: str) -> tuple[str, ...]:
    """The folded words of `text` without their places."""
    return tuple(fold(m.group()) for m in TOKEN.finditer(text))


class Stream:
    """Words of one source in reading order, with an index from word to places.

    A place is an index into `norms`, `starts` and `ends`; the word there is `text[starts[place]:ends[place]]`, folded.
    Three lists instead of one of words, because a bundle has millions of them.
    """

    def __init__(self, text: str, norms: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> None:
        self.text = text
        self.norms = norms
        self.starts = starts
        self.ends = ends

    @classmethod
    def of(cls, text: str) -> Stream:
        """All words of a text."""
        found = list(TOKEN.finditer(text))
        norms = [fold(match.group()) for match in found]
        return cls(text, norms, [match.start() for match in found], [match.end() for match in found])

    def only(self, places: Sequence[int]) -> Stream:
        """The words at these places and no others; the text stays."""
        norms, starts, ends = self.norms, self.starts, self.ends
        return Stream(self.text, [norms[n] for n in places], [starts[n] for n in places], [ends[n] for n in places])

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word that stands here."""
        return frozenset(self.norms)

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """Where each word stands, ascending."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, norm in enumerate(self.norms):
            found[norm].append(place)
        return dict(found)

    @cached_property
    def unplain(self) -> frozenset[int]:
        """Places that layout lets be read in more than one way: a footnote mark, a star page, a word broken in two."""
        marked = {
            place
            for place, norm in enumerate(self.norms)
            if norm[-1:].isdigit() and (norm.isdigit() or self.without_mark(place) is not None)
        }
        broken = {bisect.bisect_right(self.starts, m.start()) - 1 for m in LINE_END_HYPHEN.finditer(self.text)}
        return frozenset(marked | broken)

    @cached_property
    def hidden_words(self) -> frozenset[str]:
        """Words that stand here only when a mark stuck to them is left out, or their two parts are joined."""
        bare = {self.without_mark(place) for place in self.unplain}
        joined = {"".join(self.norms[place : place + 2]) for place in self.unplain if place >= 0}
        return frozenset(word for word in bare | joined if word is not None)

    def holds(self, norm: str) -> bool:
        """Whether this word stands anywhere here, in any reading."""
        return norm in self.vocabulary or norm in self.hidden_words

    def find(self, wanted: Sequence[str]) -> Iterator[int]:
        """Positions at which the words `wanted` stand one after the other; nothing for no words."""
        if not wanted or not self.vocabulary.issuperset(wanted):
            return
        counts = [len(self.positions[norm]) for norm in wanted]
        rarest = counts.index(min(counts))
        size = len(wanted)
        goal = list(wanted)
        for place in self.positions[wanted[rarest]]:
            first = place - rarest
            if first >= 0 and self.norms[first : first + size] == goal:
                yield first

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets into `text` of the words `first` to `last`, both included."""
        return self.starts[first], self.ends[last]

    def gap(self, place: int) -> str:
        """The text between the word at `place` and the next one; after the last word, a little of what follows it."""
        end = self.ends[place]
        return self.text[end : self.starts[place + 1] if place + 1 < len(self.starts) else end + LAST_GAP]

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
        between = self.text[self.ends[place - 1] : self.starts[place]]
        after = self.text[self.ends[place] : self.ends[place] + 1]
        if not between or between[-1].isspace() or between[-1] not in ".,;:?!”’\"')]":
            return False
        return not self.norms[place - 1][-1:].isdigit() and (not after or after.isspace())
