"""Which block of the draft each paragraph of an edited document is, and what was done to it."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from lexforge.domain.corrections import (
    FIXED_PREFIX,
    Change,
    EditedBlock,
    EditedDocument,
    Operation,
    edited_spans,
    edited_text,
)
from lexforge.domain.draft import Block, BlockKind, Draft
from lexforge.errors import DocumentError

__all__ = ["align", "edited_spans", "edited_text", "same_words"]

_TYPED_NUMBER = re.compile(r"\s*\d{1,4}[.)]\s+")
# What word processors put in by themselves: curly quotation marks, dashes, fixed and thin spaces, hyphenation points.
_TYPOGRAPHY = (
    (re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]"), ""),
    (re.compile("[\u2018\u2019\u201a\u201b\u2032\u02bc`´]"), "'"),
    (re.compile("[\u201c\u201d\u201e\u201f\u2033]"), '"'),
    (re.compile("--+|[\u2010-\u2015\u2212]"), "-"),
    (re.compile("\u2026"), "..."),
)


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in white space and typography at most."""
    return _folded(one) == _folded(other)


def align(draft: Draft, edited: EditedDocument) -> tuple[Change, ...]:
    """One change for each block of `draft` and for each paragraph that the attorney added, in document order.

    A paragraph is known by its bookmark, else by its exact words. A block split in several paragraphs is one change
    whose text has a line break at each split. A deletion stands behind the block that came before it in the draft.
    The caption and the title are not blocks and are left out. Raises DocumentError when `edited` came from another
    draft or does not say from which.
    """
    _same_draft(draft, edited)
    blocks = {block.id: block for block in draft.blocks}
    paragraphs = list(_movable(edited, blocks))
    places = _by_bookmark(paragraphs, blocks)
    _by_words(paragraphs, blocks, places)
    return tuple(_in_order(paragraphs, blocks, places))


def _same_draft(draft: Draft, edited: EditedDocument) -> None:
    if edited.draft is None:
        raise DocumentError(
            "This document does not say which draft it was made from.",
            "Import the file that LexForge wrote, edited and saved as .docx; do not copy its text to a new document, "
            "and do not let a metadata cleaner run over it first.",
        )
    if edited.draft != draft.id:
        raise DocumentError(
            f"This document was made from draft {edited.draft}, not from draft {draft.id}.",
            "Choose the matter and the run that wrote it.",
        )


def _movable(edited: EditedDocument, blocks: dict[str, Block]) -> Iterator[EditedBlock]:
    """The paragraphs without caption and title; what was typed after these inside their bookmark is new text."""
    fixed: set[str] = set()
    for paragraph in edited.blocks:
        name = paragraph.bookmark
        if name is None or name in blocks:
            yield paragraph
        elif not name.startswith(FIXED_PREFIX) or name in fixed:
            yield EditedBlock(text=paragraph.text)
        else:
            fixed.add(name)


def _by_bookmark(paragraphs: list[EditedBlock], blocks: dict[str, Block]) -> dict[str, list[int]]:
    """Block id → indices of its paragraphs: several when it was split."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, paragraph in enumerate(paragraphs):
        if paragraph.bookmark is not None:
            places[paragraph.bookmark].append(index)
    for id_, indices in places.items():
        # A paragraph typed in front of a block falls inside its bookmark: the block itself is still whole.
        whole = [index for index in indices if _unchanged(blocks[id_], paragraphs[index].text)]
        if whole:
            places[id_] = whole[:1]
    return places


def _by_words(paragraphs: list[EditedBlock], blocks: dict[str, Block], places: dict[str, list[int]]) -> None:
    """Find blocks that lost their bookmark, as a moved paragraph does, and add them to `places`."""
    taken = {index for indices in places.values() for index in indices}
    free = [index for index, paragraph in enumerate(paragraphs) if index not in taken and paragraph.text.strip()]
    for block in blocks.values():
        lost = block.id not in places or not any(paragraphs[index].text.strip() for index in places[block.id])
        found = next((i for i in free if _unchanged(block, paragraphs[i].text)), None) if lost else None
        if found is not None:
            free.remove(found)
            places[block.id] = [found]


def _in_order(
    paragraphs: list[EditedBlock], blocks: dict[str, Block], places: dict[str, list[int]]
) -> Iterator[Change]:
    owners = {index: id_ for id_, indices in places.items() for index in indices}
    deleted = _deletions(blocks, places)
    yield from deleted[None]
    follows, inserted = None, 0
    for index, paragraph in enumerate(paragraphs):
        owner = owners.get(index)
        if owner is None and paragraph.text.strip():
            inserted += 1
            yield Change(
                block=f"{follows or 'top'}+{inserted}",
                operation=Operation.INSERT,
                before=None,
                after=paragraph.text,
                follows=follows,
            )
        elif owner is not None and index == places[owner][0]:
            yield _change(blocks[owner], [paragraphs[i].text for i in places[owner]])
            yield from deleted[owner]
            follows, inserted = owner, 0


def _deletions(blocks: dict[str, Block], places: dict[str, list[int]]) -> dict[str | None, list[Change]]:
    """Block that is still there → the deleted blocks that came right after it in the draft."""
    deleted: dict[str | None, list[Change]] = defaultdict(list)
    standing = None
    for block in blocks.values():
        if block.id in places:
            standing = block.id
        else:
            deleted[standing].append(_change(block, []))
    return deleted


def _change(block: Block, pieces: list[str]) -> Change:
    """What was done to `block`, which is now these paragraphs. A split alone is a change: it renumbers the paper."""
    after = _without_number(block, "\n".join(pieces))
    split = sum(bool(piece.strip()) for piece in pieces) > 1
    if pieces and not split and _unchanged(block, after):
        return Change(block=block.id, operation=Operation.ACCEPT_UNCHANGED, before=block.text, after=after)
    if not _folded(after):
        return Change(block=block.id, operation=Operation.DELETE, before=block.text, after=None)
    return Change(block=block.id, operation=Operation.REPLACE, before=block.text, after=after)


def _unchanged(block: Block, text: str) -> bool:
    return same_words(block.text, _without_number(block, text))


def _without_number(block: Block, text: str) -> str:
    """`text` without a paragraph number that someone typed: the number is not part of a block."""
    if block.kind is not BlockKind.PARAGRAPH or same_words(block.text, text) or _TYPED_NUMBER.match(block.text):
        return text
    return _TYPED_NUMBER.sub("", text, count=1)


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFC", text)
    for pattern, plain in _TYPOGRAPHY:
        folded = pattern.sub(plain, folded)
    return " ".join(folded.split())
