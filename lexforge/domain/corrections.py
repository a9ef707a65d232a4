"""Corrections: what the attorney did to each block, and everything that had led to it."""

from __future__ import annotations

from enum import StrEnum

from lexforge.domain.draft import Provenance
from lexforge.domain.findings import Finding
from lexforge.domain.record import Record


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
