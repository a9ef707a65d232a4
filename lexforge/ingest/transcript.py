"""Deposition and hearing transcripts: their printed pages and numbered lines become places such as `34:12`.

Reporters number the lines of a page from 1 to 25 or so, print the page number above or below, and deliver the text
either page by page (a PDF, or form feeds) or as one run of lines (the Amicus form of an ASCII file: the page number on
a line of its own, then its numbered lines). Court papers of some states are numbered from 1 to 28 as well and are no
transcripts; what tells them apart is questions and answers, or the words of a reporter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import mode
from types import MappingProxyType

from lexforge.domain.evidence import Place
from lexforge.ingest.reading import PageReading

PROPRIETARY: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        ending: (f"a transcript in the format of {program}, which only that program reads", "Ask for the ASCII (.txt).")
        for ending, program in ((".ptx", "E-Transcript"), (".ptf", "LiveNote"), (".pcf", "LiveNote"))
    }
)
"""What files of these endings are, and the remedy."""

_FEWEST_LINES = 5
_FEWEST_ON_A_PAGE = 18
_FEWEST_PAGES = 2
_FEWEST_ASKED = 3
_LAST_LINE = 32
_PLEADING = 26  # lines from which on a page is rather a court paper's than a reporter's
_LONGEST_LINE = 400
_NUMBERED = re.compile(
    r"[ \t]{0,40}(?P<time>\d{1,2}:\d\d(?::\d\d)?[ \t]{1,20})?(?P<line>\d{1,2})(?:[ \t]+(?P<text>\S.*)|[ \t]*)$"
)
_STAMPED = re.compile(r"[ \t]{0,20}(?P<page>\d{1,5}):(?P<line>\d\d)(?:[ \t]+(?P<text>\S.*)|[ \t]*)$")
_PAGE = re.compile(r"[ \t]*(?:(?:[Pp]age|PAGE)[ \t]+)?(?P<page>\d{1,5})[ \t]*$")
_PAGE_RIGHT = re.compile(r".*(?:\b[Pp]age[ \t]|[ \t]{3})[ \t]*(?P<page>\d{1,5})[ \t]*$")
_FILED = re.compile(r"Document \d|Filed \d|PageID|\bECF No|\bof \d")
_ASKED = re.compile(
    r"(?:[\d:]{4,8}[ \t]+)?[QA](?:[.:]|[ \t]{2})[ \t]*\S"
    r"|(?:THE (?:WITNESS|COURT|CLERK|REPORTER|DEPONENT)|(?:MR|MS|MRS)\. [A-Z' -]{1,40}):"
)
_MAYBE_ASKED = re.compile(
    r"[ \t](?:[QA](?:[.:]|[ \t]{2})|THE (?:WITNESS|COURT|CLERK|REPORTER|DEPONENT):|(?:MR|MS|MRS)\. )"
)
"""Somewhere in every text in which a numbered line is `_ASKED`."""
_REPORTED = re.compile(
    r"DEPOSITION OF|COURT REPORTER|SHORTHAND REPORTER|REPORTER['’]S (?:CERTIFICATE|TRANSCRIPT)"
    r"|TRANSCRIPT OF PROCEEDINGS|EXAMINATION BY|(?:DIRECT|CROSS|REDIRECT)[- ]EXAMINATION|\bC\.?S\.?R\.? No"
)


@dataclass(slots=True)
class _Sheet:
    """One printed page: its number as it was read, its lines as (line number or None, text)."""

    page: int | None = None
    lines: list[tuple[int | None, str]] = field(default_factory=list)

    @property
    def numbered(self) -> int:
        """How many lines have a number."""
        return sum(number is not None for number, _ in self.lines)

    @property
    def last(self) -> int:
        """The highest line number, 0 without any."""
        return max((number for number, _ in self.lines if number is not None), default=0)


def pages(texts: Sequence[str]) -> tuple[PageReading, ...] | None:
    """The pages of a transcript without their line numbers, or None when the texts are none.

    `texts` are the pages of a PDF, or of a text file split at form feeds, and each gives one page; a single text is cut
    where its line numbers begin again. `label` is the printed page number, and `places` names each numbered line
    `page:line`. Pages that are not numbered once from 1 on (covers, word indexes, several pages on one sheet) stay as
    they are, without places; so does a page whose printed number cannot be told.
    """
    if not _may_be_numbered(texts) or not any(map(_MAYBE_ASKED.search, texts)):
        return None
    sheets = _cut(texts[0]) if len(texts) == 1 else [_sheet(text) for text in texts]
    full = [sheet for sheet in sheets if sheet.numbered >= _FEWEST_ON_A_PAGE]
    if len(full) < _FEWEST_PAGES or not _is_testimony(sheets, full):
        return None
    usual = mode(sheet.last for sheet in full)
    for sheet in sheets:
        _without_page_number(sheet, usual)
    return tuple(map(_reading, sheets, _page_numbers(sheets)))


def _may_be_numbered(texts: Sequence[str]) -> bool:
    """Whether enough lines begin with a digit; in most texts too few do, which is told at little cost."""
    begun = [sum(line.lstrip()[:1].isdigit() for line in text.split("\n")) for text in texts]
    if len(texts) == 1:
        return begun[0] >= _FEWEST_PAGES * _FEWEST_ON_A_PAGE
    return sum(count >= _FEWEST_ON_A_PAGE for count in begun) >= _FEWEST_PAGES


def _is_testimony(sheets: list[_Sheet], full: list[_Sheet]) -> bool:
    """Whether somebody answers questions in the numbered lines; on a court paper's lines nearly all must be such."""
    body = [text for sheet in sheets for number, text in sheet.lines if number is not None]
    asked = sum(_ASKED.match(text) is not None for text in body)
    if sum(sheet.last >= _PLEADING for sheet in full) * 2 > len(full):
        return asked * 5 >= len(body)
    return asked >= _FEWEST_ASKED or (asked > 0 and any(_REPORTED.search(text) for text in body))


def _sheet(text: str) -> _Sheet:
    """One page as it was printed."""
    written = text.split("\n")
    at = _stamped(written) or _numbered(written)
    if not at:
        return _Sheet(lines=[(None, line) for line in written])
    sheet = _Sheet(page=next((page for page, _, _ in at.values()), None))
    first, last = min(at), max(at)
    for index, line in enumerate(written):
        inside = first < index < last
        if index in at:
            sheet.lines.append(at[index][1:])
        elif not inside and sheet.page is None and (page := _page_in(line)) is not None:
            sheet.page = page
            if not _PAGE.match(line):
                sheet.lines.append((None, line))
        elif line.strip() or not inside:  # double spacing is no end of a paragraph
            sheet.lines.append((None, line))
    return sheet


def _stamped(lines: list[str]) -> dict[int, tuple[int | None, int, str]]:
    """The lines that are stamped `002:01`, when they rise from 1 on one page: index → (page, line, text)."""
    found = {index: match for index, line in enumerate(lines) if (match := _STAMPED.match(line)) is not None}
    numbers = [int(match["line"]) for match in found.values()]
    one_page = len({match["page"] for match in found.values()}) == 1
    if len(numbers) < _FEWEST_LINES or not one_page or numbers != list(range(1, len(numbers) + 1)):
        return {}
    return {index: (int(match["page"]), int(match["line"]), match["text"] or "") for index, match in found.items()}


def _numbered(lines: list[str]) -> dict[int, tuple[int | None, int, str]]:
    """The lines that are numbered from 1 on, in the form of `_stamped`; none where several pages share the sheet."""
    found: dict[int, tuple[int | None, int, str]] = {}
    twice = 0
    for index, line in enumerate(lines):
        match = _NUMBERED.match(line)
        if match is None:
            continue
        number, text = int(match["line"]), match["text"] or ""
        if number == 1 and len(found) >= _FEWEST_LINES and _next_is_two(lines, index):
            return {}
        if number == 1 and len(found) < _FEWEST_LINES:
            found, twice = {}, 0
        if number == len(found) + 1 <= _LAST_LINE:
            found[index] = (None, number, (match["time"] or "") + text)
            twice += re.search(rf"[ \t]{number}(?:[ \t]|$)", f" {text}") is not None
    condensed = twice * 2 > len(found)
    return found if len(found) >= _FEWEST_LINES and not condensed else {}


def _page_in(line: str) -> int | None:
    """The page number that stands on a line above or below the numbered ones."""
    if len(line) > _LONGEST_LINE or _FILED.search(line):
        return None
    found = _PAGE.match(line) or _PAGE_RIGHT.match(line)
    return int(found["page"]) if found else None


def _cut(text: str) -> list[_Sheet]:
    """The sheets of one run of lines: a page begins where the numbers begin again at 1, or at the number above them.

    Whether page numbers stand above or below shows in which cut leaves more pages with one.
    """
    written = text.split("\n")
    below = list(_restarts(written))
    above = [_with_page_number(written, start) for start in below]
    return max((_sheets(written, starts) for starts in (above, below)), key=_with_numbers)


def _sheets(lines: list[str], starts: list[int]) -> list[_Sheet]:
    cuts = [*sorted({0, *starts}), len(lines)]
    sheets = [_sheet("\n".join(lines[a:b])) for a, b in pairwise(cuts)]
    return [sheet for sheet in sheets if any(text.strip() for _, text in sheet.lines)]


def _with_numbers(sheets: list[_Sheet]) -> int:
    return sum(sheet.page is not None and sheet.numbered > 0 for sheet in sheets)


def _restarts(lines: list[str]) -> Iterator[int]:
    """Indexes of the lines with which the numbering of a page begins."""
    for index, line in enumerate(lines):
        match = _STAMPED.match(line) or _NUMBERED.match(line)
        if match is not None and int(match["line"]) == 1 and _next_is_two(lines, index):
            yield index


def _next_is_two(lines: list[str], index: int) -> bool:
    near = (line for line in lines[index + 1 : index + 4])
    return any((found := _STAMPED.match(line) or _NUMBERED.match(line)) and int(found["line"]) == 2 for line in near)


def _with_page_number(lines: list[str], start: int) -> int:
    """Where the page begins whose line 1 is at `start`: its number stands above, perhaps with blank lines between."""
    above = next((index for index in range(start - 1, max(start - 4, -1), -1) if lines[index].strip()), None)
    if above is None or _page_in(lines[above]) is None:
        return start
    # The last line of the page above may be empty and show nothing but its number.
    before = next((line for line in reversed(lines[max(0, above - 3) : above]) if line.strip()), "")
    number, last = _NUMBERED.match(lines[above]), _NUMBERED.match(before)
    closes = number is not None and last is not None and int(number["line"]) == int(last["line"]) + 1
    return start if closes else above


def _without_page_number(sheet: _Sheet, usual: int) -> None:
    """Below line 25 stands the page's number and no line 26, if the other pages have 25."""
    if sheet.last == usual + 1 and (usual + 1, "") in sheet.lines:
        sheet.lines.remove((usual + 1, ""))
        sheet.page = usual + 1 if sheet.page is None else sheet.page


def _page_numbers(sheets: list[_Sheet]) -> list[int | None]:
    """The printed number of each numbered sheet.

    Numbers that rise are taken as read, as excerpts skip pages. Otherwise the count that most sheets agree on holds,
    if it is that of half of them: what stood at the end of a line was then no page number everywhere.
    """
    read = [sheet.page if sheet.numbered else None for sheet in sheets]
    known = [page for page in read if page is not None]
    if all(a < b for a, b in pairwise(known)):
        return [page or _between(read, at) if sheets[at].numbered else None for at, page in enumerate(read)]
    offsets = [page - at for at, page in enumerate(read) if page is not None]
    usual = mode(offsets)
    if offsets.count(usual) * 2 < len(offsets):
        return [None] * len(sheets)
    return [usual + at if sheet.numbered and usual + at > 0 else None for at, sheet in enumerate(sheets)]


def _between(read: list[int | None], at: int) -> int | None:
    """The one number that fits between the neighbours' numbers."""
    before = read[at - 1] if at else None
    after = read[at + 1] if at + 1 < len(read) else None
    return before + 1 if before is not None and after == before + 2 else None


def _reading(sheet: _Sheet, page: int | None) -> PageReading:
    pieces: list[str] = []
    places: list[Place] = []
    at = 0
    for number, text in sheet.lines:
        shown = text.rstrip()
        if number is not None and page is not None:
            places.append(Place(start=at, end=at + len(shown), name=f"{page}:{number}"))
        pieces.append(shown)
        at += len(shown) + 1
    return PageReading(text="\n".join(pieces), label=None if page is None else str(page), places=tuple(places))
