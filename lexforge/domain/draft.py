"""The plan of a document, its sections and blocks, and what led to each block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from lexforge.domain.record import Record

OWN_MARK = "lexforge-own-output"
"""Stands in the properties of every file LexForge writes, followed by `:` and the draft id."""

OWN_MARK_PATTERN = re.compile(rf"{OWN_MARK}[: ]+([0-9a-f]{{8,}})")
"""The mark with the draft id as group 1; LibreOffice writes the colon of a keyword as a space."""

BOOKMARK_PREFIX = "lf_"
"""A block with id `b3` is held by the Word bookmark `lf_b3`."""


class Stakes(StrEnum):
    """What an error in a section would cost: it decides which seat writes it."""

    ROUTINE = "routine"
    HIGH = "high"


class Point(Record):
    """One thing a section must say: the attorney's words, and the passages that may support them."""

    id: str
    fact: str
    passages: tuple[str, ...]


class SectionBrief(Record):
    """A section still to be written. `pattern` names the prompt that writes its paragraphs."""

    id: str
    heading: str
    pattern: str
    stakes: Stakes
    points: tuple[Point, ...]


class DraftPlan(Record):
    """The sections of a document; `unsupported` facts found no passage and go back to the attorney."""

    document_kind: str
    sections: tuple[SectionBrief, ...]
    unsupported: tuple[str, ...] = ()


class SlotKind(StrEnum):
    """What must be exact, and is therefore never written by a model."""

    DATE = "D"
    BATES = "B"
    CITATION = "C"
    RECORD_CITE = "X"
    QUOTATION = "Q"
    AMOUNT = "N"
    AUTHOR = "A"
    RECIPIENT = "R"


class Slot(Record):
    """An exact string under a key (`D1`), bound to the passage it stands in."""

    key: str
    kind: SlotKind
    text: str
    passage: str


class Provenance(Record):
    """What wrote a block: the model in words, and hashes of its identity, the prompt template, the prompt, the answer.

    `seat` is `template` for text that no model wrote and `attorney` for text taken from her words.
    """

    seat: str
    model: str | None = None
    identity: str | None = None
    template: str | None = None
    request: str | None = None
    answer: str | None = None
    attempt: int = 0


class BlockKind(StrEnum):
    """How a block is set in the document."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    TEXT = "text"
    OATH = "oath"
    SIGNATURE = "signature"
    CERTIFICATE = "certificate"


NOT_OF_THE_RECORD = frozenset({BlockKind.SIGNATURE, BlockKind.CERTIFICATE})
"""Kinds that claim nothing of the record: counsel's address, and what code says of the paper, such as its length.

The gate does not read them while they stand as they were written.
"""


CERTIFICATE_SECTIONS = "certificate"
"""Sections whose id begins so certify the length of the paper; each begins a page of its own."""


class Block(Record):
    """A piece of the document with an id that stays the same through Word and back.

    `sources` are the ids of the passages it was written from. Only PARAGRAPH blocks are numbered. Where a seat wrote
    part of it, `slotted` is what the seat answered, and its words begin at `text[written_from:]`.
    """

    id: str
    kind: BlockKind
    text: str
    section: str
    provenance: Provenance
    sources: tuple[str, ...] = ()
    slotted: str | None = None
    written_from: int = 0


class Section(Record):
    """The blocks of one section, in order."""

    id: str
    heading: str
    blocks: tuple[Block, ...]


class Caption(Record):
    """What stands above the title, line by line."""

    court: tuple[str, ...]
    parties: tuple[str, ...]
    case_lines: tuple[str, ...]
    counsel: tuple[str, ...]
    title: str


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` of the same length, with spaces for what stands in `spans`."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


class Draft(Record):
    """A whole document. `text` is what the gate reads and what `draft.txt` holds."""

    matter: str
    document_kind: str
    caption: Caption
    sections: tuple[Section, ...]
    bundle: str

    @property
    def id(self) -> str:
        """First 16 hex digits of the content hash: what marks every file made of this draft."""
        return self.content_sha256[:16]

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks in order."""
        return (block for section in self.sections for block in section.blocks)

    @property
    def text(self) -> str:
        """Blocks separated by an empty line, paragraphs numbered."""
        return "\n\n".join(shown for _, shown in self.numbered())

    @property
    def checked(self) -> str:
        """`text` as the gate reads it: what is NOT_OF_THE_RECORD blanked out, every other character in its place."""
        return blanked(self.text, ((s, e) for block, s, e in self.spans() if block.kind in NOT_OF_THE_RECORD))

    def numbered(self) -> Iterator[tuple[Block, str]]:
        """Each block with its text as shown: paragraphs carry their running number."""
        number = 0
        for block in self.blocks:
            if block.kind is BlockKind.PARAGRAPH:
                number += 1
                yield block, f"{number}. {block.text}"
            else:
                yield block, block.text

    def spans(self) -> Iterator[tuple[Block, int, int]]:
        """Each block with its place in `text`, the number included: `text[start:end]`."""
        start = 0
        for block, shown in self.numbered():
            yield block, start, start + len(shown)
            start += len(shown) + 2
