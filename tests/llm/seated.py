"""Seats, their configurations and what they are asked, for tests on real servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lexforge.llm.boards import SeatConfig, SeatName
from lexforge.llm.identity import file_sha256
from lexforge.llm.probe import UNBOUNDED
from lexforge.llm.request import Message, Request, Sampling
from lexforge.llm.server_seat import ServerSeat

ALIAS = "Qwen3.6-35B-A3B"
"""What every server of these tests calls itself, whatever it serves."""
SLOTS = 4


def config(file: Path, **changes: Any) -> SeatConfig:
    """A seat that pins `file`, a random hybrid of 1,024 tokens a slot unless `changes` say otherwise."""
    seat = {
        "board": "cpu",
        "engine": "server",
        "model": str(file),
        "weights_sha256": file_sha256(file),
        "quantisation": "F16",
        "context": 1024,
        "slots": SLOTS,
        "endpoint": "unix:/given/to/the/seat.sock",
        "wait": 20,
        "sense_bound": UNBOUNDED,
    }
    return SeatConfig.model_validate({**seat, **changes})


@contextmanager
def seated(endpoint: str, seat: SeatConfig, **more: Any) -> Iterator[ServerSeat]:
    """The seat, opened."""
    opened = ServerSeat(SeatName.WORKHORSE, seat, endpoint, **more)
    try:
        yield opened
    finally:
        opened.close()


def request(text: str = "Name a colour.", system: str = "Answer in one sentence.", **more: Any) -> Request:
    """One question behind a system message."""
    messages = (Message(role="system", content=system), Message(role="user", content=text))
    return Request.model_validate({"messages": messages, "max_tokens": 8, "sampling": Sampling(), **more})
