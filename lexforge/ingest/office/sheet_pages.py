"""The rows of a sheet laid out on pages: passages of whole rows, each under the sheet's header row."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from lexforge.domain.evidence import Concealment, Place
from lexforge.ingest.passages import LONGEST
from lexforge.ingest.reading import PageReading

ROWS_ON_A_PAGE = 400
_HEADER_WITHIN = 20
_LONGEST_HEADER = LONGEST // 3
_PLAIN_TITLE = re.compile(r"[A-Za-z_]\w*")
_A = ord("A")


@dataclass(slots=True)
class Row:
    """The shown cells of one row by column, both counted from 1."""

    number: int
    cells: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Sheet:
    """A sheet as read: `notes` are its comments and text boxes, `uncomputed` its formulas without a saved value."""

    title: str
    hidden: bool = False
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unseen: defaultdict[Concealment, list[str]] = field(default_factory=lambda: defaultdict(list))
    uncomputed: list[str] = field(default_factory=list)

    def concealed(self) -> Iterator[tuple[Concealment, str]]:
        """What nobody sees on this sheet, one text for each reason."""
        for kind, lines in self.unseen.items():
            yield kind, "\n".join(lines)
        if self.hidden and self.notes:
            yield Concealment.NOT_SHOWN, "\n\n".join(self.notes)


def pages_of_sheet(sheet: Sheet) -> Iterator[PageReading]:
    """The pages of a sheet, none for a hidden or an empty one.

    A line is a row from the sheet's first used column on, with a tab between two cells, empty ones too. Lines stand in
    paragraphs no longer than a passage, and each begins with the header row, as a printed sheet repeats its titles.
    """
    if sheet.hidden or not (sheet.rows or sheet.notes):
        return
    first = min((min(row.cells) for row in sheet.rows), default=1)
    header = _header(sheet.rows)
    chunks = [sheet.rows[at : at + ROWS_ON_A_PAGE] for at in range(0, len(sheet.rows), ROWS_ON_A_PAGE)] or [[]]
    for chunk in chunks:
        page = _Layout(sheet.title, first, header)
        for row in chunk:
            page.add(row)
        label = sheet.title
        if len(chunks) > 1:
            label += f" rows {chunk[0].number}–{chunk[-1].number}"
        yield page.reading(label, sheet.notes if chunk is chunks[-1] else [])


def column_letters(column: int) -> str:
    """`A` for 1, `AA` for 27."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(_A + rest) + letters
    return letters


def column_number(letters: str) -> int:
    """1 for `A`, 27 for `AA`."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - _A + 1
    return number


def _header(rows: list[Row]) -> Row | None:
    """The first row of several cells, all of words, if it stands near the top."""
    for row in rows[:_HEADER_WITHIN]:
        if len(row.cells) > 1:
            words = all(re.search("[^\\W\\d_]", text) and not text[0].isdigit() for text in row.cells.values())
            return row if words and sum(map(len, row.cells.values())) <= _LONGEST_HEADER else None
    return None


class _Layout:
    """A page being laid out."""

    def __init__(self, title: str, first: int, header: Row | None) -> None:
        quoted = title if _PLAIN_TITLE.fullmatch(title) else "'" + title.replace("'", "''") + "'"
        self._sheet, self._first, self._header = quoted, first, header
        self._pieces: list[str] = []
        self._places: list[Place] = []
        self._length = self._paragraph = 0

    def add(self, row: Row) -> None:
        line = self._line(row)
        begins = not self._pieces or self._length - self._paragraph + len(line) > LONGEST
        if begins:
            self._write("\n" if self._pieces else "")
            self._paragraph = self._length
            if self._header is not None and self._header.number < row.number:
                self._place(self._header, self._line(self._header))
        self._place(row, line)

    def reading(self, label: str, notes: list[str]) -> PageReading:
        text = "\n".join(filter(None, ["".join(self._pieces), "\n\n".join(notes)]))
        return PageReading(text=text, label=label, places=tuple(self._places))

    def _line(self, row: Row) -> str:
        return "\t".join(row.cells.get(column, "") for column in range(self._first, max(row.cells) + 1))

    def _place(self, row: Row, line: str) -> None:
        first, last = column_letters(self._first), column_letters(max(row.cells))
        area = f"{first}{row.number}" + (f":{last}{row.number}" if last != first else "")
        self._places.append(Place(start=self._length, end=self._length + len(line), name=f"{self._sheet}!{area}"))
        self._write(line + "\n")

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
