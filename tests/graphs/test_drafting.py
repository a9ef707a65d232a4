"""The drafting machine with scripted seats: routing, repair, resume, and what its state may carry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from graphs import drafting
from graphs.steps import Steps
from lexforge.adversary.objections import Review
from lexforge.domain.draft import Draft
from lexforge.domain.findings import GateReport
from lexforge.domain.matter import DocumentKind
from lexforge.errors import AnswerTruncated
from lexforge.llm.boards import SeatName
from lexforge.llm.request import FinishReason, Request
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats
from lexforge.store import database
from lexforge.store.folder import Matter
from tests.conftest import obedient


@pytest.fixture
def db(matter: Path) -> Iterator[Database]:
    with database.opened(matter / "work") as opened:
        yield opened


def steps_of(matter: Path, db: Database, seats: Seats) -> Steps:
    return Steps(Matter(matter), db, seats)


def test_from_intake_to_packet(matter: Path, db: Database, seats: Seats) -> None:
    steps = steps_of(matter, db, seats)
    packet, state = drafting.run(steps)
    folder = packet.folder(matter / "work")
    assert sorted(p.name for p in folder.iterdir()) == [
        "draft.docx",
        "draft.txt",
        "filing-checklist.txt",
        "gate.json",
        "objections.json",
    ]
    report = steps.get(state["report"], GateReport)
    assert report.passed, report.blocked
    text = (folder / "draft.txt").read_text(encoding="utf-8")
    assert "On May 4, 2021, Rufus Brine wrote to Pia Fennick" in text
    assert "(BASALT-000017)" in text
    for finding in json.loads((folder / "gate.json").read_text())["findings"]:
        assert text[finding["start"] : finding["end"]].strip()
    assert steps.ledger.verify() == steps.ledger.ran + 2  # the beginning and the end of the sitting


def test_each_section_goes_to_its_seat_and_the_other_one_attacks(matter: Path, db: Database, seats: Seats) -> None:
    steps = steps_of(matter, db, seats)
    _, state = drafting.run(steps)
    written = {b.section: b.provenance.seat for b in steps.get(state["draft"], Draft).blocks if b.slotted}
    assert written == {"s1": "workhorse", "s2": "reasoner"}
    reviews = [steps.get(sha256, Review) for sha256 in state["reviews"]]
    assert {review.section: review.seat for review in reviews} == {"s1": "reasoner", "s2": "workhorse"}


def test_state_carries_hashes_and_counters_only(matter: Path, db: Database, seats: Seats) -> None:
    _, state = drafting.run(steps_of(matter, db, seats))
    values = [v for value in state.values() for v in (value if isinstance(value, list) else [value])]
    assert all(isinstance(v, int) or re.fullmatch(r"[0-9a-f]{64}", v) for v in values)


def test_a_second_run_does_nothing_twice(matter: Path, db: Database, seats: Seats) -> None:
    first, _ = drafting.run(steps_of(matter, db, seats))
    asked = [len(seat.requests) for seat in seats.values() if isinstance(seat, ScriptedSeat)]
    again = steps_of(matter, db, seats)
    second, _ = drafting.run(again)
    assert second == first
    assert again.ledger.ran == 0
    assert [len(seat.requests) for seat in seats.values() if isinstance(seat, ScriptedSeat)] == asked


def test_another_model_never_inherits_results(matter: Path, db: Database, seats: Seats) -> None:
    drafting.run(steps_of(matter, db, seats))
    other = {name: ScriptedSeat(name, obedient, label="another model") for name in SeatName}
    steps = steps_of(matter, db, {**other})
    drafting.run(steps)
    assert all(seat.requests for seat in other.values())


def test_a_change_in_the_intake_runs_only_what_depends_on_it(matter: Path, db: Database, seats: Seats) -> None:
    drafting.run(steps_of(matter, db, seats))
    intake = matter / "intake.md"
    intake.write_text(intake.read_text().replace("refused the wet flour", "refused the grey wet flour"))
    steps = steps_of(matter, db, seats)
    drafting.run(steps)
    assert steps.ledger.steps()["ingest"] == 1
    assert steps.ledger.reused > 0


@pytest.mark.parametrize("after", range(1, 5))
def test_a_stopped_run_goes_on_and_ends_the_same(after: int, matter: Path, db: Database, seats: Seats) -> None:
    count = 0

    def stopping(request: Request) -> str:
        nonlocal count
        count += 1
        if count > after:
            raise KeyboardInterrupt
        return obedient(request)

    stopped = {name: ScriptedSeat(name, stopping, label=name.value) for name in SeatName}
    with pytest.raises(KeyboardInterrupt):
        drafting.run(steps_of(matter, db, {**stopped}))
    assert not list((matter / "work").glob("runs/*"))
    resumed = steps_of(matter, db, seats)
    packet, _ = drafting.run(resumed)
    assert packet.number == 1
    assert resumed.ledger.reused >= after
    asked = sum(len(seat.requests) for seat in seats.values() if isinstance(seat, ScriptedSeat))
    assert asked + after == 6, "one document, two facts, two reviews, one shadow: no answer is asked for twice"


def blocked_once(request: Request) -> str:
    """Name a month in words, as a grammar of open wording would allow, until the prompt says that it was refused."""
    if request.json_schema is not None or "An earlier sentence was refused" in request.messages[-1].content:
        return obedient(request)
    return "The record states that the flour came in July of that year (⟦B1⟧)."


def test_blocked_paragraphs_are_written_again_with_the_reasons(matter: Path, db: Database) -> None:
    seats = {name: ScriptedSeat(name, blocked_once, label=name.value) for name in SeatName}
    steps = steps_of(matter, db, {**seats})
    _, state = drafting.run(steps)
    assert (state["attempt"], steps.get(state["report"], GateReport).passed) == (1, True)
    assert {b.provenance.attempt for b in steps.get(state["draft"], Draft).blocks if b.slotted} == {1}


def test_repair_is_bounded_and_what_stays_blocked_is_told(matter: Path, db: Database) -> None:
    def stubborn(request: Request) -> str:
        return obedient(request) if request.json_schema else "The record states that it came in July (⟦B1⟧)."

    seats = {name: ScriptedSeat(name, stubborn, label=name.value) for name in SeatName}
    steps = steps_of(matter, db, {**seats})
    packet, state = drafting.run(steps)
    assert state["attempt"] == steps.matter.config.repairs == 2
    report = steps.get(state["report"], GateReport)
    assert not report.passed
    text = steps.get(state["draft"], Draft).text
    assert {text[f.start : f.end] for f in report.blocked} == {"July"}
    assert packet.is_whole(matter / "work")


def test_the_attorneys_own_error_is_blocked_and_not_repaired(matter: Path, db: Database, seats: Seats) -> None:
    intake = matter / "intake.md"
    intake.write_text(intake.read_text().replace("wet and late.", "wet and late on June 9, 2021."))
    steps = steps_of(matter, db, seats)
    _, state = drafting.run(steps)
    report = steps.get(state["report"], GateReport)
    text = steps.get(state["draft"], Draft).text
    assert [text[f.start : f.end] for f in report.blocked] == ["June 9, 2021"]
    assert state["attempt"] == 0


def test_half_an_answer_stops_the_run_with_advice(matter: Path, db: Database) -> None:
    cut = {name: ScriptedSeat(name, obedient, finish_reason=FinishReason.LENGTH) for name in SeatName}
    with pytest.raises(AnswerTruncated, match="Half an answer is not used"):
        drafting.run(steps_of(matter, db, {**cut}))


def test_a_motion_cites_its_authority(matter: Path, db: Database, seats: Seats) -> None:
    path = matter / "matter.toml"
    path.write_text(path.read_text().replace('"declaration"', f'"{DocumentKind.MOTION.value}"'))
    steps = steps_of(matter, db, seats)
    _, state = drafting.run(steps)
    assert (
        "Tansy Grain Co. v. Ferris Carting, Inc., 1203 F.3d 41 (14th Cir. 2018)"
        in steps.get(state["draft"], Draft).text
    )
    assert steps.get(state["report"], GateReport).passed


def test_what_we_wrote_is_known_when_it_comes_back_as_evidence(matter: Path, db: Database, seats: Seats) -> None:
    packet, _ = drafting.run(steps_of(matter, db, seats))
    gate = packet.folder(matter / "work") / "gate.json"  # carries no mark: only its hash tells
    (matter / "evidence" / "notes.txt").write_bytes(gate.read_bytes())
    steps = steps_of(matter, db, seats)
    _, state = drafting.run(steps)
    from lexforge.domain.evidence import Bundle, Fate

    quarantined = steps.get(state["bundle"], Bundle).with_fate(Fate.QUARANTINED)
    assert [(f.path, f.reason) for f in quarantined] == [("evidence/notes.txt", "own_output_known")]
