"""Pages to passages: paragraph-sized pieces, never across pages."""

from __future__ import annotations

import re

from lexforge.domain.evidence import Page, Passage, Role

_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
_SENTENCE_END = re.compile(r"(?<=[.;:?!”\"])[ \t]*\n")
LONGEST = 900
"""Characters; a longer paragraph is cut at the next sentence that ends a line."""
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
        while end - start > LONGEST:
            cut = next((m for m in _SENTENCE_END.finditer(text, start + LONGEST // 2, end)), None)
            if cut is None:
                break
            spans.append((start, cut.start()))
            start = cut.end()
        if start < end:
            spans.append((start, end))
    return spans
