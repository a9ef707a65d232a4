"""Corrections: what the attorney did to each block, and everything that had led to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from lexforge.domain.draft import Provenance
from lexforge.domain.findings import Finding
from lexforge.domain.record import Record

FIXED_PREFIX = "fixed_"
"""Bookmarks `lf_fixed_<n>` hold the paragraphs we write that are not blocks: caption, title."""


class Operation(StrEnum):
    """What happened to a block between the emitted draft and the edited document."""

    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"
    ACCEPT_UNCHANGED = "accept_unchanged"


class EditedBlock(Record):
    """A paragraph of an edited document, all tracked changes accepted; `bookmark` is the block id it carries."""

    text: str
    bookmark: str | None = None


class EditedDocument(Record):
    """An edited document as read back. `draft` is the id of the draft it came from, if it still says so."""

    draft: str | None
    blocks: tuple[EditedBlock, ...]


class Change(Record):
    """What happened to one block, in the order of the edited document.

    `before` is the block's text in the draft (None for an insertion), `after` its exact text in the edited document
    (None for a deletion). `block` is the draft's id; an insertion gets `<follows>+<n>`. `follows` is the block of the
    draft that stands before an insertion, None at the top and for every other operation.
    """

    block: str
    operation: Operation
    before: str | None
    after: str | None
    follows: str | None = None


def edited_spans(changes: Iterable[Change]) -> Iterator[tuple[Change, int, int]]:
    """Each change that left text, with its place in `edited_text`: `text[start:end] == change.after`."""
    start = 0
    for change in changes:
        if change.after is not None:
            yield change, start, start + len(change.after)
            start += len(change.after) + 2


def edited_text(changes: Iterable[Change]) -> str:
    """The accepted document as the gate reads it: blocks separated by an empty line, paragraphs not numbered."""
    return "\n\n".join(change.after for change in changes if change.after is not None)


class Correction(Record):
    """One block, changed or not.

    `before` is None for an inserted block, `after` for a deleted one. `train_ok` stays false unless the attorney
    said otherwise.
    """

    matter: str
    draft: str
    block: str
    operation: Operation
    before: str | None
    after: str | None
    sources: tuple[str, ...] = ()
    findings_before: tuple[Finding, ...] = ()
    findings_after: tuple[Finding, ...] = ()
    provenance: Provenance | None = None
    document_sha256: str
    train_ok: bool = False
