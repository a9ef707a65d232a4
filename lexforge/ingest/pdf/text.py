"""The text of a PDF page as PDFium reads it: its lines, where they stand on the page as shown, and its paragraphs."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from lexforge.errors import UnreadableFile
from lexforge.ingest.pdf.calls import character_origin, handle_of
from lexforge.ingest.pdf.geometry import visible_box

LONGEST_PAGE = 2_000_000
"""Characters; no page that a person reads has as many."""

_LINE_END = re.compile("[\r\n\x0b\x0c\x02\u2028\u2029\ufffe]")
_HYPHEN = ("\ufffe", "\x02")  # what PDFium writes for a hyphen and the line end behind it
_UNPRINTED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ud800-\udfff\ufeff\ufff9-\ufffb\uffff]"
)
_SAME_ROW = 0.3  # of the usual pitch: single-spaced lines among double-spaced ones have 0.4
_PARAGRAPH_GAP = 1.35  # six points of space after a paragraph of 14-point lines are 1.43; a raised line is 1.2


class Frame(NamedTuple):
    """The visible box of a page in its own coordinates (points), and how many quarter turns clockwise it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turns % 2 else (width, height)

    def shown(self, x: float, y: float) -> tuple[float, float]:
        """A point of the page's coordinates as shown, from the lower left corner."""
        left, bottom, right, top, turns = self
        if not turns:
            return x - left, y - bottom
        return (y - bottom, right - x) if turns == 1 else (right - x, top - y) if turns == 2 else (top - y, x - left)


class Line(NamedTuple):
    """`text[start:end]` of a page is one line; its first character stands at (x, y), in points as shown.

    `first` is PDFium's text index of that character; `offsets` are those of all where some between were left out.
    """

    start: int
    end: int
    first: int
    offsets: tuple[int, ...] | None
    x: float
    y: float

    def place(self, position: int) -> int:
        """PDFium's text index of `text[position]`."""
        return self.offsets[position - self.start] if self.offsets else self.first + position - self.start


_Written = tuple[str, int, tuple[int, ...] | None, float, float]
"""The words of a line before it is known what stands above it, then `first`, `offsets`, `x` and `y` as in Line."""


class Glyphs:
    """Where the characters of a page stand, by PDFium's text index; valid while the page is open."""

    def __init__(self, text_page: Any, frame: Frame, direct: bool) -> None:
        self.text_page = text_page
        self.frame = frame
        self.direct = direct
        self._page = ctypes.c_void_p(handle_of(text_page))
        self._numbers = [ctypes.c_double() for _ in range(4)]
        self._pointers = [ctypes.byref(number) for number in self._numbers]
        self._x, self._y, *_ = self._numbers
        self._x_pointer, self._y_pointer, *_ = self._pointers
        self._shown = frame.shown if frame.turns else None

    def character(self, index: int) -> int:
        """PDFium's character index, which differs where a character has no text or more than one letter."""
        return index if self.direct else int(pdfium.FPDFText_GetCharIndexFromTextIndex(self.text_page, index))

    def origin(self, index: int) -> tuple[float, float]:
        """Where a character begins on its base line, in points as shown."""
        at = index if self.direct else self.character(index)
        character_origin(self._page, at, self._x_pointer, self._y_pointer)
        x, y = self._x.value, self._y.value
        return self._shown(x, y) if self._shown else (x - self.frame[0], y - self.frame[1])

    def box(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, bottom and top of a character in the page's own coordinates."""
        pdfium.FPDFText_GetCharBox(self.text_page, self.character(index), *self._pointers)
        left, right, bottom, top = (number.value for number in self._numbers)
        return left, right, bottom, top


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page with its lines in PDFium's order; an empty line stands between paragraphs."""

    text: str
    lines: tuple[Line, ...]
    glyphs: Glyphs

    @property
    def indices(self) -> list[int]:
        """PDFium's character index of each character of `text`; -1 for a line end."""
        found: list[int] = []
        for line in self.lines:
            found += [-1] * (line.start - len(found))
            found += line.offsets or range(line.first, line.first + line.end - line.start)
        return found if self.glyphs.direct else [n if n < 0 else self.glyphs.character(n) for n in found]

    def without(self, spans: Iterable[tuple[int, int]]) -> PageText:
        """The page without these `[start, end)` spans of its text."""
        gone = {position for start, end in spans for position in range(start, end)}
        lines: list[_Written] = []
        ends: list[str] = []
        last, end = 0, ""
        for line in self.lines:
            end = max(end, self.text[last : line.start], key=len)
            last = line.end
            kept = [p for p in range(line.start, line.end) if p not in gone]
            words = "".join(self.text[p] for p in kept)
            if words.strip():
                lines.append((words, line.first, tuple(map(line.place, kept)), line.x, line.y))
                ends.append(end if ends else "")
                end = ""
        return _joined(lines, ends, self.glyphs)


def read_text(text_page: Any, frame: Frame, name: str) -> PageText:
    """The text of an open PDFium text page; UnreadableFile for one that is too long, `name` being the file's."""
    count = pdfium.FPDFText_CountChars(text_page)
    if count > LONGEST_PAGE:
        raise UnreadableFile("hostile", f"{name} has a page of {count} characters.", "Print it to a new PDF.")
    raw = _raw(text_page, count).replace("\xa0", " ").replace("\t", " ")
    glyphs = Glyphs(text_page, frame, direct=len(raw) == count)
    lines = list(_written(raw, glyphs))
    return _joined(lines, _ends(lines), glyphs)


def frame_of(page: Any) -> Frame:
    """The visible box of an open PDFium page."""
    return Frame(*visible_box(page), pdfium.FPDFPage_GetRotation(page) % 4)


def clean(text: str) -> str:
    """Text of another reader in the same form: one line feed for a line end, nothing that is not printed."""
    lines = (_UNPRINTED.sub("", line).rstrip() for line in text.replace("\xa0", " ").splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _raw(text_page: Any, count: int) -> str:
    """All text as PDFium gives it, one character for each of its 16-bit units."""
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (2 * count + 2))()  # a ligature may count as one character and give two
    units = max(0, pdfium.FPDFText_GetText(text_page, 0, count, buffer) - 1)
    data = ctypes.string_at(buffer, 2 * units)
    text = data.decode("utf-16-le", "surrogatepass")
    return text if len(text) == units else "".join(map(chr, buffer[:units]))


def _written(raw: str, glyphs: Glyphs) -> Iterator[_Written]:
    """The lines that are not empty, in PDFium's order."""
    origin = glyphs.origin
    position = 0
    for row in raw.split("\r\n"):
        printable = row.isprintable()  # much cheaper than to look for what is not, and mostly true
        for piece, end in ((row, "\r\n"),) if printable else _pieces(row):
            words = piece.lstrip()
            first = position + len(piece) - len(words)
            position += len(piece) + len(end)
            words = words.rstrip()
            if end in _HYPHEN:
                words += "-"
            offsets = None
            if not printable and _UNPRINTED.search(words):
                kept = [(c, first + n) for n, c in enumerate(words) if not _UNPRINTED.match(c)]
                words, offsets = "".join(c for c, _ in kept), tuple(n for _, n in kept)
            if words and not words.isspace():
                x, y = origin(offsets[0] if offsets else first)
                yield words, first, offsets, x, y


def _pieces(row: str) -> Iterator[tuple[str, str]]:
    """The lines of a row, each with what ends it, where other line ends than PDFium's own stand in it."""
    position = 0
    for found in _LINE_END.finditer(row):
        yield row[position : found.start()], found.group()
        position = found.end()
    yield row[position:], "\r\n"


def _ends(lines: Sequence[_Written]) -> list[str]:
    """What stands before each line: nothing, a line end, or an empty line where a paragraph or a column begins.

    A gap counts against the gaps next to it, not against those of the page: footnotes and block quotations have
    another pitch than the double-spaced body around them.
    """
    ends = ["\n"] * len(lines)
    ends[:1] = [""] * len(ends[:1])
    steps = _steps(lines)
    far = float("inf")
    gaps = [far, *(gap if gap > 0 else far for _, gap in steps), far]
    for (number, gap), above, below in zip(steps, gaps, gaps[2:], strict=False):
        if gap < 0 or gap > _PARAGRAPH_GAP * min(above, below):
            ends[number] = "\n\n"
    return ends


def _steps(lines: Sequence[_Written]) -> list[tuple[int, float]]:
    """The lines that begin a row, each with how far below the last row it stands (negative: above it)."""
    heights = [line[4] for line in lines]
    moves = sorted([move for above, below in pairwise(heights) if (move := abs(above - below)) > 2])
    same_row = _SAME_ROW * moves[(len(moves) - 1) // 2] if moves else 0.0
    steps = []
    base = heights[0] if heights else 0.0
    for number, height in enumerate(heights):
        gap = base - height
        if gap > same_row or gap < -same_row:
            steps.append((number, gap))
            base = height
        elif height < base:
            base = height  # a raised or lowered mark is no row of its own
    return steps


def _joined(lines: Sequence[_Written], ends: Sequence[str], glyphs: Glyphs) -> PageText:
    parts: list[str] = []
    placed = []
    length = 0
    for (words, first, offsets, x, y), end in zip(lines, ends, strict=True):
        start = length + len(end)
        length = start + len(words)
        parts += (end, words)
        placed.append(Line(start, length, first, offsets, x, y))
    return PageText("".join(parts), tuple(placed), glyphs)
