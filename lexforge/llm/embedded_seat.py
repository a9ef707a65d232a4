"""The seat that is served by a child process with one model in it (`lexforge.llm.embedded`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

from lexforge.errors import AnswerError, SeatUnavailable
from lexforge.llm.boards import Board, Engine, SeatConfig, SeatName, devices
from lexforge.llm.header import read_header
from lexforge.llm.identity import Identity, require_file
from lexforge.llm.probe import Probe, require_sense
from lexforge.llm.request import Answer, Request
from lexforge.llm.throughput import Throughput
from lexforge.llm.weights import find, locate


class EmbeddedSeat:
    """One model in one child process behind one lock."""

    def __init__(self, name: SeatName, config: SeatConfig, board: Board) -> None:
        self.name = name
        self.sampling = config.sampling
        self.wording = config.wording
        self.reasoning_budget = 0
        self.slots = 1
        self.endpoint = Engine.EMBEDDED.value
        self.throughput = Throughput()
        path = locate(config, name.value)
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
        order = {"path": str(path), "seat": config.model_dump(mode="json"), "on_accelerators": bool(board.accelerators)}
        try:
            told = self._ask(json.dumps(order))
            self.identity = Identity.model_validate(told["identity"])
            require_file(self.identity, config.quantisation, read_header(find(config, name.value)), name.value)
            require_sense(Probe.model_validate(told["probe"]), config.sense_bound, name.value)
        except BaseException:
            self.close()
            raise

    def answer(self, request: Request) -> Answer:
        """One answer, counted."""
        answer = Answer.model_validate(self._ask(request.model_dump_json())["answer"])
        self.throughput = self.throughput.plus(answer)
        return answer

    def _ask(self, line: str) -> dict[str, Any]:
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
                f"The engine of the {self.name.value} stopped.",
                "Run the same command again; finished steps are kept. If it happens again, check the free memory.",
            )
        found: dict[str, Any] = json.loads(reply)
        if "error" in found:
            raise self._failure(found["error"], found["detail"])
        return found

    def _failure(self, code: str, detail: str) -> SeatUnavailable | AnswerError:
        if code == "engine_failed":
            return AnswerError(
                f"The {self.name.value} could not answer: {detail}.", "This is a defect; please report it."
            )
        advice = {
            "context_too_small": "Give the seat a larger `context` in its board file.",
            "loading_failed": "Check the model file and the board file.",
        }
        return SeatUnavailable(code, f"The {self.name.value} cannot serve: {detail}.", advice.get(code, ""))

    def close(self) -> None:
        """End the child; only ever the process this object started."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
