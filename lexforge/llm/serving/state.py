"""The servers that LexForge started for this user: what is kept of each, and whether it still runs (Linux)."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from lexforge.config import cache
from lexforge.domain.record import Record
from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import Board, SeatName
from lexforge.llm.serving.listening import PROC, command_line, listens


class Running(Record):
    """A server that was started for a seat.

    `started` is when, in clock ticks since the machine was booted: a process that got the same number later has
    another. `argv` is what it was started with, program first; `model` the first shard; `log` its output.
    """

    name: SeatName
    pid: int
    started: int
    argv: tuple[str, ...]
    socket: Path
    model: Path
    board: Board
    log: Path

    @property
    def endpoint(self) -> str:
        """Where it listens, as board files and `lexforge.toml` write it."""
        return f"unix:{self.socket}"

    @property
    def is_alive(self) -> bool:
        """Whether that process runs, and not another one that got its number.

        A program that is a script which executes another is shown with an interpreter and another program.
        """
        told = command_line(self.pid) or ()
        return start_time(self.pid) == self.started and told[len(told) - len(self.argv) + 1 :] == self.argv[1:]


def start_time(pid: int) -> int | None:
    """When a process was started, in clock ticks since boot (proc_pid_stat(5), field 22); None when it has ended."""
    try:
        # The second field is the program's name in parentheses and may hold anything.
        fields = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def folder() -> Path:
    """Where sockets, states, logs and saved slots lie, for this user alone: slots and logs may hold client text.

    `$XDG_RUNTIME_DIR/lexforge` lies in memory and is gone after a restart; without it, `run` of the cache folder.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    path = Path(runtime).absolute() / "lexforge" if runtime else cache().absolute() / "run"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat()
    except OSError as error:
        raise SeatUnavailable(
            "not_started",
            f"The folder {path}, where servers listen, cannot be made: {error.strerror}.",
            "Set XDG_RUNTIME_DIR to a folder that only you may write to.",
        ) from None
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise SeatUnavailable(
            "not_started",
            f"The folder {path}, where servers listen, is open to other users of this machine.",
            f"Make it yours alone: chown it to yourself and `chmod 700 {path}`.",
        )
    return path


@contextmanager
def alone() -> Iterator[None]:
    """Nobody else of this user starts or stops a server meanwhile."""
    with (folder() / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read(name: SeatName) -> Running | None:
    """What is kept of a seat's server, alive or not; None when none was started."""
    try:
        return Running.model_validate_json(_file(name).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise SeatUnavailable(
            "not_started",
            f"{_file(name)}, which says what was started for the {name.value}, cannot be read.",
            "End that server yourself if it runs, then delete the file.",
        ) from None


def running(name: SeatName) -> Running | None:
    """The server that was started for a seat and still runs."""
    kept = read(name)
    return kept if kept is not None and kept.is_alive else None


def keep(server: Running) -> None:
    """Write down what was started, whole or not at all; OSError when it cannot be."""
    file = _file(server.name)
    temporary = file.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    temporary.touch(mode=0o600)
    temporary.write_text(server.model_dump_json(), encoding="utf-8")
    temporary.replace(file)


def forget(server: Running) -> None:
    """Remove what a server left: its state, its socket and the slots it saved. The log stays."""
    shutil.rmtree(slots(server.name), ignore_errors=True)
    if not listens(server.socket):
        server.socket.unlink(missing_ok=True)
    _file(server.name).unlink(missing_ok=True)


def slots(name: SeatName) -> Path:
    """The folder of a seat's saved slots."""
    path = folder() / f"{name.value}.slots"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def _file(name: SeatName) -> Path:
    return folder() / f"{name.value}.json"
