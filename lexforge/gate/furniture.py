"""Parts of a page that belong to the page and not to its text: running heads, page numbers, stamps, footnotes.

Rule of the source: what returns on several pages at the edge, with nothing but its numbers changed, was put there
by a printer, a court's filing system or a production vendor, not by the author.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

EDGE = 7
NUMBER = re.compile(r"\d+")
PAGE_NUMBER = re.compile(
    r"\s*(?:[-–—]\s*)?(?:Page\s+)?(?:\d{1,4}|[ivxl]{1,6})(?:\s+of\s+\d{1,4})?(?:\s*[-–—])?\s*\Z", re.I
)
FOOTNOTE_LINE = re.compile(r"\s{0,14}(\d{1,3}|[*†‡])(?:\s*\n|\s*\Z|\s*[A-Z“\"](?!\.)[^\d\n]*?\s)(?!\s*\d)")

Line = tuple[int, int, str]


def lines_of(text: str) -> Iterator[Line]:
    """Each line that is not blank: start, end, and its text."""
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield start, start + len(line), line
        start += len(line)


def _shape(line: str) -> str:
    return NUMBER.sub("#", " ".join(line.split()))


def _edges(lines: Sequence[Line]) -> list[Line]:
    return list(lines) if len(lines) <= 2 * EDGE else [*lines[:EDGE], *lines[-EDGE:]]


def repeated_shapes(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """Shapes of edge lines that return on at least two pages."""
    seen: Counter[str] = Counter()
    for lines in pages:
        seen.update({_shape(line) for _, _, line in _edges(lines)})
    return frozenset(shape for shape, count in seen.items() if count >= 2 and len(shape) > 1)


def furniture_spans(pages: Sequence[str]) -> list[list[tuple[int, int]]]:
    """For each page text, the spans (start, end) that are furniture, ascending."""
    split = [list(lines_of(text)) for text in pages]
    repeated = repeated_shapes(split)
    result: list[list[tuple[int, int]]] = []
    for lines in split:
        edges = _edges(lines)
        result.append(
            [(start, end) for start, end, line in edges if _shape(line) in repeated or PAGE_NUMBER.match(line)]
        )
    return result


def footnote_start(text: str, lines: Sequence[Line]) -> int | None:
    """Where the footnotes at the foot of a page begin, or None.

    They begin at the first line that opens with a number or a star which is stuck to a word higher up on the page.
    """
    for start, _, line in lines:
        note = FOOTNOTE_LINE.match(line)
        if note is None:
            continue
        mark = re.escape(note.group(1))
        if re.search(rf"[^\W\d_][.,;:?!’”\"')\]]*(?:(?<=[.,])|(?<=\D)){mark}(?=\s|\Z)", text[:start]):
            return start
    return None
