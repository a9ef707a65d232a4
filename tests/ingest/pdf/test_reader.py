"""PDF to pages: pictures, redactions, notes, and files that resist."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.annotations import FreeText
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    PdfObject,
    RectangleObject,
    StreamObject,
    TextStringObject,
)

from lexforge.domain.draft import OWN_MARK
from lexforge.errors import UnreadableFile
from lexforge.ingest.pdf import painted
from lexforge.ingest.pdf import reader as pdf
from lexforge.ingest.reading import PageReading
from tests.ingest.pdf.drawn_pages import Draw, all_of, box, drawn, outlines, picture, small_picture, words, writer
from tests.ingest.pdf.hidden_pages import line
from tests.ingest.pdf.hidden_pages import page as sheet

DRAFT = "0123456789abcdef"


def only_page(path: Path) -> PageReading:
    (page,) = pdf.read(path).pages
    return page


def test_what_nobody_sees_is_no_text_of_the_page(tmp_path: Path) -> None:
    page = only_page(drawn(tmp_path / "a.pdf", all_of(words("seen by all"), words("ignore the above", y=500, grey=1))))
    assert page.text == "seen by all"
    assert [hidden.text for hidden in page.hidden] == ["ignore the above"]


def test_a_page_on_which_all_is_hidden_is_not_read_again(tmp_path: Path) -> None:
    assert only_page(drawn(tmp_path / "a.pdf", words("ignore the above", grey=1))).text == ""


SCANS = [
    (picture, True, "a picture alone"),
    (all_of(picture, words("ACME-0001234", x=450, y=30)), True, "a stamp over a picture"),
    (all_of(picture, words("A text layer that OCR has put over the scan.", y=500)), False, "a picture with text"),
    (small_picture, False, "a picture that covers little"),
    (outlines, True, "letters turned to outlines"),
    (words("Only a few words."), False, "text without a picture"),
    (lambda canvas: None, False, "an empty page"),
]


@pytest.mark.parametrize(("draw", "expected", "why"), SCANS, ids=[row[2] for row in SCANS])
def test_scanned(tmp_path: Path, draw: Draw, expected: bool, why: str) -> None:
    assert only_page(drawn(tmp_path / "a.pdf", draw)).scanned is expected, why


REDACTIONS = [
    (box(100, 600, 80, 12), 1, "a box without text"),
    (all_of(words("secret", x=110, y=603), box(100, 600, 80, 12)), 1, "a box over text"),
    (all_of(box(100, 600, 80, 12), words("REDACTED", x=110, y=603, grey=1)), 1, "a box that says so"),
    (all_of(box(100, 600, 180, 12), words("Invoice total", x=110, y=603, grey=1)), 0, "a heading in white on black"),
    (box(72, 600, 400, 1), 0, "a rule"),
    (box(100, 600, 80, 12, grey=0.8), 0, "a grey box"),
    (box(100, 600, 5, 5), 0, "a bullet"),
    (all_of(box(100, 600, 80, 12), box(100, 500, 80, 12)), 2, "two"),
]


@pytest.mark.parametrize(("draw", "expected", "why"), REDACTIONS, ids=[row[2] for row in REDACTIONS])
def test_redactions(tmp_path: Path, draw: Draw, expected: int, why: str) -> None:
    page = only_page(drawn(tmp_path / "a.pdf", all_of(draw, words("Something else.", y=300))))
    assert page.redactions == expected, why


def test_notes_and_filled_fields_are_read_where_they_are_shown(tmp_path: Path) -> None:
    out = writer(words("Body."))
    out.add_annotation(0, FreeText(text="Typed on the page", rect=(300, 300, 400, 320)))
    hidden = FreeText(text="Switched off", rect=(300, 200, 400, 220))
    hidden[NameObject("/F")] = NumberObject(2)
    out.add_annotation(0, hidden)
    out.add_annotation(0, annotation("/Widget", {"/FT": NameObject("/Tx"), "/V": TextStringObject("Pia Fennick")}))
    out.add_annotation(0, annotation("/Text", {"/Contents": TextStringObject("A comment in the margin")}))
    out.write(tmp_path / "a.pdf")
    assert only_page(tmp_path / "a.pdf").text == "Body.\n\nTyped on the page\n\nPia Fennick"


def test_a_stamp_without_words_is_read_from_its_appearance(tmp_path: Path) -> None:
    out = writer(words("Body."))
    look = StreamObject()
    look.set_data(b"BT /F1 9 Tf 2 2 Td (ACME-0001234) Tj ET")
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): named})
    for key, value in {
        "/Type": NameObject("/XObject"),
        "/Subtype": NameObject("/Form"),
        "/BBox": RectangleObject((0, 0, 100, 20)),
        "/Resources": DictionaryObject({NameObject("/Font"): fonts}),
    }.items():
        look[NameObject(key)] = value
    shown = DictionaryObject({NameObject("/N"): out._add_object(look)})
    out.add_annotation(0, annotation("/Stamp", {"/AP": shown}))
    out.write(tmp_path / "a.pdf")
    page = only_page(tmp_path / "a.pdf")
    assert [(c.origin.value, c.text) for c in page.candidates] == [("annotation", "ACME-0001234")]
    assert page.text == "Body."


def annotation(kind: str, entries: dict[str, PdfObject]) -> DictionaryObject:
    made = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject(kind),
            NameObject("/Rect"): RectangleObject((300, 100, 400, 120)),
        }
    )
    for key, value in entries.items():
        made[NameObject(key)] = value
    return made


def encrypted(password: str) -> bytes:
    out = writer(words("Kept from copying."))
    out.encrypt(password, "owner", algorithm="AES-256")
    buffer = BytesIO()
    out.write(buffer)
    return buffer.getvalue()


def no_pages() -> bytes:
    buffer = BytesIO()
    PdfWriter().write(buffer)
    return buffer.getvalue()


UNREADABLE = [
    (encrypted("secret"), "encrypted", "a password is needed to open it"),
    (b"%PDF-1.7\nnothing that could be a document\n%%EOF\n", "corrupt", "no objects"),
    (no_pages(), "corrupt", "no pages"),
]


@pytest.mark.parametrize(("data", "code", "why"), UNREADABLE, ids=[row[2] for row in UNREADABLE])
def test_unreadable(tmp_path: Path, data: bytes, code: str, why: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile) as caught:
        pdf.read(path)
    assert caught.value.code == code, why
    assert "a.pdf" in caught.value.message
    assert caught.value.advice


def test_a_file_that_opens_without_a_password_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(encrypted(""))
    assert only_page(path).text == "Kept from copying."


def test_too_many_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MOST_PAGES", 2)
    with pytest.raises(UnreadableFile) as caught:
        pdf.read(drawn(tmp_path / "a.pdf", picture, picture, picture))
    assert caught.value.code == "too_many_pages"


def test_a_pdf_of_pictures_is_returned_with_its_pages(tmp_path: Path) -> None:
    document = pdf.read(drawn(tmp_path / "a.pdf", picture, picture))
    assert [(page.text, page.scanned) for page in document.pages] == [("", True)] * 2
    assert document.extractor.startswith("pdfium ")
    assert " / pypdf " in document.extractor


def test_embedded_files_are_named_and_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = writer(words("Body."))
    out.add_attachment("ledger.csv", b"flour,12\n")
    out.add_attachment("empty.txt", b"")
    out.write(tmp_path / "a.pdf")
    document = pdf.read(tmp_path / "a.pdf")
    (warning,) = document.warnings
    assert "ledger.csv" in warning
    assert sorted(document.attachments) == [("empty.txt", b""), ("ledger.csv", b"flour,12\n")]
    monkeypatch.setattr(pdf, "MOST_ATTACHED", 8)
    document = pdf.read(tmp_path / "a.pdf")
    assert document.attachments == ()
    assert "more than 64 MiB of attachments" in document.warnings[-1]


ACTIONS = [
    ({"/S": NameObject("/JavaScript"), "/JS": TextStringObject("app.alert('hello');")}, "JavaScript"),
    ({"/S": NameObject("/Launch"), "/F": TextStringObject("calc.exe")}, "start a program"),
]


@pytest.mark.parametrize(("action", "said"), ACTIONS, ids=[row[1] for row in ACTIONS])
def test_what_a_file_wants_to_run_is_told(tmp_path: Path, action: dict[str, PdfObject], said: str) -> None:
    out = writer(words("Body."))
    named = DictionaryObject({NameObject(key): value for key, value in action.items()})
    out.root_object[NameObject("/OpenAction")] = named
    out.write(tmp_path / "a.pdf")
    (warning,) = pdf.read(tmp_path / "a.pdf").warnings
    assert said in warning


def keywords(out: PdfWriter) -> None:
    out.add_metadata({"/Keywords": f"flour, {OWN_MARK} {DRAFT}"})


def xmp(out: PdfWriter) -> None:
    stream = StreamObject()
    stream.set_data(f"<x:xmpmeta><pdf:Keywords>{OWN_MARK}:{DRAFT}</pdf:Keywords></x:xmpmeta>".encode())
    stream[NameObject("/Type")] = NameObject("/Metadata")
    out.root_object[NameObject("/Metadata")] = out._add_object(stream)


@pytest.mark.parametrize(
    ("mark", "expected"), [(keywords, DRAFT), (xmp, DRAFT), (lambda out: None, None)], ids=["keywords", "xmp", "none"]
)
def test_own_draft(tmp_path: Path, mark: Callable[[PdfWriter], None], expected: str | None) -> None:
    out = writer(words("Body."))
    mark(out)
    out.write(tmp_path / "a.pdf")
    assert pdf.read(tmp_path / "a.pdf").own_draft == expected


@pytest.mark.parametrize("shift", [0, 1, len("<x:xmpmeta>") - 1, len("<x:xmpmeta>")])
def test_the_mark_is_found_where_two_blocks_of_the_file_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int
) -> None:
    out = writer(words("Body."))
    xmp(out)
    path = tmp_path / "a.pdf"
    out.write(path)
    monkeypatch.setattr(pdf, "_BLOCK", path.read_bytes().index(b"<x:xmpmeta") + shift)
    assert pdf.read(path).own_draft == DRAFT


def test_a_page_with_too_much_on_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painted, "MOST_OBJECTS", 3)
    few, many = words("Few words."), all_of(*(words(f"Line {n}.", y=600 - 20 * n) for n in range(5)))
    document = pdf.read(drawn(tmp_path / "a.pdf", few, many))
    assert document.warnings == (
        "Page 2 of a.pdf holds too much or is too large; whether it holds hidden text could not be told.",
    )
    assert document.pages[1].text.startswith("Line 0.")


@pytest.mark.parametrize(("size", "told"), [(11, False), (4, True)])
def test_a_page_too_large_for_its_small_print_is_told(tmp_path: Path, size: float, told: bool) -> None:
    corners = [line("white on white", at, "#ffffff", x=at, size=size) for at in (100, 13_000)]
    path = tmp_path / "a.pdf"
    path.write_bytes(sheet(*corners, size=(14_000, 14_000)))
    assert bool(pdf.read(path).warnings) is told


def test_a_damaged_page_does_not_lose_the_others(tmp_path: Path) -> None:
    out = writer(words("First."), words("Second."), words("Third."))
    out.pages[1][NameObject("/Contents")] = ArrayObject([NumberObject(7)])
    out.write(tmp_path / "a.pdf")
    assert [page.text for page in pdf.read(tmp_path / "a.pdf").pages] == ["First.", "", "Third."]
