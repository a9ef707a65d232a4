"""A run: who answered in it, what guarded it, and each call with the engine's own counters."""

from __future__ import annotations

from enum import StrEnum

from lexforge.domain.record import Record, sha256_of


class SeatOfRun(Record):
    """A seat as it was when the run began: `identity` is the canonical JSON of all that was found out about it."""

    seat: str
    fingerprint: str
    label: str
    identity: str


class Sitting(Record):
    """One go at a run, the first or after a stop.

    `endpoints` are where its seats were to be reached. A run that `asks_again` takes no answer from an earlier run.
    """

    run: int
    number: int
    seats: tuple[SeatOfRun, ...]
    endpoints: tuple[str, ...] = ()
    sealed: bool = False
    asks_again: bool = False

    @property
    def fingerprints(self) -> dict[str, str]:
        """Seat → fingerprint."""
        return {seat.seat: seat.fingerprint for seat in self.seats}


class Outcome(StrEnum):
    """How a sitting ended."""

    FINISHED = "finished"
    STOPPED = "stopped"


class SittingEnd(Record):
    """How a sitting ended, and what was in force during it.

    `hook`: connections of Python code were refused unless listed; `sealed`: the process had no network at all;
    `contacted` and `refused` are the addresses. `calls_sha256` is of the run's calls so far.
    """

    run: int
    number: int
    outcome: Outcome
    reason: str = ""
    hook: bool
    sealed: bool
    contacted: tuple[str, ...]
    refused: tuple[str, ...]
    calls: int
    calls_sha256: str


class Call(Record):
    """One answer of a seat: tokens and milliseconds by the engine's own counters.

    `began_ms` is when the caller began to wait, in milliseconds since 1970, `wall_ms` how long it waited; what is over
    and above the engine's own time is queue and transport.
    """

    run: int
    sitting: int
    step: str
    section: str
    seat: str
    fingerprint: str
    slot: int
    began_ms: float
    wall_ms: float
    prompt_tokens: int
    cached_tokens: int
    prompt_ms: float
    completion_tokens: int
    completion_ms: float
    drafted: int
    accepted: int
    truncated: bool
    finish_reason: str
    request: str
    answer: str


def calls_sha256(calls: tuple[Call, ...]) -> str:
    """Hash over calls in the order they were kept."""
    return sha256_of([call.content_sha256 for call in calls])
