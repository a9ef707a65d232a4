"""Pages to passages: paragraph-sized pieces, never across pages."""

from __future__ import annotations

import re

from lexforge.domain.evidence import Page, Passage, Role
from lexforge.extract.sentences import sentence_spans

_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
LONGEST = 900
"""Characters; a longer paragraph is cut between sentences."""
_PREFIX = {Role.EVIDENCE: "E", Role.AUTHORITY: "A"}


def source_id(role: Role, sha256_file: str) -> str:
    """Id of a source: its role and the first 8 hex digits of the file's hash."""
    return f"{_PREFIX[role]}-{sha256_file[:8]}"


def page_with_passages(source: str, number: int, text: str, bates: tuple[str, ...]) -> Page:
    """A page and its passages; a stamp standing alone is no passage."""
    spans = [span for span in _spans(text) if text[slice(*span)].strip() not in bates]
    passages = tuple(
        Passage(id=f"{source}:p{number}:¶{n}", page=number, start=start, end=end, text=text[start:end])
        for n, (start, end) in enumerate(spans, 1)
    )
    return Page(number=number, text=text, bates=bates, passages=passages)


def _spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = paragraph.start(), paragraph.start() + len(paragraph.group().rstrip())
        spans += [(start, end)] if end - start <= LONGEST else _pieces(text, start, end)
    return spans


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A long paragraph in pieces of whole sentences, each as long as LONGEST allows."""
    pieces: list[tuple[int, int]] = []
    for first, last in sentence_spans(text[start:end]):
        if pieces and start + last - pieces[-1][0] <= LONGEST:
            pieces[-1] = (pieces[-1][0], start + last)
        else:
            pieces.append((start + first, start + last))
    return pieces
