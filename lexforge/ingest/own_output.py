"""Recognising what LexForge wrote itself, so that it never becomes evidence."""

from __future__ import annotations

from lexforge.domain.evidence import Fate, FileRecord, Role
from lexforge.ingest.reading import Reading


def quarantined(path: str, role: Role, sha256_file: str, reading: Reading, known: frozenset[str]) -> FileRecord | None:
    """The record of a file of our own, by its mark or by its hash; None for anything else."""
    if reading.own_draft is not None:
        reason, told = "own_output_marked", f"it carries the mark of LexForge draft {reading.own_draft}"
    elif sha256_file in known:
        reason, told = "own_output_known", "LexForge wrote exactly this file"
    else:
        return None
    return FileRecord(
        path=path,
        role=role,
        fate=Fate.QUARANTINED,
        reason=reason,
        detail=f"{path.rsplit('/', 1)[-1]} is our own earlier output ({told}); it proves nothing. Move it away.",
        sha256_file=sha256_file,
    )
