"""What a seat is asked and what it answers. Unknown request keys are impossible by type."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

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
    """One question to a seat; a grammar (GBNF) or a JSON schema binds the answer, never both."""

    messages: tuple[Message, ...]
    max_tokens: Annotated[int, Field(gt=0)]
    sampling: Sampling
    grammar: str | None = None
    json_schema: str | None = None
    stop: tuple[str, ...] = ()


class FinishReason(StrEnum):
    """Why the engine stopped."""

    STOP = "stop"
    LENGTH = "length"


class Answer(Record):
    """What came back, with the runtime's own counters (tokens, milliseconds) and the sampling it used."""

    text: str
    finish_reason: FinishReason
    sampling: Sampling
    prompt_tokens: int
    prompt_ms: float
    completion_tokens: int
    completion_ms: float


def whole(answer: Answer, request: Request, seat: str) -> str:
    """The text of an answer that is known to be complete; AnswerTruncated or AnswerMalformed otherwise."""
    if answer.sampling != request.sampling:
        raise AnswerMalformed(
            f"The {seat} sampled with {answer.sampling}, not with {request.sampling} as asked.",
            "Something between LexForge and the model changes requests; nothing it answers can be relied on.",
        )
    if answer.finish_reason is FinishReason.LENGTH:
        raise AnswerTruncated(
            f"The answer of the {seat} was cut off at {request.max_tokens} tokens.",
            "Half an answer is not used. Give the seat a larger context in its board file, or shorten the passages.",
        )
    if not answer.text.strip():
        raise AnswerMalformed(f"The {seat} answered with nothing.", "Check the model and its prompt format.")
    return answer.text


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
