"""A run of a matter found by name, with who answered in it and every answer's counters."""

from __future__ import annotations

import json
from typing import Any

from lexforge.domain.record import Record
from lexforge.domain.run import Call, Sitting, calls_sha256
from lexforge.errors import LedgerBroken, RunError
from lexforge.store import database, runs
from lexforge.store.folder import Matter, find_matter
from lexforge.store.ledger import Ledger


class MeasuredRun(Record):
    """One run: `name` as the user would write it, `place` of its matter's folder, calls in the order they ended.

    `sittings` is how often it was begun or gone on with; the seats are the same in all of them.
    """

    name: str
    matter: str
    place: str
    number: int
    last: Sitting
    sittings: int
    finished: bool
    calls: tuple[Call, ...]

    @property
    def labels(self) -> dict[str, str]:
        """Seat → its model in words."""
        return {seat.seat: seat.label for seat in self.last.seats}

    @property
    def identities(self) -> dict[str, dict[str, Any]]:
        """Seat → all that was found out about its model, by the names of `lexforge.llm.identity.Identity`."""
        return {seat.seat: json.loads(seat.identity) for seat in self.last.seats}


def read(written: str) -> MeasuredRun:
    """The run named `MATTER:N`, or the latest one of `MATTER`.

    MatterError without such a matter, RunError without such a run or without a call in it, LedgerBroken when its calls
    are not those that were there when it ended.
    """
    name, number = split(written)
    matter = find_matter(name)
    if not (matter.work / "matter.db").is_file():
        raise _no_run(name)
    with database.opened(matter.work) as db:
        ledger = Ledger(db)
        have = sorted({sitting.run for sitting in runs.sittings(ledger)})
        if not have:
            raise _no_run(name)
        number = have[-1] if number is None else number
        if number not in have:
            raise RunError(f"{name} has no run {number}.", f"It has {_listed(have)}.")
        run = _measured(name, number, matter, ledger, runs.calls(db, number))
        asked = [] if run.calls else [other for other in have if runs.calls(db, other)]
    if not run.calls:
        raise _without_calls(run, asked)
    return run


def _measured(name: str, number: int, matter: Matter, ledger: Ledger, calls: tuple[Call, ...]) -> MeasuredRun:
    ends = [end for end in runs.ends(ledger) if end.run == number]
    if ends and calls_sha256(calls[: ends[-1].calls]) != ends[-1].calls_sha256:
        raise LedgerBroken(
            f"The calls of {name}:{number} are not those that the ledger has the hash of.",
            "Somebody or something changed matter.db; no figure of this run can be relied on.",
        )
    sittings = [sitting for sitting in runs.sittings(ledger) if sitting.run == number]
    return MeasuredRun(
        name=f"{name}:{number}",
        matter=matter.name,
        place=str(matter.path.resolve()),
        number=number,
        last=sittings[-1],
        sittings=len(sittings),
        finished=runs.is_finished(ledger, number),
        calls=calls,
    )


def split(written: str) -> tuple[str, int | None]:
    """Matter and number of a run's name; no number: the latest."""
    name, colon, number = written.rpartition(":")
    return (name, int(number)) if colon and number.isascii() and number.isdigit() else (written, None)


def _no_run(name: str) -> RunError:
    return RunError(f"{name} has no run yet.", f"Make one with `lexforge draft {name}`.")


def _without_calls(run: MeasuredRun, asked: list[int]) -> RunError:
    why = "every step was already in the ledger, so nothing was asked" if run.finished else "it stopped before that"
    advice = f"Calls are in {_listed(asked)}." if asked else "Run it to the end first."
    return RunError(f"No model was asked in {run.name}: {why}.", advice)


def _listed(numbers: list[int]) -> str:
    return f"run{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
