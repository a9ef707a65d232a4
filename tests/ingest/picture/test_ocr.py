"""Scanned pages give their words and their stamps, and nothing where nothing is written or no tesseract is there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from lexforge.domain.evidence import Place, StampOrigin
from lexforge.errors import UnreadableFile
from lexforge.ingest.picture import ocr
from lexforge.ingest.reading import Candidate, PageReading
from tests.ingest.picture import scans

needs_tesseract = pytest.mark.skipif(ocr.available() is None, reason="tesseract is not installed")
STAMP = "TALLOW-0004217"
NOTE_PAGE = scans.letter(text=scans.NOTE)
SCANNED = PageReading(text="", scanned=True)


def grainy(page: Image.Image) -> Image.Image:
    noise = np.random.default_rng(7).normal(0, 60, (page.height, page.width))
    return Image.fromarray((np.asarray(page, dtype=float) + noise).clip(0, 255).astype(np.uint8))


def halftone(page: Image.Image) -> Image.Image:
    """Grey paper in black dots, as a fax shows it."""
    return page.point(lambda level: round(level * 0.75)).convert("1")


def holes(page: Image.Image) -> Image.Image:
    pen = ImageDraw.Draw(page)
    for y in (400, 1100, 1800):
        pen.ellipse((60, y, 120, y + 60), fill=30)
    pen.rectangle((0, 0, 25, page.height), fill=40)
    return page


@needs_tesseract
def test_a_letter_is_read_with_its_paragraphs() -> None:
    page = ocr.page_text(scans.letter(), scans.DPI)
    assert scans.accuracy(page.text) >= 0.95
    assert page.confidence > 90
    assert page.turns == 0
    assert "\n\nDear Mr. Brine,\n\n" in page.text
    assert [page.text[line.start : line.end] for line in page.lines] == [*filter(None, page.text.split("\n"))]


@needs_tesseract
@pytest.mark.parametrize(("flaw", "quarters"), [("lying on its side", 1), ("upside down", 2)])
def test_a_page_is_read_however_it_lay_on_the_glass(flaw: str, quarters: int) -> None:
    page = ocr.page_text(scans.note().rotate(90 * quarters, expand=True), scans.DPI)
    assert page.text.split() == scans.NOTE.split(), flaw
    assert page.turns == quarters


@needs_tesseract
@pytest.mark.parametrize(("flaw", "spoil"), [("grain", grainy), ("dots of a halftone", halftone)])
def test_what_would_drown_the_letters_is_smoothed(flaw: str, spoil: Callable[[Image.Image], Image.Image]) -> None:
    read = ocr.page_text(spoil(scans.note()), scans.DPI).text
    assert scans.words(read) == scans.words(scans.NOTE), flaw


@needs_tesseract
@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (scans.blank(), "paper"),
        (holes(scans.blank()), "punched holes and the shadow of the lid are no letters"),
        (scans.note().transpose(Image.Transpose.FLIP_LEFT_RIGHT), "the back of a page shows the front in a mirror"),
        (scans.blank().crop((0, 0, 3, 3)), "too small for a letter"),
    ],
)
def test_where_nothing_is_written_nothing_is_read(page: Image.Image, reason: str) -> None:
    assert ocr.page_text(page, scans.DPI).text == "", reason


@needs_tesseract
def test_a_stamp_in_any_margin_is_a_candidate_black_or_grey() -> None:
    page, expected = scans.blank(), set()
    for number, (where, ink) in enumerate([("bottom right", 0), ("top right", 170), ("left", 170), ("right", 0)]):
        expected.add(f"TALLOW-000421{number}")
        page = scans.stamped(page, f"TALLOW-000421{number}", where, ink=ink)
    found = ocr.strip_candidates(page)
    assert {candidate.text for candidate in found} == expected
    assert {candidate.origin for candidate in found} == {StampOrigin.OCR}


@needs_tesseract
def test_a_page_that_lay_sideways_has_its_stamp_and_footer_apart_in_the_bottom_margin() -> None:
    page = scans.stamped(NOTE_PAGE, f"CONFIDENTIAL {STAMP}")
    ImageDraw.Draw(page).text((200, page.height - 105), "Page 1 of 4", 0, scans.font(9))
    read = ocr.read_picture(page.rotate(-90, expand=True), scans.DPI, SCANNED)
    assert {candidate.text for candidate in read.candidates} >= {f"CONFIDENTIAL {STAMP}", "Page 1 of 4"}
    assert [read.text[start:end] for start, end in read.furniture] == [f"CONFIDENTIAL {STAMP}"]
    assert read.designation == "CONFIDENTIAL"


@needs_tesseract
def test_only_the_pages_that_are_pictures_are_read_from_pictures(tmp_path: Path) -> None:
    path = scans.pdf(tmp_path / "scan.pdf", [NOTE_PAGE, NOTE_PAGE, scans.blank()])
    known = PageReading(text="Known already.")
    first, second, third = ocr.read_scanned(path, (SCANNED, known, SCANNED))
    assert first.text.split() == scans.NOTE.split()
    assert first.by_ocr and first.scanned
    assert second is known
    assert third == SCANNED, "an empty page has no text, and none was read"


@needs_tesseract
def test_a_stamp_that_is_text_is_kept_and_not_read_again(tmp_path: Path) -> None:
    path = scans.pdf(tmp_path / "stamped.pdf", [NOTE_PAGE], [STAMP])
    mark = Candidate(origin=StampOrigin.MARGIN, text=STAMP)
    place = Place(start=0, end=len(STAMP), name="stamp")
    page = SCANNED.model_copy(
        update={"text": STAMP, "candidates": (mark,), "furniture": ((0, len(STAMP)),), "places": (place,)}
    )
    (read,) = ocr.read_scanned(path, (page,))
    assert read.text.split() == [*scans.NOTE.split(), STAMP]
    assert read.candidates == (mark,)
    assert [read.text[start:end] for start, end in read.furniture] == [STAMP]
    assert [read.text[place.start : place.end] for place in read.places] == [STAMP]


@needs_tesseract
def test_what_is_no_pdf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "not_a.pdf"
    path.write_bytes(b"%PDF-1.7 nothing follows")
    with pytest.raises(UnreadableFile, match=r"not_a\.pdf") as refused:
        ocr.read_scanned(path, (SCANNED,))
    assert refused.value.code == "corrupt"


def test_without_tesseract_pages_come_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    path = scans.pdf(tmp_path / "scan.pdf", [NOTE_PAGE])
    assert ocr.available() is None
    assert ocr.read_scanned(path, (SCANNED,)) == (SCANNED,)
    assert ocr.page_text(scans.letter(), scans.DPI) == ocr.OcrPage()
    assert ocr.strip_candidates(scans.stamped(scans.letter(), STAMP)) == ()
    assert "apt install tesseract-ocr" in ocr.HOW_TO_INSTALL


@pytest.mark.parametrize(
    ("flaw", "script"),
    [
        ("does not say what it is", "exit 0"),
        ("has no English model", '[ "$1" = --version ] && echo tesseract 5.3.0 || echo deu'),
        ("breaks", "kill -SEGV $$"),
    ],
)
def test_a_program_that_cannot_read_english_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flaw: str, script: str
) -> None:
    program = tmp_path / "tesseract"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ocr.available() is None, flaw


@needs_tesseract
def test_a_page_on_which_the_program_breaks_stays_without_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    answers = 'case "$1" in --version) echo tesseract 5.3.0;; --list-langs) echo eng;; *) exit 3;; esac'
    program.write_text(f"#!/bin/sh\n{answers}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ocr.available() == "tesseract 5.3.0"
    assert ocr.read_picture(scans.stamped(scans.letter(), STAMP), scans.DPI, SCANNED) == SCANNED


@needs_tesseract
@pytest.mark.skipif(sys.platform != "linux", reason="limits on address space are Linux's")
def test_a_page_is_read_within_two_gibibytes(tmp_path: Path) -> None:
    path = scans.pdf(tmp_path / "scan.pdf", [NOTE_PAGE])
    program = (
        "import resource, sys; from pathlib import Path\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3,) * 2)\n"
        "from lexforge.ingest.picture import ocr; from lexforge.ingest.reading import PageReading\n"
        "print(ocr.read_scanned(Path(sys.argv[1]), (PageReading(text='', scanned=True),))[0].text)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == scans.NOTE.split()
