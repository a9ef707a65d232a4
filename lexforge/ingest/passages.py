"""Pages to passages: paragraph-sized pieces, never across pages."""

from __future__ import annotations

import re
from collections import deque

from lexforge.domain.evidence import Correspondence, Page, Passage, Place, Role, place_of
from lexforge.extract.sentences import sentence_spans
from lexforge.ingest.mail.correspondence import heads

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]*)*")
LONGEST = 900
"""Characters; a longer paragraph is cut between sentences."""
_PREFIX = {Role.EVIDENCE: "E", Role.AUTHORITY: "A"}


def source_id(role: Role, sha256_file: str) -> str:
    """Id of a source: its role and the first 8 hex digits of the file's hash."""
    return f"{_PREFIX[role]}-{sha256_file[:8]}"


def passages_of(
    source: str, number: int, text: str, bates: tuple[str, ...], places: tuple[Place, ...] = ()
) -> tuple[Passage, ...]:
    """The passages of page `number`; a stamp standing alone is no passage."""
    spans = [span for span in _spans(text) if text[slice(*span)].strip() not in bates]
    return tuple(
        Passage(
            id=f"{source}:p{number}:¶{n}",
            page=number,
            start=start,
            end=end,
            text=text[start:end],
            place=place_of(places, start, end) if places else None,
        )
        for n, (start, end) in enumerate(spans, 1)
    )


def attributed(pages: tuple[Page, ...], own_head: bool = True) -> tuple[Page, ...]:
    """The pages with the passages of quoted messages given to those who wrote them.

    The first head is the source's own, unless its `own_head` does not stand in the text. A passage in which another
    head begins is nobody's, unless it begins with it.
    """
    own_seen, current = not own_head, None
    marked = []
    for page in pages:
        found = deque(heads(page.text))
        if not found and current is None:
            marked.append(page)
            continue
        passages = []
        for passage in page.passages:
            inside = []
            while found and found[0].start < passage.end:
                inside.append(found.popleft())
            for head in inside:
                within = head.start > passage.start
                if own_seen:
                    current = Correspondence() if within else head.correspondence
                own_seen = True
            passages.append(passage if current is None else passage.model_copy(update={"correspondence": current}))
            if inside and own_seen and current is not None:
                current = inside[-1].correspondence
        marked.append(page.model_copy(update={"passages": tuple(passages)}))
    return tuple(marked)


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
