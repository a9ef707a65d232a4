"""`lexforge boards`: servers from the command line, and units for systemd.

Run as a program it writes the expected units again: `python -m tests.cli.test_boards`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from lexforge.cli.boards.group import command
from lexforge.cli.boards.units import Told, argument, quoted, unit
from lexforge.llm.boards import Board, BoardFile, Engine, SeatConfig, SeatName
from tests.cli.test_commands import lexforge
from tests.llm.llama_server import program, smollm2
from tests.llm.serving.conftest import SMOLLM2

GOLDEN = Path(__file__).parent / "golden"
SEAT = """
[seats.{name}]
board = "cpu"
engine = "server"
model = "{model}"
weights_sha256 = "{sha256}"
quantisation = "Q4_1"
context = 512
program = "{program}"
"""
WORKHORSE, REASONER = SeatName


Boards = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[Boards]:
    """Calls `lexforge boards` with sockets and caches of its own; its servers are stopped."""
    with tempfile.TemporaryDirectory(prefix="lf-") as short:
        other = str(tmp_path / "other")
        env = {"XDG_RUNTIME_DIR": short, "XDG_CACHE_HOME": other, "XDG_CONFIG_HOME": other}

        def call(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
            return lexforge("boards", *words, cwd=cwd, **env)

        yield call
        if (Path(short) / "lexforge").exists():
            call("down")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a board file `two.toml`: both seats small servers, in a path with a space."""
    place = tmp_path / "my servers"
    place.mkdir()
    seats = [SEAT.format(name=name.value, model=smollm2(), sha256=SMOLLM2, program=program(place)) for name in SeatName]
    (place / "two.toml").write_text('[[boards]]\nname = "cpu"\n' + "".join(seats), encoding="utf-8")
    return place


@pytest.mark.skipif(sys.platform != "linux", reason="servers are started on Linux only")
def test_a_day_with_two_servers(boards: Boards, folder: Path) -> None:
    pytest.importorskip("xllamacpp")
    done = boards("up", "two", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(\w+): up at unix:\S+, process \d+, SmolLM2", done.stdout, re.M) == ["workhorse", "reasoner"]

    done = boards("status", "two", cwd=folder)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stdout
    for name, line in zip(SeatName, lines, strict=True):
        assert re.search(
            rf"^{name.value} +up +unix:\S+/{name.value}\.sock  process \d+  calls itself {name.value}  ", line
        )
        assert "512 tokens a slot  0 of 1 slots busy" in line

    done = boards("down", "--seat", "reasoner")
    assert re.fullmatch(r"reasoner: stopped \(process \d+\)\n", done.stdout)
    done = boards("status", "two", "--seat", "reasoner", cwd=folder)
    assert done.returncode == 6
    assert "The reasoner is down" in done.stderr
    done = boards("status", "two", "--seat", "workhorse", "--wait", "5", cwd=folder)
    assert done.returncode == 0, done.stderr

    assert "workhorse: stopped" in boards("down").stdout
    assert boards("down").stdout.startswith("Nothing to stop")


def test_embedded_seats_need_no_server(boards: Boards) -> None:
    done = boards("up")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(f"{name.value}: embedded; it needs no server\n" for name in SeatName)
    assert boards("status").stdout.startswith("workhorse  embedded")
    assert boards("units").stdout == "No seat of this board file is served by a llama-server.\n"


def test_the_board_file_of_a_matter(boards: Boards, folder: Path, matter: Path) -> None:
    toml = matter / "matter.toml"
    toml.write_text('boards = "two"\n' + toml.read_text(encoding="utf-8"), encoding="utf-8")
    shutil.copy(folder / "two.toml", matter)
    done = boards("status", "--matter", matter)
    assert [line.split()[:2] for line in done.stdout.splitlines()[::2]] == [["workhorse", "down"], ["reasoner", "down"]]


@pytest.mark.parametrize(
    ("words", "told", "reason"),
    [
        (("status", "--wait", "1"), "go with --seat", "waiting for which?"),
        (("status", "--seat", "judge"), "'judge' is not one of 'workhorse', 'reasoner'", "no such seat"),
        (("status", "--seat", "reasoner", "--endpoint", "8.8.8.8:80"), "not a loopback or private", "not this machine"),
        (("sideways",), "No such command 'sideways'", "no such command"),
    ],
)
def test_a_command_line_that_is_not_understood(words: tuple[str, ...], told: str, reason: str) -> None:
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 2, reason
    assert told in done.stderr


# -- units -------------------------------------------------------------------------------------------------------


def two_boards() -> BoardFile:
    """One seat on the CPU, one on four cards."""

    def seat(board: str) -> SeatConfig:
        given = {"board": board, "engine": Engine.SERVER, "model": "m", "weights_sha256": "0" * 64, "slots": 2}
        return SeatConfig.model_validate({**given, "quantisation": "Q8_0", "context": 8192})

    return BoardFile(
        boards=(Board(name="cpu"), Board(name="left", accelerators=(4, 5, 8, 9))),
        seats={WORKHORSE: seat("cpu"), REASONER: seat("left")},
    )


def written(name: SeatName) -> str:
    """The unit of a seat, on a machine whose paths need care."""
    told = Told(
        user="una",
        program="/opt/llama cpp/llama-server",
        model=Path("/home/una/models/100% $mine.gguf"),
        probe=("/home/una/env/bin/lexforge", "boards", "status", "two boards.toml", "--seat", name.value),
        readable=(Path("/home/una/env"), Path("/home/una/models/100% $mine.gguf")),
    )
    return unit(two_boards(), name, told)


def golden(name: SeatName) -> Path:
    return GOLDEN / f"lexforge-{name.value}.service"


@pytest.mark.parametrize("name", SeatName)
def test_the_unit_of_a_seat(name: SeatName) -> None:
    assert written(name) == golden(name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "in_a_unit", "in_a_command", "reason"),
    [
        ("/opt/llama", "/opt/llama", "/opt/llama", "nothing to do"),
        ("/a b", '"/a b"', '"/a b"', "one word"),
        ("100%", "100%%", "100%%", "no specifier"),
        ("$HOME", "$HOME", "$$HOME", "no variable; only command lines have them"),
        ('say "x"', '"say \\"x\\""', '"say \\"x\\""', "quotation marks are kept"),
        ("it's", '"it\'s"', '"it\'s"', "an apostrophe opens no quotation"),
        ("a\\b", '"a\\\\b"', '"a\\\\b"', "a backslash is kept"),
        ("a;b", '"a;b"', '"a;b"', "a semicolon separates no commands"),
        ("", '""', '""', "an empty word is a word"),
    ],
)
def test_quoting(text: str, in_a_unit: str, in_a_command: str, reason: str) -> None:
    assert (quoted(text), argument(text)) == (in_a_unit, in_a_command), reason


def test_units_are_written_and_systemd_understands_them(boards: Boards, folder: Path) -> None:
    toml = folder / "two.toml"
    text = toml.read_text(encoding="utf-8") + 'endpoint = "10.1.2.3:8080"\n'
    toml.write_text(text, encoding="utf-8")
    done = boards("units", "two", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert 'endpoint = "unix:/run/lexforge/workhorse/llama-server.sock" under [seats.workhorse]' in done.stdout
    assert "reasoner: left out, its board file says that it is at 10.1.2.3:8080" in done.stdout
    path = folder / "units" / "lexforge-workhorse.service"
    assert list(path.parent.iterdir()) == [path]
    assert f' status "{toml}" --seat workhorse ' in path.read_text(encoding="utf-8")
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    looked = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
    assert (looked.returncode, looked.stderr) == (0, "")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for seat_name in SeatName:
        golden(seat_name).write_text(written(seat_name), encoding="utf-8")
