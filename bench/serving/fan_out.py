"""Eight sections over four slots that share their evidence: slots as they lie, one slot primed, all slots seeded.

    python -m bench.serving.fan_out [--model hybrid|smollm2] [--program llama-server] [--ubatch N]

Each section is the same evidence, a question of its own of about 50 tokens, and an answer of 16. `as they lie`: the
slots are empty, and a slot keeps what it read. `one primed`: slot 0 has read the evidence before. `all seeded`: the
seat's own way (`lexforge.llm.slots`), the evidence read once, saved, and restored into whichever slot answers. Walls
have the preparation in them; `read` counts its tokens as well, `cached` is of the answers alone.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from bench.serving.started import MODELS, arguments, model_file, started, text_of
from lexforge.llm import chat
from lexforge.llm.boards import SeatName
from lexforge.llm.header import read_header
from lexforge.llm.request import Answer, Message, Request, Sampling
from lexforge.llm.server import ServerClient
from lexforge.llm.server_seat import ServerSeat
from lexforge.llm.slots import Slots
from tests.llm.seated import config

SLOTS, SECTIONS, ANSWER = 4, 8, 16
EVIDENCE = {"hybrid": 12_000, "smollm2": 3_000}
QUESTION = 50
ROOM = 512
"""Tokens of a slot beside the evidence."""

Way = Callable[[Request], Answer]


def section(number: int, evidence: str, client: ServerClient, max_tokens: int = ANSWER) -> Request:
    """One request of the fan-out."""
    question = f"Section {number}. {text_of(client, QUESTION, 1000 * (number + 1))} Which item was it?"
    messages = (Message(role="system", content=evidence), Message(role="user", content=question))
    return Request(messages=messages, max_tokens=max_tokens, sampling=Sampling(), shared=1)


def as_they_lie(client: ServerClient) -> Way:
    """A request in any free slot, behind what that slot happens to hold."""
    slots = Slots(client, SLOTS)

    def ask(request: Request) -> Answer:
        with slots.taken() as slot:
            return chat.answer_of(
                client.post("/v1/chat/completions", chat.body(request, slot, reuse=True)), request, "seat"
            )

    return ask


def erase(client: ServerClient) -> None:
    for slot in range(SLOTS):
        client.post(f"/slots/{slot}?action=erase", {})


def measured(way: Way, sections: list[Request], before: Callable[[], int]) -> tuple[list[Answer], int, float]:
    """The answers, the tokens read with those of the preparation, and the wall in seconds."""
    began = perf_counter()
    prepared = before()
    with ThreadPoolExecutor(SLOTS) as threads:
        answers = list(threads.map(way, sections))
    return answers, prepared + sum(answer.prompt_tokens for answer in answers), perf_counter() - began


def compared(file: Path, tokens: int, asked: argparse.Namespace) -> None:
    """Print the table for one model with so many tokens of evidence."""
    context = tokens + ROOM
    with started(asked.program, file, SLOTS, context, asked) as endpoint:
        seat_config = config(file, quantisation=read_header((file,)).quantisation, slots=SLOTS, context=context)
        seat = ServerSeat(SeatName.WORKHORSE, seat_config, endpoint)
        client = ServerClient(endpoint)
        evidence = text_of(client, tokens)
        sections = [section(number, evidence, client) for number in range(SECTIONS)]
        primer, lying = section(99, evidence, client, max_tokens=1), as_they_lie(client)
        ways: dict[str, tuple[Way, Callable[[], int]]] = {
            "as they lie": (lying, lambda: 0),
            "one primed": (lying, lambda: lying(primer).prompt_tokens),
            "all seeded": (seat.answer, lambda: 0),
        }
        print(f"{seat.identity.label}, {SECTIONS} sections over {SLOTS} slots, -ub {asked.ubatch}")
        print(f"{'slots':12} {'prompt':>8} {'read':>8} {'cached':>8} {'wall s':>8}")
        for way, (ask, before) in ways.items():
            erase(client)
            answers, read, wall = measured(ask, sections, before)
            cached = sum(answer.cached_tokens for answer in answers)
            prompt = cached + sum(answer.prompt_tokens for answer in answers)
            read += answers[0].cached_tokens if ask == seat.answer else 0  # what was read to be saved
            print(f"{way:12} {prompt:8,} {read:8,} {cached / prompt:8.1%} {wall:8.1f}")
        seat.close()
        client.close()


def main() -> None:
    parser = arguments("fan_out", "Sections that share their evidence, over several slots.")
    parser.add_argument("--model", choices=MODELS, action="append")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name in asked.model or MODELS:
            compared(model_file(name, Path(scratch)), EVIDENCE[name], asked)


if __name__ == "__main__":
    main()
