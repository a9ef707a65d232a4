"""`lexforge own`, and what `ingest` and `draft` say of our own papers."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs import drafting
from graphs.steps import Steps
from lexforge.config import register_file
from lexforge.llm.seats import Seats
from lexforge.store import database
from lexforge.store.folder import Matter
from tests.cli.test_commands import lexforge
from tests.conftest import LETTER

BRIEF = """\
Orchard asks the Court to find that Basalt breached the carriage contract. As its clerk wrote, “The sacks were open and
the flour was grey.” A carrier that leaves sacks open to the rain takes no ordinary care of them, and the tariff on
which Basalt relies has never excused a carrier from the consequences of its own neglect in loading. Damages should be
measured by the market value of dry flour on the day of delivery, with interest from the day on which payment was due.
"""


@pytest.fixture
def drafted(matter: Path, seats: Seats) -> Path:
    with database.opened(matter / "work") as db:
        drafting.run(Steps(Matter(matter), db, seats))
    return matter


def text_of(matter: Path) -> str:
    return (matter / "work" / "runs" / "1" / "draft.txt").read_text(encoding="utf-8").split("\n\n[lexforge")[0]


def test_ingest_says_what_share_was_ours(drafted: Path) -> None:
    (drafted / "evidence" / "paper.txt").write_text(text_of(drafted), encoding="utf-8")
    done = lexforge("ingest", drafted)
    assert done.returncode == 0, done.stderr
    assert "quarantined evidence/paper.txt: paper.txt is our own earlier output (page 1 holds words" in done.stdout
    assert "50% of the evidence files (1) were our own earlier output, and " in done.stdout


def test_draft_refuses_until_it_is_waived(drafted: Path) -> None:
    (drafted / "evidence" / "paper.txt").write_text(text_of(drafted), encoding="utf-8")
    done = lexforge("draft", drafted)
    assert done.returncode == 5
    assert "1 of the evidence files are our own earlier output: evidence/paper.txt." in done.stderr
    assert "own_output_waiver" in done.stderr
    toml = drafted / "matter.toml"
    toml.write_text('boards = "nowhere.toml"\nown_output_waiver = "Kept."\n' + toml.read_text())
    done = lexforge("draft", drafted)
    assert done.returncode != 5, "waived; it stops at the boards that this test does not have"


def test_an_admitted_paper_no_longer_stops_a_draft(drafted: Path) -> None:
    paper = drafted / "evidence" / "filed.txt"
    paper.write_text(text_of(drafted), encoding="utf-8")
    done = lexforge("own", "admit", paper, "--matter", drafted, "--reason", "Filed as ECF No. 41 for Basalt")
    assert done.returncode == 0, done.stderr
    done = lexforge("ingest", drafted)
    assert "filed.txt is part of the procedural record and no evidence: Filed as ECF No. 41" in done.stdout
    assert "0% of the evidence files (0) were our own earlier output, and 0% of the words" in done.stdout
    assert b"Basalt" not in register_file().read_bytes()
    assert lexforge("own", "admit", paper, "--matter", drafted, "--reason", " ").returncode == 2


def test_papers_from_before_are_adopted(matter: Path, tmp_path: Path) -> None:
    old = tmp_path / "old briefs"
    (old / "2019").mkdir(parents=True)
    (old / "2019" / "brief.txt").write_text(BRIEF, encoding="utf-8")
    (old / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    done = lexforge("own", "adopt", old, "--matter", matter)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 papers registered")
    assert "scan.png is damaged" in done.stderr
    assert lexforge("own", "adopt", old).stdout.startswith("0 papers registered"), "a second time changes nothing"
    (matter / "evidence" / "copy.txt").write_text("Printed from the archive.\n\n" + BRIEF, encoding="utf-8")
    (matter / "evidence" / "same.txt").write_text(BRIEF, encoding="utf-8")
    done = lexforge("ingest", matter)
    assert "copy.txt is our own earlier output (page 1 holds words" in done.stdout
    assert "same.txt is our own earlier output (LexForge wrote exactly this file)" in done.stdout
    assert "letter.txt" not in done.stdout, "the brief quotes it"


def test_a_quotation_in_an_adopted_paper_is_not_ours(matter: Path, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    whole = " ".join(LETTER.split("\n\n")[1].split())
    (tmp_path / "old" / "brief.txt").write_text(f"{BRIEF}\n\nHe wrote: “{whole}”\n", encoding="utf-8")
    assert lexforge("own", "adopt", tmp_path / "old").returncode == 0
    done = lexforge("ingest", matter)
    assert "0 quarantined" in done.stdout
    assert "derived" not in done.stdout


def test_list_shows_hashes_only(drafted: Path) -> None:
    done = lexforge("own", "list")
    assert done.returncode == 0, done.stderr
    assert "written" in done.stdout
    assert "5 files" in done.stdout
    assert "orchard" not in done.stdout.lower().split("register:")[0]
