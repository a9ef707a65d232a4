"""Spreadsheets: rows that can be cited by their cells, values as a person sees them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, PatternFill

from lexforge.domain.evidence import Concealment, Place
from lexforge.domain.matter import DateOrder
from lexforge.errors import UnreadableFile
from lexforge.extract.date import find
from lexforge.ingest.office import spreadsheet
from lexforge.ingest.office.cell_format import Value, shown
from lexforge.ingest.office.spreadsheet import cell_at, read
from lexforge.ingest.passages import LONGEST

ACCOUNTING = '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)'
MARCH = datetime(2019, 3, 4, 14, 30)

SHOWN: list[tuple[Value, str, str, str]] = [
    (1234.5, "General", "1234.5", "no format"),
    (0.1 + 0.2, "General", "0.3", "what a person sees of a binary fraction"),
    (123456789012345678, "General", "123456789012345678", "an account number"),
    (1234.5, "#,##0.00", "1,234.50", "thousands and decimals"),
    (-1234.5, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', "($1,234.50)", "negative in brackets"),
    (1234.5, ACCOUNTING, "$1,234.50", "the accounting format"),
    (-1234.5, ACCOUNTING, "($1,234.50)", "the accounting format, negative"),
    (-3, "$#,##0.00", "-$3.00", "no format of its own for negative amounts"),
    (1234.5, "[$€-407] #,##0.00", "€ 1,234.50", "a currency of the locale"),
    (0.125, "0.0%", "12.5%", "percent"),
    (1.005, "0.00", "1.01", "rounded as written, not as stored"),
    (7, "00000", "00007", "leading zeros"),
    (1234567, "#,##0,", "1,235", "in thousands"),
    (5, '0" units in 2019"', "5 units in 2019", "digits in a literal stay"),
    (5.5, "# ?/?", "5.5", "a fraction as a decimal"),
    (5, ";;;", "", "shown as nothing"),
    (True, "General", "TRUE", "a truth value"),
    ("a\nb\tc", "@", "a b c", "a cell is on one line"),
    (MARCH, "m/d/yyyy", "March 4, 2019", "one reading only, whatever the locale"),
    (date(2019, 3, 4), "yyyy-mm-dd", "March 4, 2019", "a date without time"),
    (MARCH, "m/d/yy h:mm", "March 4, 2019 14:30", "with time: m behind h are minutes"),
    (MARCH, "mmm-yy", "March 2019", "a day that is not on the sheet is not told"),
    (MARCH, "d-mmm", "March 4", "nor a year"),
    (MARCH, "[$-409]dddd, mmmm d, yyyy;@", "Monday, March 4, 2019", "with its weekday"),
    (MARCH, "h:mm", "14:30", "time only"),
    (time(9, 5, 7), "h:mm:ss", "09:05:07", "a time"),
    (timedelta(hours=30, minutes=5), "[h]:mm", "30:05", "hours worked"),
    (float("inf"), "0.00", "inf", "no number at all"),
    (1e300, "0.00", "1e+300", "past any account"),
]


@pytest.mark.parametrize(("value", "number_format", "text", "why"), SHOWN, ids=[row[3] for row in SHOWN])
def test_a_cell_as_it_is_shown(value: Value, number_format: str, text: str, why: str) -> None:
    assert shown(value, number_format) == text, why


@pytest.mark.parametrize("number_format", ["m/d/yyyy", "d.m.yyyy", "m/d/yy h:mm", "dddd, mmmm d, yyyy"])
def test_dates_are_found_again(number_format: str) -> None:
    (mention,) = find(f"Fennick\t{shown(MARCH, number_format)}\t12", DateOrder.MONTH_FIRST)
    value: Any = mention.value
    assert (value.year, value.month, value.day) == (2019, 3, 4)


def saved(path: Path, make: Callable[[Workbook], None]) -> Path:
    book = Workbook()
    make(book)
    book.save(path)
    return path


def payments(book: Workbook) -> None:
    sheet: Any = book.active
    sheet.title = "Payments"
    sheet.append(["Payee", "Paid on", "Reference", "Amount"])
    sheet.append(["Fennick", date(2019, 3, 4), None, 1200])
    sheet.append([])
    sheet.append(["Brine", date(2019, 4, 5), "R-7", 80.5])
    for row in (2, 4):
        sheet.cell(row, 4).number_format = '"$"#,##0.00'


def named(page: Any) -> dict[str, str]:
    return {place.name: page.text[place.start : place.end] for place in page.places}


def test_rows_and_their_cells(tmp_path: Path) -> None:
    reading = read(saved(tmp_path / "ledger.xlsx", payments))
    (page,) = reading.pages
    assert page.label == "Payments"
    assert named(page) == {
        "Payments!A1:D1": "Payee\tPaid on\tReference\tAmount",
        "Payments!A2:D2": "Fennick\tMarch 4, 2019\t\t$1,200.00",
        "Payments!A4:D4": "Brine\tApril 5, 2019\tR-7\t$80.50",
    }
    row = page.places[1]
    cells = {word: cell_at(row, page.text, page.text.index(word)) for word in ("Fennick", "March", "$1,200")}
    assert cells == {"Fennick": "Payments!A2", "March": "Payments!B2", "$1,200": "Payments!D2"}
    with pytest.raises(ValueError, match="not in"):
        cell_at(row, page.text, row.end + 1)


def test_a_cell_far_to_the_right() -> None:
    assert cell_at(Place(start=0, end=9, name="'A''s b'!Z12:AC12"), "a\tb\tc\tdef", 7) == "'A''s b'!AC12"


def many(book: Workbook) -> None:
    sheet: Any = book.active
    sheet.title = "Q1 pay"
    sheet.append(["Payee", "Amount"])
    for number in range(2, 903):
        sheet.append([f"Payee number {number}", number * 10])


def test_long_sheets_are_cut_and_each_passage_has_the_header(tmp_path: Path) -> None:
    reading = read(saved(tmp_path / "ledger.xlsx", many))
    assert [page.label for page in reading.pages] == [f"Q1 pay rows {rows}" for rows in ("1–400", "401–800", "801–902")]
    for page in reading.pages:
        passages = page.text.strip().split("\n\n")
        assert all(passage.startswith("Payee\tAmount\n") for passage in passages)
        assert max(map(len, passages)) <= LONGEST
    assert named(reading.pages[1])["'Q1 pay'!A500:B500"] == "Payee number 500\t5000"


def concealed(book: Workbook) -> None:
    sheet: Any = book.active
    sheet.append(["seen", "column", "white", "tiny", "formatted"])
    sheet.append(["row"])
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[2].hidden = True
    sheet["C1"].font = Font(color="FFFFFFFF")
    sheet["D1"].font = Font(sz=1)
    sheet["E1"].number_format = ";;;"
    sheet["F1"] = "white on dark"
    sheet["F1"].font = Font(color="FFFFFFFF")
    sheet["F1"].fill = PatternFill("solid", fgColor="FF003366")
    other: Any = book.create_sheet("Other")
    other.append(["kept apart"])
    other.sheet_state = "veryHidden"


def test_what_nobody_sees_is_kept_apart(tmp_path: Path) -> None:
    reading = read(saved(tmp_path / "ledger.xlsx", concealed))
    assert [page.text.split() for page in reading.pages] == [["seen", "white", "on", "dark"]]
    assert {(hidden.concealment, hidden.text) for hidden in reading.pages[0].hidden} == {
        (Concealment.NOT_SHOWN, "column\tformatted\nrow"),
        (Concealment.BACKGROUND, "white"),
        (Concealment.MICRO, "tiny"),
        (Concealment.NOT_SHOWN, "kept apart"),
    }
    assert [warning.split(":")[1][:14] for warning in reading.warnings] == [" the sheet “Sh", " the sheet “Ot"]


def commented(book: Workbook) -> None:
    sheet: Any = book.active
    sheet.append(["Payee", "Amount"])
    sheet["B1"].comment = Comment("Ask Una\nabout this.", "Rufus Brine")
    sheet.merge_cells("C1:D2")
    sheet["C1"] = "merged"
    sheet["A3"] = "=SUM(B1:B2)"
    sheet["A3"].hyperlink = "https://a.example/"


def test_comments_formulas_and_links(tmp_path: Path) -> None:
    reading = read(saved(tmp_path / "ledger.xlsx", commented))
    assert reading.texts == ("Payee\tAmount\tmerged\n\nComment on B1 by Rufus Brine: Ask Una about this.",)
    links, formulas = reading.warnings
    assert "1 outside address (hyperlink), none was fetched" in links
    assert "A3 =SUM(B1:B2)" in formulas


def rewritten(path: Path, change: Callable[[str, bytes], bytes], **more: bytes) -> Path:
    """The workbook with its parts changed; `more` are further parts, `__` standing for `/`."""
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts |= {name.replace("__", "/"): data for name, data in more.items()}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, change(name, data))
    return path


def replaced(old: bytes, new: bytes, part: str = "xl/worksheets/sheet1.xml") -> Callable[[str, bytes], bytes]:
    return lambda name, data: data.replace(old, new) if name == part else data


def test_a_sheet_that_claims_to_be_endless(tmp_path: Path) -> None:
    path = saved(tmp_path / "ledger.xlsx", payments)
    rewritten(path, replaced(b'<dimension ref="A1:D4"', b'<dimension ref="A1:XFD1048576"'))
    assert named(read(path).pages[0]).keys() >= {"Payments!A4:D4"}


def test_a_cell_in_the_last_corner(tmp_path: Path) -> None:
    def corner(book: Workbook) -> None:
        sheet: Any = book.active
        sheet["XFD1048576"] = "far"

    assert named(read(saved(tmp_path / "ledger.xlsx", corner)).pages[0]) == {"Sheet!XFD1048576": "far"}


def test_macros_and_other_workbooks_are_told(tmp_path: Path) -> None:
    path = saved(tmp_path / "ledger.xlsm", payments)
    rewritten(
        path, lambda _, data: data, xl__vbaProject_bin=b"", xl__externalLinks__a=b"", **{"xl/vbaProject.bin": b""}
    )
    reading = read(path)
    assert reading.media_type == spreadsheet.WITH_MACROS
    assert [warning.split(" ", 1)[1][:20] for warning in reading.warnings] == [
        "contains macros; the",
        "takes values from ot",
    ]


def a_dtd(path: Path) -> None:
    saved(path, payments)
    rewritten(path, replaced(b"<styleSheet", b'<!DOCTYPE a [<!ENTITY b "c">]><styleSheet', "xl/styles.xml"))


def a_string_that_is_missing(path: Path) -> None:
    saved(path, payments)
    rewritten(path, replaced(b't="inlineStr"><is><t>Fennick</t></is>', b't="s"><v>999</v>'))


def no_sheet_part(path: Path) -> None:
    saved(path, payments)
    with ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if "sheet1" not in name}
    with ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def all_hidden(book: Workbook) -> None:
    payments(book)
    book.create_sheet("Empty")
    book["Payments"].sheet_state = "hidden"


OLE = bytes.fromhex("d0cf11e0a1b11ae1")
BAD: list[tuple[str, str, Callable[[Path], object]]] = [
    ("nothing in it", "empty", lambda path: path.write_bytes(b"")),
    ("no archive", "not_zip", lambda path: path.write_bytes(b"Payee,Amount")),
    (
        "protected",
        "encrypted",
        lambda path: path.write_bytes(OLE + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le")),
    ),
    ("an .xls renamed", "legacy_excel", lambda path: path.write_bytes(OLE + b"\0" * 504)),
    ("an empty archive", "no_document", lambda path: ZipFile(path, "w").close()),
    ("entities", "dtd", a_dtd),
    ("a string that is not there", "damaged", a_string_that_is_missing),
    ("a sheet that is not there", "damaged", no_sheet_part),
    ("an empty workbook", "no_text", lambda path: saved(path, lambda book: None)),
    ("nothing but hidden sheets", "no_text", lambda path: saved(path, all_hidden)),
]


@pytest.mark.parametrize(("why", "code", "make"), BAD, ids=[row[0] for row in BAD])
def test_unreadable(tmp_path: Path, why: str, code: str, make: Callable[[Path], object]) -> None:
    path = tmp_path / "exhibit 7.xlsx"
    make(path)
    with pytest.raises(UnreadableFile) as caught:
        read(path)
    assert caught.value.code == code, why
    assert caught.value.message.startswith("exhibit 7.xlsx ")
    assert "Word" not in str(caught.value)


def test_too_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "ledger.xlsx", payments)
    monkeypatch.setattr(spreadsheet, "MAX_CELLS", 10)
    with pytest.raises(UnreadableFile, match="ledger.xlsx unpacks to far more"):
        read(path)
