"""Seats: who is asked. A seat answers with exactly the model its board file pins, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Protocol

from lexforge.llm.boards import BoardFile, Engine, SeatConfig, SeatName, Wording
from lexforge.llm.embedded_seat import EmbeddedSeat
from lexforge.llm.identity import Identity
from lexforge.llm.request import Answer, Request, Sampling
from lexforge.llm.server_seat import ServerSeat, Waiting, silently
from lexforge.llm.serving import command, process
from lexforge.llm.throughput import Throughput


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
    def reasoning_budget(self) -> int:
        """Tokens a request may think before it answers; 0: it does not think."""

    @property
    def slots(self) -> int:
        """How many requests it answers at a time; so many threads may ask it."""

    @property
    def endpoint(self) -> str:
        """Where it is reached: `unix:/path`, `host:port`, or `embedded`."""

    @property
    def throughput(self) -> Throughput:
        """What it has done so far, by its own counters."""

    def answer(self, request: Request) -> Answer:
        """One answer; SeatUnavailable when the engine is gone, AnswerError when it cannot do this request."""


Seats = dict[SeatName, Seat]


@contextmanager
def opened(boards: BoardFile, waiting: Waiting = silently) -> Iterator[Seats]:
    """Both seats, loaded and identified; what was started for them ends with the context."""
    with ExitStack() as stack:
        seats: Seats = {}
        for name, config in boards.seats.items():
            seat = _seat(name, config, boards, waiting)
            stack.callback(seat.close)
            seats[name] = seat
        yield seats


def _seat(name: SeatName, config: SeatConfig, boards: BoardFile, waiting: Waiting) -> EmbeddedSeat | ServerSeat:
    if config.engine is Engine.EMBEDDED:
        return EmbeddedSeat(name, config, boards.board_of(name))
    endpoint = process.endpoint_of(name, config)
    argv = partial(_identifying_argv, endpoint)
    return ServerSeat(name, config, endpoint, argv, waiting)


def _identifying_argv(endpoint: str) -> tuple[str, ...]:
    return command.identifying(process.argv_of(endpoint) or ())
