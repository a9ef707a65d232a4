"""The register: chained, append-only, shared by all matters, and without a word in it."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from sqlite_utils import Database

from graphs import drafting
from graphs.steps import Steps
from lexforge.config import register_file
from lexforge.domain.record import sha256_of
from lexforge.errors import LedgerBroken, StoreError
from lexforge.ingest.fingerprint import shingles
from lexforge.llm.seats import Seats
from lexforge.store import database, register
from lexforge.store.folder import Matter
from lexforge.store.register import Entry, Status

FIRST = Entry(draft="a" * 16, status=Status.WRITTEN, matter="b" * 64, files=("c" * 64, "d" * 64))


def filled() -> None:
    with register.opened() as known:
        assert known.add(FIRST, [5, -7, 2**62])
        assert known.add(Entry(draft="e" * 16, status=Status.ADOPTED, files=("f" * 64,)), [5, 11])
        assert known.add(Entry(draft="0" * 16, status=Status.ADMITTED, files=("9" * 64,), reason="1" * 64))


def test_what_was_added_is_found() -> None:
    filled()
    with register.opened() as known:
        assert known.verify() == 3
        assert known.files(["c" * 64, "f" * 64, "9" * 64, "8" * 64]) == {"c" * 64, "f" * 64}
        assert known.hits([5, 11, -7, 99]) == {5: "a" * 16, 11: "e" * 16, -7: "a" * 16}
        assert [e.status for e in known.entries()] == ["written", "adopted", "admitted"]
        assert (known.knows("a" * 16), known.knows("e" * 16)) == (True, False)


def test_the_same_paper_is_added_once() -> None:
    filled()
    with register.opened() as known:
        assert not known.add(FIRST, [5, -7, 2**62])
        assert known.add(FIRST.model_copy(update={"files": ("7" * 64,)}))
        assert len(known.entries()) == 4


def test_many_runs_are_looked_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register, "AT_ONCE", 10)
    with register.opened() as known:
        assert not known.has_prints
        known.add(FIRST, range(0, 1000, 2))
        assert set(known.hits(range(1000))) == set(range(0, 1000, 2))


def test_only_the_user_can_read_it() -> None:
    filled()
    path = register_file()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_nothing_in_it_can_be_changed() -> None:
    filled()
    with register.opened():
        db = Database(register_file())
        for statement in ("UPDATE entries SET draft = 'x'", "DELETE FROM entries", "DELETE FROM prints"):
            with pytest.raises(sqlite3.DatabaseError, match="append only"):
                db.execute(statement)
        db.close()


TAMPERED = {
    "an entry changed": "UPDATE entries SET at = '2001-01-01' WHERE seq = 1",
    "an entry gone": "DELETE FROM entries WHERE seq = 2",
    "a file forgotten": "UPDATE entries SET files = '[]' WHERE seq = 1",
    "a run gone": "DELETE FROM prints WHERE hash = -7",
    "a run moved": "UPDATE prints SET hash = 12 WHERE hash = 11",
    "a run of nobody": "INSERT INTO prints VALUES (77, 9)",
    "a status changed": "UPDATE entries SET status = 'admitted' WHERE seq = 2",
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_is_found(how: str) -> None:
    filled()
    db = Database(register_file())
    for trigger in db.triggers:
        db.execute(f"DROP TRIGGER {trigger.name}")
    db.execute(TAMPERED[how])
    db.conn.commit()
    db.close()
    with register.opened() as known, pytest.raises(LedgerBroken, match="does not verify"):
        known.verify()


def test_a_damaged_register_says_what_to_do() -> None:
    register_file().parent.mkdir(parents=True)
    register_file().write_bytes(b"This is no database at all." * 100)
    with pytest.raises(StoreError, match="restore it from a backup"), register.opened() as known:
        known.entries()


def test_another_process_is_waited_for() -> None:
    code = (
        "from lexforge.store import register\n"
        "from lexforge.store.register import Entry, Status\n"
        "import sys\n"
        "for n in range(20):\n"
        "    with register.opened() as known:\n"
        "        known.add(Entry(draft=f'{sys.argv[1]}{n}', status=Status.WRITTEN), [n])\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, name], env=os.environ) for name in "xyz"]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    with register.opened() as known:
        assert known.verify() == 60


def test_a_run_leaves_hashes_and_nothing_else(matter: Path, seats: Seats) -> None:
    with database.opened(matter / "work") as db:
        packet, _ = drafting.run(Steps(Matter(matter), db, seats))
    with register.opened() as known:
        (entry,) = known.entries()
        assert (entry.draft, entry.status) == (packet.draft, "written")
        assert set(entry.files) == set(packet.files.values())
        assert entry.matter == sha256_of(b"orchard")
        text = (packet.folder(matter / "work") / "draft.txt").read_text(encoding="utf-8")
        assert known.hits(shingles(text))
    raw = b"".join(path.read_bytes() for path in register_file().parent.iterdir())
    said = f"{text} {matter} {(matter / 'intake.md').read_text()} {(matter / 'matter.toml').read_text()}"
    words = {word.lower() for word in re.findall(r"[A-Za-z]{5,}", said)} - {
        "entry",
        "files",
        "draft",
        "matter",
        "index",
    }
    assert len(words) > 60
    assert not [word for word in words if word.encode() in raw.lower()]
