"""A llama-server of our own for the time of a measurement, with any model file and a seat's settings."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import Board, SeatConfig, SeatName
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.measure import Decoder, served
from lexforge.llm.server import ServerClient
from lexforge.llm.serving import command
from lexforge.llm.serving.command import Places

LOADING_LIMIT = 900.0
"""Seconds that loading a model may take before it counts as stuck."""


@contextmanager
def own_server(path: Path, seat: SeatConfig, board: Board) -> Iterator[Decoder]:
    """A decoder over a server that lives as long as the context; SeatUnavailable `not_started`, `program_missing`.

    One slot without drafting: what is measured is one request, plainly decoded.
    """
    program = shutil.which(str(Path(seat.program).expanduser()))
    if program is None:
        raise SeatUnavailable(
            "program_missing",
            f"The program that is to be measured is not installed: {seat.program}.",
            "Build llama.cpp's llama-server and name its path under `program` in the board file.",
        )
    plain = SeatConfig.model_validate(seat.model_dump() | {"slots": 1, "speculation": "none", "endpoint": ""})
    vocabulary = read_geometry(path).vocabulary
    with tempfile.TemporaryDirectory(prefix="lf-") as folder:  # short: a UNIX socket's path may have 107 bytes
        at = Places(program=program, model=path, socket=Path(folder) / "probe.sock", slots=Path(folder))
        argv = command.argv(plain, board, SeatName.WORKHORSE, at)
        child = subprocess.Popen(  # noqa: S603 - the board file names the program
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=command.environment(board),
        )
        client = ServerClient(f"unix:{at.socket}", path.name)
        try:
            _wait(client, child, path)
            yield served(client, vocabulary)
        finally:
            client.close()
            child.terminate()
            _ended(child)


def _wait(client: ServerClient, child: subprocess.Popen[bytes], path: Path) -> None:
    until = time.monotonic() + LOADING_LIMIT
    while client.health() != "ok":
        if child.poll() is not None or time.monotonic() > until:
            raise SeatUnavailable(
                "not_started",
                f"No server could be started to measure {path.name}.",
                "Check `program` in the board file, and that no other server holds the memory of this board.",
            )
        time.sleep(0.1)


def _ended(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
