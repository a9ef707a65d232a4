"""Calls and runs made by hand."""

from __future__ import annotations

from typing import Any

from lexforge.domain.record import canonical_json
from lexforge.domain.run import Call, SeatOfRun, Sitting
from lexforge.measure.runs import MeasuredRun
from lexforge.measure.sides import Side

IDENTITY: dict[str, Any] = {"weights_sha256": "a" * 64, "runtime": "b1", "slots": 1, "argv": ["-c", "4096", "-fa"]}


def call(began_ms: float = 0.0, **figures: Any) -> Call:
    """A call of the workhorse that drafts s1, in a tenth of a second unless told otherwise."""
    plain: dict[str, Any] = {
        "run": 1,
        "sitting": 1,
        "step": "draft",
        "section": "s1",
        "seat": "workhorse",
        "fingerprint": "f" * 64,
        "slot": 0,
        "wall_ms": 100.0,
        "prompt_tokens": 100,
        "cached_tokens": 0,
        "prompt_ms": 50.0,
        "completion_tokens": 41,
        "completion_ms": 40.0,
        "drafted": 0,
        "accepted": 0,
        "truncated": False,
        "finish_reason": "stop",
        "request": "1" * 64,
        "answer": "2" * 64,
    }
    return Call(**{**plain, "began_ms": began_ms, **figures})


def calls(*speeds: float, **figures: Any) -> tuple[Call, ...]:
    """A warm-up and one call a section, s1 and on: prefill 2000 tok/s and decode 1000 tok/s, times its speed."""
    rest = [
        call(
            1000.0 * number,
            section=f"s{number}",
            request=f"{number:064d}",
            **{"wall_ms": 100 / speed, "prompt_ms": 50 / speed, "completion_ms": 40 / speed, **figures},
        )
        for number, speed in enumerate(speeds, 1)
    ]
    return (call(0.0, section="", step="plan", wall_ms=9000.0 / 10), *rest)


def run(of_run: tuple[Call, ...], number: int = 1, matter: str = "orchard", **identity: Any) -> MeasuredRun:
    """A finished run with these calls; every seat has the plain identity with `identity` in it."""
    seats = tuple(
        SeatOfRun(seat=seat, fingerprint="f" * 64, label=seat, identity=canonical_json({**IDENTITY, **identity}))
        for seat in ("workhorse", "reasoner")
    )
    return MeasuredRun(
        name=f"{matter}:{number}",
        matter=matter,
        place=f"/matters/{matter}",
        number=number,
        last=Sitting(run=number, number=1, seats=seats),
        sittings=1,
        finished=True,
        calls=of_run,
    )


def sides(a: MeasuredRun, b: MeasuredRun) -> tuple[Side, Side]:
    """One run a side."""
    return Side(letter="A", runs=(a,)), Side(letter="B", runs=(b,))
