"""What counts as the same model: any difference makes another fingerprint, and is told in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexforge.errors import SeatUnavailable
from lexforge.llm.header import Header
from lexforge.llm.identity import PLAIN_TEMPLATE, Identity, digest, require_file
from lexforge.llm.serving.command import identifying

ARGV = (
    "/opt/llama-server",
    *("--model", "/models/a.gguf", "--alias", "workhorse"),
    *("--host", "/run/user/1000/lexforge/workhorse.sock", "--slot-save-path", "/run/user/1000/lexforge/slots"),
    *("--ctx-size", "8192", "--flash-attn", "on", "--cache-type-k", "f16"),
)
IDENTITY = Identity(
    weights_sha256="a" * 64,
    quantisation="Q8_0",
    architecture="qwen35moe",
    parameters=34_700_000_000,
    size=36_900_000_000,
    vocabulary=248_320,
    template_sha256="b" * 64,
    context=32_768,
    slots=4,
    runtime="b11434-abcdef0",
    argv=identifying(ARGV),
)
OTHER: dict[str, Any] = {
    "weights_sha256": "c" * 64,
    "weights_read": False,
    "quantisation": "Q4_K_M",
    "architecture": "qwen3next",
    "parameters": 34_700_000_001,
    "size": 36_900_000_001,
    "vocabulary": 248_321,
    "template_sha256": PLAIN_TEMPLATE,
    "context": 32_769,
    "slots": 5,
    "runtime": "b11435-abcdef0",
    "argv": (*IDENTITY.argv, "--context-shift"),
}


def test_every_field_is_in_the_table() -> None:
    assert set(OTHER) == set(Identity.model_fields)


@pytest.mark.parametrize("name", OTHER)
def test_any_field_that_differs_makes_another_fingerprint(name: str) -> None:
    other = IDENTITY.model_copy(update={name: OTHER[name]})
    assert other.fingerprint != IDENTITY.fingerprint
    assert IDENTITY.differences(other) == (f"{name}: {OTHER[name]}, not {getattr(IDENTITY, name)}",)


@given(st.sets(st.sampled_from(sorted(OTHER))))
def test_fingerprints_are_equal_exactly_when_nothing_differs(changed: set[str]) -> None:
    other = IDENTITY.model_copy(update={name: OTHER[name] for name in changed})
    assert {told.partition(":")[0] for told in IDENTITY.differences(other)} == changed
    assert (other.fingerprint == IDENTITY.fingerprint) is (not changed)


STARTED: dict[str, tuple[str, str, bool]] = {
    "another_socket": ("/run/user/1000/lexforge/workhorse.sock", "/srv/w.sock", True),
    "another_folder_of_slots": ("/run/user/1000/lexforge/slots", "/srv/slots", True),
    "another_program": ("/opt/llama-server", "/usr/bin/llama-server", True),
    "another_file": ("/models/a.gguf", "/models/b.gguf", False),
    "another_context": ("8192", "16384", False),
    "no_flash_attention": ("on", "off", False),
    "another_kv_type": ("f16", "q8_0", False),
}


@pytest.mark.parametrize("change", STARTED)
def test_how_a_server_was_started_is_identity_and_where_it_listens_is_not(change: str) -> None:
    old, new, same = STARTED[change]
    argv = identifying(tuple(new if word == old else word for word in ARGV))
    other = IDENTITY.model_copy(update={"argv": argv})
    assert (other.fingerprint == IDENTITY.fingerprint) is same


def test_the_label_names_the_model_for_people() -> None:
    assert IDENTITY.label == "qwen35moe 34700M Q8_0 aaaaaaaa"


def test_shards_count_in_order() -> None:
    one, two = "1" * 64, "2" * 64
    assert digest((one,)) == one
    assert len({digest((one,)), digest((one, two)), digest((two, one))}) == 3


HEADER = Header(
    architecture="qwen35moe",
    quantisation="Q8_0",
    parameters=IDENTITY.parameters,
    size=IDENTITY.size,
    vocabulary=IDENTITY.vocabulary,
    template_sha256=IDENTITY.template_sha256,
)
NOT_THE_FILE = {
    "parameters": ("parameters", "parameters 34,700,000,001, pinned 34,700,000,000"),
    "size": ("size", "bytes of tensors 36,900,000,001, pinned 36,900,000,000"),
    "vocabulary": ("vocabulary", "vocabulary 248,321, pinned 248,320"),
    "quantisation": ("quantisation", "file type Q4_K_M, pinned Q8_0"),
}


@pytest.mark.parametrize("name", NOT_THE_FILE)
def test_a_loaded_model_that_is_not_the_pinned_file_is_refused(name: str) -> None:
    field, told = NOT_THE_FILE[name]
    with pytest.raises(SeatUnavailable) as refused:
        require_file(IDENTITY.model_copy(update={field: OTHER[field]}), "Q8_0", HEADER, "workhorse")
    assert refused.value.code == "wrong_model"
    assert told in refused.value.message


def test_another_chat_template_is_another_model() -> None:
    with pytest.raises(SeatUnavailable, match="chat template"):
        require_file(IDENTITY.model_copy(update={"template_sha256": "d" * 64}), "Q8_0", HEADER, "workhorse")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "everything as pinned"),
        ({"template_sha256": PLAIN_TEMPLATE}, "a base model that is not asked to chat applies no template"),
        ({"weights_read": False, "runtime": "b1", "slots": 9}, "not of the file"),
    ],
)
def test_the_pinned_file_is_accepted(changes: dict[str, Any], reason: str) -> None:
    require_file(IDENTITY.model_copy(update=changes), "Q8_0", HEADER, "workhorse")


def test_every_difference_is_told_at_once() -> None:
    wrong = IDENTITY.model_copy(update={"parameters": 1, "size": 2, "vocabulary": 3})
    with pytest.raises(SeatUnavailable) as refused:
        require_file(wrong, "Q8_0", HEADER, "workhorse")
    assert refused.value.message.count(", pinned ") == 3
