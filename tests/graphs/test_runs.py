"""Runs: whose models made them, what is written down of them, and that they never go on with others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from graphs import drafting
from graphs.fan_out import fan_out
from graphs.steps import Steps
from lexforge import local_only
from lexforge.domain.run import Outcome, calls_sha256
from lexforge.errors import AnswerTruncated, SeatUnavailable
from lexforge.llm.boards import SeatName
from lexforge.llm.request import FinishReason
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats
from lexforge.store import database, runs
from lexforge.store.folder import Matter
from tests.conftest import obedient


@pytest.fixture
def db(matter: Path) -> Iterator[Database]:
    with database.opened(matter / "work") as opened:
        yield opened


def seats_of(label: str, **changed: object) -> Seats:
    return {name: ScriptedSeat(name, obedient, f"{label} {name.value}", **changed) for name in SeatName}  # type: ignore[arg-type]


def stopped(matter: Path, db: Database, seats: Seats) -> Steps:
    """A run that ends in the middle: one seat cuts its answers off."""
    broken = seats[SeatName.REASONER]
    half = ScriptedSeat(broken.name, obedient, broken.identity.architecture, finish_reason=FinishReason.LENGTH)
    steps = Steps(Matter(matter), db, {**seats, SeatName.REASONER: half})
    with pytest.raises(AnswerTruncated):
        drafting.run(steps)
    return steps


def test_a_run_is_in_the_ledger_with_its_models_and_what_guarded_it(matter: Path, db: Database) -> None:
    steps = Steps(Matter(matter), db, seats_of("first"))
    drafting.run(steps)
    sitting, end = runs.last(steps.ledger), runs.ends(steps.ledger)[-1]
    assert sitting is not None
    assert (sitting.run, sitting.number, sitting.endpoints) == (1, 1, ("scripted", "scripted"))
    assert sitting.fingerprints == {name.value: seat.identity.fingerprint for name, seat in steps.seats.items()}
    # The guard cannot be taken off again, so that no test puts it on; tests/test_boards_end_to_end.py sees it recorded.
    assert (end.outcome, end.hook, end.sealed) == (Outcome.FINISHED, local_only.is_installed(), False)
    assert end.calls_sha256 == calls_sha256(runs.calls(db, 1))


def test_every_answer_is_a_row_with_the_step_it_was_for(matter: Path, db: Database) -> None:
    steps = Steps(Matter(matter), db, seats_of("first"))
    drafting.run(steps)
    kept = runs.calls(db, 1)
    assert len(kept) == sum(seat.throughput.answers for seat in steps.seats.values())
    assert {(call.step, call.section, call.seat) for call in kept} == {
        ("draft", "s1", "workhorse"),
        ("draft", "s2", "reasoner"),
        ("adversary", "s1", "reasoner"),
        ("adversary", "s2", "workhorse"),
        ("canaries", "s2", "workhorse"),
    }


def test_a_stopped_run_goes_on_under_the_same_number(matter: Path, db: Database) -> None:
    steps = stopped(matter, db, seats_of("first"))
    end = runs.ends(steps.ledger)[-1]
    assert (end.outcome, end.reason) == (Outcome.STOPPED, "AnswerTruncated")
    again = Steps(Matter(matter), db, seats_of("first"))
    drafting.run(again)
    assert [(s.run, s.number) for s in runs.sittings(again.ledger)] == [(1, 1), (1, 2)]
    assert again.ledger.reused > 0


def test_a_stopped_run_never_goes_on_with_another_model(matter: Path, db: Database) -> None:
    before = stopped(matter, db, seats_of("first")).ledger.head()
    steps = Steps(Matter(matter), db, seats_of("second"))
    with pytest.raises(SeatUnavailable, match="was made with first workhorse") as refused:
        drafting.run(steps)
    assert refused.value.code == "other_model"
    assert steps.ledger.head() == before
    assert all(seat.throughput.answers == 0 for seat in steps.seats.values())


def test_an_unfinished_run_can_be_given_up_and_nothing_of_it_is_mixed_in(matter: Path, db: Database) -> None:
    first = stopped(matter, db, seats_of("first"))
    steps = Steps(Matter(matter), db, seats_of("second"))
    drafting.run(steps, give_up_unfinished=True)
    assert steps.sitting.run == 2
    mine = {seat.identity.fingerprint for seat in steps.seats.values()}
    assert {call.fingerprint for call in runs.calls(db, 2)} == mine
    assert mine.isdisjoint(seat.identity.fingerprint for seat in first.seats.values())


def test_a_finished_run_is_followed_by_a_new_one_whatever_the_model(matter: Path, db: Database) -> None:
    drafting.run(Steps(Matter(matter), db, seats_of("first")))
    steps = Steps(Matter(matter), db, seats_of("second"))
    drafting.run(steps)
    assert steps.sitting.run == 2


def test_a_seat_with_two_slots_gives_the_same_draft_and_answers_two_at_a_time(matter: Path, db: Database) -> None:
    one, _ = drafting.run(Steps(Matter(matter), db, seats_of("first")))
    together, first_two = threading.Barrier(2, timeout=30), [1, 2]
    seats = seats_of("second")
    for seat in seats.values():
        assert isinstance(seat, ScriptedSeat)
        seat.slots = 2
    writer = seats[SeatName.REASONER]
    assert isinstance(writer, ScriptedSeat)

    def answer_when_both_are_asked(request: object) -> str:
        if request.grammar is not None and first_two:  # type: ignore[attr-defined]
            first_two.pop()
            together.wait()
        return obedient(request)  # type: ignore[arg-type]

    writer._script = answer_when_both_are_asked
    two, _ = drafting.run(Steps(Matter(matter), db, seats))
    texts = [(packet.folder(matter / "work") / "draft.txt").read_text() for packet in (one, two)]
    assert texts[0].partition("[lexforge")[0] == texts[1].partition("[lexforge")[0]


def test_a_run_that_asks_again_takes_nothing_from_earlier_runs_and_goes_on_so(matter: Path, db: Database) -> None:
    drafting.run(Steps(Matter(matter), db, seats_of("first")))
    asked = len(runs.calls(db, 1))
    drafting.run(Steps(Matter(matter), db, seats_of("first")), asks_again=True)
    assert len(runs.calls(db, 2)) == asked
    drafting.run(Steps(Matter(matter), db, seats_of("first")))
    assert runs.calls(db, 3) == ()


@pytest.mark.parametrize("width", [1, 3, 20])
def test_fan_out_gives_every_result_once(width: int) -> None:
    assert sorted(fan_out([lambda n=n: n * n for n in range(7)], width)) == [(n, n * n) for n in range(7)]  # type: ignore[misc]


@pytest.mark.parametrize("width", [1, 3])
def test_the_error_of_a_job_is_raised_where_the_results_are_wanted(width: int) -> None:
    def fail() -> int:
        raise AnswerTruncated("half an answer")

    with pytest.raises(AnswerTruncated, match="half an answer"):
        list(fan_out([lambda: 1, fail, lambda: 3], width))
