"""Servers are started, found and stopped; whatever else runs is left alone."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import Board, BoardFile, SeatName
from lexforge.llm.serving import process, state
from lexforge.llm.serving.ending import down
from lexforge.llm.serving.listening import command_line, pid_of
from lexforge.llm.serving.process import endpoint_of, up
from lexforge.llm.serving.state import Running, folder, keep, running, start_time
from lexforge.llm.serving.status import seat_status, status
from tests.llm.llama_server import serve, smollm2
from tests.llm.serving.conftest import MakeBoards

if sys.platform != "linux":
    pytest.skip("servers are started on Linux only", allow_module_level=True)

WORKHORSE, REASONER = SeatName
Script = Callable[[str], str]


@pytest.fixture
def foreign() -> Iterator[subprocess.Popen[str]]:
    """A process of somebody else, ready and waiting; it ignores SIGTERM."""
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        started.stdout.readline()
        yield started
        started.kill()


def kept(of: subprocess.Popen[str], **changes: object) -> Running:
    """What would be written down if that process had been started for the workhorse."""
    true = {
        "name": WORKHORSE,
        "pid": of.pid,
        "started": start_time(of.pid),
        "argv": command_line(of.pid),
        "socket": folder() / "workhorse.sock",
        "model": smollm2(),
        "board": Board(name="cpu"),
        "log": folder() / "workhorse.log",
    }
    return Running.model_validate({**true, **changes})


def test_up_and_down(runtime: Path, one_server: MakeBoards, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    boards, told = one_server(slots=2), list[str]()
    runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(runtime / "workhorse.sock"))
    with serve(tmp_path, smollm2(), ctx_size=512) as (elsewhere, foreign):
        (server,) = up(boards, told.append)
        assert told[0] == "workhorse: checking its model file"
        assert running(WORKHORSE) == server
        assert endpoint_of(WORKHORSE, boards.seats[WORKHORSE]) == f"unix:{runtime}/workhorse.sock"
        assert pid_of(server.endpoint) == server.pid != foreign.pid
        assert os.getsid(server.pid) == server.pid, "Ctrl-C in this terminal does not reach it"
        assert stat.S_IMODE(runtime.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) & 0o077 for file in runtime.glob("workhorse*")} == {0}

        found = seat_status(WORKHORSE, boards.seats[WORKHORSE])
        assert found.notes == ()
        assert (found.state, found.pid, found.alias, found.context, found.slots, found.busy) == (
            *("up", server.pid, "workhorse", 512, 2, 0),
        )
        assert up(boards) == [server], "it runs already"
        (state.slots(WORKHORSE) / "seed").write_bytes(b"client text")

        (stopped,) = down()
        assert stopped.how == f"stopped (process {server.pid})"
        assert foreign.poll() is None
        assert pid_of(elsewhere) == foreign.pid
    assert {file.name for file in runtime.rglob("*")} == {"lock", "workhorse.log"}
    assert down() == [], "a second time there is nothing to do"
    assert seat_status(WORKHORSE, boards.seats[WORKHORSE]).state == "down"


def test_other_settings_are_not_served_and_not_ended(runtime: Path, one_server: MakeBoards) -> None:
    pytest.importorskip("xllamacpp")
    (server,) = up(one_server())
    with pytest.raises(SeatUnavailable, match="--ctx-size 512 became --ctx-size 1024") as refused:
        up(one_server(context=1024))
    assert refused.value.code == "other_settings"
    assert "boards down" in refused.value.advice
    assert running(WORKHORSE) == server
    found = seat_status(WORKHORSE, one_server(context=1024, slots=2).seats[WORKHORSE])
    assert found.state == "unknown"
    assert found.notes == (
        "A slot holds 512 tokens, the board file says 1024.",
        "It has 1 slots, the board file says 2.",
    )


def test_the_same_command_line_on_other_cards(runtime: Path, one_server: MakeBoards, script: Script) -> None:
    def on(*accelerators: int) -> BoardFile:
        boards = one_server(program=script(f"""exec "{sys.executable}" -c 'import signal; signal.pause()' "$@" """))
        return boards.model_copy(update={"boards": (Board(name="cpu", accelerators=accelerators),)})

    with pytest.raises(SeatUnavailable, match="did not answer"):
        up(on(4, 5), limit=0.1)
    with pytest.raises(SeatUnavailable, match=r"accelerators \(4, 5\) became board cpu with accelerators \(6, 7\)"):
        up(on(6, 7), limit=0.1)


RECYCLED: list[tuple[dict[str, object], str]] = [
    ({"started": 1}, "another process got the number"),
    ({"argv": ("llama-server", "--model", "x")}, "same number and start, another command line"),
    ({"argv": ("llama-server", *"abcdefgh")}, "a longer command line than the process has"),
]


@pytest.mark.parametrize(("changes", "reason"), RECYCLED, ids=[row[1] for row in RECYCLED])
def test_a_process_that_is_not_ours_is_left_alone(
    changes: dict[str, object], reason: str, runtime: Path, foreign: subprocess.Popen[str]
) -> None:
    keep(kept(foreign, **changes))
    assert running(WORKHORSE) is None
    (stopped,) = down(limit=0.1)
    assert stopped.how == f"had ended already; {foreign.pid} is another process now, which was left alone"
    assert foreign.poll() is None, reason
    assert down() == []


def test_a_process_that_has_ended(runtime: Path, foreign: subprocess.Popen[str]) -> None:
    keep(kept(foreign))
    assert running(WORKHORSE) is not None
    foreign.kill()
    foreign.wait()
    assert running(WORKHORSE) is None
    assert [stopped.how for stopped in down()] == ["had ended already"]


def test_a_server_that_does_not_end_is_killed(runtime: Path, foreign: subprocess.Popen[str]) -> None:
    keep(kept(foreign))
    assert [stopped.how for stopped in down([REASONER], limit=0.1)] == []
    (stopped,) = down(limit=0.1)
    assert stopped.how == f"killed (process {foreign.pid}): it did not end within 0 s"
    assert foreign.wait() == -signal.SIGKILL


def test_a_program_that_dies_at_once(runtime: Path, one_server: MakeBoards, script: Script) -> None:
    boards = one_server(program=script('echo "loading" >&2; echo "error: no memory left for $2" >&2; exit 1'))
    with pytest.raises(SeatUnavailable) as refused:
        up(boards)
    assert refused.value.code == "not_started"
    assert f"loading\n  error: no memory left for {smollm2()}\n" in refused.value.message
    assert str(runtime / "workhorse.log") in refused.value.advice
    assert running(WORKHORSE) is None
    assert down() == []


def test_a_server_refuses_an_option_it_does_not_know(runtime: Path, one_server: MakeBoards, script: Script) -> None:
    pytest.importorskip("xllamacpp")
    boards = one_server(program=script(f'exec "{one_server().seats[WORKHORSE].program}" "$@" --no-such-option'))
    with pytest.raises(SeatUnavailable, match="error: invalid argument: --no-such-option"):
        up(boards)


def test_a_server_that_never_answers_is_left_running(runtime: Path, one_server: MakeBoards, script: Script) -> None:
    wait = script(f"""exec "{sys.executable}" -c 'import signal; signal.pause()' "$@" """)
    boards = one_server(program=wait)
    with pytest.raises(SeatUnavailable, match=r"did not answer within 0 s\. It wrote nothing\.") as refused:
        up(boards, limit=0.3)
    assert refused.value.code == "not_started"
    server = running(WORKHORSE)
    assert server is not None
    found = seat_status(WORKHORSE, boards.seats[WORKHORSE])
    assert (found.state, found.pid) == ("loading", server.pid)
    assert [stopped.how for stopped in down()] == [f"stopped (process {server.pid})"]
    assert command_line(server.pid) is None


def test_a_script_that_stays_before_the_server(runtime: Path, one_server: MakeBoards, script: Script) -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(SeatUnavailable, match="in another process") as refused:
        up(one_server(program=script(f'"{one_server().seats[WORKHORSE].program}" "$@"; exit $?')))
    assert "exec llama-server" in refused.value.advice
    behind = pid_of(f"unix:{runtime}/workhorse.sock")
    assert behind is not None
    os.kill(behind, signal.SIGTERM)


def test_a_socket_that_somebody_answers(runtime: Path, one_server: MakeBoards) -> None:
    runtime.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(runtime / "workhorse.sock"))
        other.listen()
        with pytest.raises(SeatUnavailable, match=f"answered by process {os.getpid()}") as refused:
            up(one_server())
        assert refused.value.code == "in_use"
        assert pid_of(f"unix:{runtime}/workhorse.sock") == os.getpid(), "still there"


def test_a_wrong_file_is_noticed_before_anything_starts(
    runtime: Path, one_server: MakeBoards, script: Script, tmp_path: Path
) -> None:
    boards = one_server(weights_sha256="0" * 64, program=script(f'touch "{tmp_path}/ran"'))
    with pytest.raises(SeatUnavailable) as refused:
        up(boards)
    assert refused.value.code == "hash_differs"
    assert not (tmp_path / "ran").exists()


def test_nothing_is_started_unless_everything_can_be(
    runtime: Path, one_server: MakeBoards, script: Script, tmp_path: Path
) -> None:
    first = one_server(program=script(f'touch "{tmp_path}/ran"'))
    second = one_server(program="/nowhere").seats[WORKHORSE]
    boards = first.model_copy(update={"seats": {WORKHORSE: first.seats[WORKHORSE], REASONER: second}})
    with pytest.raises(SeatUnavailable, match="program of the reasoner"):
        up(boards)
    assert not (tmp_path / "ran").exists()


def test_a_program_that_is_not_there(runtime: Path, one_server: MakeBoards) -> None:
    with pytest.raises(SeatUnavailable, match="/nowhere/llama-server") as refused:
        up(one_server(program="/nowhere/llama-server"))
    assert refused.value.code == "program_missing"


def test_a_program_that_cannot_be_executed(runtime: Path, one_server: MakeBoards, tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"\x7fELF and nothing more")
    (tmp_path / "broken").chmod(0o755)
    with pytest.raises(SeatUnavailable, match="/broken: Exec format error") as refused:
        up(one_server(program=str(tmp_path / "broken")))
    assert refused.value.code == "not_started"


def test_a_folder_that_others_may_open(runtime: Path, one_server: MakeBoards) -> None:
    runtime.mkdir(mode=0o755)
    with pytest.raises(SeatUnavailable, match="open to other users"):
        up(one_server())
    runtime.chmod(0o700)


def test_a_path_too_long_for_a_socket(runtime: Path, one_server: MakeBoards, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(runtime.parent / ("x" * 100)))
        with pytest.raises(SeatUnavailable, match="107 bytes") as refused:
            up(one_server())
    assert "XDG_RUNTIME_DIR" in refused.value.advice


def test_without_a_runtime_folder_the_cache_is_used(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delenv("XDG_RUNTIME_DIR")
        assert folder() == tmp_path / "cache" / "lexforge" / "run"


def test_a_state_that_cannot_be_read(runtime: Path) -> None:
    (folder() / "workhorse.json").write_text("{", encoding="utf-8")
    with pytest.raises(SeatUnavailable, match="cannot be read"):
        down()
    (folder() / "workhorse.json").unlink()


def test_a_seat_that_somebody_else_serves(runtime: Path, one_server: MakeBoards, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    with serve(tmp_path, smollm2(), alias="theirs", ctx_size=512, context_shift=True) as (endpoint, foreign):
        boards = one_server(endpoint=endpoint)
        assert process.ours(boards) == {}
        assert up(boards) == []
        assert endpoint_of(WORKHORSE, boards.seats[WORKHORSE]) == endpoint
        found, embedded = status(boards)
        assert (found.state, found.pid, found.alias) == ("unknown", foreign.pid, "theirs")
        assert found.notes == ("--context-shift: drops the beginning of the evidence without a word",)
        assert embedded.state == "embedded"
        assert down() == []
        assert foreign.poll() is None
    assert seat_status(WORKHORSE, boards.seats[WORKHORSE]).state == "down"


def test_what_answers_is_no_llama_server(runtime: Path, one_server: MakeBoards) -> None:
    runtime.mkdir(mode=0o700)
    with subprocess.Popen(
        [sys.executable, "-c", NOT_A_SERVER, str(runtime / "x.sock")], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        found = seat_status(WORKHORSE, one_server(endpoint=f"unix:{runtime}/x.sock").seats[WORKHORSE])
        other.kill()
    assert (found.state, found.pid) == ("unknown", other.pid)
    assert "404" in found.notes[0]


NOT_A_SERVER = """
import http.server, socketserver, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(404)
    def address_string(self):
        return ""
    def log_message(self, *_):
        pass

server = socketserver.UnixStreamServer(sys.argv[1], Handler)
print("ready", flush=True)
server.serve_forever()
"""
