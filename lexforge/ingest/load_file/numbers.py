"""Bates numbers of a load file: prefix, counter, suffix; the notions are those of `lexforge.extract.bates_registry`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lexforge.extract.bates_registry import prefix_key

_SUFFIXED = re.compile(
    r"(?P<prefix>(?:.*?\D)?)(?P<counter>0\d{2,14}|\d{5,15})(?P<suffix>\.\d{3,4}|_\d{1,3}|[A-Za-z])", re.S | re.A
)
_PLAIN = re.compile(r"(?P<prefix>(?:.*\D)?)(?P<counter>\d{1,15})(?P<suffix>)", re.S | re.A)
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class BatesNumber:
    """`ABC0001.0002` is prefix `ABC`, counter 1, width 4, suffix `.0002`; `key` is that of numbers in one sequence."""

    prefix: str
    counter: int
    width: int
    suffix: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """Prefix without separators and case, and width."""
        return prefix_key(self.prefix), self.width

    @property
    def page(self) -> int | None:
        """The page that a suffix counts, or None."""
        digits = self.suffix[1:]
        return int(digits) if digits else None

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands in its sequence: the counter, then the page that its suffix counts."""
        return self.counter, self.page or 0

    def may_reach(self, last: BatesNumber) -> bool:
        """Whether a range may go from here to `last`: one prefix, and one width unless the counter outgrew it."""
        wider = last.width > self.width and len(str(last.counter)) == last.width
        same = prefix_key(self.prefix) == prefix_key(last.prefix)
        return same and (wider or last.width == self.width) and self.place <= last.place

    def plus(self, pages: int) -> BatesNumber:
        """The number so many pages on, without suffix."""
        return BatesNumber(self.prefix, self.counter + pages, self.width)

    def __str__(self) -> str:
        return f"{self.prefix}{self.counter:0{self.width}d}{self.suffix}"


def number_of(text: str) -> BatesNumber | None:
    """The number that `text` is, or None. A suffix needs a counter before it that is padded or five digits and more."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    found = _SUFFIXED.fullmatch(text) or _PLAIN.fullmatch(text)
    if found is None:
        return None
    return BatesNumber(found["prefix"], int(found["counter"]), len(found["counter"]), found["suffix"])
