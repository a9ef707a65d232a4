"""Where a production has marked a PDF page: texts that may be its Bates number, and its confidentiality designation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from lexforge.domain.evidence import StampOrigin
from lexforge.ingest.pdf.geometry import Box
from lexforge.ingest.pdf.objects import artifact_text
from lexforge.ingest.pdf.text import Glyphs, Line, PageText
from lexforge.ingest.reading import Candidate

BAND = 0.09
"""Share of the height (top, bottom) or width (left, right) of a page that is margin: an inch of a letter page."""

LONGEST = 160
"""Characters; a longer line is no stamp."""

MOST = 200
"""Marginal texts of one page that are looked at; a page has a dozen."""

_WIDE_GAP = 2.0  # heights of a letter: about one and a half ems, more than a justified line leaves between words
_DESIGNATION = re.compile(
    r"(?<![\w-])(?<!NOT )(?:HIGHLY |STRICTLY )?CONFIDENTIAL\b"
    r"(?: TREATMENT REQUESTED(?: BY [A-Z ]+)?| INFORMATION| MATERIAL)?"
    r"(?:\s*[-–—:/,]?\s*(?:ATTORNEY['’]?S?['’]? EYES ONLY|(?:OUTSIDE )?COUNSEL(?:['’]S EYES)? ONLY|SOURCE CODE"
    r"|(?:PURSUANT|SUBJECT) TO (?:A |THE |STIPULATED )*PROTECTIVE ORDER))*"
    r"|ATTORNEY['’]?S?['’]? EYES ONLY|OUTSIDE COUNSEL(?:['’]S EYES)? ONLY"
    r"|(?:PRODUCED )?(?:PURSUANT|SUBJECT) TO (?:A |THE |STIPULATED )*PROTECTIVE ORDER"
    r"|RESTRICTED(?: CONFIDENTIAL)?(?: SOURCE CODE)?(?=\s*(?:$|[-–—\d]))|FILED UNDER SEAL|\bAEO\b",
    re.IGNORECASE,
)
_TELLING_WORD = re.compile(r"confid|only|order|restrict|seal|aeo", re.IGNORECASE)  # cheaper than the whole pattern
_TELLING = re.compile(r"\d|" + _TELLING_WORD.pattern, re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9&]{0,15}(?:[ _.-]{1,3}[A-Za-z][A-Za-z0-9&]{0,15}){0,3}[ _.-]{0,3})?"
    r"(?P<digits>\d{3,12})(?:[._-]\d{1,5})?"
)
_FEWEST_DIGITS = 5  # of a stamp that does not begin with a zero: years and page numbers have fewer
_MARKS = " -–—|:/,()[]"
_DIGIT = re.compile(r"\d")
_MANY_SPACES = 4  # every fourth character: words have one in six, letters set apart one in two
_SPACED = re.compile(r"\S(?: \S){4,}")


class Stamps(NamedTuple):
    """What the margins and notes of one page say; `furniture` are `[start, end)` spans of its text."""

    candidates: tuple[Candidate, ...]
    furniture: tuple[tuple[int, int], ...]
    designation: str | None
    outside: int
    """Characters of the page that stand in no margin."""
    marked: tuple[str, ...]
    """/Contents of the artifacts in which lines of the margins stand."""


def stamps(page: PageText) -> Stamps:
    """The margin lines of a page: candidates, furniture and designation."""
    words: list[str] = []
    furniture: list[tuple[int, int]] = []
    designation: str | None = None
    outside, marked = 0, []
    near, low, far, high = inner = _inner(page.glyphs)
    for line in page.lines:
        begins_inside = near <= line.x <= far and low <= line.y <= high
        if begins_inside or not _in_margin(line, page.glyphs, inner):
            outside += line.end - line.start
        elif (
            len(words) < MOST and line.end - line.start <= LONGEST and _TELLING.search(page.text, line.start, line.end)
        ):
            marked.append(_artifact(line, page.glyphs))
            segments = list(_segments(page, line))
            for start, end in segments:
                segment = plain(page.text[start:end])
                words.append(segment)
                designation = designation or designation_in(segment)
                if is_furniture(segment):
                    furniture.append((start, end))
            if len(segments) > 1:
                words.append(plain(page.text[line.start : line.end]))
    found = candidates_in(words, StampOrigin.MARGIN)
    return Stamps(found, tuple(furniture), designation, outside, tuple(filter(None, marked)))


def candidates_in(texts: Iterable[str], origin: StampOrigin) -> tuple[Candidate, ...]:
    """Each text, and once more with its glyphs closed up where they were set apart; none without a digit."""
    found: dict[str, None] = {}
    for text in texts:
        if _DIGIT.search(text) and len(text) <= LONGEST:
            found[text] = None
            found[closed_up(text)] = None
    return tuple(Candidate(origin=origin, text=text) for text in found)


def plain(text: str) -> str:
    """The text in one line with single spaces."""
    return " ".join(text.split())


def closed_up(text: str) -> str:
    """The text with the spaces between single letters or digits removed."""
    if _MANY_SPACES * text.count(" ") < len(text):
        return text
    return _SPACED.sub(lambda found: found.group().replace(" ", ""), text)


def designation_in(text: str) -> str | None:
    """The designation that a short marginal text is, in capitals; None for a sentence that only uses the word."""
    text = closed_up(text)
    found = _DESIGNATION.search(text) if _TELLING_WORD.search(text) else None
    if found is None:
        return None
    rest = (text[: found.start()] + text[found.end() :]).strip(_MARKS)
    if found.group() != found.group().upper() and rest and not is_number(rest):
        return None
    return found.group().upper().strip(_MARKS).replace("’", "'")


def is_furniture(text: str) -> bool:
    """Whether a marginal text is nothing but a stamped number, a designation, or both."""
    text = closed_up(text)
    rest = _DESIGNATION.sub(" ", text) if _TELLING_WORD.search(text) else text
    rest = rest.strip(_MARKS)
    return (not rest and rest != text) or is_number(rest)


def is_number(text: str) -> bool:
    """Whether a text looks like a stamped number; page numbers and years do not."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return False
    digits = found["digits"]
    return len(digits) >= _FEWEST_DIGITS or digits.startswith("0")


def spans_in(text: str, start: int, notes: Iterable[str]) -> list[tuple[int, int]]:
    """Where the notes that are furniture stand in `text` from `start` on."""
    found = []
    for note in notes:
        at = text.find(note, start)
        if at >= 0 and is_furniture(note):
            found.append((at, at + len(note)))
    return found


def _inner(glyphs: Glyphs) -> Box:
    """The page as shown without its margins."""
    width, height = glyphs.frame.size
    return width * BAND, height * BAND, width * (1 - BAND), height * (1 - BAND)


def _in_margin(line: Line, glyphs: Glyphs, inner: Box) -> bool:
    """Whether both ends of a line stand in the same margin; a line of the body begins in one at most."""
    near, low, far, high = inner
    x, y = glyphs.origin(line.place(line.end - 1))
    return (
        max(line.y, y) < low
        or min(line.y, y) > high
        or (line.end - line.start > _LINE_NUMBER and (max(line.x, x) < near or min(line.x, x) > far))
    )


_LINE_NUMBER = 3
"""Characters: the margins of pleading paper count its lines."""


def _artifact(line: Line, glyphs: Glyphs) -> str:
    item: Any = pdfium.FPDFText_GetTextObject(glyphs.text_page, glyphs.character(line.place(line.start)))
    return artifact_text(item) if item else ""


def _segments(page: PageText, line: Line) -> Iterator[tuple[int, int]]:
    """The parts of a line that stand well apart: a footer, and the stamp beside it, drawn by an operator of its own."""
    start = line.start
    first, last = page.glyphs.character(line.place(start)), page.glyphs.character(line.place(line.end - 1))
    if pdfium.FPDFText_CountRects(page.glyphs.text_page, first, last - first + 1) > 1:
        for position in range(start + 1, line.end - 1):
            if page.text[position] == " " and _gap(page.glyphs, line.place(position - 1), line.place(position + 1)):
                yield start, position
                start = position + 1
    yield start, line.end


def _gap(glyphs: Glyphs, before: int, after: int) -> bool:
    left, right, bottom, top = glyphs.box(before)
    other_left, other_right, other_bottom, other_top = glyphs.box(after)
    apart = max(other_left - right, left - other_right, other_bottom - top, bottom - other_top)
    size = max(right - left, top - bottom, other_right - other_left, other_top - other_bottom)
    return apart > _WIDE_GAP * size
