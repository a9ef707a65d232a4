"""The commands as a person types them, without a model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from graphs import drafting
from graphs.steps import Steps
from lexforge.llm.seats import Seats
from lexforge.store import database
from lexforge.store.folder import Matter

ROOT = Path(__file__).parent.parent.parent
COMMANDS = ["new", "ingest", "draft", "gate", "import", "corrections", "ledger", "doctor"]


def lexforge(*words: str | Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from lexforge.cli.main import main; main()", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "300", **env},
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str) -> None:
    done = lexforge(command, "--help")
    assert done.returncode == 0
    assert "Usage:" in done.stdout


def test_all_commands_are_listed() -> None:
    listed = re.findall(r"^  ([a-z]+) ", lexforge("--help").stdout, re.M)
    assert set(COMMANDS) <= set(listed)


def test_a_new_matter_can_be_filled_in(tmp_path: Path) -> None:
    done = lexforge("new", "smith-v-jones", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "matters" / "smith-v-jones"
    assert Matter(folder).config.document_kind.value == "declaration"
    assert (folder / "evidence").is_dir()
    assert (folder / "authorities").is_dir()
    again = lexforge("new", "smith-v-jones", cwd=tmp_path)
    assert again.returncode == 4
    assert "exists already" in again.stderr


def test_ingest_lists_every_fate(matter: Path) -> None:
    (matter / "evidence" / "copy.txt").write_bytes((matter / "evidence" / "letter.txt").read_bytes())
    (matter / "evidence" / "empty.pdf").touch()
    done = lexforge("ingest", matter)
    assert done.returncode == 0, done.stderr
    assert "4 files: 2 ingested, 1 duplicate, 0 quarantined, 1 failed" in done.stdout
    assert "empty.pdf is empty" in done.stdout


GATED = [
    ("The flour came on May 3, 2021 (BASALT-000017).", 0, "all of it stands in the letter"),
    ("The flour came on May 13, 2021 (BASALT-000017).", 3, "another day"),
    ("The flour came on May 3, 2021 (BASALT-000071).", 3, "a page that was never produced"),
    ("The letter said “the flour was blue”.", 3, "a word changed"),
    ("See Tansy Grain Co. v. Ferris Carting, Inc., 1203 F.3d 41 (14th Cir. 2018).", 0, "the opinion is in the bundle"),
    ("See Tansy Grain Co. v. Ferris Carting, Inc., 1203 F.3d 41 (14th Cir. 2016).", 3, "another year"),
]


@pytest.mark.parametrize(("text", "code", "reason"), GATED, ids=[g[2] for g in GATED])
def test_gate(text: str, code: int, reason: str, matter: Path, tmp_path: Path) -> None:
    paper, out = tmp_path / "paper.txt", tmp_path / "gate.json"
    paper.write_text(text, encoding="utf-8")
    done = lexforge("gate", paper, "--sources", matter, "--json", out)
    assert done.returncode == code, done.stdout + done.stderr
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["passed"] is (code == 0)
    assert report["findings"]
    for finding in report["findings"]:
        assert text[finding["start"] : finding["end"]]
        assert {"kind", "verdict", "reason", "message", "support", "nearest"} <= finding.keys()


def test_gate_grounds_nothing_without_sources(tmp_path: Path) -> None:
    (tmp_path / "sources" / "evidence").mkdir(parents=True)
    paper = tmp_path / "paper.txt"
    paper.write_text("It was on May 3, 2021.", encoding="utf-8")
    assert lexforge("gate", paper, "--sources", tmp_path / "sources").returncode == 3


@pytest.mark.parametrize("words", [[], ["--sources", ".", "--matter", "x"]])
def test_gate_wants_one_place_for_sources(words: list[str], tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("Text.", encoding="utf-8")
    done = lexforge("gate", paper, *words)
    assert done.returncode == 2
    assert "--sources DIR or --matter NAME" in done.stderr


ERRORS = [
    (["draft", "nowhere"], 4, "No matter named nowhere"),
    (["ledger", "verify", "nowhere"], 4, "lexforge new nowhere"),
    (["gate", "missing.txt", "--matter", "x"], 2, "does not exist"),
]


@pytest.mark.parametrize(("words", "code", "message"), ERRORS)
def test_errors_are_one_message_with_advice(words: list[str], code: int, message: str, tmp_path: Path) -> None:
    done = lexforge(*words, cwd=tmp_path)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_public_endpoint_in_the_settings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lexforge.toml").write_text('endpoints = ["8.8.8.8:443"]\n')
    done = lexforge("doctor", cwd=tmp_path)
    assert done.returncode == 4
    assert "endpoints" in done.stderr
    assert "not a loopback or private address" in done.stderr


def test_doctor() -> None:
    done = lexforge("doctor")
    assert done.returncode == 0, done.stdout
    assert "no client of a hosted model can be imported" in done.stdout
    assert "ok   connections are refused in this process" in done.stdout


@pytest.fixture
def drafted(matter: Path, seats: Seats) -> Path:
    with database.opened(matter / "work") as db:
        drafting.run(Steps(Matter(matter), db, seats))
    return matter


def test_ledger_verify_says_whether_anything_was_touched(drafted: Path) -> None:
    done = lexforge("ledger", "verify", drafted)
    assert done.returncode == 0, done.stderr
    assert re.match(r"\d+ entries verify \(1 sitting, 1 ingest, ", done.stdout)
    with database.opened(drafted / "work") as db:
        for trigger in db.triggers:
            db.execute(f"DROP TRIGGER {trigger.name}")
        db.execute("UPDATE artifacts SET body = replace(body, 'flour', 'sugar')")
    done = lexforge("ledger", "verify", drafted)
    assert done.returncode == 8
    assert "was changed" in done.stderr


def test_a_draft_that_lies_in_evidence_is_quarantined(drafted: Path) -> None:
    for name in ("draft.docx", "draft.txt"):
        (drafted / "evidence" / name).write_bytes((drafted / "work" / "runs" / "1" / name).read_bytes())
    done = lexforge("ingest", drafted)
    assert "2 quarantined" in done.stdout
    assert "67% of the evidence files (2) were our own earlier output" in done.stdout


def test_the_untouched_draft_comes_back_unchanged(drafted: Path) -> None:
    done = lexforge("import", drafted / "work" / "runs" / "1" / "draft.docx", "--matter", drafted)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Names of minors cannot be found by a pattern" in done.stdout
    assert "0 replace, 0 insert, 0 delete" in done.stdout
    lines = lexforge("corrections", "export", "--matter", drafted).stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert {r["operation"] for r in records} == {"accept_unchanged"}
    assert not any(r["train_ok"] for r in records)
    drafted_blocks = [r for r in records if r["block"] in ("d1", "f1", "f2")]
    assert all(r["provenance"]["identity"] and r["provenance"]["request"] and r["sources"] for r in drafted_blocks)


def test_a_document_that_is_no_draft_of_ours_is_refused(drafted: Path, tmp_path: Path) -> None:
    import docx

    docx.Document().save(str(tmp_path / "other.docx"))
    done = lexforge("import", tmp_path / "other.docx", "--matter", drafted)
    assert done.returncode == 10
    assert "no draft of ours" in done.stderr


def test_corrections_go_to_a_file_with_a_count(drafted: Path, tmp_path: Path) -> None:
    lexforge("import", drafted / "work" / "runs" / "1" / "draft.docx", "--matter", drafted, "--train-ok")
    done = lexforge("corrections", "export", "--matter", drafted, "--out", tmp_path / "c.jsonl")
    count = len((tmp_path / "c.jsonl").read_text(encoding="utf-8").splitlines())
    assert done.stdout.startswith(f"{count} corrections written to")
    assert f"; {count} may be used for training" in done.stdout
