"""Spreadsheets (.xlsx, .xlsm) to pages: one for a sheet, and every row a line that can be cited by its cells."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from openpyxl import load_workbook
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.worksheet._reader import FORMULA_TAG, VALUE_TAG, WorkSheetParser

from lexforge.domain.evidence import Concealment, Hidden, Place
from lexforge.errors import UnreadableFile
from lexforge.ingest.office.cell_format import shown
from lexforge.ingest.office.package import Package, opened
from lexforge.ingest.office.sheet_pages import Row, Sheet, column_letters, column_number, pages_of_sheet
from lexforge.ingest.reading import Reading

MAX_CELLS = 1_000_000
"""Cells with a value in one file, and rows without any; more is a database and no exhibit."""
PLAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
WITH_MACROS = "application/vnd.ms-excel.sheet.macroEnabled.12"

_NAMED_FORMULAS = 5
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_THREADED = "tc="  # how Excel names the author of the old-style copy of a threaded comment
_BROKEN = (KeyError, TypeError, AttributeError, IndexError, SyntaxError, ArithmeticError)
"""What openpyxl raises on parts that are not what they should be, besides what `opened` knows."""


def read(path: Path) -> Reading:
    """The sheets of a workbook with the values it was saved with, as they are shown; nothing is computed.

    Hidden sheets, rows and columns, white and microscopic text stand in `hidden`. Long sheets are cut into pages.
    UnreadableFile with the codes of `office_package`, `too_large` above MAX_CELLS, or `no_text`.
    """
    with opened(path, sheet=True) as package:
        part = next(iter(package.targets("", "officeDocument")), "xl/workbook.xml")
        if part not in package.names or etree.QName(package.parsed(part)).localname != "workbook":
            raise package.refused("no_document")
        lost = any(name not in package.names for name in package.targets(part, "worksheet"))
        if lost:  # openpyxl would go on without the sheet
            raise package.refused("damaged")
        package.refuse_dtd()
        try:
            sheets = list(_Workbook(path, package, part).sheets())
        except _BROKEN as error:
            raise package.refused("damaged") from error
        pages = tuple(page for sheet in sheets for page in pages_of_sheet(sheet))
        if not pages:
            raise UnreadableFile(
                "no_text", f"{path.name} shows no cells.", "Open it, unhide its sheets or print it to PDF."
            )
        unseen = tuple(Hidden(concealment=kind, text=text) for sheet in sheets for kind, text in sheet.concealed())
        return Reading(
            media_type=WITH_MACROS if "xl/vbaProject.bin" in package.names else PLAIN,
            extractor="spreadsheetml 1",
            pages=(pages[0].model_copy(update={"hidden": unseen}), *pages[1:]),
            own_draft=package.draft_id(False),
            warnings=(*package.warnings(), *_warnings(path, package, sheets)),
        )


def cell_at(row: Place, text: str, offset: int) -> str:
    """The cell, such as `Payments!C2`, in which `text[offset]` stands; `row` is the place of its row on that page.

    ValueError when the offset is outside the row.
    """
    if not row.start <= offset <= row.end:
        raise ValueError(f"{offset} is not in {row.name}")
    sheet, _, area = row.name.rpartition("!")
    first = area.partition(":")[0]
    letters = first.rstrip("0123456789")
    column = column_number(letters) + text.count("\t", row.start, offset)
    return f"{sheet}!{column_letters(column)}{first[len(letters) :]}"


def _warnings(path: Path, package: Package, sheets: list[Sheet]) -> Iterator[str]:
    if any(name.startswith("xl/externalLinks/") for name in package.names):
        yield f"{path.name} takes values from other workbooks; the values it was saved with were read."
    if "xl/connections.xml" in package.names:
        yield f"{path.name} has connections to databases or files; none was opened."
    for sheet in sheets:
        if sheet.hidden:
            yield f"{path.name}: the sheet “{sheet.title}” is hidden; it is not part of the text."
        elif sheet.unseen[Concealment.NOT_SHOWN]:
            yield f"{path.name}: the sheet “{sheet.title}” has hidden rows, columns or cells; they are not in the text."
        if sheet.uncomputed:
            named = ", ".join(sheet.uncomputed[:_NAMED_FORMULAS])
            yield f"{path.name}: {len(sheet.uncomputed)} formulas of “{sheet.title}” have no saved value: {named}."


class _Workbook:
    """The sheets of one workbook, read one after the other within a budget for all of them."""

    def __init__(self, path: Path, package: Package, part: str) -> None:
        self._path = path
        self._package = package
        self._budget = MAX_CELLS
        self._idle = MAX_CELLS
        self._styles: dict[int, tuple[str, Concealment | None]] = {}
        people = [root for name in package.targets(part, "person") for root in [package.parsed(name)]]
        self._people = {person.get("id", ""): person.get("displayName", "") for root in people for person in root}

    def sheets(self) -> Iterator[Sheet]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl tells what it would lose on saving; nothing is saved here
            book = load_workbook(self._path, read_only=True, data_only=True, keep_links=False)
            try:
                for worksheet in book.worksheets:
                    yield self._sheet(worksheet)
            finally:
                book.close()

    def _sheet(self, worksheet: Any) -> Sheet:
        sheet = Sheet(title=worksheet.title, hidden=worksheet.sheet_state != "visible")
        part = worksheet._worksheet_path
        book = worksheet.parent
        with book._archive.open(part) as source:
            parser = _Parser(
                source,
                worksheet._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
            )
            for number, cells in parser.parse():
                self._row(worksheet, sheet, parser, number, cells)
        sheet.uncomputed = parser.uncomputed
        sheet.notes = [*self._comments(part), *self._boxes(part)]
        return sheet

    def _row(self, worksheet: Any, sheet: Sheet, parser: _Parser, number: int, cells: list[dict[str, Any]]) -> None:
        row, unseen = Row(number), dict[Concealment, list[str]]()
        self._idle -= 1
        for cell in cells:
            if cell["value"] is None:
                continue
            self._budget -= 1
            number_format, concealment = self._style(worksheet, cell)
            value = cell["value"]
            text = shown(_unescaped(value) if isinstance(value, str) else value, number_format)
            if sheet.hidden or parser.row_hidden or parser.column_hidden(cell["column"]):
                concealment = Concealment.NOT_SHOWN
            elif not text:
                concealment, text = Concealment.NOT_SHOWN, shown(value, "General")
            if concealment is None:
                row.cells[cell["column"]] = text
            elif text:
                unseen.setdefault(concealment, []).append(text)
        if min(self._budget, self._idle) < 0:
            raise self._package.refused("too_large")
        for kind, texts in unseen.items():
            sheet.unseen[kind].append("\t".join(texts))
        if row.cells:
            sheet.rows.append(row)

    def _style(self, worksheet: Any, cell: dict[str, Any]) -> tuple[str, Concealment | None]:
        style = cell["style_id"]
        if style not in self._styles:
            styled = ReadOnlyCell(worksheet, cell["row"], cell["column"], None, "n", style)
            self._styles[style] = styled.number_format or "General", _concealment(styled)
        return self._styles[style]

    def _comments(self, part: str) -> Iterator[str]:
        """Comments on the cells of a sheet; the answers of a thread follow its first comment, as they do on screen."""
        threads = [self._package.parsed(name) for name in self._package.targets(part, "threadedComment")]
        for comment in (comment for root in threads for comment in root):
            author = self._people.get(comment.get("personId", ""), "")
            yield _note(comment.get("ref", ""), author, _text_of(comment, "text"))
        for name in self._package.targets(part, "comments"):
            root = self._package.parsed(name)
            authors = ["".join(author.itertext()) for author in root.iter("{*}author")]
            for comment in root.iter("{*}comment"):
                at = int(comment.get("authorId", "0"))
                author = authors[at] if 0 <= at < len(authors) else ""
                if not (threads and author.startswith(_THREADED)):
                    yield _note(comment.get("ref", ""), author, _text_of(comment, "t"))

    def _boxes(self, part: str) -> Iterator[str]:
        """What stands in text boxes that lie on a sheet."""
        for name in self._package.targets(part, "drawing"):
            for body in self._package.parsed(name).iter("{*}txBody"):
                text = " ".join(_text_of(paragraph, "t") for paragraph in body.iter("{*}p")).strip()
                if text:
                    yield f"Text box: {text}"


class _Parser(WorkSheetParser):
    """openpyxl's reader of one sheet, which also tells what is hidden; it keeps nothing of the rows it has given."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.row_hidden = False
        self.uncomputed: list[str] = []
        self._columns: list[tuple[int, int]] = []

    def column_hidden(self, column: int) -> bool:
        return any(first <= column <= last for first, last in self._columns)

    def parse_column_dimensions(self, col: Any) -> None:
        if _true(col.get("hidden")) or col.get("width") == "0":
            self._columns.append((int(col.get("min", "1")), int(col.get("max", "16384"))))

    def parse_row(self, row: Any) -> Any:
        self.row_hidden = _true(row.get("hidden"))
        given = super().parse_row(row)
        self.row_dimensions.clear()
        return given

    def parse_cell(self, element: Any) -> Any:
        formula = element.find(FORMULA_TAG)
        if formula is not None and not element.findtext(VALUE_TAG):
            self.uncomputed.append(f"{element.get('r', '')} ={formula.text or '…'}")
        return super().parse_cell(element)


def _true(value: str | None) -> bool:
    return value in {"1", "true"}


def _concealment(cell: Any) -> Concealment | None:
    """Why the text of a cell of this style cannot be seen: white on white, or no higher than a point."""
    font, fill = cell.font, cell.fill
    if font.sz is not None and font.sz <= 1:
        return Concealment.MICRO
    colour, behind = _rgb(font.color), _rgb(fill.fgColor) if fill.fill_type == "solid" else "FFFFFF"
    return Concealment.BACKGROUND if fill.fill_type in {None, "solid"} and colour and colour == behind else None


def _rgb(colour: Any) -> str | None:
    """Red, green and blue in hex; None for what a theme decides, except that its first colour is white."""
    if colour is None:
        return None
    if colour.type == "theme":
        return "FFFFFF" if colour.theme == 0 and not colour.tint else None
    if colour.type == "indexed":
        return {0: "000000", 1: "FFFFFF", 8: "000000", 9: "FFFFFF"}.get(colour.indexed)
    return str(colour.rgb)[-6:].upper()


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _text_of(element: etree._Element, name: str) -> str:
    return " ".join("".join("".join(part.itertext()) for part in element.iter(f"{{*}}{name}")).split())


def _note(cell: str, author: str, text: str) -> str:
    return f"Comment on {cell}{f' by {author}' if author else ''}: {text}"
