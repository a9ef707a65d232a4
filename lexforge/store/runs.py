"""The runs of a matter: sittings are entries of the ledger, calls rows that a person can query."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from lexforge.domain.run import Call, Outcome, Sitting, SittingEnd
from lexforge.store.ledger import Ledger

SITTING, SITTING_END = "sitting", "sitting end"


def last(ledger: Ledger) -> Sitting | None:
    """The latest sitting of the latest run."""
    outputs = ledger.outputs(SITTING)
    return ledger.artifact(outputs[-1], Sitting) if outputs else None


def is_finished(ledger: Ledger, run: int) -> bool:
    """Whether a run came to its packet."""
    return any(end.run == run and end.outcome is Outcome.FINISHED for end in ends(ledger))


def sittings(ledger: Ledger) -> tuple[Sitting, ...]:
    """All sittings, oldest first."""
    return tuple(ledger.artifact(sha256, Sitting) for sha256 in ledger.outputs(SITTING))


def ends(ledger: Ledger) -> tuple[SittingEnd, ...]:
    """How sittings ended, oldest first; one that was killed has no end."""
    return tuple(ledger.artifact(sha256, SittingEnd) for sha256 in ledger.outputs(SITTING_END))


def keep_calls(db: Database, calls: Iterable[Call]) -> None:
    """Append calls."""
    db.table("calls").insert_all(call.model_dump(mode="json") for call in calls)


def calls(db: Database, run: int) -> tuple[Call, ...]:
    """The calls of one run in the order they ended."""
    rows = db.table("calls").rows_where("run = ?", [run], order_by="rowid")
    return tuple(Call.model_validate({**row, "truncated": bool(row["truncated"])}) for row in rows)
