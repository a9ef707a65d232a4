"""Opening `work/matter.db`: one writer at a time, schema by small migrations."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from lexforge.errors import MatterBusy, StoreError

migrations = Migrations("lexforge")


@migrations()
def ledger(db: Database) -> None:
    """Artifacts by content hash, and the chained entries that name them; neither can be changed afterwards."""
    db.table("artifacts").create({"sha256": str, "kind": str, "body": str}, pk="sha256", not_null={"kind", "body"})
    db.table("ledger").create(
        {
            "seq": int,
            "previous": str,
            "hash": str,
            "key": str,
            "step": str,
            "inputs": str,
            "output": str,
            "provenance": str,
            "at": str,
        },
        pk="seq",
        foreign_keys=[("output", "artifacts", "sha256")],
    )
    db.table("ledger").create_index(["key"])
    for table in ("artifacts", "ledger"):
        for action in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_append_only_{action.lower()} BEFORE {action} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'append only'); END"
            )


@migrations()
def bundle(db: Database) -> None:
    """One row a sealed bundle; its files and passages in tables a person can query."""
    db.table("bundles").create({"sha256": str}, pk="sha256")
    db.table("files").create(
        {
            "bundle": str,
            "path": str,
            "role": str,
            "fate": str,
            "reason": str,
            "detail": str,
            "sha256_file": str,
            "source": str,
        },
        pk=("bundle", "path"),
    )
    db.table("passages").create(
        {"bundle": str, "id": str, "source": str, "path": str, "page": int, "bates": str, "text": str},
        pk=("bundle", "id"),
    )


@migrations()
def corrections(db: Database) -> None:
    """One row a correction; `document` is the hash of the edited file it was read from."""
    db.table("corrections").create(
        {
            "document": str,
            "position": int,
            "block": str,
            "draft": str,
            "operation": str,
            "train_ok": int,
            "body": str,
        },
        pk=("document", "position"),
    )


@migrations()
def own_output(db: Database) -> None:
    """How much a file holds, and which passages came from a draft of ours.

    `screens` remembers what the machine's register said of a bundle: it needs to be asked again only when it has grown.
    """
    db.table("files").add_column("words", int)
    db.table("passages").add_column("derived_from", str)
    db.table("screens").create({"bundle": str, "register": str, "body": str}, pk=("bundle", "register"))


@migrations()
def evidence(db: Database) -> None:
    """What of a bundle a person may ask for: families, copies, notices; and what need not be read or hashed again."""
    for name, kind in {"place": str, "copy_of": str}.items():
        db.table("passages").add_column(name, kind)
    db.table("notices").create(
        {"bundle": str, "position": int, "path": str, "code": str, "message": str, "page": int, "line": int},
        pk=("bundle", "position"),
    )
    for name in ("readings", "hashes", "accounts"):
        db.table(name).create({"key": str, "body": bytes}, pk="key")


@migrations()
def runs(db: Database) -> None:
    """One row an answer of a seat; columns as the fields of `lexforge.domain.run.Call`."""
    numbers = dict.fromkeys(("run", "sitting", "slot", "prompt_tokens", "cached_tokens", "completion_tokens"), int)
    times = dict.fromkeys(("began_ms", "wall_ms", "prompt_ms", "completion_ms"), float)
    words = dict.fromkeys(("step", "section", "seat", "fingerprint", "finish_reason", "request", "answer"), str)
    db.table("calls").create({**numbers, **times, **words, "drafted": int, "accepted": int, "truncated": int})
    db.table("calls").create_index(["run"])


@contextmanager
def opened(work: Path) -> Iterator[Database]:
    """The matter's database for writing; MatterBusy while another process holds it, StoreError when it is damaged."""
    work.mkdir(parents=True, exist_ok=True, mode=0o700)
    busy = MatterBusy(f"Another LexForge process works on {work.parent.name}.", "Wait until it ends, or stop it.")
    with locked(work / ".lock", busy):
        path = work / "matter.db"
        path.touch(mode=0o600)
        db = Database(path)
        try:
            db.enable_wal()
            migrations.apply(db)
            yield db
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{path} cannot be used: {error}.",
                "Check the free space; if it is damaged, move it aside: the sources are untouched, and a new run "
                "starts a new ledger.",
            ) from error
        finally:
            db.close()


@contextmanager
def locked(path: Path, busy: StoreError | None = None) -> Iterator[None]:
    """An exclusive lock that the kernel lets go when the process ends, however it ends.

    While another process has it, raise `busy`; wait where that is None.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy is not None else 0))
        except BlockingIOError:
            assert busy is not None  # noqa: S101 - without it the lock waits
            raise busy from None
        yield
    finally:
        os.close(handle)
