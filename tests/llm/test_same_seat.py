"""A seat is the same one with each answer and after a restart, or it stops."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lexforge.errors import SeatUnavailable
from lexforge.llm.server import ServerClient
from lexforge.llm.server_seat import ServerSeat
from tests.llm import llama_server
from tests.llm.proxy import Body, Gone, Proxy
from tests.llm.seated import ALIAS, config, request, seated

pytestmark = pytest.mark.usefixtures("own_cache")

CHAT = "/v1/chat/completions"


# -- with each answer ------------------------------------------------------------------------------------------------


def test_a_pinned_file_that_is_swapped_stops_the_seat(hybrid_server: str, copy: Path, other_hybrid: Path) -> None:
    with seated(hybrid_server, config(copy)) as seat:
        assert seat.answer(request()).text
        shutil.copyfile(other_hybrid, copy)
        with pytest.raises(SeatUnavailable) as refused:
            seat.answer(request())
    assert refused.value.code == "hash_differs"


CHANGED_ON_THE_WAY = {"alias": {"model": "gpt-4o"}, "build": {"system_fingerprint": "b9999-0000000"}}


@pytest.mark.parametrize("what", CHANGED_ON_THE_WAY)
def test_an_answer_under_another_name_or_build_is_not_used(what: str, seat: ServerSeat, proxy: Proxy) -> None:
    proxy.reply = lambda path, reply: {**reply, **CHANGED_ON_THE_WAY[what]} if path == CHAT else reply
    with pytest.raises(SeatUnavailable, match=f"{next(iter(CHANGED_ON_THE_WAY[what].values()))}.* answered") as refused:
        seat.answer(request())
    assert refused.value.code == "wrong_model"


def test_another_model_under_the_same_name_is_shown_nothing(
    seat: ServerSeat, proxy: Proxy, smollm2_server: str
) -> None:
    assert seat.answer(request()).text
    answered = proxy.chats
    proxy.upstream = smollm2_server
    with pytest.raises(SeatUnavailable) as refused:
        seat.answer(request())
    assert refused.value.code == "wrong_model"
    assert proxy.chats == answered


def test_another_model_that_answers_in_its_place_is_not_used(
    seat: ServerSeat, proxy: Proxy, smollm2_server: str
) -> None:
    def swapped(path: str, body: Body) -> Body:
        if path == CHAT:
            proxy.upstream = smollm2_server
            body = {**body, "id_slot": 0}
        return body

    proxy.request = swapped
    with pytest.raises(SeatUnavailable) as refused:
        seat.answer(request())
    assert refused.value.code == "wrong_model"


# -- a restart -------------------------------------------------------------------------------------------------------


def dying(times: int) -> Callable[[str, Body], Body]:
    """As many answers end with the connection."""
    left = [times]

    def change(path: str, body: Body) -> Body:
        if path == CHAT and left[0]:
            left[0] -= 1
            raise Gone
        return body

    return change


def test_a_server_that_comes_back_as_another_model_is_refused(
    proxy: Proxy, hybrid_file: Path, smollm2_server: str
) -> None:
    def back_as_another(told: str) -> None:
        if told:
            proxy.upstream = smollm2_server

    with seated(proxy.endpoint, config(hybrid_file), waiting=back_as_another) as seat:
        proxy.upstream = ""
        with pytest.raises(SeatUnavailable) as refused:
            seat.answer(request())
    assert refused.value.code == "wrong_model"


def test_a_request_that_kills_the_server_each_time_ends(seat: ServerSeat, proxy: Proxy) -> None:
    tried: list[str] = []

    def deadly(path: str, body: Body) -> Body:
        if path == CHAT:
            tried.append(path)
            raise Gone
        return body

    proxy.request = deadly
    with pytest.raises(SeatUnavailable) as refused:
        seat.answer(request())
    assert refused.value.code == "down"
    assert len(tried) == 4


def test_a_connection_that_breaks_now_and_then_is_made_again(seat: ServerSeat, proxy: Proxy) -> None:
    undisturbed = seat.answer(request()).text
    proxy.request = dying(2)
    assert seat.answer(request()).text == undisturbed


@contextmanager
def started(socket: Path, model: Path) -> Iterator[subprocess.Popen[str]]:
    """A server on this socket, told its model by a relative path, that may be killed."""
    words = f"--model {model.name} --alias {ALIAS} --host {socket} --slot-save-path {socket.parent}"
    words += " --ctx-size 4096 --parallel 1 --threads 1 --slots"
    process = subprocess.Popen(
        [sys.executable, llama_server.__file__, *words.split()],
        cwd=model.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("listening")
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_server_that_is_killed_in_the_middle_of_an_answer_is_waited_for(hybrid_file: Path) -> None:
    told: list[str] = []
    with ExitStack() as stack:
        socket = Path(stack.enter_context(TemporaryDirectory(prefix="lf-"))) / "seat.sock"

        def start() -> subprocess.Popen[str]:
            socket.unlink(missing_ok=True)
            return stack.enter_context(started(socket, hybrid_file))

        def waiting(words: str) -> None:
            if words and not told:
                start()
            told.append(words)

        first, endpoint = start(), f"unix:{socket}"
        seat = stack.enter_context(seated(endpoint, config(hybrid_file, slots=1, context=4096), waiting=waiting))
        assert seat.identity.weights_read, "its relative path was found"
        long = request("Tell a story.", max_tokens=3000, grammar="root ::= [a-z ]{2000}", shared=1)
        undisturbed = seat.answer(long)
        told.clear()
        answered = threading.Event()
        killer = threading.Thread(target=kill_at_work, args=(endpoint, first, answered))
        killer.start()
        answer = seat.answer(long)
        answered.set()
        killer.join()
        assert (answer.text, answer.cached_tokens) == (undisturbed.text, undisturbed.cached_tokens)
        assert told[0].startswith("workhorse is down; waiting")
        assert told[-1] == ""
        assert seat.throughput.answers == 2


def kill_at_work(endpoint: str, server: subprocess.Popen[str], answered: threading.Event) -> None:
    client = ServerClient(endpoint)
    while not answered.is_set() and not client.get("/slots")[0]["is_processing"]:
        time.sleep(0.005)
    server.kill()
    client.close()


def test_a_server_that_never_comes_back_is_not_waited_for_any_longer(
    seat: ServerSeat, proxy: Proxy, hybrid_file: Path
) -> None:
    told: list[str] = []
    with seated(proxy.endpoint, config(hybrid_file, wait=0.1), waiting=told.append) as impatient:
        proxy.upstream = ""
        told.clear()
        with pytest.raises(SeatUnavailable) as refused:
            impatient.answer(request())
    assert refused.value.code == "down"
    assert told[0].startswith("workhorse is down; waiting")
