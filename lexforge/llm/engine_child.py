"""The child process that runs the embedded engine (`python -m lexforge.llm.embedded`), and talking to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from lexforge.errors import AnswerError, SeatUnavailable
from lexforge.llm.boards import Board, SeatConfig, devices

_ADVICE = {
    "context_too_small": "Give the seat a larger `context` in its board file.",
    "loading_failed": "Check the model file and the board file.",
}


class EngineChild:
    """One model in one child process behind one lock; `name` is what it is called in messages."""

    def __init__(self, name: str, path: Path, seat: SeatConfig, board: Board) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lexforge.llm.embedded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, **devices(board)},
        )
        order = {
            "path": str(path),
            "seat": seat.model_dump(mode="json"),
            "on_accelerators": bool(board.accelerators),
        }
        try:
            self.loaded = self.ask(json.dumps(order))
        except BaseException:
            self.close()
            raise

    def ask(self, line: str) -> dict[str, Any]:
        """Its reply to one line of JSON; SeatUnavailable `down` when it has ended, AnswerError when it cannot do it."""
        assert self._process.stdin and self._process.stdout  # noqa: S101 - both are pipes by construction
        with self._lock:
            try:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
                reply = self._process.stdout.readline()
            except (BrokenPipeError, ValueError):  # ValueError: closed by another thread
                reply = ""
        if not reply:
            raise SeatUnavailable(
                "down",
                f"The engine of the {self._name} stopped.",
                "Run the same command again; finished steps are kept. If it happens again, check the free memory.",
            )
        found: dict[str, Any] = json.loads(reply)
        if "error" in found:
            raise self._failure(found["error"], found["detail"])
        return found

    def _failure(self, code: str, detail: str) -> SeatUnavailable | AnswerError:
        if code == "engine_failed":
            return AnswerError(f"The {self._name} could not answer: {detail}.", "This is a defect; please report it.")
        return SeatUnavailable(code, f"The {self._name} cannot serve: {detail}.", _ADVICE.get(code, ""))

    def close(self) -> None:
        """End the child; only ever the process this object started."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
