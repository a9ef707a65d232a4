"""A source as an authority: the case it is, by the names, numbers, court, dates and pages it shows of itself."""

from __future__ import annotations

import re
from functools import cached_property

from lexforge.domain.matter import DateOrder
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.courts import is_court_of
from lexforge.gate.resolve.names import contains, name_words, parties
from lexforge.gate.resolve.source_dates import dates_in
from lexforge.gate.tokens import Stream, norms_of

TITLE_WORDS = 90
HEADING_LINES = 60
CITE = r"\d{1,4}\s+[A-Z][\w.'’ ]{0,24}?\s*\d{1,8}"
CASE = (
    r"(?![^\n]*\b(?:See|Cf|Accord|Citing)\b)[A-Z][^\n;]{0,160}?"
    r"(?:\s[vV]s?\.\s|\b(?:In re|IN RE|Ex parte|EX PARTE)\s)[^\n;]{1,160}?"
)
HEADING = re.compile(rf"\s*(?:(?:{CASE}),?\s+)?{CITE}(?:\s*[,;]\s*{CITE})*\s*(?:\([^()]*\))?\s*\.?\s*\Z")
HEAD_CHARACTERS = 6000
CHARACTERS_A_PAGE = 1100
EITHER_SIDE = re.compile(r"(?<![\w.])(?:v|vs|versus|against)\.?(?![\w.])", re.I)
OWN_DATE = re.compile(r"\b(?:Decided|Filed|Dated|Entered|Rendered|Delivered|Opinion)\b[^\d\n]{0,20}\Z", re.I)
TITLE_CHARACTERS = 400
SLIP_MARK = re.compile(r"(?m)^\s*[-–—]\s*(\d{1,3})\s*[-–—]\s*$")
STAR_PAGE = re.compile(r"\*(\d{1,5})\b")
PARAGRAPH = re.compile(r"(?m)^\s*(?:\[(\d{1,4})\]|¶\s?(\d{1,4})\b|(\d{1,4})\.\s)")


class Authority:
    """What an opinion in the bundle says about itself.

    `key` words are folded: `("556", "u", "s", "635")`. All tests are exact; nothing is guessed.
    """

    def __init__(self, held: SourceText) -> None:
        self.held = held

    @cached_property
    def head_text(self) -> str:
        """The first pages, where caption, docket number and dates stand."""
        return self.held.text[:HEAD_CHARACTERS]

    @cached_property
    def head_words(self) -> list[str]:
        """Folded words of the head."""
        return list(norms_of(self.head_text))

    @cached_property
    def heading(self) -> tuple[int, int]:
        """Where its own citations stand: the first lines that hold nothing but a citation, its name, court and year.

        (0, 0) when there are none. A citation in a sentence, or in a list further down, is somebody else's.
        """
        start, end = 0, 0
        at = 0
        for number, line in enumerate(self.head_text.splitlines(keepends=True)):
            if HEADING.match(line):
                start, end = (at, at + len(line)) if end == 0 else (start, at + len(line))
            elif (end and line.strip()) or number > HEADING_LINES:
                break
            at += len(line)
        return start, end

    @cached_property
    def _title(self) -> Stream:
        start, end = self.heading
        full = self.held.full
        return full.only([place for place, at in enumerate(full.starts[:TITLE_WORDS]) if start <= at < end])

    @cached_property
    def _sides(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        split = EITHER_SIDE.search(self.head_text)
        if split is None:
            return None
        return name_words(self.head_text[: split.start()]), name_words(self.head_text[split.end() :])

    @cached_property
    def _all_words(self) -> tuple[str, ...]:
        return name_words(self.head_text)

    def is_named(self, name: str) -> bool:
        """Whether the caption shows these parties, each on its side of the "v."."""
        wanted = parties(name)
        if not wanted:
            return False
        if len(wanted) == 1:
            return contains(self._all_words[:TITLE_WORDS], wanted[0]) is not None
        if self._sides is None:
            return False
        left, right = self._sides
        return contains(left, wanted[0]) is not None and contains(right, wanted[1]) is not None

    def bears(self, key: tuple[str, ...]) -> bool:
        """Whether a reporter citation is printed above the opinion as its own."""
        return any(True for _ in self._title.find(key))

    def is_docket(self, number: str) -> bool:
        """Whether the caption bears this docket number."""
        wanted = norms_of(number)
        return bool(wanted) and any(True for _ in self.held.head.find(wanted))

    @cached_property
    def dates(self) -> list[tuple[int | None, int | None, int | None]]:
        """Days on which it says it was decided, as (year, month, day); all dates of the head when it does not say."""
        every = dates_in(self.head_text, DateOrder.MONTH_FIRST)
        own = [d for d in every if self._is_own_date(d.start, d.end)]
        return [(d.value.year, d.value.month, d.value.day) for d in own or every]

    def _is_own_date(self, start: int, end: int) -> bool:
        """Whether a date stands behind "Decided" or "Filed", or alone on its line."""
        line = self.head_text.rfind("\n", 0, start) + 1
        stop = self.head_text.find("\n", end)
        before, after = self.head_text[line:start], self.head_text[end : stop if stop >= 0 else len(self.head_text)]
        return OWN_DATE.search(before) is not None or not (before + after).strip(" .:\t\r\f")

    @cached_property
    def years(self) -> frozenset[int]:
        """Years of those days, and years in brackets behind a citation of the title."""
        return frozenset({year for year, _, _ in self.dates if year is not None}) | {
            int(year) for _, year in self._self_cited
        }

    @cached_property
    def _self_cited(self) -> list[tuple[str, str]]:
        """(court, year) of the parentheses behind the citations of the title; the court may be empty."""
        return re.findall(r"\(([^()]{0,40}?)[\s,]*\b((?:1[6-9]|20)\d\d)\)", self.head_text[:TITLE_CHARACTERS])

    def is_from(self, court: str) -> bool:
        """Whether the opinion says it comes from this court, in its head or where it cites itself."""
        cited = any(norms_of(court) == norms_of(own) for own, _ in self._self_cited)
        return cited or is_court_of(court, self.head_words)

    @cached_property
    def last_slip_page(self) -> int:
        """The highest page mark, or the number of pages."""
        marks = [int(m.group(1)) for m in SLIP_MARK.finditer(self.held.text)]
        return max(marks) if marks else len(self.held.source.pages)

    def reporter_pages(self, first: int) -> tuple[int, int]:
        """First and last page the opinion can have in a reporter where it begins on `first`.

        Star pages tell the last; without them it is what its length allows at the least words a page has.
        """
        stars = [int(m.group(1)) for m in STAR_PAGE.finditer(self.held.text)]
        later = [page for page in stars if first <= page <= first + len(self.held.text) // 300 + 2]
        if len(later) >= 2:
            return first, max(later) + 1
        return first, first + max(len(self.held.text) // CHARACTERS_A_PAGE, len(self.held.source.pages)) + 3

    @cached_property
    def paragraphs(self) -> frozenset[int]:
        """Numbers of the numbered paragraphs."""
        found = (next(filter(None, m.groups())) for m in PARAGRAPH.finditer(self.held.text))
        return frozenset(int(number) for number in found)

    @property
    def last_paragraph(self) -> int:
        """The highest n such that the paragraphs 1 to n are all there (a gap of one is forgiven); 0 for none."""
        last = 0
        while last + 1 in self.paragraphs or last + 2 in self.paragraphs:
            last += 1 if last + 1 in self.paragraphs else 2
        return last
