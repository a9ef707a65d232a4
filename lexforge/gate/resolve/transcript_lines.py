"""Testimony by printed page and line: which lines a transcript in the bundle has, and the text that stands in them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from lexforge.domain.evidence import Page
from lexforge.extract.record_cite import Lines
from lexforge.gate.index import SourceText, Stretch

LINE_PLACE = re.compile(r"(\d{1,6}):(\d{1,3})")
EXAMINATION = re.compile(r"(?m)^[ \t]*(?:[QA](?:[.:]|[ \t]{2})|THE (?:WITNESS|COURT)[.:])")


class Line(NamedTuple):
    """One numbered line, `text[start:end]` of its source."""

    page: int
    line: int
    start: int
    end: int


class Fault(NamedTuple):
    """What a transcript does not have, and what of its text comes closest."""

    message: str
    start: int
    end: int


class TranscriptLines:
    """The numbered lines of one source, in the order of its text.

    `pages` maps each printed page number to the number of its last line, 0 where its lines are not numbered. A source
    with several transcripts may have a page number, and so a line, more than once.
    """

    def __init__(self, held: SourceText) -> None:
        self.held = held
        self.pages: dict[int, int] = {}
        self.lines: list[Line] = []
        for begin, page in held.placed():
            found = list(_lines(page, begin))
            self.lines += found
            number = found[0].page if found else printed_number(page)
            if number is not None:
                last = max((line.line for line in found), default=0)
                self.pages[number] = max(last, self.pages.get(number, 0))
        self._at: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for at, line in enumerate(self.lines):
            self._at[line.page, line.line].append(at)
        # Lines of one run follow each other: no page is left out between them, and none is out of order.
        breaks = (not _follows(here, after) for here, after in pairwise(self.lines))
        self._run = list(accumulate(breaks, initial=0))
        self._cut: dict[tuple[int, int], Stretch] = {}

    def fault(self, pages: Sequence[int], lines: Sequence[Lines]) -> Fault | None:
        """What is cited and not there; None when all pages and both ends of each range of lines are."""
        path = self.held.source.path
        for page in (*pages, *(page for one in lines for page, _ in one)):
            if page not in self.pages:
                first, last = min(self.pages), max(self.pages)
                return self._by(None, f"{path} has no page {page}; its printed pages run from {first} to {last}.")
        for one in lines:
            for page, line in one:
                last = self.pages[page]
                if not last:
                    return self._by(None, f"{path} has page {page}, but its lines are not numbered.")
                if not self._at.get((page, line)):
                    message = f"{path} has no line {page}:{line}; page {page} ends at line {last}."
                    return self._by((page, last), message)
            if not self._ranges(one):
                return self._by(one.first, f"{path} does not run on from {_shown(one.first)} to {_shown(one.last)}.")
        return None

    def _by(self, place: tuple[int, int] | None, message: str) -> Fault:
        """A fault beside a line, or at the first line of all."""
        at = self._at[place][0] if place is not None else 0
        return Fault(message, self.lines[at].start, self.lines[at].end)

    def spans(self, lines: Sequence[Lines]) -> list[tuple[int, int]]:
        """Where the ranges stand in the text, each with all of its lines; a blank line stands with its neighbours."""
        found: list[tuple[int, int]] = []
        for first, last in (pair for one in lines for pair in self._ranges(one)):
            start, end = self.lines[first].start, self.lines[last].end
            if not self.held.text[start:end].strip():
                start, end = self.lines[self._beside(first, -1)].start, self.lines[self._beside(last, 1)].end
            found.append((start, end))
        return found

    def heads(self, pages: Sequence[int]) -> list[tuple[int, int]]:
        """The first line with any words on each of these pages."""
        found: list[tuple[int, int]] = []
        for number in dict.fromkeys(pages):
            on_page = (line for line in self.lines if line.page == number)
            written = (line for line in on_page if self.held.text[line.start : line.end].strip())
            found += [(line.start, line.end) for line in islice(written, 1)]
        return found

    def stretches(self, lines: Sequence[Lines], pages: Sequence[int] = ()) -> tuple[Stretch, ...]:
        """The ranges with one line more on either side, because cites are rounded, and these pages as a whole.

        The cover comes with them: it says when the witness was heard, which no line that is cited does.
        """
        found = [(self._beside(a, -1), self._beside(b, 1)) for one in lines for a, b in self._ranges(one)]
        whole = (Lines((page, 1), (page, last)) for page in pages if (last := self.pages.get(page)))
        found += [pair for one in whole for pair in self._ranges(one)]
        joined: list[tuple[int, int]] = []
        for first, last in sorted(found):
            if joined and first <= joined[-1][1] + 1 and self._run[first] == self._run[joined[-1][1]]:
                joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
            else:
                joined.append((first, last))
        spans = [(self.lines[first].start, self.lines[last].end) for first, last in joined]
        cover = self._cover()
        if spans and cover:
            spans.append((0, cover))
        return tuple(self._stretch(*span) for span in spans)

    def _cover(self) -> int:
        """Where the cover ends: the first page, if it is page 1 or has no number and nobody is heard on it."""
        first = self.held.source.pages[0]
        number = next((line.page for line in _lines(first, 0)), printed_number(first))
        is_cover = number in (None, 1) and not EXAMINATION.search(first.text)
        return len(first.text) if is_cover and first.text.strip() else 0

    def _stretch(self, start: int, end: int) -> Stretch:
        if (start, end) not in self._cut:
            self._cut[start, end] = Stretch(self.held, start, end)
        return self._cut[start, end]

    def _ranges(self, one: Lines) -> list[tuple[int, int]]:
        """Indices of the first and last line, wherever the source runs on from one to the other."""
        found: list[tuple[int, int]] = []
        if one.first > one.last:
            return found
        for first in self._at.get(one.first, ()):
            last = next((at for at in self._at.get(one.last, ()) if at >= first), None)
            if last is not None and self._run[first] == self._run[last]:
                found.append((first, last))
        return found

    def _beside(self, at: int, step: int) -> int:
        """The line before or after, also across two printed pages; the same one where there is none."""
        other = at + step
        return other if 0 <= other < len(self.lines) and self._run[other] == self._run[at] else at


def _lines(page: Page, begin: int) -> Iterator[Line]:
    for place in page.places:
        match = LINE_PLACE.fullmatch(place.name)
        if match is not None:
            yield Line(int(match[1]), int(match[2]), begin + place.start, begin + place.end)


def _follows(here: Line, after: Line) -> bool:
    if here.page == after.page:
        return after.line > here.line
    return after.page == here.page + 1


def has_lines(held: SourceText) -> bool:
    """Whether the source has numbered lines at all."""
    return any(page.places and LINE_PLACE.fullmatch(page.places[0].name) for page in held.source.pages)


def printed_number(page: Page) -> int | None:
    """The page number that was read on the page; the title of a sheet is none, even if it is a number."""
    is_sheet = any("!" in place.name for place in page.places[:1])
    return int(page.label) if page.label is not None and page.label.isdecimal() and not is_sheet else None


def _shown(place: tuple[int, int]) -> str:
    return f"{place[0]}:{place[1]}"
