"""A gated draft as a Word document that a court would take, and that can be read back block by block."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.text.paragraph import Paragraph

from lexforge.attorney.docx.caption import CaptionWriter
from lexforge.attorney.docx.marks import Bookmarks, in_block, storable, write_block
from lexforge.attorney.docx.package import open_document, packed, write_atomically
from lexforge.attorney.docx.pleading import PleadingPaper, footer_title
from lexforge.domain.corrections import FIXED_PREFIX
from lexforge.domain.draft import CERTIFICATE_SECTIONS, OWN_MARK, BlockKind, Draft
from lexforge.domain.filing import FilingNotes
from lexforge.domain.findings import GateReport
from lexforge.errors import DocumentError

STAMP = datetime(2000, 1, 1, tzinfo=UTC)
"""Date in the properties unless the caller has a better one: the clock would make equal drafts unequal files."""

STYLES = {
    BlockKind.HEADING: "Heading 1",
    BlockKind.PARAGRAPH: "Numbered Paragraph",
    BlockKind.TEXT: "Body Text",
    BlockKind.OATH: "Oath",
    BlockKind.SIGNATURE: "Signature Block",
    BlockKind.CERTIFICATE: "Certificate",
}
PLAIN = FilingNotes()
"""Nothing to remark, and paper without numbered lines."""

GATE_PASSED = "DRAFT – gate passed: the checked mentions stand in the sealed sources; good law was not checked"
_BLOCK_ID = re.compile(r"[A-Za-z0-9_]{1,37}")  # Word keeps 40 characters of a bookmark name, `lf_` included
_PROPERTY_LIMIT = 255


def write_docx(
    draft: Draft, report: GateReport, path: Path, stamp: datetime = STAMP, notes: FilingNotes = PLAIN
) -> None:
    """Write `draft` to `path`, with the mentions that `report` blocks marked and the remarks of `notes` as comments.

    `report` must be the gate's on `draft.text`. `stamp` becomes the date of the file and of the comments. The file is
    replaced as a whole or not at all, and equal arguments give equal bytes. Raises DocumentError when the ids or the
    text cannot be stored in Word, when the report is on another text, or when the file cannot be written.
    """
    _check(draft, report)
    document, bookmarks = open_document(), Bookmarks()
    _header(document, report)
    paper = PleadingPaper(notes.numbered_lines, notes.court_at_line) if notes.numbered_lines else None
    _footer(document, footer_title(draft.caption.title) if paper else draft.caption.title)
    if paper is not None:
        paper.set_up(document)
    CaptionWriter(document, bookmarks, paper).write(draft.caption)
    _body(document, bookmarks, draft, report, notes)
    _properties(document, draft, stamp)
    write_atomically(packed(document, stamp), path)


def clearance(report: GateReport) -> str:
    """The line at the head of every page: what stands in the way, or what was and was not checked."""
    blocked = len(report.blocked)
    if blocked:
        return f"NOT CLEARED – {blocked} mention{'' if blocked == 1 else 's'} blocked"
    return GATE_PASSED if report.passed else "NOT CLEARED – the gate did not pass this draft"


def _check(draft: Draft, report: GateReport) -> None:
    ids = [block.id for block in draft.blocks]
    unusable = [id_ for id_ in ids if not _BLOCK_ID.fullmatch(id_) or id_.lower().startswith(FIXED_PREFIX)]
    # Word compares bookmark names without regard to case.
    if unusable or len({id_.casefold() for id_ in ids}) != len(ids):
        flaw = ", ".join(unusable) or "two are alike"
        raise DocumentError(
            f"The block ids of draft {draft.id} cannot all be Word bookmarks: {flaw}.",
            "Block ids are up to 37 letters, digits and underscores, each used once.",
        )
    length = len(draft.text)
    if any(not 0 <= finding.start <= finding.end <= length for finding in report.findings):
        raise DocumentError(
            f"The gate report does not fit draft {draft.id}: a finding lies outside its text.",
            "Run the gate again on this draft.",
        )


def _body(document: Document, bookmarks: Bookmarks, draft: Draft, report: GateReport, notes: FilingNotes) -> None:
    for block, start, end in draft.spans():
        paragraph = document.add_paragraph(style=STYLES[block.kind])
        if block.kind is BlockKind.PARAGRAPH:
            _number(paragraph)
        if block.kind is BlockKind.HEADING and block.section.startswith(CERTIFICATE_SECTIONS):
            paragraph.paragraph_format.page_break_before = True
        blocked = in_block(block, start, end, report.blocked)
        write_block(document, paragraph, block, blocked, in_block(block, start, end, notes.remarks))
        bookmarks.hold(paragraph, block.id)


def _number(paragraph: Paragraph) -> None:
    """Number the paragraph itself as well as by its style: a style that is pasted over must not lose the number."""
    element: Any = paragraph._p.get_or_add_pPr()
    properties = element.get_or_add_numPr()
    properties.get_or_add_ilvl().val = 0
    properties.get_or_add_numId().val = 1


def _header(document: Document, report: GateReport) -> None:
    paragraph = document.sections[0].header.paragraphs[0]
    text = clearance(report)
    paragraph.add_run(text, style=None if text == GATE_PASSED else "Not Cleared")


def _footer(document: Document, title: str) -> None:
    """Page number, and under a line the title of the paper (as Cal. Rules of Court 2.110 wants it)."""
    footer = document.sections[0].footer
    number = footer.paragraphs[0]
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    number._p.append(field)
    footer.add_paragraph(storable(title, "The title"), style="Footer Title")


def _properties(document: Document, draft: Draft, stamp: datetime) -> None:
    properties = document.core_properties
    properties.author = properties.last_modified_by = "LexForge"
    properties.title = storable(draft.caption.title, "The title")[:_PROPERTY_LIMIT]
    properties.keywords = f"{OWN_MARK}:{draft.id}"
    properties.identifier = draft.id
    properties.comments = f"Drafted by LexForge from bundle {draft.bundle[:16]}. Not reviewed."
    properties.created = properties.modified = stamp
    properties.revision = 1
