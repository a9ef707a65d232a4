"""Seats: who is asked. A seat answers with exactly the model its board file pins, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from lexforge.errors import AnswerError, SeatUnavailable
from lexforge.llm.boards import BoardFile, SeatConfig, SeatName, Wording
from lexforge.llm.identity import Identity
from lexforge.llm.request import Answer, Request, Sampling
from lexforge.llm.throughput import Throughput
from lexforge.llm.weights import locate


class Seat(Protocol):
    """Whatever can answer a request under a known identity. `wording` says how freely it may put things."""

    @property
    def name(self) -> SeatName:
        """The role it fills."""

    @property
    def identity(self) -> Identity:
        """What answers."""

    @property
    def sampling(self) -> Sampling:
        """What every request to it must carry."""

    @property
    def wording(self) -> Wording:
        """How freely it may put things."""

    @property
    def throughput(self) -> Throughput:
        """What it has done so far, by its own counters."""

    def answer(self, request: Request) -> Answer:
        """One answer; SeatUnavailable when the engine is gone, AnswerError when it cannot do this request."""


Seats = dict[SeatName, Seat]


class EmbeddedSeat:
    """A seat served by a child process with one model in it (`lexforge.llm.embedded`)."""

    def __init__(self, name: SeatName, config: SeatConfig) -> None:
        self.name = name
        self.sampling = config.sampling
        self.wording = config.wording
        self.throughput = Throughput()
        path = locate(config, name.value)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lexforge.llm.embedded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        order = {"path": str(path), "seat": config.model_dump(mode="json")}
        try:
            self.identity = Identity.model_validate(self._ask(json.dumps(order))["identity"])
            self._require_quantisation(config)
        except BaseException:
            self.close()
            raise

    def _require_quantisation(self, config: SeatConfig) -> None:
        if self.identity.quantisation != config.quantisation:
            raise SeatUnavailable(
                "wrong_model",
                f"The {self.name.value} loaded a {self.identity.quantisation} model, its board file says "
                f"{config.quantisation}.",
                "Correct `quantisation` or `model` in the board file.",
            )

    def answer(self, request: Request) -> Answer:
        """One answer, counted."""
        answer = Answer.model_validate(self._ask(request.model_dump_json())["answer"])
        self.throughput = self.throughput.plus(answer)
        return answer

    def _ask(self, line: str) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout  # noqa: S101 - both are pipes by construction
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            reply = self._process.stdout.readline()
        except BrokenPipeError:
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


@contextmanager
def opened(boards: BoardFile) -> Iterator[Seats]:
    """Both seats, loaded and identified; their processes end with the context."""
    with ExitStack() as stack:
        seats: Seats = {}
        for name, config in boards.seats.items():
            seat = EmbeddedSeat(name, config)
            stack.callback(seat.close)
            seats[name] = seat
        yield seats
