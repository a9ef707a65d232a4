"""Corrections, one row each; importing the same document again replaces its rows."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from lexforge.domain.corrections import Correction


def keep(db: Database, corrections: Iterable[Correction]) -> None:
    """Store corrections in their order, in one transaction."""
    rows = [
        {
            "document": c.document_sha256,
            "position": position,
            "block": c.block,
            "draft": c.draft,
            "operation": c.operation.value,
            "train_ok": int(c.train_ok),
            "body": c.model_dump_json(),
        }
        for position, c in enumerate(corrections)
    ]
    with db.atomic():
        for document in {row["document"] for row in rows}:
            db.table("corrections").delete_where("document = ?", [document])
        db.table("corrections").insert_all(rows)


def all_of(db: Database) -> list[Correction]:
    """Every correction of the matter: documents in the order of their import, blocks in the order of the document."""
    rows = db.query(
        "select body from corrections as c order by "
        "(select min(rowid) from corrections where document = c.document), position"
    )
    return [Correction.model_validate_json(row["body"]) for row in rows]
