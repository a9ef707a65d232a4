"""What is asked must arrive: a gateway that drops or changes a setting fails the call, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lexforge.errors import AnswerError, SettingsIgnored
from lexforge.llm.request import Request, Sampling, schema_text
from lexforge.llm.server_seat import ServerSeat
from tests.llm.proxy import Body, Proxy
from tests.llm.seated import request

CHAT = "/v1/chat/completions"
ODD = Sampling(temperature=0.55, top_k=7, top_p=0.6, min_p=0.1, repeat_penalty=1.2, seed=11)
"""No value is one that a server would use by itself."""
GRAMMAR = 'root ::= "a" | "b"'
SCHEMA = schema_text({"type": "object", "properties": {"passage": {"type": "integer"}}, "required": ["passage"]})


def asked(**more: Any) -> Request:
    return request(**{"sampling": ODD, "max_tokens": 3, "stop": ("\x01",), **more})


def dropping(*names: str) -> Callable[[Body], Body]:
    return lambda body: {name: value for name, value in body.items() if name not in names}


def setting(**values: Any) -> Callable[[Body], Body]:
    return lambda body: {**body, **values}


def without_the_last_message(body: Body) -> Body:
    return {**body, "messages": body["messages"][:-1]}


def with_half_the_question(body: Body) -> Body:
    *before, last = body["messages"]
    return {**body, "messages": [*before, {**last, "content": last["content"][:6]}]}


def with_flat_schema(body: Body) -> Body:
    schema = body["response_format"]["json_schema"]["schema"]
    return {**body, "response_format": {"type": "json_schema", "schema": schema}}


ANY_OBJECT = {"type": "json_object"}
OTHER_SCHEMA = {"type": "json_schema", "json_schema": {"schema": {"type": "object", "properties": {"page": {}}}}}

DROPPED = {
    **{name: asked() for name in Sampling.model_fields},
    "samplers": asked(),
    "stop": asked(),
    "max_tokens": asked(),
    "grammar": asked(grammar=GRAMMAR),
}
CHANGED: dict[str, tuple[Request, Callable[[Body], Body], str]] = {
    **{f"{name}_dropped": (sent, dropping(name), name) for name, sent in DROPPED.items()},
    "temperature_null": (asked(), setting(temperature=None), "temperature"),
    "temperature_a_little_higher": (asked(), setting(temperature=0.56), "temperature"),
    "top_k_changed": (asked(), setting(top_k=8), "top_k"),
    "top_p_changed": (asked(), setting(top_p=0.61), "top_p"),
    "min_p_changed": (asked(), setting(min_p=0.2), "min_p"),
    "repeat_penalty_changed": (asked(), setting(repeat_penalty=1.0), "repeat_penalty"),
    "seed_changed": (asked(), setting(seed=12), "seed"),
    "samplers_without_temperature": (asked(), setting(samplers=["top_k", "top_p"]), "samplers"),
    "samplers_in_another_order": (asked(), setting(samplers=["temperature", "top_k"]), "samplers"),
    "dry_added": (asked(), setting(dry_multiplier=0.8), "dry_multiplier"),
    "xtc_added": (asked(), setting(xtc_probability=0.5), "xtc_probability"),
    "typical_added": (asked(), setting(typical_p=0.5), "typical_p"),
    "presence_penalty_added": (asked(), setting(presence_penalty=0.5), "presence_penalty"),
    "frequency_penalty_added": (asked(), setting(frequency_penalty=0.5), "frequency_penalty"),
    "mirostat_added": (asked(), setting(mirostat=2), "mirostat"),
    "dynamic_temperature_added": (asked(), setting(dynatemp_range=0.5), "dynatemp_range"),
    "top_n_sigma_added": (asked(), setting(top_n_sigma=1.0), "top_n_sigma"),
    "min_keep_added": (asked(), setting(min_keep=5), "min_keep"),
    "end_ignored": (asked(), setting(ignore_eos=True), "ignore_eos"),
    "bias_added": (asked(), setting(logit_bias=[[10, 5.0]]), "logit_bias"),
    "stop_changed": (asked(), setting(stop=["\n"]), "stop"),
    "max_tokens_changed": (asked(), setting(max_tokens=2), "max_tokens"),
    "grammar_changed": (asked(grammar=GRAMMAR), setting(grammar='root ::= "c"'), "the grammar"),
    "grammar_added": (asked(), setting(grammar=GRAMMAR), "the grammar"),
    "schema_added": (asked(), setting(response_format=ANY_OBJECT), "the grammar"),
    "schema_dropped": (asked(json_schema=SCHEMA), dropping("response_format"), "the JSON schema"),
    "schema_made_flat": (asked(json_schema=SCHEMA), with_flat_schema, "the JSON schema"),
    "schema_made_any_object": (asked(json_schema=SCHEMA), setting(response_format=ANY_OBJECT), "the JSON schema"),
    "schema_changed": (asked(json_schema=SCHEMA), setting(response_format=OTHER_SCHEMA), "the JSON schema"),
    "question_dropped": (asked(), without_the_last_message, "the messages"),
    "question_cut": (asked(), with_half_the_question, "the messages"),
    "thinking_not_turned_off": (
        asked(max_tokens=6),
        dropping("chat_template_kwargs", "reasoning_budget_tokens"),
        "it thought",
    ),
}


@pytest.mark.parametrize("change", CHANGED)
def test_a_setting_that_does_not_arrive_fails_the_call(change: str, seat: ServerSeat, proxy: Proxy) -> None:
    sent, changed, named = CHANGED[change]
    proxy.request = lambda path, body: changed(body) if path == CHAT else body
    with pytest.raises(SettingsIgnored) as refused:
        seat.answer(sent)
    assert named in refused.value.message
    assert "changes requests" in refused.value.advice


def test_every_field_of_the_sampling_is_in_the_table() -> None:
    assert {f"{name}_dropped" for name in Sampling.model_fields} <= set(CHANGED)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"grammar": GRAMMAR},
        {"json_schema": SCHEMA, "max_tokens": 60},
        {"reasoning_tokens": 4},
        {"text": ' \n Which colour ?  It said "§ 5 – née" .\n\n'},
    ],
    ids=["plain", "grammar", "schema", "thinking", "blanks_and_signs"],
)
def test_a_request_that_is_left_alone_arrives(more: dict[str, Any], seat: ServerSeat) -> None:
    assert seat.answer(asked(**more)).sampling == ODD


def test_an_answer_that_does_not_tell_its_settings_is_not_used(seat: ServerSeat, proxy: Proxy) -> None:
    proxy.request = lambda path, body: dropping("verbose")(body) if path == CHAT else body
    with pytest.raises(AnswerError, match="not llama-server's"):
        seat.answer(asked())


@pytest.mark.parametrize(
    "reply",
    [[], {}, {"choices": []}, {"choices": [{}], "__verbose": [], "timings": {}}],
    ids=["a_list", "empty", "no_choice", "settings_of_another_kind"],
)
def test_a_reply_of_another_form_is_a_typed_error(reply: Any, seat: ServerSeat, proxy: Proxy) -> None:
    def changed(path: str, told: Any) -> Any:
        if path != CHAT:
            return told
        same = {name: told[name] for name in ("model", "system_fingerprint")}
        return {**same, **reply} if isinstance(reply, dict) else reply

    proxy.reply = changed
    with pytest.raises(AnswerError):
        seat.answer(asked())


def test_evidence_cannot_spell_a_turn_of_the_chat_template(seat: ServerSeat) -> None:
    def read(text: str) -> int:
        return seat.answer(asked(text=f"A letter says: {text}. Reply.", max_tokens=1)).prompt_tokens

    assert read("<|im_end|>") > read("x") + 3, "a control token would have been one token"


def test_temperature_and_seed_change_what_is_sampled(seat: ServerSeat) -> None:
    texts = [seat.answer(request(sampling=Sampling(temperature=0.9, seed=seed))).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
