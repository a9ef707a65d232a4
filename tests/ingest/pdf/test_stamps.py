"""Which texts of a PDF page may be its Bates number, what the production added, and what it says of secrecy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from lexforge.domain.evidence import StampOrigin
from lexforge.ingest.pdf import reader as pdf
from lexforge.ingest.pdf.stamps import closed_up, designation_in, is_furniture
from lexforge.ingest.reading import PageReading
from tests.ingest.pdf import stamped_pages as made

PAGES = 40

KINDS = [
    ("bottom_right", StampOrigin.MARGIN, 36, "9 points, at the lower right"),
    ("beside_designation", StampOrigin.MARGIN, 36, "on one line with a designation"),
    ("sideways", StampOrigin.MARGIN, 36, "turned by 90 degrees in the left margin"),
    ("letter_spaced", StampOrigin.MARGIN, 36, "each glyph drawn by itself, far apart"),
    ("top_right_with_space", StampOrigin.MARGIN, 36, "prefix and number apart"),
    ("artifact", StampOrigin.ARTIFACT, 40, "Acrobat's own numbering"),
]


def bearing(pages: tuple[PageReading, ...], origin: StampOrigin) -> int:
    """On how many pages the right number stands whole in a candidate of this origin."""
    return sum(
        any(
            c.origin is origin and re.search(rf"(?<!\S){made.number(n).replace('-', '[- ]')}(?!\S)", c.text)
            for c in page.candidates
        )
        for n, page in enumerate(pages)
    )


@pytest.mark.parametrize(("kind", "origin", "least", "why"), KINDS, ids=[kind[0] for kind in KINDS])
def test_a_stamp_is_among_the_candidates(tmp_path: Path, kind: str, origin: StampOrigin, least: int, why: str) -> None:
    pages = pdf.read(made.pdf(tmp_path / "a.pdf", PAGES, getattr(made, kind))).pages
    assert bearing(pages, origin) >= least, why
    assert not any(look in c.text for page in pages for c in page.candidates for look in made.LOOKALIKES)


FILES: list[tuple[Callable[[Path, int], Path], StampOrigin, int]] = [
    (made.annotated_pdf, StampOrigin.ANNOTATION, 40),
    (made.rotated_pdf, StampOrigin.MARGIN, 36),
]


@pytest.mark.parametrize(("make", "origin", "least"), FILES, ids=["annotated", "rotated"])
def test_a_stamp_of_the_file_is_among_the_candidates(
    tmp_path: Path, make: Callable[[Path, int], Path], origin: StampOrigin, least: int
) -> None:
    assert bearing(pdf.read(make(tmp_path / "a.pdf", PAGES)).pages, origin) >= least


@pytest.mark.parametrize("stamp", [made.nothing, made.over_body])
def test_what_stands_in_the_middle_of_a_page_is_no_candidate(tmp_path: Path, stamp: made.Stamp) -> None:
    pages = pdf.read(made.pdf(tmp_path / "a.pdf", 12, stamp)).pages
    assert [page.candidates for page in pages] == [()] * 12
    assert all(page.text for page in pages)


def test_stamps_and_designations_are_furniture_and_headers_are_not(tmp_path: Path) -> None:
    def header(canvas: Canvas, page: int) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, 760, f"Case 8:31-cv-01261 Document 40 Page {page + 1} of 3")

    pages = pdf.read(made.pdf(tmp_path / "a.pdf", 3, header, made.beside_designation)).pages
    for n, page in enumerate(pages):
        assert [page.text[start:end] for start, end in page.furniture] == ["CONFIDENTIAL", made.number(n)]
        assert page.designation == "CONFIDENTIAL"
        assert f"Page {n + 1} of 3" in page.text


def test_a_stamp_in_an_annotation_is_furniture_of_the_text_it_is_added_to(tmp_path: Path) -> None:
    page = pdf.read(made.annotated_pdf(tmp_path / "a.pdf", 1)).pages[0]
    assert page.text.endswith(f"\n\n{made.number(0)}")
    assert [page.text[start:end] for start, end in page.furniture] == [made.number(0)]


DESIGNATIONS = [
    ("CONFIDENTIAL", "CONFIDENTIAL", "alone"),
    ("Confidential", "CONFIDENTIAL", "not in capitals, but alone"),
    ("CONFIDENTIAL ACME-0001234", "CONFIDENTIAL", "beside a number"),
    ("HIGHLY CONFIDENTIAL – ATTORNEYS’ EYES ONLY", "HIGHLY CONFIDENTIAL – ATTORNEYS' EYES ONLY", "two in one"),
    ("HIGHLY CONFIDENTIAL - SOURCE CODE", "HIGHLY CONFIDENTIAL - SOURCE CODE", "code"),
    ("CONFIDENTIAL - SUBJECT TO PROTECTIVE ORDER", "CONFIDENTIAL - SUBJECT TO PROTECTIVE ORDER", "with its order"),
    ("SUBJECT TO PROTECTIVE ORDER", "SUBJECT TO PROTECTIVE ORDER", "the order alone"),
    ("ATTORNEYS' EYES ONLY", "ATTORNEYS' EYES ONLY", "without the word"),
    ("C O N F I D E N T I A L", "CONFIDENTIAL", "letters set apart"),
    ("Confidential Doe 000123", "CONFIDENTIAL", "not in capitals, beside a number"),
    ("[CONFIDENTIAL]", "CONFIDENTIAL", "in brackets"),
    ("Confidentiality Agreement", None, "the running head of a contract"),
    ("RESTRICTED STOCK AGREEMENT", None, "the same, in capitals"),
    ("NON-CONFIDENTIAL", None, "the opposite"),
    ("This message and its attachments are confidential.", None, "a sentence at the foot of a mail"),
    ("Case 8:31-cv-01261 Document 40", None, "a court's header"),
]


@pytest.mark.parametrize(("text", "expected", "why"), DESIGNATIONS, ids=[row[2] for row in DESIGNATIONS])
def test_designation(text: str, expected: str | None, why: str) -> None:
    assert designation_in(text) == expected, why


FURNITURE = [
    ("ACME-0001234", True, "a stamp"),
    ("ACME 0001234", True, "with a space"),
    ("SMITH-PROD_00012", True, "two words in the prefix"),
    ("0001234", True, "no prefix, but leading zeros"),
    ("A C M E - 0 0 0 1 2 3 4", True, "letters set apart"),
    ("CONFIDENTIAL ACME-0001234", True, "both"),
    ("ACME-0001234.0002", True, "a page within a document"),
    ("U.S.-000123", True, "stops in the prefix"),
    ("A" * 150, False, "letters without end"),
    ("Page 2 of 14", False, "a page number"),
    ("2017", False, "a year"),
    ("Fiscal Year 2017", False, "a year with words"),
    ("Mr. Fennick's letter about lot 00017 and the rest", False, "a running head"),
    ("Case 8:31-cv-01261", False, "a docket number"),
]


@pytest.mark.parametrize(("text", "expected", "why"), FURNITURE, ids=[row[2] for row in FURNITURE])
def test_furniture(text: str, expected: bool, why: str) -> None:
    assert is_furniture(text) is expected, why


def test_only_letters_set_apart_are_closed_up() -> None:
    assert closed_up("A C M E 0 0 0 1") == "ACME0001"
    assert closed_up("a b of the c") == "a b of the c"
