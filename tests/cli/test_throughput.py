"""`lexforge throughput` over a scripted draft."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from graphs import drafting
from graphs.steps import Steps
from lexforge.cli.throughput import command
from lexforge.errors import LedgerBroken, MatterError, RunError
from lexforge.llm.boards import SeatName
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats
from lexforge.measure.runs import split
from lexforge.store import database
from lexforge.store.folder import Matter
from tests.conftest import obedient


def draft(folder: Path, label: str = "one") -> None:
    """A draft by scripted seats that bear `label`."""
    seats: Seats = {name: ScriptedSeat(name, obedient, label=label) for name in SeatName}
    with database.opened(folder / "work") as db:
        drafting.run(Steps(Matter(folder), db, seats))


def throughput(*words: str | Path) -> str:
    done = CliRunner(env={"COLUMNS": "200"}).invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_table_for_each_seat(matter: Path) -> None:
    draft(matter)
    text = throughput(matter)
    assert f"{matter}:1, by the engines' own counters" in text
    for seat in ("workhorse", "reasoner"):
        assert f"\n{seat}: one 0M none" in text
    assert "warm-up: draft s1" in text
    assert "adversary s2" in text
    assert "too few: too few tokens for a rate" in text, "an answer has some ten words"
    assert "\x1b" not in text


def test_rows_for_a_script(matter: Path) -> None:
    draft(matter)
    found = json.loads(throughput(matter, "--json"))
    assert {row["kind"] for row in found} == {"warm-up", "section", "seat"}
    assert sum(row["calls"] for row in found if row["kind"] != "seat") == 6, (
        "a document, two facts, reviews, planted errors"
    )
    assert all(row["decode"] is None for row in found)


def test_an_earlier_run_is_named_by_its_number(matter: Path) -> None:
    draft(matter)
    draft(matter, "two")
    assert "workhorse: two 0M" in throughput(matter)
    assert "workhorse: one 0M" in throughput(f"{matter}:1")


def test_a_run_that_asked_nothing(matter: Path) -> None:
    draft(matter)
    draft(matter)
    with pytest.raises(RunError, match="every step was already in the ledger, so nothing was asked") as refusal:
        throughput(matter)
    assert refusal.value.advice == "Calls are in run 1."


def test_a_run_that_there_is_not(matter: Path) -> None:
    with pytest.raises(RunError, match="has no run yet"):
        throughput(matter)
    assert not (matter / "work").exists(), "looking makes nothing"
    draft(matter)
    with pytest.raises(RunError, match="has no run 7. It has run 1."):
        throughput(f"{matter}:7")
    with pytest.raises(MatterError, match="No matter named nowhere"):
        throughput("nowhere:1")


def test_calls_that_were_changed_afterwards_are_not_measured(matter: Path) -> None:
    draft(matter)
    with database.opened(matter / "work") as db:
        db.execute("update calls set prompt_ms = prompt_ms / 2")
        db.conn.commit()
    with pytest.raises(LedgerBroken, match="are not those that the ledger has the hash of"):
        throughput(matter)


def stopped(folder: Path, *answering: SeatName) -> None:
    """A run that is stopped by the first seat that is asked and not among `answering`."""

    def stopping(request: object) -> str:
        raise KeyboardInterrupt

    seats: Seats = {
        name: ScriptedSeat(name, obedient if name in answering else stopping, label="one") for name in SeatName
    }
    with database.opened(folder / "work") as db, pytest.raises(KeyboardInterrupt):
        drafting.run(Steps(Matter(folder), db, seats))


def test_a_run_that_was_stopped_says_so(matter: Path) -> None:
    stopped(matter, SeatName.WORKHORSE)
    assert f"{matter}:1, by the engines' own counters (unfinished)" in throughput(matter)
    draft(matter)
    assert "(in 2 sittings)" in throughput(matter)


def test_a_run_that_was_stopped_before_anything_was_asked(matter: Path) -> None:
    stopped(matter)
    with pytest.raises(RunError, match="it stopped before that"):
        throughput(matter)


NAMES = [
    ("matter-123", ("matter-123", None), "the latest"),
    ("matter-123:4", ("matter-123", 4), "a number"),
    ("a:b", ("a:b", None), "a colon in a name"),
    ("a:b:4", ("a:b", 4), "both"),
    ("matter-123:", ("matter-123:", None), "no number after all"),
]


@pytest.mark.parametrize(("written", "parts", "reason"), NAMES, ids=[n[2] for n in NAMES])
def test_names_of_runs(written: str, parts: tuple[str, int | None], reason: str) -> None:
    assert split(written) == parts, reason
