"""`lexforge doctor`: each check can pass and can fail, and only a FAIL changes the exit code."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from lexforge import local_only, sealed
from lexforge.cli import checks
from lexforge.cli.checks import GIB, Mark
from lexforge.local_only import TRACING_VARIABLES

WEIGHTS = b"GGUF, but not really"
PINNED = hashlib.sha256(WEIGHTS).hexdigest()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with one board file, and no file of the user's own within reach."""
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.delenv("LEXFORGE_MATTERS", raising=False)
    for name in [name for name in os.environ if name.startswith(("LANGSMITH_", "LANGCHAIN_"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "weights.gguf").write_bytes(WEIGHTS)
    board_file(folder, PINNED)
    return folder


def board_file(folder: Path, sha256: str, more: str = "", model: str = "weights.gguf") -> None:
    seat = f'board = "cpu"\nmodel = "{model}"\nweights_sha256 = "{sha256}"\nquantisation = "Q4_1"\n{more}\n'
    text = f'[[boards]]\nname = "cpu"\n[seats.workhorse]\n{seat}[seats.reasoner]\n{seat}'
    (folder / "here.toml").write_text(text, encoding="utf-8")


def doctor(*words: str, **env: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", "from lexforge.cli.main import main; main()", "doctor", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_place_where_all_is_well(place: Path) -> None:
    code, lines = doctor("--boards", "here")
    assert code == 0, lines
    assert {line[:5] for line in lines} <= {"ok   ", "note "}
    for told in (
        "ok   no client of a hosted model can be imported",
        "ok   tracing is off",
        "ok   connections are refused in this process; listed endpoints: none",
        f"ok   workhorse: weights.gguf, sha256 {PINNED[:16]} as pinned",
        f"ok   reasoner: weights.gguf, sha256 {PINNED[:16]} as pinned",
    ):
        assert told in lines


def test_a_file_that_is_not_the_pinned_one(place: Path) -> None:
    board_file(place, "0" * 64)
    code, lines = doctor("--boards", "here")
    assert code == 1
    wrong = [line for line in lines if line.startswith("FAIL")]
    assert [f"sha256 {PINNED}" in line for line in wrong] == [True, True]


@pytest.mark.parametrize(("endpoint", "mark"), [("10.0.0.2:8080", "note"), ("127.0.0.1:8080", "FAIL")])
def test_a_model_file_on_the_machine_of_its_server(endpoint: str, mark: str, place: Path) -> None:
    board_file(place, PINNED, f'engine = "server"\nendpoint = "{endpoint}"', "/srv/models/big.gguf")
    _, lines = doctor("--boards", "here")
    assert {line[:4] for line in lines if "/srv/models/big.gguf" in line} == {mark}


def test_a_board_file_that_is_not_there(place: Path) -> None:
    code, lines = doctor("--boards", "elsewhere")
    assert code == 1
    assert any(line.startswith("FAIL No board file elsewhere.toml") for line in lines)
    assert any("tesseract" in line for line in lines), "the other checks are made all the same"


def test_a_shell_that_sets_tracing_is_told(place: Path) -> None:
    code, lines = doctor("--boards", "here", LANGSMITH_TRACING="true", LANGCHAIN_API_KEY="secret")
    assert code == 0
    assert "note tracing is off in LexForge, but your shell sets LANGCHAIN_API_KEY, LANGSMITH_TRACING" in lines


@pytest.mark.parametrize(
    ("variable", "value", "mark"),
    [
        ("LANGSMITH_TRACING", "false", Mark.OK),
        ("LANGSMITH_TRACING", "true", Mark.FAIL),
        ("LANGCHAIN_ENDPOINT", "http://192.0.2.1", Mark.FAIL),
        ("LANGUAGE", "en", Mark.OK),
    ],
)
def test_tracing(variable: str, value: str, mark: Mark, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is in this process: the command line has switched it off by then."""
    for name in TRACING_VARIABLES:
        monkeypatch.setenv(name, "false")
    monkeypatch.setattr(local_only, "tracing_found", tuple)
    monkeypatch.setenv(variable, value)
    assert checks.tracing().mark is mark


def test_listed_endpoints(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as seat:
        seat.bind("seat.sock")
        there, missing = f"unix:{place}/seat.sock", f"unix:{place}/gone.sock"
        (place / "lexforge.toml").write_text(f'endpoints = ["{there}", "{missing}", "10.0.0.2:8080"]\n')
        code, lines = doctor("--boards", "here")
    assert code == 0
    assert f"ok   connections are refused in this process; listed endpoints: {there}, {missing}, 10.0.0.2:8080" in lines
    assert [line for line in lines if "no such socket" in line] == [
        f"note {missing}: there is no such socket; start the llama-server of that seat"
    ]
    beyond = [line for line in lines if "cannot reach 10.0.0.2:8080" in line]
    assert len(beyond) == (sealed.can_seal() is None)


@pytest.mark.parametrize(
    ("reason", "is_sealed", "line"),
    [
        ("the program unshare is missing", False, "note a sealed run is not possible: the program unshare is missing"),
        (None, False, "ok a sealed run is possible"),
        (None, True, "ok this process is sealed: no network"),
    ],
)
def test_sealed(reason: str | None, is_sealed: bool, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "can_seal", lambda: reason)
    monkeypatch.setattr(sealed, "is_sealed", lambda: is_sealed)
    assert line in [f"{mark.value} {told}" for mark, told in checks.network([])]


@pytest.mark.parametrize(
    ("available", "mark", "told"),
    [
        (3 * GIB, Mark.OK, "free memory: 3.0 GiB; the model files take 1.0 GiB, and 2 GiB are wanted beside them"),
        (3 * GIB - 1, Mark.NOTE, "free memory: 3.0 GiB"),
        (None, Mark.NOTE, "free memory: this system does not say"),
    ],
)
def test_memory(available: int | None, mark: Mark, told: str, tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    with model.open("wb") as file:
        file.truncate(GIB)  # it takes no space on the disk
    line = checks.memory([model, tmp_path / "." / "model.gguf"], available)
    assert line.mark is mark
    assert line.told.startswith(told)


WORK = "place/matters/orchard/work"
MODES = [
    ({WORK: 0o700, f"{WORK}/matter.db": 0o600}, "ok {matter}/work is closed to other users"),
    ({WORK: 0o755, f"{WORK}/matter.db": 0o600}, "FAIL {matter}/work is open to other users: run `chmod"),
    ({WORK: 0o750, f"{WORK}/matter.db": 0o600}, "FAIL {matter}/work is open to other users: run `chmod"),
    ({WORK: 0o700, f"{WORK}/matter.db": 0o640}, "note {matter}/work is closed, but not what lies in it (matter.db)"),
    ({"data/lexforge": 0o700, "data/lexforge/register.db": 0o600}, "ok {top}/data/lexforge is closed"),
    ({"data/lexforge": 0o755, "data/lexforge/register.db": 0o600}, "FAIL {top}/data/lexforge is open"),
    ({"config/lexforge": 0o755, "config/lexforge/lexforge.toml": 0o644}, "note {top}/config/lexforge is open"),
    ({"config/lexforge": 0o755, "config/lexforge/lexforge.toml": 0o666}, "FAIL {top}/config/lexforge is open"),
    ({"cache/lexforge": 0o777, "cache/lexforge/known.json": 0o600}, "FAIL {top}/cache/lexforge is open"),
    ({"cache/lexforge": 0o700, "cache/lexforge/known.json": 0o666}, "note {top}/cache/lexforge is closed, but not"),
]


@pytest.mark.parametrize(("modes", "expected"), MODES)
def test_permissions(modes: dict[str, int], expected: str, place: Path) -> None:
    (place / "matters" / "orchard").mkdir(parents=True)
    (place / "matters" / "orchard" / "matter.toml").touch()
    for name in modes:
        path = place.parent / name
        if path.suffix:
            path.touch()
        else:
            path.mkdir(parents=True)
    for name, mode in modes.items():
        (place.parent / name).chmod(mode)
    (line,) = checks.permissions()
    assert f"{line.mark.value} {line.told}".startswith(expected.format(matter="matters/orchard", top=place.parent))


def test_a_link_out_of_the_work_folder_is_not_followed(place: Path) -> None:
    work = place / "matters" / "orchard" / "work"
    work.mkdir(parents=True)
    (work.parent / "matter.toml").touch()
    work.chmod(0o700)
    (work / "link").symlink_to(place)
    assert [line.mark for line in checks.permissions()] == [Mark.OK]


def test_many_files_are_counted_not_listed(place: Path) -> None:
    work = place / "matters" / "a b" / "work"
    work.mkdir(parents=True)
    (work.parent / "matter.toml").touch()
    work.chmod(0o700)
    for number in range(5):
        (work / f"{number}.txt").touch()
        (work / f"{number}.txt").chmod(0o644)
    (line,) = checks.permissions()
    assert "(0.txt, 1.txt, 2.txt and 2 more)" in line.told
    assert line.told.endswith("run `chmod -R go-rwx 'matters/a b/work'`")


def test_matters_kept_elsewhere_are_looked_at_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = place.parent / "firm" / "orchard" / "work"
    work.mkdir(parents=True)
    work.chmod(0o755)
    (work.parent / "matter.toml").touch()
    monkeypatch.setenv("LEXFORGE_MATTERS", str(place.parent / "firm"))
    assert [line.mark for line in checks.permissions()] == [Mark.FAIL]


def test_programs_that_are_missing_are_no_failure(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [line.mark for line in checks.programs()] == [Mark.NOTE, Mark.NOTE]
