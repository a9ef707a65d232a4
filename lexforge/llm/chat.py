"""A request as llama-server's chat body, its reply as an answer, and proof that the settings arrived.

Traps this module is built around, each seen on a real server: an unknown key is ignored and the default sampled with;
the flat form of a JSON schema is ignored; a `samplers` chain without `temperature` makes the temperature do nothing; a
token of the chat template that stands in the text of a message is read as that token.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from lexforge.errors import AnswerError, SettingsIgnored
from lexforge.llm.request import Answer, FinishReason, Request, Sampling

# Everything else that changes what is sampled, set so that it does nothing: a server's own defaults never apply.
NEUTRAL: dict[str, Any] = {
    "dynatemp_range": 0.0,
    "xtc_probability": 0.0,
    "typical_p": 1.0,
    "top_n_sigma": -1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "dry_multiplier": 0.0,
    "mirostat": 0,
    "repeat_last_n": 64,
    "min_keep": 0,
    "ignore_eos": False,
    "samplers": ["penalties", "top_k", "top_p", "min_p", "temperature"],
}

# What a chat template means by a turn must come from the template alone: evidence that spells such a token out is
# broken up before it is laid out.
_CONTROL = {"<|": "< |", "|>": "| >", "<start_of_turn>": "< start_of_turn >", "<end_of_turn>": "< end_of_turn >"}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+")


def body(request: Request, slot: int, reuse: bool) -> dict[str, Any]:
    """The body of `POST /v1/chat/completions` for one slot; `reuse`: go on behind what the slot has read already."""
    fields: dict[str, Any] = {
        "messages": messages(request),
        "max_tokens": request.max_tokens + request.reasoning_tokens,
        **request.sampling.model_dump(),
        **NEUTRAL,
        "stop": list(request.stop),
        "stream": False,
        "verbose": True,
        "id_slot": slot,
        "cache_prompt": reuse,
        **template_settings(request),
        "reasoning_format": "deepseek",
        "reasoning_budget_tokens": request.reasoning_tokens,
    }
    if request.grammar is not None:
        fields["grammar"] = request.grammar
    if request.json_schema is not None:
        schema = {"name": "answer", "schema": json.loads(request.json_schema)}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    return fields


def messages(request: Request) -> list[dict[str, str]]:
    """The messages as the server's template takes them."""
    return [{"role": message.role, "content": _harmless(message.content)} for message in request.messages]


def template_settings(request: Request) -> dict[str, Any]:
    """What the template is told besides the messages."""
    return {"chat_template_kwargs": {"enable_thinking": request.reasoning_tokens > 0}}


def _harmless(content: str) -> str:
    for token, broken in _CONTROL.items():
        content = content.replace(token, broken)
    return content


def answer_of(reply: dict[str, Any], request: Request, seat: str) -> Answer:
    """The reply as an Answer; SettingsIgnored when the server sampled with anything else than was asked."""
    try:
        choice, told, timings = reply["choices"][0], reply["__verbose"], reply["timings"]
        settings = told["generation_settings"]
        reasoning = choice["message"].get("reasoning_content") or ""
        require_arrived(request, settings, told["prompt"], reasoning, seat)
        return Answer(
            text=choice["message"].get("content") or "",
            reasoning=reasoning,
            finish_reason=FinishReason(choice["finish_reason"]),
            truncated=told["truncated"],
            sampling=request.sampling,
            slot=told["id_slot"],
            prompt_tokens=timings["prompt_n"],
            cached_tokens=timings["cache_n"],
            prompt_ms=timings["prompt_ms"],
            completion_tokens=timings["predicted_n"],
            completion_ms=timings["predicted_ms"],
            drafted=timings.get("draft_n", 0),
            accepted=timings.get("draft_n_accepted", 0),
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise AnswerError(
            f"The {seat} answered in a form that is not llama-server's: {type(error).__name__} {error}.",
            "Its build may be older than this needs, or something between LexForge and the server changes answers.",
        ) from None


def require_arrived(request: Request, settings: dict[str, Any], prompt: str, reasoning: str, seat: str) -> None:
    """SettingsIgnored, naming each one, unless `generation_settings`, prompt and thoughts are what was asked for."""
    wanted = {
        **{name: getattr(request.sampling, name) for name in Sampling.model_fields},
        **NEUTRAL,
        "max_tokens": request.max_tokens + request.reasoning_tokens,
        "stop": list(request.stop),
    }
    wrong = [
        f"{name} {settings.get(name)!r} instead of {value!r}"
        for name, value in wanted.items()
        if not _same(settings.get(name), value)
    ]
    wrong += _bound_otherwise(request, settings)
    wrong += [f"{name} {settings[name]!r}" for name in ("lora", "logit_bias") if settings.get(name)]
    if not _stand_in(prompt, [message["content"] for message in messages(request) if message["role"] != "assistant"]):
        wrong.append("the messages")
    if reasoning and not request.reasoning_tokens:
        wrong.append("it thought, which it was not to do")
    if wrong:
        raise SettingsIgnored(
            f"The {seat} did not do what it was asked to: {'; '.join(wrong)}.",
            "Something between LexForge and the model changes requests; nothing it answers can be relied on.",
        )


def _bound_otherwise(request: Request, settings: dict[str, Any]) -> Iterator[str]:
    """The grammar that bound the answer is the one of the request, or made of its schema, or none."""
    grammar = settings.get("grammar") or ""
    if request.json_schema is None:
        if grammar != (request.grammar or ""):
            yield "the grammar"
    elif any(f'"{name}"' not in grammar and f'"{name}\\"' not in grammar for name in _names(request.json_schema)):
        yield "the JSON schema"
    if grammar and settings.get("grammar_lazy"):
        yield "the grammar, which was made lazy"


def _names(schema: str) -> Iterator[str]:
    """The keys that a JSON schema speaks of; each stands in every grammar made of it."""
    waiting = [json.loads(schema)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            properties = part.get("properties")
            yield from (name for name in properties or () if _PLAIN_NAME.fullmatch(name))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part


def _stand_in(prompt: str, texts: list[str]) -> bool:
    """Whether all texts stand in the prompt, in this order.

    Blanks do not count: templates trim, and a server tells the prompt from its tokens, where some tokenisers lose them.
    """
    prompt, place = "".join(prompt.split()), 0
    for text in ("".join(text.split()) for text in texts):
        found = prompt.find(text, place)
        if found < 0:
            return False
        place = found + len(text)
    return True


def _same(found: object, wanted: object) -> bool:
    """Equal, where the server keeps numbers as 32-bit floats (seven digits)."""
    if isinstance(wanted, float) and isinstance(found, int | float):
        return math.isclose(found, wanted, rel_tol=1e-6, abs_tol=1e-9)
    return found == wanted
