"""Evidence and question in one user message, against evidence in a message of its own: what a hybrid model reuses.

    python -m bench.serving.message_shape [--program llama-server] [--ubatch N] [--evidence TOKENS] [--question TOKENS]

Five questions about the same evidence, one after the other in one slot that keeps what it read; nothing is saved or
restored. A recurrent state cannot be wound back, so that a server goes on from one it kept: where a user message began,
and little before the end of a prompt. The first call is cold in each shape and counted.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.serving.started import arguments, model_file, started, text_of
from lexforge.llm import chat
from lexforge.llm.request import Answer, Message, Request, Sampling
from lexforge.llm.server import ServerClient

QUESTIONS = 5
ROOM = 512


def messages(shape: str, evidence: str, question: str) -> tuple[Message, ...]:
    if shape == "one message":
        return (Message(role="user", content=f"{evidence}\n\n{question}"),)
    first = Message(role="system" if shape == "in the system message" else "user", content=evidence)
    return first, Message(role="user", content=question)


SHAPES = ("one message", "in an earlier message", "in the system message")


def answered(client: ServerClient, shape: str, evidence: str, questions: list[str]) -> list[Answer]:
    """An answer of 16 tokens to each question."""
    client.post("/slots/0?action=erase", {})
    found = []
    for question in questions:
        request = Request(messages=messages(shape, evidence, question), max_tokens=16, sampling=Sampling())
        reply = client.post("/v1/chat/completions", chat.body(request, slot=0, reuse=True))
        found.append(chat.answer_of(reply, request, "seat"))
    return found


def main() -> None:
    parser = arguments("message_shape", "Where the evidence stands, and what is reused of it.")
    parser.add_argument("--evidence", type=int, default=12_000)
    parser.add_argument("--question", type=int, default=680)
    asked = parser.parse_args()
    context = asked.evidence + asked.question + ROOM
    with tempfile.TemporaryDirectory() as scratch:
        file = model_file("hybrid", Path(scratch))
        with started(asked.program, file, 1, context, asked) as endpoint:
            client = ServerClient(endpoint)
            evidence = text_of(client, asked.evidence)
            questions = [text_of(client, asked.question, 1000 * (number + 1)) for number in range(QUESTIONS)]
            print(f"random hybrid, {QUESTIONS} questions, -ub {asked.ubatch}")
            print(f"{'evidence':24} {'prompt':>8} {'read':>8} {'cached':>8} {'prompt s':>9}")
            for shape in SHAPES:
                answers = answered(client, shape, evidence, questions)
                read, cached = sum(a.prompt_tokens for a in answers), sum(a.cached_tokens for a in answers)
                seconds = sum(answer.prompt_ms for answer in answers) / 1000
                print(f"{shape:24} {read + cached:8,} {read:8,} {cached / (read + cached):8.1%} {seconds:9.1f}")
            client.close()


if __name__ == "__main__":
    main()
