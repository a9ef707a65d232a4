"""Stopping servers: only what LexForge started, and nothing that merely looks like it (Linux)."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterable

from lexforge.domain.record import Record
from lexforge.llm.boards import SeatName
from lexforge.llm.serving.state import Running, alone, forget, read

ENDING_LIMIT = 30.0
"""Seconds a server may take to finish what it is doing after SIGTERM, before it is killed."""


class Stopped(Record):
    """What `down` did about one server; `how` goes on from "the workhorse"."""

    server: Running
    how: str


def down(names: Iterable[SeatName] = tuple(SeatName), limit: float = ENDING_LIMIT) -> list[Stopped]:
    """Stop what `up` started, whichever board file it was for, and tell what was done about each.

    A process is stopped only when its number, its start and its command line are those that were written down.
    """
    with alone():
        return [_stopped(server, limit) for server in map(read, names) if server is not None]


def _stopped(server: Running, limit: float) -> Stopped:
    how = _stop(server, limit)
    forget(server)
    return Stopped(server=server, how=how)


def _stop(server: Running, limit: float) -> str:
    try:
        handle = os.pidfd_open(server.pid)
    except ProcessLookupError:
        return "had ended already"
    # The handle stays with this process, so that nothing between looking and signalling can make it another one.
    try:
        if not server.is_alive:
            return f"had ended already; {server.pid} is another process now, which was left alone"
        signal.pidfd_send_signal(handle, signal.SIGTERM)
        if _ends(handle, limit):
            return f"stopped (process {server.pid})"
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        _ends(handle, limit)
        return f"killed (process {server.pid}): it did not end within {limit:.0f} s"
    finally:
        os.close(handle)


def _ends(handle: int, limit: float) -> bool:
    """Whether the process of a handle ends within `limit` seconds (pidfd_open(2): it becomes readable)."""
    return bool(select.select([handle], [], [], limit)[0])
