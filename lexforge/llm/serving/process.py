"""Starting the servers of a board file, and finding them again."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import Board, BoardFile, Engine, SeatConfig, SeatName
from lexforge.llm.server import ServerClient
from lexforge.llm.serving import command
from lexforge.llm.serving.command import Places
from lexforge.llm.serving.listening import argv_of, listens, pid_of
from lexforge.llm.serving.state import Running, alone, folder, forget, keep, read, running, slots, start_time
from lexforge.llm.weights import locate
from lexforge.local_only import parse_endpoint

__all__ = ["argv_of", "endpoint_of", "ours", "running", "up"]

LOADING_LIMIT = 1800.0
"""Seconds a server may take to load: 130 GB from a disk of 150 MB/s take a quarter of an hour."""
QUOTED_LINES = 8
ENDED = -1
"""In place of the start of a process that had ended before it could be looked at: no process matches it."""

Told = Callable[[str], None]


class _Order(NamedTuple):
    """A server that is to run, and what is kept of an earlier one."""

    name: SeatName
    board: Board
    at: Places
    argv: tuple[str, ...]
    earlier: Running | None


_Starting = tuple[Running, "subprocess.Popen[bytes] | None"]


def silently(_: str) -> None:
    """Tell nobody."""


def endpoint_of(name: SeatName, seat: SeatConfig) -> str:
    """Where a seat is to be asked; SeatUnavailable `down` when nobody was started for it."""
    if seat.endpoint:
        return seat.endpoint
    if server := running(name):
        return server.endpoint
    raise SeatUnavailable("down", f"No server runs for the {name.value}.", "Run `lexforge boards up`.")


def ours(boards: BoardFile) -> dict[SeatName, SeatConfig]:
    """The seats whose server is started here: not the embedded ones, and not those that somebody else keeps running."""
    return {name: seat for name, seat in boards.seats.items() if seat.engine is Engine.SERVER and not seat.endpoint}


def up(boards: BoardFile, told: Told = silently, limit: float = LOADING_LIMIT) -> list[Running]:
    """Start a server for each seat of `ours` that has none, and wait until all answer.

    SeatUnavailable before anything is started when a model file is not the pinned one (codes of `weights.locate`), a
    program is missing (`program_missing`), a seat is served with other settings (`other_settings`) or its socket is
    answered by somebody else (`in_use`); `not_started` when a server ends or does not answer within `limit` seconds.
    """
    if sys.platform != "linux":
        raise SeatUnavailable(
            "not_started",
            "Servers are started and stopped by Linux's table of processes, which this machine does not have.",
            "Start llama-server yourself and name its address under `endpoint` in the board file.",
        )
    seats = ours(boards)
    models = {}
    for name, seat in seats.items():
        told(f"{name.value}: checking its model file")
        models[name] = locate(seat, name.value).absolute()
    with alone():
        orders = [_order(name, seat, boards.board_of(name), models[name]) for name, seat in seats.items()]
        starting = [_started(order) for order in orders]
    return [_wait(one, told, limit) for one in starting]


def _order(name: SeatName, seat: SeatConfig, board: Board, model: Path) -> _Order:
    at = Places(program=_program(seat, name), model=model, socket=_socket(name), slots=slots(name))
    order = _Order(name, board, at, command.argv(seat, board, name, at), read(name))
    if order.earlier and order.earlier.is_alive:
        _require_as_ordered(order.earlier, order)
    else:
        _free(at.socket, name)
    return order


def _require_as_ordered(server: Running, order: _Order) -> None:
    where, was = (f"board {b.name} with accelerators {b.accelerators}" for b in (order.board, server.board))
    changed = _difference(server.argv, order.argv) or ("" if where == was else f"{was} became {where}")
    if changed:
        raise SeatUnavailable(
            "other_settings",
            f"The {order.name.value} is served already (process {server.pid}), with other settings than the board file "
            f"asks for: {changed}.",
            "Run `lexforge boards down` first, then `lexforge boards up` again.",
        )


def _program(seat: SeatConfig, name: SeatName) -> str:
    found = shutil.which(Path(seat.program).expanduser())
    if found is None:
        raise SeatUnavailable(
            "program_missing",
            f"The program of the {name.value} is not installed or not executable: {seat.program}.",
            "Build llama.cpp's llama-server and name its path under `program` in the board file.",
        )
    return str(Path(found).absolute())


def _socket(name: SeatName) -> Path:
    path = folder() / f"{name.value}.sock"
    try:
        parse_endpoint(f"unix:{path}")
    except ValueError as error:
        raise SeatUnavailable(
            "not_started", f"The {name.value} cannot listen: {error}.", "Set XDG_RUNTIME_DIR to a shorter path."
        ) from None
    return path


def _difference(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """The options of the one that are not in the other."""
    was, is_now = _options(old), _options(new)
    gone, come = [one for one in was if one not in is_now], [one for one in is_now if one not in was]
    return f"{' '.join(gone) or 'nothing'} became {' '.join(come) or 'nothing'}" if gone or come else ""


def _options(argv: tuple[str, ...]) -> list[str]:
    """Each option with its values as one text, the program first."""
    found: list[str] = []
    for word in argv:
        if word.startswith("-") or not found:
            found.append(word)
        else:
            found[-1] += f" {word}"
    return found


def _free(socket: Path, name: SeatName) -> None:
    """Remove the socket of a server that is dead; SeatUnavailable `in_use` when somebody answers there."""
    if not socket.exists():
        return
    if listens(socket):
        raise SeatUnavailable(
            "in_use",
            f"The socket of the {name.value}, {socket}, is answered by process "
            f"{pid_of(f'unix:{socket}') or '(not visible from here)'}, which `lexforge boards up` did not start.",
            "End that process yourself, or name its address under `endpoint` in the board file.",
        )
    socket.unlink()


def _started(order: _Order) -> _Starting:
    if order.earlier and order.earlier.is_alive:
        return order.earlier, None
    if order.earlier:
        forget(order.earlier)
        slots(order.name)  # with the old server's saved slots its folder went
    log = folder() / f"{order.name.value}.log"
    child = _spawned(order, log)
    server = Running(
        name=order.name,
        pid=child.pid,
        started=start_time(child.pid) or ENDED,
        argv=order.argv,
        socket=order.at.socket,
        model=order.at.model,
        board=order.board,
        log=log,
    )
    try:
        keep(server)
    except OSError as error:
        child.kill()
        child.wait()
        raise _not_started(order.name, error) from None
    return server, child


def _spawned(order: _Order, log: Path) -> subprocess.Popen[bytes]:
    try:
        log.unlink(missing_ok=True)
        log.touch(mode=0o600)
        with log.open("wb") as output:
            return subprocess.Popen(  # noqa: S603 - the board file names the program
                order.argv,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=command.environment(order.board),
                cwd=log.parent,
                start_new_session=True,  # Ctrl-C is for the command that waits, not for the server
                umask=0o077,
            )
    except OSError as error:
        raise _not_started(order.name, error) from None


def _not_started(name: SeatName, error: OSError) -> SeatUnavailable:
    return SeatUnavailable(
        "not_started",
        f"The {name.value} cannot be started: {error.filename}: {error.strerror}.",
        f"Check `program` in the board file and the free space of {folder()}.",
    )


def _wait(starting: _Starting, told: Told, limit: float) -> Running:
    server, child = starting
    name, until = server.name.value, time.monotonic() + limit
    client = ServerClient(server.endpoint, name)
    try:
        while client.health() != "ok":
            if (child.poll() is not None) if child else not server.is_alive:
                raise _ended(server)
            if time.monotonic() > until:
                raise SeatUnavailable(
                    "not_started",
                    f"The {name} (process {server.pid}) did not answer within {limit:.0f} s. {_quoted(server.log)}",
                    "It was left running: `lexforge boards status` shows when it answers, `boards down` stops it.",
                )
            told(f"{name}: loading {server.model.name} (process {server.pid})")
            time.sleep(0.2)
    finally:
        client.close()
    _require_itself(server)
    return server


def _ended(server: Running) -> SeatUnavailable:
    forget(server)
    return SeatUnavailable(
        "not_started",
        f"The {server.name.value} ended while it was starting. {_quoted(server.log)}",
        f"Its log is {server.log}.",
    )


def _quoted(log: Path) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"Its log cannot be read: {error.strerror}."
    lines = [line for line in text.splitlines() if line.strip()]
    last = "".join(f"\n  {line}" for line in lines[-QUOTED_LINES:])
    return f"It wrote last:{last}\n" if last else "It wrote nothing."


def _require_itself(server: Running) -> None:
    """The process that was started must be the one that listens, or `down` would end only what stands before it."""
    owner = pid_of(server.endpoint)
    if owner not in (server.pid, None) or not server.is_alive:
        raise SeatUnavailable(
            "not_started",
            f"{server.argv[0]} (process {server.pid}) runs the {server.name.value} in another process ({owner}), or "
            "with other arguments than it was given, so that it could not be stopped again.",
            'End it yourself. If `program` is a script, let it end with `exec llama-server "$@"`.',
        )
