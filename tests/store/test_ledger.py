"""The ledger: memory, chain, and what happens when somebody touches it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from lexforge.domain.evidence import Passage
from lexforge.errors import LedgerBroken, MatterBusy, StoreError
from lexforge.store import database
from lexforge.store.ledger import GENESIS, Ledger, StepKey


def passage(text: str) -> Passage:
    return Passage(id="E-1:p1:¶1", page=1, start=0, end=len(text), text=text)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with database.opened(tmp_path / "work") as opened:
        yield opened


KEY = StepKey(step="draft", inputs={"passage": "a", "attempt": 0}, template="t", identity="model one", sampling="s")


def test_a_step_runs_once(db: Database) -> None:
    ledger, calls = Ledger(db), []

    def compute() -> Passage:
        calls.append(1)
        return passage("written once")

    first, second = (ledger.step(KEY, Passage, compute) for _ in range(2))
    assert first == second
    assert (len(calls), ledger.ran, ledger.reused) == (1, 1, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"identity": "model two"}, "another model must never answer for this one"),
        ({"sampling": "other"}, "another temperature gives another answer"),
        ({"template": "other"}, "another prompt asks another question"),
        ({"inputs": {"passage": "b", "attempt": 0}}, "another passage"),
        ({"inputs": {"passage": "a", "attempt": 1}}, "another attempt"),
        ({"step": "adversary"}, "another step"),
    ],
)
def test_whatever_decides_the_result_is_in_the_key(db: Database, change: dict[str, object], reason: str) -> None:
    ledger = Ledger(db)
    ledger.record(KEY, passage("one"))
    assert ledger.find(KEY.model_copy(update=change)) is None


def test_the_chain_verifies_and_names_its_head(db: Database) -> None:
    ledger = Ledger(db)
    assert (ledger.head(), ledger.verify()) == ((0, GENESIS), 0)
    for n in range(5):
        ledger.record(KEY.model_copy(update={"step": f"step {n}"}), passage(f"text {n}"))
    assert ledger.verify() == 5
    assert ledger.head()[0] == 5


@pytest.mark.parametrize("table", ["ledger", "artifacts"])
@pytest.mark.parametrize("statement", ["DELETE FROM {0}", "UPDATE {0} SET rowid = rowid + 1"])
def test_append_only(db: Database, table: str, statement: str) -> None:
    Ledger(db).record(KEY, passage("kept"))
    with pytest.raises(sqlite3.IntegrityError, match="append only"):
        db.execute(statement.format(table))


TAMPERINGS = {
    "artifact_changed": "UPDATE artifacts SET body = replace(body, 'two', 'TWO')",
    "artifact_missing": "DELETE FROM artifacts WHERE body LIKE '%two%'",
    "entry_missing": "DELETE FROM ledger WHERE seq = 2",
    "last_word_rewritten": "UPDATE ledger SET step = 'gate' WHERE seq = 3",
    "output_swapped": "UPDATE ledger SET output = (SELECT output FROM ledger WHERE seq = 1) WHERE seq = 2",
    "time_moved": "UPDATE ledger SET at = '1999-01-01' WHERE seq = 1",
}


@pytest.mark.parametrize("tampering", TAMPERINGS.values(), ids=TAMPERINGS)
def test_tampering_is_found(db: Database, tampering: str) -> None:
    ledger = Ledger(db)
    for word in ("one", "two", "three"):
        ledger.record(KEY.model_copy(update={"step": word}), passage(word))
    db.execute("PRAGMA foreign_keys = OFF")
    for trigger in db.triggers:
        db.execute(f"DROP TRIGGER {trigger.name}")
    db.execute(tampering)
    with pytest.raises(LedgerBroken):
        ledger.verify()


def test_a_changed_artifact_is_never_used(db: Database) -> None:
    ledger = Ledger(db)
    output = ledger.record(KEY, passage("true"))
    for trigger in db.triggers:
        db.execute(f"DROP TRIGGER {trigger.name}")
    db.execute("UPDATE artifacts SET body = replace(body, 'true', 'fals')")
    with pytest.raises(LedgerBroken):
        ledger.artifact(output, Passage)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with database.opened(tmp_path / "work"), pytest.raises(MatterBusy), database.opened(tmp_path / "work"):
        pass
    with database.opened(tmp_path / "work"):
        pass


def test_a_damaged_database_is_one_clear_error(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "matter.db").write_bytes(b"this is not a database" * 100)
    with pytest.raises(StoreError, match="matter.db"), database.opened(work):
        pass


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    with database.opened(tmp_path / "work"):
        assert (tmp_path / "work").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "work" / "matter.db").stat().st_mode & 0o777 == 0o600
