"""Pleading paper as it comes out of a word processor: every line of text stands beside a number."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import docx
import pypdfium2
import pytest

from lexforge.attorney.docx import write_docx
from lexforge.attorney.docx.pleading import LONGEST_TITLE, PleadingPaper, footer_title
from lexforge.attorney.edits import align
from lexforge.domain.corrections import Operation
from lexforge.domain.draft import BlockKind, Caption, Draft
from lexforge.domain.filing import FilingNotes
from lexforge.ingest.office.edited import read_docx
from tests.attorney.invented_paper import CAPTION, TEXTS, draft_of, finding_on, report_of
from tests.attorney.raw_word import W, part

CALIFORNIA = FilingNotes(numbered_lines=28, court_at_line=8)
LONG = [(f"x{n}", BlockKind.PARAGRAPH, "Harlow asked for the sum in writing more than once. " * 9) for n in range(6)]
PAPER = [
    *TEXTS[:-2],
    *LONG,
    (
        "h",
        BlockKind.HEADING,
        "A Heading That Runs Over More Than One Line of the Page, as Headings Often Do",
    ),
    ("c", BlockKind.CERTIFICATE, "This document contains 1,234 words, as counsel certifies. " * 3),
    *TEXTS[-2:],
]


def written(path: Path, caption: Caption = CAPTION) -> Draft:
    draft = draft_of(PAPER, caption)
    write_docx(draft, report_of(finding_on(draft, "HARLOW-000131")), path, notes=CALIFORNIA)
    return draft


def test_the_numbers_are_in_the_header_and_not_in_the_text(tmp_path: Path) -> None:
    draft = written(tmp_path / "draft.docx")
    header = docx.Document(str(tmp_path / "draft.docx")).sections[0].header
    framed = [p for p in header.paragraphs if p._p.xpath("./w:pPr/w:framePr")]
    assert [p.text for p in framed] == [str(number) for number in range(1, 29)]
    assert header.paragraphs[-1].text == "NOT CLEARED – 1 mention blocked"
    assert {c.operation for c in align(draft, read_docx(tmp_path / "draft.docx"))} == {Operation.ACCEPT_UNCHANGED}
    borders = part(tmp_path / "draft.docx").xpath("//w:pgBorders/*", namespaces={"w": W})
    assert [(b.tag.split("}")[1], b.get(f"{{{W}}}val")) for b in borders] == [("left", "double"), ("right", "single")]


def test_other_paper_has_no_numbers(tmp_path: Path) -> None:
    write_docx(draft_of(PAPER), report_of(), tmp_path / "draft.docx")
    assert not part(tmp_path / "draft.docx").xpath("//w:pgBorders", namespaces={"w": W})
    assert not part(tmp_path / "draft.docx", "word/header1.xml").xpath("//w:framePr", namespaces={"w": W})


COUNSEL: list[tuple[str, int, float, float]] = [
    ("as many lines as there are above the court", 7, 24, 0),
    ("fewer leave lines free", 4, 24, 72),
    ("one more: two to a line", 8, 12, 72),
    ("an odd number of halves", 9, 12, 60),
    ("more than fit: the court moves down by whole lines", 15, 12, 12),
]


@pytest.mark.parametrize(("why", "lines", "height", "free"), COUNSEL, ids=[case[0] for case in COUNSEL])
def test_counsel_leaves_the_court_its_line(why: str, lines: int, height: float, free: float) -> None:
    paper = PleadingPaper(28, 8)
    assert paper.counsel_line_height(lines) == pytest.approx(height), why
    assert paper.space_above_court(lines) == pytest.approx(free, abs=0.01), why


def test_a_long_title_is_cut_after_a_word_in_the_footer() -> None:
    assert footer_title("SHORT") == "SHORT"
    cut = footer_title("DECLARATION OF TOBIAS WREN " * 10)
    assert len(cut) <= LONGEST_TITLE + 2
    assert re.search(r"[A-Z] …$", cut)


SOFFICE = shutil.which("soffice")
Line = tuple[float, float, str]
"""Left edge and lower edge of a character in points from the lower left of the page, and the character."""


def characters(page: pypdfium2.PdfPage) -> Iterator[Line]:
    text = page.get_textpage()
    for index, character in enumerate(text.get_text_range(0, text.count_chars())):
        left, bottom, _, _ = text.get_charbox(index, loose=True)
        if character.strip():
            yield left, bottom, character


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed on this machine")
@pytest.mark.parametrize("counsel", [7, 3], ids=["counsel fills the lines above the court", "counsel leaves some free"])
def test_every_line_of_every_page_stands_beside_a_number(tmp_path: Path, counsel: int) -> None:
    written(tmp_path / "draft.docx", CAPTION.model_copy(update={"counsel": CAPTION.counsel[:counsel]}))
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "pdf"]
    subprocess.run([*command, "--outdir", str(tmp_path), str(tmp_path / "draft.docx")], check=True, timeout=120)
    pages = list(pypdfium2.PdfDocument(tmp_path / "draft.pdf"))
    assert len(pages) >= 3
    for number, page in enumerate(pages):
        seen = list(characters(page))
        beside = sorted({round(bottom, 1) for left, bottom, _ in seen if left < 1.4 * 72}, reverse=True)
        assert len(beside) == 28
        steps = [above - below for above, below in pairwise(beside)]
        assert steps == pytest.approx([24] * 27, abs=0.3)
        text = [(bottom, c) for left, bottom, c in seen if left > 1.4 * 72 and beside[-1] - 6 < bottom < beside[0] + 6]
        off = [c for bottom, c in text if min(abs(bottom - line) for line in beside) > 2]
        assert text
        assert not off, f"page {number + 1}"
        if number == 0:
            court = "".join(c for bottom, c in text if abs(bottom - beside[7]) < 2)
            assert court == CAPTION.court[0].replace(" ", "")
