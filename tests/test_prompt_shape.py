"""The shape of a prompt is a contract, because it decides speed: system, evidence in a message of its own, question."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs import drafting
from graphs.steps import Steps
from lexforge.llm.request import Request
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats
from lexforge.store import database
from lexforge.store.folder import Matter
from tests.conftest import LETTER, OPINION

ONLY_IN_EVIDENCE = ("The sacks were open", "The driver signed for the refusal", "must come within a reasonable time")


@pytest.fixture
def asked(matter: Path, seats: Seats) -> list[Request]:
    """Every request of a whole run."""
    with database.opened(matter / "work") as db:
        drafting.run(Steps(Matter(matter), db, seats))
    return [request for seat in seats.values() if isinstance(seat, ScriptedSeat) for request in seat.requests]


def test_system_then_evidence_then_question(asked: list[Request]) -> None:
    assert len(asked) > 4
    assert {tuple(message.role for message in request.messages) for request in asked} == {("system", "user", "user")}


def test_what_is_shared_comes_first_and_is_the_same_to_the_letter(asked: list[Request]) -> None:
    assert {request.shared for request in asked} == {1}
    drafted = {request.messages[0].content for request in asked if request.grammar is not None}
    others = {request.messages[0].content for request in asked if request.grammar is None}
    assert (len(drafted), len(others)) == (1, 1), "one beginning for all drafting, one for the adversary"


def test_evidence_stands_in_its_own_message_only(asked: list[Request]) -> None:
    assert all(words in LETTER + OPINION for words in ONLY_IN_EVIDENCE)
    for words in ONLY_IN_EVIDENCE:
        where = {n for request in asked for n, message in enumerate(request.messages) if words in message.content}
        assert where <= {1}, words
    assert any(words in request.messages[1].content for words in ONLY_IN_EVIDENCE for request in asked)
