"""Sealed runs: what the audit hook lets through, and that the namespace stops it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lexforge import sealed
from lexforge.errors import ConnectionRefused
from lexforge.local_only import parse_endpoint

ROOT = Path(__file__).parent.parent
REASON = sealed.can_seal()
possible = pytest.mark.skipif(REASON is not None, reason=f"a sealed run is not possible here: {REASON}")


def started(code: str, *words: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import os, signal, socket, sys\nfrom lexforge import local_only, sealed\n{code}",
            *words,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **env},
    )


def run(code: str, *words: str, **env: str) -> tuple[int, str, str]:
    process = started(code, *words, **env)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.strip(), err


@possible
def test_the_same_process_goes_on_inside() -> None:
    process = started("sealed.enter()\nprint(os.getpid(), sealed.is_sealed(), *sys.argv[1:])\nsys.exit(7)", "a b", "-c")
    out, err = process.communicate(timeout=60)
    assert (out.split(), process.returncode, err) == ([str(process.pid), "True", "a", "b", "-c"], 7, "")


@possible
def test_a_signal_ends_it_as_it_ends_any_other() -> None:
    process = started("sealed.enter()\nprint('inside', flush=True)\nsignal.pause()")
    assert process.stdout is not None
    assert process.stdout.readline() == "inside\n"
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM


@possible
def test_entering_again_changes_nothing() -> None:
    assert run("sealed.enter()\nsealed.enter()\nprint(sealed.can_seal(), sealed.interfaces())") == (0, "None ()", "")


@possible
def test_files_are_written_as_the_same_user(tmp_path: Path) -> None:
    assert run(f"sealed.enter()\nopen({str(tmp_path / 'x')!r}, 'w').close()")[0] == 0
    assert (tmp_path / "x").stat().st_uid == os.getuid()


@possible
def test_another_program_is_sealed_by_its_command_line() -> None:
    command = sealed.sealed_command(["cat", "/proc/self/net/dev"])
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert [line.split(":")[0].strip() for line in told.splitlines()[2:]] == ["lo"]
    assert run(f"sealed.enter()\nprint(sealed.sealed_command({['cat']}))") == (0, "['cat']", "")


def test_the_variable_alone_proves_nothing() -> None:
    assert run("print(sealed.is_sealed())", LEXFORGE_SEALED="1") == (0, str(sealed.is_sealed()), "")


@pytest.mark.skipif(sealed.is_sealed(), reason="the tests themselves run sealed")
def test_it_is_not_executed_again_and_again() -> None:
    code, out, err = run("sealed.enter()\nprint('went on')", LEXFORGE_SEALED="1")
    assert (code, out) == (1, "")
    assert "this process can see a network" in err


@pytest.mark.skipif(sealed.is_sealed(), reason="the tests themselves run sealed")
@pytest.mark.parametrize(
    ("program", "told"),
    [
        (None, "unshare (package util-linux) is not installed"),
        (
            "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1",
            "unshare failed: Operation not permitted",
        ),
        ("exit 3", "exit code 3"),
    ],
    ids=["unshare_missing", "namespaces_forbidden", "fails_without_a_word"],
)
def test_it_says_plainly_why_it_cannot(
    program: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if program is not None:
        (tmp_path / "unshare").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (tmp_path / "unshare").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert told in (sealed.can_seal() or "")
    with pytest.raises(ConnectionRefused, match="Nothing was run") as refusal:
        sealed.enter()
    assert told in refusal.value.message


def test_on_another_system_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(sealed, "is_sealed", lambda: False)
    assert "macOS does not have" in (sealed.can_seal() or "")


DEVICES = [
    ("lo", True, "the loopback alone"),
    ("lo eth0", False, "a network card"),
    ("lo wlan0", False, "a network card that is switched off: it can be switched on"),
    ("lo tunl0 sit0", True, "what Linux adds by itself, switched off"),
    ("lo wg0", False, "a tunnel of somebody's"),
]


@pytest.mark.parametrize(("names", "is_sealed", "reason"), DEVICES, ids=[row[0] for row in DEVICES])
def test_which_interfaces_count(
    names: str, is_sealed: bool, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = [f"{name:>6}: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" for name in names.split()]
    (tmp_path / "dev").write_text("\n".join(["Inter-|", " face |", *rows]) + "\n", encoding="utf-8")
    monkeypatch.setattr(sealed, "DEVICES", tmp_path / "dev")
    monkeypatch.setattr(sealed, "_is_up", lambda name: False)
    assert (sealed.interfaces() == ()) is is_sealed


def test_a_system_that_does_not_say_is_not_sealed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sealed, "DEVICES", tmp_path / "missing")
    assert sealed.interfaces() is None
    assert not sealed.is_sealed()


def test_seats_of_a_sealed_run_listen_on_unix_sockets() -> None:
    sealed.require_unix([parse_endpoint("unix:/run/lexforge/workhorse.sock")])
    with pytest.raises(ConnectionRefused, match=r"cannot reach 127\.0\.0\.1:8080\.") as refusal:
        sealed.require_unix(map(parse_endpoint, ["unix:/run/lexforge/workhorse.sock", "127.0.0.1:8080"]))
    assert "unix:/run/lexforge/NAME.sock" in refusal.value.advice


# What the hook does not see, as its module says, and what becomes of it in the namespace.
CTYPES = """
import ctypes
libc = ctypes.CDLL(None)
address = (2).to_bytes(2, sys.byteorder) + port.to_bytes(2, 'big') + socket.inet_aton('127.0.0.1') + bytes(8)
with socket.socket() as own:
    reached = libc.connect(own.fileno(), address, len(address)) == 0
"""
CHILD = """
import subprocess
call = f'import socket; socket.create_connection(("127.0.0.1", {port}), timeout=5)'
reached = subprocess.run([sys.executable, '-c', call], stderr=subprocess.DEVNULL).returncode == 0
"""
PYTHON = """
from lexforge.errors import ConnectionRefused
try:
    socket.create_connection(('127.0.0.1', port), timeout=5)
except (ConnectionRefused, OSError):
    reached = False
else:
    reached = True
"""
LIMITS = [("ctypes", CTYPES, True), ("a child process", CHILD, True), ("Python", PYTHON, False)]


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(("who", "attempt", "past_the_hook"), LIMITS, ids=[row[0] for row in LIMITS])
def test_what_the_hook_alone_lets_through(who: str, attempt: str, past_the_hook: bool, listening: int) -> None:
    code = f"local_only.install()\nport = {listening}{attempt}\nprint(reached, len(local_only.contacted()))"
    assert run(code) == (0, f"{past_the_hook} 0", "")


@possible
@pytest.mark.parametrize(("who", "attempt", "past_the_hook"), LIMITS, ids=[row[0] for row in LIMITS])
def test_nothing_gets_through_the_namespace(who: str, attempt: str, past_the_hook: bool, listening: int) -> None:
    code = f"sealed.enter()\nlocal_only.install()\nport = {listening}{attempt}\nprint(reached)"
    assert run(code) == (0, "False", "")


@possible
def test_a_name_is_looked_up_before_the_hook_is_asked() -> None:
    """CPython resolves what `connect` is given first; tried in the namespace only, where no query can leave."""
    code = """
sealed.enter()
local_only.install()
try:
    socket.socket().connect(('no-such-name.invalid', 80))
except OSError as error:
    print(type(error).__name__, local_only.refused())
"""
    assert run(code) == (0, "gaierror ()", "")


@possible
def test_a_seat_on_a_unix_socket_is_reached_from_inside(tmp_path: Path) -> None:
    code = f"""
sealed.enter()
local_only.install()
with socket.socket(socket.AF_UNIX) as seat:
    seat.connect({str(tmp_path / "seat.sock")!r})
    print(seat.recv(9).decode(), sealed.guard())
"""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "seat.sock"))
        server.listen()
        process = started(code)
        server.settimeout(60)
        caller, _ = server.accept()
        with caller:
            caller.sendall(b"ready")
        out, err = process.communicate(timeout=60)
    contacted = (f"unix:{tmp_path}/seat.sock",)
    assert err == ""
    assert out.strip() == f"ready Guard(hook=True, sealed=True, contacted={contacted!r}, refused=())"


@possible
@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are a feature of Linux")
def test_an_abstract_socket_is_out_of_reach() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("")  # the system gives it an abstract name of its own, unix(7)
        server.listen()
        code = f"""
sealed.enter()
try:
    socket.socket(socket.AF_UNIX).connect({server.getsockname()!r})
except OSError as error:
    print(type(error).__name__)
"""
        assert run(code) == (0, "ConnectionRefusedError", "")
