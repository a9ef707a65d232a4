"""Slots: what requests share is read once, and no answer depends on what its slot read before."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lexforge.llm.request import Answer, Request
from lexforge.llm.server_seat import ServerSeat
from lexforge.llm.slots import MOST_SAVED, Slots
from tests.llm.llama_server import serve
from tests.llm.proxy import Body, Proxy
from tests.llm.seated import ALIAS, SLOTS, config, request, seated

pytestmark = pytest.mark.usefixtures("own_cache")

EVIDENCE = " ".join(f"On day {day} the clerk wrote item {37 * day % 101} into the book." for day in range(25))


def about(number: int, evidence: str = EVIDENCE, **more: Any) -> Request:
    return request(f"What is item {number}?", system=evidence, shared=1, **more)


@pytest.fixture(scope="module")
def seat(own_cache: None, hybrid_server: str, hybrid_file: Path) -> Iterator[ServerSeat]:
    """Without anything between it and the server."""
    with seated(hybrid_server, config(hybrid_file)) as seat:
        yield seat


def all_at_once(seat: ServerSeat, asked: Sequence[Request]) -> list[Answer]:
    with ThreadPoolExecutor(len(asked)) as threads:
        return list(threads.map(seat.answer, asked))


def test_the_shared_beginning_is_read_once_for_all_slots(seat: ServerSeat) -> None:
    before = seat.throughput
    answers = all_at_once(seat, [about(number) for number in range(2 * SLOTS)])
    lengths = {answer.cached_tokens for answer in answers}
    assert len(lengths) == 1
    assert lengths.pop() > 400
    assert max(answer.prompt_tokens for answer in answers) < 20
    assert {answer.slot for answer in answers} == set(range(SLOTS))
    assert seat.throughput.answers - before.answers == 2 * SLOTS


def test_more_beginnings_at_once_than_are_kept_are_not_mixed_up(proxy: Proxy, hybrid_file: Path) -> None:
    def slow(path: str, body: Body) -> Body:
        if path.endswith("restore"):
            time.sleep(0.05)  # long enough for another thread to save its beginning under the same name
        return body

    proxy.request = slow
    beginnings = [f"Book {number}. " * (1 + number) + EVIDENCE for number in range(MOST_SAVED + 1)]
    with seated(proxy.endpoint, config(hybrid_file)) as seat:
        alone = {evidence: seat.answer(about(1, evidence)).cached_tokens for evidence in beginnings}
        asked = [about(number, evidence) for number in range(3) for evidence in beginnings]
        answers = all_at_once(seat, asked)
    assert [a.cached_tokens for a in answers] == [alone[r.messages[0].content] for r in asked]


def test_an_answer_does_not_depend_on_what_its_slot_read_before(hybrid_file: Path, one_slot: str) -> None:
    with seated(one_slot, config(hybrid_file, slots=1)) as seat:
        first = seat.answer(about(3))
        seat.answer(request("Something else entirely.", max_tokens=40))
        seat.answer(about(3, "Another book. " + EVIDENCE))
        seat.answer(about(3)), seat.answer(about(4))
        again = seat.answer(about(3))
        unshared = [seat.answer(request("Something else entirely.")) for _ in range(2)]
    assert (again.text, again.cached_tokens) == (first.text, first.cached_tokens)
    assert [answer.cached_tokens for answer in unshared] == [0, 0]
    assert unshared[0].text == unshared[1].text


@pytest.fixture(scope="module")
def one_slot(hybrid_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("one-slot")
    with serve(folder, hybrid_file, alias=ALIAS, ctx_size=1024, cache_ram=0, slot_save_path=folder) as (endpoint, _):
        yield endpoint


def test_an_answer_behind_a_restored_beginning_is_the_answer_to_the_whole_prompt(seat: ServerSeat) -> None:
    restored, read = seat.answer(about(5)), seat.answer(about(5).model_copy(update={"shared": 0}))
    assert read.cached_tokens == 0
    assert restored.cached_tokens + restored.prompt_tokens == read.prompt_tokens
    assert restored.text == read.text


def test_thoughts_begin_behind_the_shared_beginning_as_well(seat: ServerSeat) -> None:
    assert seat.answer(about(5, reasoning_tokens=4)).cached_tokens > 400


def test_a_server_that_saves_no_slots_answers_all_the_same(hybrid_file: Path, tmp_path: Path) -> None:
    with (
        serve(tmp_path, hybrid_file, alias=ALIAS, ctx_size=1024, cache_ram=0) as (endpoint, _),
        Proxy(endpoint).serving() as proxy,
        seated(proxy.endpoint, config(hybrid_file, slots=1)) as seat,
    ):
        first, second = seat.answer(about(6)), seat.answer(about(6))
        assert first.text == second.text
        assert [first.cached_tokens, second.cached_tokens] == [0, 0]
        assert not seat._slots.can_save
        assert proxy.asked.count("/completion") == 2, "those of the probe: nothing is read in vain"
        assert sum(path.startswith("/slots/") for path in proxy.asked) <= 2, "and it is not tried again"


def test_a_saved_file_that_is_gone_is_only_read_again(seat: ServerSeat, saved_slots: Path) -> None:
    kept = seat.answer(about(7))
    for file in saved_slots.iterdir():
        file.unlink()
    lost, again = seat.answer(about(7)), seat.answer(about(7))
    assert lost.cached_tokens == 0
    assert again.cached_tokens == kept.cached_tokens
    assert {kept.text, lost.text, again.text} == {kept.text}


def test_the_files_are_few_and_empty_in_the_end(hybrid_server: str, hybrid_file: Path, saved_slots: Path) -> None:
    for file in saved_slots.iterdir():
        file.unlink()
    with seated(hybrid_server, config(hybrid_file)) as seat:
        for number in range(MOST_SAVED + 2):
            seat.answer(about(1, f"Book {number}. {EVIDENCE}"))
        assert {file.name for file in saved_slots.iterdir()} == set(seat._slots.files)
        assert all(file.stat().st_size > 100_000 for file in saved_slots.iterdir())
    assert all(file.stat().st_size < 1000 for file in saved_slots.iterdir())


def test_a_beginning_is_never_laid_out_without_a_question(proxy: Proxy, hybrid_file: Path) -> None:
    """The templates of some models refuse messages without one."""
    last: list[str] = []

    def noted(path: str, body: Body) -> Body:
        if path == "/apply-template":
            last.append(body["messages"][-1]["role"])
        return body

    proxy.request = noted
    with seated(proxy.endpoint, config(hybrid_file)) as seat:
        assert seat.answer(about(8)).cached_tokens > 400
    assert set(last) == {"user"}


def test_a_slot_belongs_to_one_request_at_a_time(seat: ServerSeat) -> None:
    slots = Slots(seat._client, 2)
    with slots.taken() as one, slots.taken() as other:
        assert {one, other} == {0, 1}
    with slots.taken() as one, slots.taken() as other:
        assert {one, other} == {0, 1}
