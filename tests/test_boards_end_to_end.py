"""The main job on real llama-servers: started by `lexforge boards up`, killed in the middle, brought back, swapped."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm.llama_server import program, smollm2
from tests.test_end_to_end import namespace

RUN = [sys.executable, "-c", "from lexforge.cli.main import main; main()"]
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BOARDS = """
[[boards]]
name = "a"
[[boards]]
name = "b"
"""
SEAT = """
[seats.{seat}]
board = "{board}"
engine = "server"
program = "{program}"
model = "{model}"
weights_sha256 = "{sha256}"
quantisation = "Q4_1"
wording = "closed"
context = 2048
slots = {slots}
wait = {wait}
"""


class Rig:
    """A matter, its board file, and the environment in which its servers are started and found."""

    def __init__(self, matter: Path, environment: dict[str, str]) -> None:
        self.matter = matter
        self.environment = environment

    def write_boards(self, folder: Path, wait: float = 60, slots: int = 1) -> None:
        """Both seats served by the 135M model, each by a server of its own."""
        common = {"program": program(folder), "model": smollm2(), "sha256": SHA256, "wait": wait, "slots": slots}
        seats = SEAT.format(seat="workhorse", board="a", **common) + SEAT.format(seat="reasoner", board="b", **common)
        (self.matter / "rig.toml").write_text(BOARDS + seats, encoding="utf-8")
        toml = (self.matter / "matter.toml").read_text(encoding="utf-8")
        if "boards" not in toml:
            (self.matter / "matter.toml").write_text('boards = "rig"\n' + toml, encoding="utf-8")

    def lexforge(self, *words: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*prefix, *RUN, *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment,
            timeout=600,
        )

    def begin(self, *words: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*RUN, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
        )

    def pid(self, seat: str) -> int:
        told = self.lexforge("boards", "status", "--matter", self.matter).stdout
        found = re.search(rf"{seat} +up .*process (\d+)", told)
        assert found, told
        return int(found[1])

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(self.matter / "work" / "matter.db") as db:
            return db.execute(query).fetchall()

    def asked(self) -> list[tuple[object, ...]]:
        """The seats that have answered so far."""
        try:
            return self.rows("select distinct seat from calls")
        except sqlite3.OperationalError:  # the run has only just begun
            return []

    def draft_text(self) -> str:
        text = (self.matter / "work" / "runs" / "1" / "draft.txt").read_text(encoding="utf-8")
        return text.partition("[lexforge")[0]

    def up(self) -> None:
        done = self.lexforge("boards", "up", "--matter", self.matter)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def rig(matter: Path, tmp_path: Path) -> Iterator[Rig]:
    with tempfile.TemporaryDirectory(prefix="lf-") as runtime:  # the path of a UNIX socket must be short
        found = Rig(matter, {**os.environ, "XDG_RUNTIME_DIR": runtime, "COLUMNS": "300"})
        found.write_boards(tmp_path)
        yield found
        found.lexforge("boards", "down")


def kill_after_first_answer(rig: Rig, run: subprocess.Popen[str], seat: str) -> None:
    """End the server of `seat` as soon as the run has an answer of it."""
    pid = rig.pid(seat)
    for _ in range(6000):
        if (seat,) in rig.asked():
            os.kill(pid, 9)
            return
        if run.poll() is not None:
            pytest.fail(f"the run ended before it was disturbed: {run.communicate()[0]}")
        time.sleep(0.02)
    pytest.fail("the run never asked the seat")


def test_a_run_waits_for_a_server_that_was_killed_and_ends_as_an_undisturbed_one(rig: Rig, tmp_path: Path) -> None:
    rig.up()
    undisturbed = rig.lexforge("draft", rig.matter)
    assert undisturbed.returncode in (0, 3), undisturbed.stdout + undisturbed.stderr
    expected = rig.draft_text()
    (rig.matter / "work").rename(tmp_path / "undisturbed")

    run = rig.begin("draft", rig.matter)
    kill_after_first_answer(rig, run, "reasoner")
    rig.up()
    told, _ = run.communicate(timeout=300)
    assert run.returncode == undisturbed.returncode, told
    assert "reasoner is down" in told
    assert rig.draft_text() == expected
    steps = rig.rows("select seat, step, count(*) from calls group by seat, step order by seat, step")
    with sqlite3.connect(tmp_path / "undisturbed" / "matter.db") as db:
        assert (
            steps
            == db.execute("select seat, step, count(*) from calls group by seat, step order by seat, step").fetchall()
        )


def test_a_server_that_never_comes_back_stops_the_run_which_another_seat_never_takes_over(
    rig: Rig, tmp_path: Path
) -> None:
    rig.write_boards(tmp_path, wait=1)
    rig.up()
    run = rig.begin("draft", rig.matter)
    kill_after_first_answer(rig, run, "reasoner")
    told, _ = run.communicate(timeout=300)
    assert run.returncode == 6, told
    assert "The reasoner does not answer" in told
    assert "lexforge boards up" in told
    by_seat = {seat for (seat,) in rig.rows("select distinct seat from calls where step = 'draft' and section = 's2'")}
    assert by_seat <= {"reasoner"}
    assert rig.rows("select body from artifacts where kind = 'SittingEnd'")[-1][0].count('"reason":"down"') == 1  # type: ignore[attr-defined]

    rig.up()
    again = rig.lexforge("draft", rig.matter)
    assert again.returncode in (0, 3), again.stdout + again.stderr
    assert "Run 1, sitting 2: connections refused unless listed, not sealed" in again.stdout
    assert '"hook":true' in str(rig.rows("select body from artifacts where kind = 'SittingEnd'")[-1][0])
    assert "unix:" in again.stdout


def test_a_sealed_run_reaches_its_servers_over_their_sockets_and_nothing_else(rig: Rig) -> None:
    if not namespace():
        pytest.skip("this machine permits no network namespace")
    rig.up()
    done = rig.lexforge("draft", rig.matter, "--sealed")
    assert done.returncode in (0, 3), done.stdout + done.stderr
    assert "sealed, without any network; contacted unix:" in done.stdout


def test_a_sealed_run_with_a_seat_on_a_port_is_refused_before_anything_is_done(rig: Rig) -> None:
    if not namespace():
        pytest.skip("this machine permits no network namespace")
    file = rig.matter / "rig.toml"
    file.write_text(file.read_text(encoding="utf-8") + 'endpoint = "127.0.0.1:9"\n', encoding="utf-8")
    done = rig.lexforge("draft", rig.matter, "--sealed")
    assert done.returncode == 9, done.stdout + done.stderr
    assert "cannot reach 127.0.0.1:9" in done.stderr


def test_without_its_server_nothing_is_drafted(rig: Rig) -> None:
    done = rig.lexforge("draft", rig.matter)
    assert done.returncode == 6
    assert "lexforge boards up" in done.stderr
    assert rig.rows("select count(*) from calls") == [(0,)]


def test_several_matters_end_in_a_report_that_leaves_none_out(rig: Rig, tmp_path: Path) -> None:
    rig.write_boards(tmp_path, wait=0)
    report = tmp_path / "morning.txt"
    second = tmp_path / "second"
    subprocess.run(["cp", "-r", str(rig.matter), str(second)], check=True)
    (second / "rig.toml").unlink()
    third = tmp_path / "third"
    subprocess.run(["cp", "-r", str(rig.matter), str(third)], check=True)
    done = rig.lexforge("draft", second, rig.matter, third, "--report", report)
    assert done.returncode == 6
    lines = report.read_text(encoding="utf-8").splitlines()
    assert [line.partition(": ")[2].partition(":")[0] for line in lines] == ["not drafted", "stopped", "not begun"]
