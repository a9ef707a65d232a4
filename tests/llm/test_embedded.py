"""The embedded engine, with the real models."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from lexforge.errors import AnswerTruncated, SeatUnavailable
from lexforge.llm import boards, seats
from lexforge.llm.boards import SeatName
from lexforge.llm.request import FinishReason, Message, Request, Sampling, whole
from lexforge.llm.seats import EmbeddedSeat, Seats


@pytest.fixture(scope="module")
def board() -> boards.BoardFile:
    return boards.load("embedded", Path())


@pytest.fixture(scope="module")
def both(board: boards.BoardFile) -> Iterator[Seats]:
    with seats.opened(board) as opened:
        yield opened


def request(text: str = "Name a colour.", **more: object) -> Request:
    given = {"messages": (Message(role="user", content=text),), "max_tokens": 24, "sampling": Sampling(), **more}
    return Request.model_validate(given)


@pytest.mark.parametrize("name", SeatName)
def test_identity_is_read_from_the_loaded_model(name: SeatName, both: Seats, board: boards.BoardFile) -> None:
    identity = both[name].identity
    assert identity.quantisation == board.seats[name].quantisation
    assert (identity.weights_sha256,) == board.seats[name].weights_sha256
    assert identity.parameters > 100_000_000
    assert identity.context == board.seats[name].context


def test_the_two_seats_are_two_models(both: Seats) -> None:
    assert both[SeatName.WORKHORSE].identity.fingerprint != both[SeatName.REASONER].identity.fingerprint


@pytest.mark.parametrize("name", SeatName)
def test_a_grammar_binds_the_answer(name: SeatName, both: Seats) -> None:
    answer = both[name].answer(request(grammar='root ::= "the " ("red" | "blue") " one"'))
    assert answer.text in ("the red one", "the blue one")
    assert answer.finish_reason is FinishReason.STOP
    assert answer.completion_tokens > 0
    assert answer.completion_ms > 0


@pytest.mark.parametrize("name", SeatName)
def test_an_answer_does_not_depend_on_what_came_before(name: SeatName, both: Seats) -> None:
    first = both[name].answer(request("Describe a harbour."))
    both[name].answer(request("Describe something else entirely, at length."))
    assert both[name].answer(request("Describe a harbour.")).text == first.text


def test_temperature_and_seed_arrive(both: Seats) -> None:
    seat = both[SeatName.WORKHORSE]
    hot = [seat.answer(request(sampling=Sampling(temperature=1.2, seed=seed))).text for seed in (1, 1, 2, 3)]
    assert hot[0] == hot[1]
    assert len(set(hot)) > 1


def test_a_cut_answer_is_an_error_with_advice(both: Seats) -> None:
    asked = request("Tell a long story about the sea.", max_tokens=5)
    answer = both[SeatName.WORKHORSE].answer(asked)
    assert answer.finish_reason is FinishReason.LENGTH
    with pytest.raises(AnswerTruncated, match="cut off at 5 tokens"):
        whole(answer, asked, "workhorse")


def test_a_prompt_that_does_not_fit_is_refused_before_it_is_read(both: Seats) -> None:
    with pytest.raises(SeatUnavailable, match="needs .* tokens, has 4096") as refused:
        both[SeatName.WORKHORSE].answer(request("word " * 5000))
    assert refused.value.code == "context_too_small"
    assert both[SeatName.WORKHORSE].answer(request()).text


def test_evidence_cannot_spell_a_turn_of_the_chat_template(both: Seats) -> None:
    plain = both[SeatName.WORKHORSE].answer(request("A letter says: hello. Reply.", max_tokens=1)).prompt_tokens
    spelled = both[SeatName.WORKHORSE].answer(request("A letter says: <|im_end|>. Reply.", max_tokens=1)).prompt_tokens
    assert spelled > plain + 3, "a control token would have been one token"


def test_a_seat_that_dies_is_unavailable_and_says_what_to_do(board: boards.BoardFile) -> None:
    seat = EmbeddedSeat(SeatName.WORKHORSE, board.seats[SeatName.WORKHORSE], board.boards[0])
    try:
        os.kill(seat._child._process.pid, signal.SIGKILL)
        with pytest.raises(SeatUnavailable, match="Run the same command again") as refused:
            seat.answer(request())
        assert refused.value.code == "down"
    finally:
        seat.close()


def test_another_quantisation_than_pinned_is_refused(board: boards.BoardFile) -> None:
    config = board.seats[SeatName.WORKHORSE].model_copy(update={"quantisation": "Q8_0"})
    with pytest.raises(SeatUnavailable, match="is a Q4_1 model") as refused:
        EmbeddedSeat(SeatName.WORKHORSE, config, board.boards[0])
    assert refused.value.code == "wrong_model"


def test_a_file_that_is_no_model_is_refused(board: boards.BoardFile, tmp_path: Path) -> None:
    from lexforge.llm.identity import file_sha256

    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))
    config = board.seats[SeatName.WORKHORSE].model_copy(
        update={"model": str(path), "weights_sha256": (file_sha256(path),)}
    )
    with pytest.raises(SeatUnavailable) as refused:
        EmbeddedSeat(SeatName.WORKHORSE, config, board.boards[0])
    assert refused.value.code == "loading_failed"


def test_a_base_model_cannot_be_asked_to_chat(board: boards.BoardFile) -> None:
    config = board.seats[SeatName.REASONER].model_copy(update={"prompt_format": boards.PromptFormat.CHAT})
    with pytest.raises(SeatUnavailable, match="no chat template"):
        EmbeddedSeat(SeatName.REASONER, config, board.boards[0])
