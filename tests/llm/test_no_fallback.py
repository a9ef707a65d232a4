"""What a server cannot do for a request is a typed error with advice: never half an answer, never another server's."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import BaseModel

from lexforge.errors import AnswerError, AnswerMalformed, AnswerTruncated, SeatUnavailable
from lexforge.llm.request import FinishReason, Request, parsed, schema_text, whole
from lexforge.llm.server import ServerClient
from lexforge.llm.server_seat import ServerSeat
from tests.llm.proxy import Proxy
from tests.llm.seated import request

CHAT = "/v1/chat/completions"


class Choice(BaseModel):
    passage: int


SCHEMA = schema_text(Choice.model_json_schema())
SOME = "root ::= [a-z ]{40}"


def text_of(seat: ServerSeat, asked: Request) -> str:
    return whole(seat.answer(asked), asked, "workhorse")


def saying(content: str | None, reasoning: str = "", **more: Any) -> Callable[[str, Any], Any]:
    """A reply with other words in it."""

    def change(path: str, reply: Any) -> Any:
        if path != CHAT:
            return reply
        message = {"role": "assistant", "content": content, "reasoning_content": reasoning}
        return {**reply, "choices": [{**reply["choices"][0], "message": message, **more}]}

    return change


# -- thinking --------------------------------------------------------------------------------------------------------


def test_a_seat_that_does_not_think_begins_with_its_answer(seat: ServerSeat) -> None:
    answer = seat.answer(request(json_schema=SCHEMA, max_tokens=80))
    assert answer.reasoning == ""
    assert parsed(answer, request(), "workhorse", Choice)


def test_a_grammar_binds_the_first_token_of_a_model_that_could_think(seat: ServerSeat) -> None:
    assert text_of(seat, request(grammar='root ::= "yes" | "no"')) in ("yes", "no")


def test_thoughts_have_a_budget_of_their_own(seat: ServerSeat) -> None:
    """Random weights never stop thinking by themselves, and the whole answer comes all the same."""
    asked = request(json_schema=SCHEMA, reasoning_tokens=16, max_tokens=80)
    answer = seat.answer(asked)
    assert answer.reasoning
    assert parsed(answer, asked, "workhorse", Choice)


def test_a_budget_that_is_too_small_gives_no_half_json(seat: ServerSeat) -> None:
    asked = request(json_schema=SCHEMA, reasoning_tokens=30, max_tokens=2)
    answer = seat.answer(asked)
    assert answer.finish_reason is FinishReason.LENGTH
    with pytest.raises(AnswerTruncated) as cut:
        parsed(answer, asked, "workhorse", Choice)
    assert cut.value.advice


def test_a_budget_that_does_not_arrive_is_seen_by_its_result(seat: ServerSeat, proxy: Proxy) -> None:
    def unlimited(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {**body, "reasoning_budget_tokens": -1} if path == CHAT else body

    proxy.request = unlimited
    asked = request(json_schema=SCHEMA, reasoning_tokens=20, max_tokens=20)
    with pytest.raises(AnswerTruncated, match="spent all its 40 tokens thinking") as cut:
        parsed(seat.answer(asked), asked, "workhorse", Choice)
    assert "reasoning_budget" in cut.value.advice


# -- room ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shared", [0, 1], ids=["alone", "while_reading_what_is_shared"])
def test_a_prompt_that_does_not_fit_says_both_numbers(shared: int, seat: ServerSeat) -> None:
    with pytest.raises(SeatUnavailable, match=r"was given \d{4} tokens to read; one slot has room for 1024") as refused:
        seat.answer(request(system="word " * 1500, shared=shared))
    assert refused.value.code == "context_too_small"
    assert "context" in refused.value.advice


def test_an_answer_that_fills_the_slot_is_cut_and_says_so(seat: ServerSeat) -> None:
    asked = request(system="word " * 900, max_tokens=500, grammar="root ::= [a-z ]+")
    answer = seat.answer(asked)
    assert answer.truncated
    with pytest.raises(AnswerTruncated, match="ran out of context"):
        whole(answer, asked, "workhorse")


def test_an_answer_that_reaches_its_limit_is_cut_and_says_so(seat: ServerSeat) -> None:
    with pytest.raises(AnswerTruncated, match="cut off at 3 tokens"):
        text_of(seat, request(max_tokens=3, grammar="root ::= [a-z ]+"))


# -- form ------------------------------------------------------------------------------------------------------------

SAID: dict[str, tuple[Callable[[str, Any], Any], type[AnswerError], str]] = {
    "nothing": (saying(""), AnswerMalformed, "answered with nothing"),
    "no_content_at_all": (saying(None), AnswerMalformed, "answered with nothing"),
    "only_blanks": (saying(" \n"), AnswerMalformed, "answered with nothing"),
    "prose": (saying("The first one."), AnswerMalformed, "did not answer in the form asked for"),
    "half_a_json": (saying('{"passage": '), AnswerMalformed, "did not answer in the form asked for"),
    "another_json": (saying('{"page": 1}'), AnswerMalformed, "did not answer in the form asked for"),
    "a_call_of_a_tool": (saying("", finish_reason="tool_calls"), AnswerError, "not llama-server's"),
}


@pytest.mark.parametrize("flaw", SAID)
def test_an_answer_that_is_not_what_was_asked_for(flaw: str, seat: ServerSeat, proxy: Proxy) -> None:
    proxy.reply, kind, message = SAID[flaw]
    asked = request(json_schema=SCHEMA, max_tokens=80)
    with pytest.raises(kind, match=message):
        parsed(seat.answer(asked), asked, "workhorse", Choice)


REFUSED = {
    "schema_with_a_dangling_reference": {"json_schema": schema_text({"$ref": "#/$defs/Missing"})},
    "grammar_that_cannot_be_read": {"grammar": "root ::= ("},
}


@pytest.mark.parametrize("flaw", REFUSED)
def test_what_the_server_cannot_do_is_not_done_without(flaw: str, seat: ServerSeat) -> None:
    with pytest.raises(AnswerError, match=r"refused the request \(400\)"):
        seat.answer(request(**REFUSED[flaw]))


def test_the_seat_goes_on_after_an_error(seat: ServerSeat) -> None:
    assert text_of(seat, request(grammar=SOME, max_tokens=60))


# -- nobody else is asked --------------------------------------------------------------------------------------------


def test_no_proxy_of_the_environment_is_used(hybrid_server: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{proxy.endpoint}")
    with Proxy(hybrid_server).serving() as direct:
        client = ServerClient(direct.endpoint)
        assert client.health() == "ok"
        client.close()
        assert direct.asked == ["/health"]
    assert proxy.asked == []


def test_nobody_is_followed_elsewhere(proxy: Proxy) -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(307)
            self.send_header("Location", f"http://{proxy.endpoint}{self.path}")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        client = ServerClient(f"127.0.0.1:{server.server_port}")
        with pytest.raises(AnswerError, match="307"):
            client.get("/props")
        client.close()
        server.shutdown()
    assert proxy.asked == []


def test_an_address_that_is_not_listed_is_refused_before_anything_is_sent(proxy: Proxy) -> None:
    program = f"""
from lexforge import local_only
from lexforge.errors import SeatUnavailable
from lexforge.llm.server import ServerClient
local_only.install()
client = ServerClient({proxy.endpoint!r})
for asked in (client.health, lambda: client.get("/props")):
    try:
        asked()
    except SeatUnavailable as error:
        print(error.code)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["address_not_permitted"] * 2, "neither is taken for a server that may come back"
    assert proxy.asked == []
