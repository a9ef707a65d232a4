"""Beginning and ending a run: which models it is made with, and that it never goes on with others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from graphs.keys import key_of
from graphs.steps import Steps
from lexforge import sealed
from lexforge.domain.record import canonical_json
from lexforge.domain.run import Outcome, SeatOfRun, Sitting, SittingEnd, calls_sha256
from lexforge.errors import LexForgeError, SeatUnavailable
from lexforge.store import runs


@contextmanager
def recorded(steps: Steps, give_up_unfinished: bool = False, asks_again: bool = False) -> Iterator[Sitting]:
    """A sitting of the matter's run, in the ledger from its beginning and, unless it is killed, to its end.

    With `asks_again` nothing is taken from earlier runs: that is how answers are measured twice. A run that was begun
    so goes on so. SeatUnavailable `other_model` when an unfinished run was made with other models than sit there now.
    """
    sitting = _next(steps, give_up_unfinished, asks_again)
    steps.ledger.record(key_of(runs.SITTING, run=sitting.run, number=sitting.number), sitting)
    steps.sitting = sitting
    try:
        yield sitting
    except LexForgeError as error:
        _end(steps, sitting, Outcome.STOPPED, getattr(error, "code", type(error).__name__))
        raise
    except BaseException as error:
        _end(steps, sitting, Outcome.STOPPED, type(error).__name__)
        raise
    _end(steps, sitting, Outcome.FINISHED)


def _next(steps: Steps, give_up_unfinished: bool, asks_again: bool) -> Sitting:
    answering = tuple(
        SeatOfRun(
            seat=name.value,
            fingerprint=seat.identity.fingerprint,
            label=seat.identity.label,
            identity=canonical_json(seat.identity.model_dump(mode="json")),
        )
        for name, seat in steps.seats.items()
    )
    last, run, number = runs.last(steps.ledger), 1, 1
    if last is not None:
        goes_on = not (give_up_unfinished or runs.is_finished(steps.ledger, last.run))
        if goes_on:
            _require_same(last, answering)
            asks_again = last.asks_again
        run, number = (last.run, last.number + 1) if goes_on else (last.run + 1, 1)
    return Sitting(
        run=run,
        number=number,
        seats=answering,
        endpoints=tuple(seat.endpoint for seat in steps.seats.values()),
        sealed=sealed.is_sealed(),
        asks_again=asks_again,
    )


def _require_same(last: Sitting, answering: tuple[SeatOfRun, ...]) -> None:
    sitting_now = {seat.seat: seat for seat in answering}
    for before in last.seats:
        now = sitting_now[before.seat]
        if before.fingerprint != now.fingerprint:
            raise SeatUnavailable(
                "other_model",
                f"Run {last.run} is unfinished and was made with {before.label} as its {before.seat}; what sits there "
                f"now is {now.label}. A run never goes on with another model.",
                "Bring the model back as it was (file, context, slots, build, server arguments), or give the "
                "unfinished run up with --new-run.",
            )


def _end(steps: Steps, sitting: Sitting, outcome: Outcome, reason: str = "") -> None:
    steps.keep_calls()
    calls, guard = runs.calls(steps.db, sitting.run), sealed.guard()
    end = SittingEnd(
        run=sitting.run,
        number=sitting.number,
        outcome=outcome,
        reason=reason,
        hook=guard.hook,
        sealed=guard.sealed,
        contacted=guard.contacted,
        refused=guard.refused,
        calls=len(calls),
        calls_sha256=calls_sha256(calls),
    )
    steps.ledger.record(key_of(runs.SITTING_END, run=sitting.run, number=sitting.number), end)
