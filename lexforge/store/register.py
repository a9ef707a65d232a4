"""The register of what LexForge has written on this machine, for any matter: hashes only, chained, append-only.

It outlives the matters: a draft of one can turn up as evidence in another. It is kept in the user's data directory, and
whoever reads it learns when something was written, and nothing of what, for whom, or in which matter.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from lexforge.config import register_file
from lexforge.domain.record import Record, sha256_of
from lexforge.errors import LedgerBroken, StoreError
from lexforge.store.database import locked
from lexforge.store.ledger import GENESIS

migrations = Migrations("register")
AT_ONCE = 50_000
"""Hashes looked up in one query."""


@migrations()
def register(db: Database) -> None:
    """Entries, the hashes of their files, and the runs of words that were new in them. Nothing can be changed later."""
    db.table("entries").create(
        {
            "seq": int,
            "previous": str,
            "hash": str,
            "draft": str,
            "matter": str,
            "files": str,
            "prints": str,
            "status": str,
            "reason": str,
            "at": str,
        },
        pk="seq",
    )
    db.execute("CREATE TABLE prints (hash INTEGER, entry INTEGER, PRIMARY KEY (hash, entry)) WITHOUT ROWID")
    for table in ("entries", "prints"):
        for action in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_append_only_{action.lower()} BEFORE {action} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'append only'); END"
            )


class Status(StrEnum):
    """How a paper came into the register."""

    WRITTEN = "written"
    ADOPTED = "adopted"
    ADMITTED = "admitted"


class Entry(Record):
    """One registered paper.

    `draft` is the id of the draft, or the first 16 digits of the file's hash where there was none; `matter` the hash of
    the matter's name; `files` the hashes of the files made of it; `reason` the hash of the reason of an admission,
    whose words stay in the matter.
    """

    draft: str
    status: Status
    matter: str = ""
    files: tuple[str, ...] = ()
    reason: str = ""
    at: str = ""


@contextmanager
def opened() -> Iterator[Register]:
    """The register; another process that has it is waited for, since nobody has it for long."""
    path = register_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.chmod(0o700)
        with locked(path.parent / ".lock"):
            path.touch(mode=0o600)
            db = Database(path)
            try:
                migrations.apply(db)
                yield Register(db)
            finally:
                db.close()
    except (sqlite3.DatabaseError, OSError) as error:
        raise StoreError(
            f"The register of our own papers, {path}, cannot be used: {error}.",
            "Check the permissions and the free space. Without it LexForge cannot tell its own papers from evidence; "
            "if it is damaged, restore it from a backup, or move it away and adopt the earlier papers again.",
        ) from error


class Register:
    """The open register."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, entry: Entry, prints: Iterable[int] = ()) -> bool:
        """Append an entry; False when the same paper with the same files is there already."""
        if self._holds(entry):
            return False
        runs = sorted(set(prints))
        with self._db.atomic():
            seq, previous = self._last()
            row: dict[str, Any] = {
                "seq": seq + 1,
                "previous": previous,
                "draft": entry.draft,
                "matter": entry.matter,
                "files": json.dumps(sorted(entry.files)),
                "prints": sha256_of(runs),
                "status": entry.status.value,
                "reason": entry.reason,
                "at": entry.at or datetime.now(UTC).isoformat(timespec="milliseconds"),
            }
            self._db.table("entries").insert({**row, "hash": sha256_of(row)})
            self._db.table("prints").insert_all({"hash": run, "entry": seq + 1} for run in runs)
        return True

    def _holds(self, entry: Entry) -> bool:
        wanted = [entry.draft, entry.status.value, json.dumps(sorted(entry.files)), entry.reason]
        return bool(
            self._db.table("entries").count_where("draft = ? and status = ? and files = ? and reason = ?", wanted)
        )

    def knows(self, draft: str) -> bool:
        """Whether a draft of LexForge was registered under this id."""
        return bool(self._db.table("entries").count_where("draft = ? and status = ?", [draft, Status.WRITTEN.value]))

    @property
    def has_prints(self) -> bool:
        """Whether any text at all is registered."""
        return bool(self._db.execute("select exists (select 1 from prints)").fetchone()[0])

    @property
    def head(self) -> str:
        """Hash of the last entry: it changes whenever the register grows."""
        return self._last()[1]

    def _last(self) -> tuple[int, str]:
        rows = list(self._db.table("entries").rows_where(order_by="seq desc", limit=1, select="seq, hash"))
        return (int(rows[0]["seq"]), str(rows[0]["hash"])) if rows else (0, GENESIS)

    def entries(self) -> list[Entry]:
        """All entries, oldest first."""
        return [
            Entry(files=tuple(json.loads(row["files"])), **{k: row[k] for k in Entry.model_fields if k != "files"})
            for row in self._db.table("entries").rows_where(order_by="seq")
        ]

    def files(self, hashes: Iterable[str]) -> frozenset[str]:
        """Those of these file hashes that are registered, whoever wrote them; an admission alone does not count."""
        rows = self._db.query(
            "select distinct value from entries, json_each(entries.files) where status != ? "
            "and value in (select value from json_each(?))",
            [Status.ADMITTED.value, json.dumps(sorted(hashes))],
        )
        return frozenset(str(row["value"]) for row in rows)

    def hits(self, prints: Iterable[int]) -> dict[int, str]:
        """Those of these runs that were new in a registered paper, each with the paper that had it first."""
        wanted, found = sorted(set(prints)), {}
        for start in range(0, len(wanted), AT_ONCE):
            rows = self._db.query(
                "select prints.hash, entries.draft, min(entry) from json_each(?) join prints on prints.hash = value "
                "join entries on entries.seq = entry group by prints.hash",
                [json.dumps(wanted[start : start + AT_ONCE])],
            )
            found.update({int(row["hash"]): str(row["draft"]) for row in rows})
        return found

    def verify(self) -> int:
        """Recompute the whole chain with the runs of every entry; the number of entries, or LedgerBroken."""
        previous, seq = GENESIS, 0
        for row in self._db.table("entries").rows_where(order_by="seq"):
            seq += 1
            chained = {name: value for name, value in row.items() if name != "hash"}
            if row["seq"] != seq or row["previous"] != previous or row["hash"] != sha256_of(chained):
                raise _broken(f"entry {row['seq']} does not follow from the one before it")
            kept = self._db.query("select hash from prints where entry = ? order by hash", [seq])
            if row["prints"] != sha256_of([found["hash"] for found in kept]):
                raise _broken(f"the fingerprint of entry {seq} was changed")
            previous = row["hash"]
        if self._db.execute("select exists (select 1 from prints where entry > ?)", [seq]).fetchone()[0]:
            raise _broken("it holds fingerprints of entries that are not there")
        return seq


def _broken(what: str) -> LedgerBroken:
    return LedgerBroken(
        f"The register of our own papers does not verify: {what}.",
        f"Somebody or something changed {register_file()}. Restore it from a backup; until then our own papers may "
        "pass as evidence.",
    )
