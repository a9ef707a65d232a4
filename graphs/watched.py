"""A seat with each of its answers written down: what it was asked for, by which step, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from lexforge.domain.record import sha256_of
from lexforge.domain.run import Call
from lexforge.llm.boards import SeatName, Wording
from lexforge.llm.identity import Identity
from lexforge.llm.request import Answer, Request, Sampling
from lexforge.llm.seats import Seat
from lexforge.llm.throughput import Throughput


@dataclass(frozen=True)
class Occasion:
    """What a seat is asked for: a step of a section, in one sitting of a run."""

    run: int
    sitting: int
    step: str
    section: str = ""


class WatchedSeat:
    """`seat`, answering on one occasion; `keep` may be called from any thread."""

    def __init__(self, seat: Seat, occasion: Occasion, keep: Callable[[Call], None]) -> None:
        self._seat = seat
        self._occasion = occasion
        self._keep = keep

    @property
    def name(self) -> SeatName:
        """The seat's own."""
        return self._seat.name

    @property
    def identity(self) -> Identity:
        """The seat's own."""
        return self._seat.identity

    @property
    def sampling(self) -> Sampling:
        """The seat's own."""
        return self._seat.sampling

    @property
    def wording(self) -> Wording:
        """The seat's own."""
        return self._seat.wording

    @property
    def reasoning_budget(self) -> int:
        """The seat's own."""
        return self._seat.reasoning_budget

    @property
    def slots(self) -> int:
        """The seat's own."""
        return self._seat.slots

    @property
    def endpoint(self) -> str:
        """The seat's own."""
        return self._seat.endpoint

    @property
    def throughput(self) -> Throughput:
        """The seat's own."""
        return self._seat.throughput

    def answer(self, request: Request) -> Answer:
        """The seat's answer, written down."""
        began, started = 1000 * time.time(), time.perf_counter()
        answer = self._seat.answer(request)
        self._keep(self._call(request, answer, began, 1000 * (time.perf_counter() - started)))
        return answer

    def _call(self, request: Request, answer: Answer, began_ms: float, wall_ms: float) -> Call:
        counters = {name: getattr(answer, name) for name in Call.model_fields if name in Answer.model_fields}
        return Call(
            **asdict(self._occasion),
            seat=self._seat.name.value,
            fingerprint=self._seat.identity.fingerprint,
            began_ms=began_ms,
            wall_ms=wall_ms,
            request=request.content_sha256,
            answer=sha256_of(answer.text.encode()),
            **counters,
        )
