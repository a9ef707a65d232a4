"""The text of a PDF page: paragraphs, hyphens, and where each character stands."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from lexforge.ingest.pdf import reader as pdf
from lexforge.ingest.pdf.text import PageText, clean, frame_of, read_text
from tests.ingest.pdf import stamped_pages
from tests.ingest.pdf.drawn_pages import all_of, drawn, lines, words

PARAGRAPHS = [
    ((700, 686, 672, 650, 636), (3,), "eight points more than the pitch"),
    ((700, 676, 652, 628), (), "double-spaced body"),
    ((700, 676, 652, 628, 614, 600, 576, 552), (3, 6), "a block quotation within a double-spaced body"),
    ((700, 672.4, 644.8, 617.2, 605.7, 594.2, 582.7, 555.1, 527.5, 499.9), (3, 7), "the same as Word sets it"),
    ((700, 686, 650), (2,), "few lines"),
    ((700, 676, 652, 200, 188, 176, 164, 152, 140), (3,), "footnotes more numerous than the body's lines"),
    ((700, 686, 672, 720, 706), (3,), "a second column begins higher up"),
    ((700,), (), "one line"),
]


@pytest.mark.parametrize(("heights", "begin", "why"), PARAGRAPHS, ids=[row[2] for row in PARAGRAPHS])
def test_an_empty_line_stands_between_paragraphs(
    tmp_path: Path, heights: tuple[float, ...], begin: tuple[int, ...], why: str
) -> None:
    text = pdf.read(drawn(tmp_path / "a.pdf", lines(*heights))).pages[0].text
    expected = "".join(
        f"{'' if n == 0 else chr(10) * (2 if n in begin else 1)}line {n} of them" for n in range(len(heights))
    )
    assert text == expected, why


def test_a_word_cut_at_a_line_end_keeps_its_hyphen(tmp_path: Path) -> None:
    path = drawn(tmp_path / "a.pdf", all_of(words("they met in-", y=600), words("person on Monday", y=588)))
    assert pdf.read(path).pages[0].text == "they met in-\nperson on Monday"


def test_other_readers_text_takes_the_same_form() -> None:
    assert clean("a\x00b\xa0c  \r\n\r\n\r\n\r\nd\u200be\xad\n") == "ab c\n\nde"


def page_text(path: Path) -> tuple[PageText, pypdfium2.PdfTextPage]:
    page = pypdfium2.PdfDocument(path)[0]
    text_page = page.get_textpage()
    return read_text(text_page.raw, frame_of(page.raw), path.name), text_page


def test_every_character_knows_its_place_in_pdfium(tmp_path: Path) -> None:
    found, text_page = page_text(
        drawn(tmp_path / "a.pdf", all_of(lines(700, 686, 650), words("they met in-", y=600), words("person", y=588)))
    )
    for character, index in zip(found.text, found.indices, strict=True):
        code = pdfium.FPDFText_GetUnicode(text_page.raw, index) if index >= 0 else ord("\n")
        assert chr(code) == character or (character == "-" and code in (2, 0xFFFE))


def test_spans_are_taken_out_with_their_places(tmp_path: Path) -> None:
    found, text_page = page_text(drawn(tmp_path / "a.pdf", lines(700, 686, 650)))
    assert found.text == "line 0 of them\nline 1 of them\n\nline 2 of them"
    less = found.without([(5, 7), (15, 29)])
    assert less.text == "line of them\n\nline 2 of them"
    assert [less.text[line.start : line.end] for line in less.lines] == ["line of them", "line 2 of them"]
    codes = [pdfium.FPDFText_GetUnicode(text_page.raw, index) if index >= 0 else 10 for index in less.indices]
    assert "".join(map(chr, codes)) == less.text


def test_a_turned_page_has_the_lines_of_an_upright_one(tmp_path: Path) -> None:
    page = pdf.read(stamped_pages.rotated_pdf(tmp_path / "a.pdf", 1)).pages[0]
    assert page.text.count("\n") > 25
    assert max(map(len, page.text.splitlines())) < 200
    assert "\n\n" in page.text
