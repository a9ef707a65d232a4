"""What stands above the text: counsel, court, the parties beside the case number, and the title."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import count
from typing import Any

from docx.document import Document
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.shared import Inches, Pt
from docx.table import Table, _Cell
from docx.text.paragraph import Paragraph

from lexforge.attorney.docx.marks import Bookmarks, storable
from lexforge.attorney.docx.pleading import PleadingPaper
from lexforge.domain.corrections import FIXED_PREFIX
from lexforge.domain.draft import Caption

_WIDTHS = (3.1, 0.3, 3.1)
_ROLE = re.compile(
    r"(?:plaintiff|defendant|petitioner|respondent|appell(?:ant|ee)|movant|(?:counter|cross)-?\s?(?:claimant|defendant)"
    r"|third[- ]party (?:plaintiff|defendant)|intervenor)s?[.,;]*",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"(?:-\s*)?(?:v|vs|versus|against|and)\.?(?:\s*-)?", re.IGNORECASE)


class CaptionWriter:
    """Writes the caption; every paragraph it writes is held by a bookmark `lf_fixed_<n>`."""

    def __init__(self, document: Document, bookmarks: Bookmarks, paper: PleadingPaper | None = None) -> None:
        self._document = document
        self._bookmarks = bookmarks
        self._paper = paper
        self._numbers = count(1)

    def write(self, caption: Caption) -> None:
        """Counsel, court, case table and title, in this order; empty parts are left out."""
        for line in caption.counsel:
            self._fill(self._document.add_paragraph(style="Counsel Block"), line)
        for line in caption.court:
            self._fill(self._document.add_paragraph(style="Court Name"), line)
        above = 36.0
        if self._paper is not None:
            above = self._paper.space_above_court(len(caption.counsel))
            for paragraph in self._document.paragraphs[: len(caption.counsel)]:
                paragraph.paragraph_format.line_spacing = Pt(self._paper.counsel_line_height(len(caption.counsel)))
        _open_space(self._document.paragraphs, "Court Name", before=above, after=24)
        if caption.parties or caption.case_lines:
            self._case(caption)
        self._fill(self._document.add_paragraph(style="Title"), caption.title)

    def _fill(self, paragraph: Paragraph, text: str) -> None:
        paragraph.add_run(storable(text, "The caption"))
        self._bookmarks.hold(paragraph, f"{FIXED_PREFIX}{next(self._numbers)}")

    def _case(self, caption: Caption) -> None:
        """Parties left, case number right, and between them the column of `)` that litigators expect."""
        table = self._document.add_table(rows=1, cols=3)
        _lay_out(table)
        left, rule, right = table.rows[0].cells
        self._lines(left, caption.parties)
        gap = 0 if self._paper is not None else 1
        height = max(_height(caption.parties, gap), _height(caption.case_lines, gap))
        rule.paragraphs[0].style = "Case Caption Rule"
        self._fill(rule.paragraphs[0], "\n".join(")" * height))
        self._lines(right, caption.case_lines)

    def _lines(self, cell: _Cell, lines: Sequence[str]) -> None:
        for index, line in enumerate(lines or ("",)):
            paragraph = cell.paragraphs[0] if index == 0 else cell.add_paragraph()
            paragraph.style = _style(line)
            self._fill(paragraph, line)


def _style(line: str) -> str:
    if _ROLE.fullmatch(line.strip()):
        return "Case Caption Role"
    return "Case Caption Versus" if _VERSUS.fullmatch(line.strip()) else "Case Caption"


def _height(lines: Sequence[str], gap: int) -> int:
    """Rows of the case table that `lines` fill with so many rows free after each.

    Off pleading paper the caption styles set each line exactly as high as the gap after it.

    The widths are those of Times New Roman 12, on the wide side: one `)` too many is better than one too few.
    """
    usable = _WIDTHS[0] - 0.15
    inches = (sum(0.115 if c.isupper() else 0.075 for c in line) for line in lines)
    return sum(max(1, math.ceil(width / usable)) + gap for width in inches)


def _open_space(paragraphs: Sequence[Paragraph], style: str, before: float, after: float) -> None:
    """Space round a group of single-spaced lines, without the empty paragraphs that would come back as edits."""
    group = [p for p in paragraphs if p.style is not None and p.style.name == style]
    if group:
        group[0].paragraph_format.space_before = Pt(before)
        group[-1].paragraph_format.space_after = Pt(after)


def _lay_out(table: Table) -> None:
    table.alignment = WD_TABLE_ALIGNMENT.CENTER
    table.autofit = False
    row: Any = table.rows[0]
    row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
    for cell, column, width in zip(row.cells, table.columns, _WIDTHS, strict=True):
        cell.width = column.width = Inches(width)
    properties: Any = row.cells[0]._tc.get_or_add_tcPr()
    properties.append(_nested("w:tcBorders", "w:bottom", val="single", sz="6", space="0", color="auto"))
    # The parties stand under the counsel lines, not a cell's padding to the right of them.
    properties.append(_nested("w:tcMar", "w:left", w="0", type="dxa"))


def _nested(outer: str, inner: str, **attributes: str) -> Any:
    element, child = OxmlElement(outer), OxmlElement(inner)
    for key, value in attributes.items():
        child.set(qn(f"w:{key}"), value)
    element.append(child)
    return element
