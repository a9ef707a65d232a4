"""Pleading paper: numbered lines at the left of every page, ruled off, and every line of text beside its number.

Word's own numbering of lines leaves tables out, so the numbers are paragraphs in a frame of the header. Every style of
the text is as high as a line of the paper or leaves whole lines free, which keeps the text beside its numbers.
"""

from __future__ import annotations

from typing import Any

from docx.document import Document
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.shared import Inches, Pt
from docx.styles.style import ParagraphStyle

_TOP, _BOTTOM, _LEFT, _RIGHT = 1.0, 48 / 72, 1.5, 0.5
"""Margins in inches, for 28 lines of 24 points between top and bottom (Cal. Rules of Court 2.107, 2.111)."""

_TEXT_STYLES = (
    "Counsel Block", "Court Name", "Case Caption", "Case Caption Rule", "Title", "heading 1", "Body Text", "Oath",
    "Certificate", "Signature Block",
)  # fmt: skip
_ONE_LINE_FREE = ("Title", "Signature Block")
LONGEST_TITLE = 180
"""Characters of the title that fit the two lines a footer has room for."""


class PleadingPaper:
    """The measures of one page with `lines` numbered lines."""

    def __init__(self, lines: int, court_at_line: int) -> None:
        self.lines = lines
        self.court_at_line = court_at_line
        self.line_height = (11 - _TOP - _BOTTOM) * 72 / lines

    def set_up(self, document: Document) -> None:
        """Margins, styles, line numbers and rules; the document's header must be written already."""
        section = document.sections[0]
        section.top_margin, section.bottom_margin = Inches(_TOP), Inches(_BOTTOM)
        section.left_margin, section.right_margin = Inches(_LEFT), Inches(_RIGHT)
        section.header_distance, section.footer_distance = Inches(0.4), Inches(0.1)
        for name in _TEXT_STYLES:
            self._set_style(document.styles[name], name in _ONE_LINE_FREE)
        self._number_lines(section.header._element)
        _rule(section._sectPr)

    def _set_style(self, style: Any, one_free: bool) -> None:
        assert isinstance(style, ParagraphStyle)  # noqa: S101 - all of them are in styles.xml
        spacing = style.paragraph_format
        spacing.line_spacing = Pt(self.line_height)
        # Never after as well as before: Word takes the larger of two that meet.
        spacing.space_before, spacing.space_after = Pt(self.line_height if one_free else 0), Pt(0)
        spacing.widow_control = False

    def counsel_line_height(self, lines: int) -> float:
        """Points for each line of counsel: whole lines while they fit above the court, else two to a line."""
        return self.line_height if lines < self.court_at_line else self.line_height / 2

    def space_above_court(self, lines: int) -> float:
        """Points to leave free under so many lines of counsel, so that the court's title stands at its line."""
        above = (self.court_at_line - 1) * self.line_height - lines * self.counsel_line_height(lines)
        return above if above >= 0 else -lines * self.counsel_line_height(lines) % self.line_height

    def _number_lines(self, header: Any) -> None:
        for number in range(1, self.lines + 1):
            paragraph = OxmlElement("w:p")
            properties = OxmlElement("w:pPr")
            properties.append(_element("w:pStyle", val="PleadingLineNumber"))
            properties.append(self._frame())
            exact = {"before": "0", "after": "0", "line": str(round(self.line_height * 20)), "lineRule": "exact"}
            properties.append(_element("w:spacing", **exact))
            run, text = OxmlElement("w:r"), OxmlElement("w:t")
            text.text = str(number)
            run.append(text)
            paragraph.append(properties)
            paragraph.append(run)
            header.insert(number - 1, paragraph)

    def _frame(self) -> Any:
        """Neighbours with the same frame share it: one frame, as high as the lines of the page."""
        twips = {"w": 0.5, "x": _LEFT - 0.75, "y": _TOP, "h": self.lines * self.line_height / 72}
        sizes = {key: str(round(inches * 1440)) for key, inches in twips.items()}
        anchors = {"hRule": "exact", "wrap": "around", "hAnchor": "page", "vAnchor": "page"}
        return _element("w:framePr", **sizes, **anchors)


def _rule(properties: Any) -> None:
    """A double rule left of the text and a single one right of it (rule 2.108(4) wants one at the left)."""
    borders = _element("w:pgBorders", offsetFrom="text")
    borders.append(_element("w:left", val="double", sz="4", space="6", color="auto"))
    borders.append(_element("w:right", val="single", sz="4", space="6", color="auto"))
    properties.find(qn("w:pgMar")).addnext(borders)


def _element(tag: str, **attributes: str) -> Any:
    element = OxmlElement(tag)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), value)
    return element


def footer_title(title: str) -> str:
    """The title as it stands in the footer: whole, or cut after a word."""
    if len(title) <= LONGEST_TITLE:
        return title
    return title[:LONGEST_TITLE].rsplit(" ", 1)[0] + " …"
