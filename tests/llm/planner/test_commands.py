"""`lexforge boards plan` and `lexforge boards calibrate`, as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lexforge.cli.boards import calibrate, plan
from lexforge.errors import SeatUnavailable
from lexforge.llm.planner.calibration import stored
from tests.llm.hybrid import write_hybrid
from tests.llm.llama_server import program
from tests.llm.planner.models import QWEN_122B, hybrid

WIDE = {"COLUMNS": "160"}
OWN = """
[[boards]]
name = "here"
{more}
[seats.workhorse]
board = "here"
engine = "server"
model = "{model}"
program = "{program}"
weights_sha256 = "unpinned"
quantisation = "F16"
context = 2048

[seats.reasoner]
board = "here"
model = "missing.gguf"
weights_sha256 = "unpinned"
quantisation = "F16"
"""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def planned(*words: str) -> Result:
    return CliRunner(env=WIDE).invoke(plan.command, words, catch_exceptions=False)


def own_boards(folder: Path, more: str = "") -> None:
    model = write_hybrid(folder / "hybrid.gguf")
    (folder / "own.toml").write_text(OWN.format(model=model, program=program(folder), more=more), encoding="utf-8")


def test_without_model_files_it_says_so_and_goes_on() -> None:
    told = planned("v100-two-boards").output
    assert "board-a: 4 x V100-SXM2-32GB, 32 GiB and 900 GB/s each (data sheet)" in told
    assert told.count("is missing") == 2
    assert "--gguf" in told


def test_a_large_model_on_both_boards(tmp_path: Path) -> None:
    hybrid(tmp_path / "m.gguf", QWEN_122B)
    told = planned("v100-two-boards", "--gguf", "m.gguf=122B", "--context", "32768", "--slots", "1").output
    assert told.count("122B: qwen35moe Q8_0, 122.11 B parameters, 9.01 B and 9.69 GB read a token") == 2
    assert "does not fit" in told
    assert "uncalibrated: roofline and published range; roofline" in told
    assert "published: 50 tok/s, Q8_0 on 4 x V100-SXM2-32GB" in told
    assert "from one published figure of another model" in told


def test_context_and_slots_of_the_command_line_count(tmp_path: Path) -> None:
    own_boards(tmp_path, "memory_gib = 1")
    assert "2 slots" in planned("own", "--slots", "2").output
    assert "does not fit" not in planned("own").output
    assert "does not fit" in planned("own", "--slots", "64", "--context", "65536").output


def test_a_file_that_is_no_model_ends_it(tmp_path: Path) -> None:
    (tmp_path / "no.gguf").write_text("no model", encoding="utf-8")
    with pytest.raises(SeatUnavailable, match="not a GGUF file"):
        planned("embedded", "--gguf", "no.gguf")


def test_a_calibration_is_kept_and_planned_with(tmp_path: Path) -> None:
    own_boards(tmp_path)
    words = ["own", "--rounds", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lexforge.llm.planner.calibrating.MEGABYTES", 2)
        done = CliRunner(env=WIDE).invoke(calibrate.command, words, catch_exceptions=False)
    assert "predicted from the others" in done.output
    assert "hybrid.gguf" in done.output
    found = stored("here")
    assert found is not None
    assert {"hybrid.gguf", "probe hybrid", "probe thin", "probe long-F16"} <= {m.model for m in found.measurements}
    assert found.build == program(tmp_path)
    told = planned("own").output
    assert "tok/s, calibrated" in told
    assert "prefill:" in told
    text = (tmp_path / "own.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(text.replace("context = 2048", "context = 2048\nthreads = 2"), encoding="utf-8")
    told = planned("own").output
    assert "it says nothing of this seat" in told
    assert "uncalibrated" in told
