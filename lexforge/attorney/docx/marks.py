"""Bookmarks round what we write, and marks on what the gate blocked.

The marks are a character style, a highlight and a Word comment: none of them is text, so that a document that was not
touched reads back as exactly the blocks that were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from docx.document import Document
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from lexforge.domain.draft import BOOKMARK_PREFIX, Block
from lexforge.domain.filing import Remark
from lexforge.domain.findings import Finding, Support
from lexforge.errors import DocumentError

# XML 1.0 section 2.2: what cannot stand in any XML document, escaped or not.
_UNSTORABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NEAREST_SHOWN = 160

On = TypeVar("On", Finding, Remark)

Placed = tuple[On, int, int]
"""A finding or a remark, and the place `text[start:end]` it has inside the text of a block."""


class Bookmarks:
    """Puts bookmarks round paragraphs; each gets an id of its own."""

    def __init__(self) -> None:
        self._next = 0

    def hold(self, paragraph: Paragraph, name: str) -> None:
        """Put the whole content of `paragraph` inside the bookmark `lf_<name>`."""
        start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
        start.set(qn("w:id"), str(self._next))
        start.set(qn("w:name"), f"{BOOKMARK_PREFIX}{name}")
        end.set(qn("w:id"), str(self._next))
        self._next += 1
        element: Any = paragraph._p
        element.insert(0 if element.pPr is None else 1, start)
        element.append(end)


def storable(text: str, where: str) -> str:
    """`text` with one kind of line break. Raises DocumentError when a character cannot stand in XML."""
    flaw = _UNSTORABLE.search(text)
    if flaw:
        raise DocumentError(
            f"{where} holds the character U+{ord(flaw.group()):04X}, which a Word file cannot store.",
            "It usually comes from a damaged source text: look at the passages behind it and take it out there.",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def in_block(block: Block, start: int, end: int, findings: Sequence[On]) -> list[Placed[On]]:
    """The findings that touch `start:end` of the draft's text, each with its place inside `block.text`.

    A finding that lies on the paragraph number alone has no place in the text; it marks the whole block, because a
    block that is reported and not marked would be worse than one that is marked too widely.
    """
    first = end - len(block.text)
    touching = [f for f in findings if f.start < end and start < max(f.end, f.start + 1)]
    placed = ((f, max(f.start, first) - first, min(f.end, end) - first) for f in touching)
    return [(f, a, b) if a < b else (f, 0, len(block.text)) for f, a, b in placed]


def write_block(
    document: Document,
    paragraph: Paragraph,
    block: Block,
    blocked: list[Placed[Finding]],
    remarks: list[Placed[Remark]],
) -> None:
    """Set the text of `block` in `paragraph`: spans of `blocked` marked and commented, those of `remarks` commented.

    Raises DocumentError when the text cannot be stored in Word.
    """
    runs: list[tuple[int, int, Run]] = []
    spans = [(a, b) for _, a, b in blocked] + [(a, b) for _, a, b in remarks]
    for start, end in _pieces(len(block.text), spans):
        run = paragraph.add_run(storable(block.text[start:end], f"Block {block.id}"))
        if any(a <= start and end <= b for _, a, b in blocked):
            run.style = "Blocked Mention"
            run.font.highlight_color = WD_COLOR_INDEX.YELLOW
        runs.append((start, end, run))
    notes = [("gate", _note(finding), a, b) for finding, a, b in blocked]
    notes += [("filing rules", remark.message, a, b) for remark, a, b in remarks]
    for author, text, start, end in notes:
        anchor = [run for a, b, run in runs if start <= a and b <= end]
        if anchor:
            document.add_comment(anchor, text, author=f"LexForge {author}", initials="LF")


def _pieces(length: int, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Cut `0:length` wherever a span begins or ends: Word marks runs, not characters."""
    cuts = {0, length}.union(*spans)
    return pairwise(sorted(cuts))


def _note(finding: Finding) -> str:
    lines = [f"BLOCKED ({finding.reason.value.replace('_', ' ')}): {finding.message}"]
    if finding.nearest is not None:
        lines.append(f"Closest found: {_place(finding.nearest)}")
    return _UNSTORABLE.sub("\ufffd", "\n".join(lines))


def _place(support: Support) -> str:
    words = " ".join(support.text.split())
    shown = words if len(words) <= _NEAREST_SHOWN else f"{words[:_NEAREST_SHOWN]}…"
    bates = f", {support.bates}" if support.bates else ""
    return f"“{shown}” ({support.path}, {support.at}{bates})"
