"""What a seat is asked and what it answers. Unknown request keys are impossible by type."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, model_validator

from lexforge.domain.record import Record
from lexforge.errors import AnswerMalformed, AnswerTruncated

Model = TypeVar("Model", bound=BaseModel)


class Sampling(Record):
    """Sampling parameters, all explicit: a server's defaults never apply. Names as in llama.cpp."""

    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    top_k: Annotated[int, Field(ge=0)] = 40
    top_p: Annotated[float, Field(gt=0, le=1)] = 0.95
    min_p: Annotated[float, Field(ge=0, le=1)] = 0.05
    repeat_penalty: Annotated[float, Field(gt=0, le=2)] = 1.0
    seed: Annotated[int, Field(ge=0, le=2**32 - 2)] = 7


class Message(Record):
    """One message of a prompt. Order is a contract: system, then evidence, then the question."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(Record):
    """One question to a seat; a grammar (GBNF) or a JSON schema binds the answer, never both.

    `max_tokens` is for the answer, `reasoning_tokens` for what is thought before it. `shared` says how many of the
    first messages other requests begin with as well: a server reads those once and every slot starts behind them.
    """

    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    max_tokens: Annotated[int, Field(gt=0)]
    sampling: Sampling
    reasoning_tokens: Annotated[int, Field(ge=0)] = 0
    grammar: str | None = None
    json_schema: str | None = None
    stop: tuple[str, ...] = ()
    shared: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _possible(self) -> Request:
        # A server given both drops the grammar without a word; a raw grammar also binds the thoughts, and the answer
        # comes back empty.
        if self.grammar is not None and self.json_schema is not None:
            raise ValueError("a grammar or a JSON schema, never both")
        if self.grammar is not None and self.reasoning_tokens:
            raise ValueError("a grammar binds from the first token on, so nothing can be thought before it")
        if self.shared >= len(self.messages):
            raise ValueError("the question itself is never shared")
        return self


class FinishReason(StrEnum):
    """Why the engine stopped."""

    STOP = "stop"
    LENGTH = "length"


class Answer(Record):
    """What came back, with the runtime's own counters (tokens, milliseconds) and the sampling it used.

    `prompt_tokens` were read for this answer, `cached_tokens` had been read before. `truncated`: the slot was full.
    `drafted` tokens were guessed ahead, `accepted` of them stood.
    """

    text: str
    reasoning: str = ""
    finish_reason: FinishReason
    truncated: bool = False
    sampling: Sampling
    slot: int = 0
    prompt_tokens: int
    cached_tokens: int = 0
    prompt_ms: float
    completion_tokens: int
    completion_ms: float
    drafted: int = 0
    accepted: int = 0


def whole(answer: Answer, request: Request, seat: str) -> str:
    """The text of an answer that is known to be complete; AnswerTruncated or AnswerMalformed otherwise."""
    if answer.sampling != request.sampling:
        raise AnswerMalformed(
            f"The {seat} sampled with {answer.sampling}, not with {request.sampling} as asked.",
            "Something between LexForge and the model changes requests; nothing it answers can be relied on.",
        )
    if answer.truncated:
        raise AnswerTruncated(
            f"The {seat} ran out of context in the middle of its answer.",
            "Half an answer is not used. Give the seat a larger `context` in its board file, or shorten the passages.",
        )
    if answer.finish_reason is FinishReason.LENGTH:
        raise _cut_off(answer, request, seat)
    if not answer.text.strip():
        raise AnswerMalformed(f"The {seat} answered with nothing.", "Check the model and its prompt format.")
    return answer.text


def _cut_off(answer: Answer, request: Request, seat: str) -> AnswerTruncated:
    if answer.reasoning and not answer.text.strip():
        return AnswerTruncated(
            f"The {seat} spent all its {request.reasoning_tokens + request.max_tokens} tokens thinking and did not "
            "get to an answer.",
            "Raise `reasoning_budget` of the seat in its board file, or set it to 0 so that it does not think.",
        )
    return AnswerTruncated(
        f"The answer of the {seat} was cut off at {request.max_tokens} tokens.",
        "Half an answer is not used. Give the seat a larger `context` in its board file, or shorten the passages.",
    )


def parsed(answer: Answer, request: Request, seat: str, model: type[Model]) -> Model:
    """A complete JSON answer as a validated `model`; the engine's own schema is never trusted."""
    text = whole(answer, request, seat)
    try:
        return model.model_validate_json(text, strict=False)
    except ValidationError as error:
        raise AnswerMalformed(
            f"The {seat} did not answer in the form asked for: {error.errors()[0]['msg']}.",
            "The engine did not honour the JSON schema; run `lexforge doctor`.",
        ) from None


def schema_text(schema: dict[str, Any]) -> str:
    """A JSON schema as the canonical string a request carries."""
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False)
