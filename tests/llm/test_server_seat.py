"""Who serves a seat before its first answer: exactly the pinned file, or nobody; and whether it talks sense."""

from __future__ import annotations

import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import SeatConfig
from lexforge.llm.identity import file_sha256
from lexforge.llm.probe import UNBOUNDED, Probe, require_sense
from lexforge.llm.server_seat import ServerSeat
from tests.llm.llama_server import smollm2
from tests.llm.proxy import Proxy
from tests.llm.seated import config, seated

pytestmark = pytest.mark.usefixtures("own_cache")


def of_smollm2(**changes: Any) -> SeatConfig:
    return config(smollm2(), **{"quantisation": "Q4_1", "context": 512, "slots": 1, "sense_bound": 2, **changes})


def refusal(endpoint: str, seat: SeatConfig) -> SeatUnavailable:
    with pytest.raises(SeatUnavailable) as refused, seated(endpoint, seat):
        pass
    return refused.value


def hiding_its_file(path: str, reply: Any) -> Any:
    """As from a server on another machine or in a container: its path says nothing here."""
    return {**reply, "model_path": "/not/here.gguf"} if path == "/props" else reply


# -- before the first answer -----------------------------------------------------------------------------------------


def test_a_small_model_under_a_large_name_is_refused_by_its_file(smollm2_server: str, hybrid_file: Path) -> None:
    refused = refusal(smollm2_server, config(hybrid_file, slots=1, context=512))
    assert refused.code == "wrong_model"
    assert f"served from {smollm2()}, which is not the file its board file pins: {hybrid_file}" in refused.message


def test_a_small_model_under_a_large_name_is_refused_by_its_figures(
    proxy: Proxy, smollm2_server: str, hybrid_file: Path
) -> None:
    proxy.upstream, proxy.reply = smollm2_server, hiding_its_file
    refused = refusal(proxy.endpoint, config(hybrid_file, slots=1, context=512))
    assert refused.code == "wrong_model"
    for figure in (
        "parameters 134,515,008, pinned",
        "bytes of tensors 96,576,768, pinned",
        "vocabulary 49,152, pinned 4,096",
        "chat template (sha256)",
        "file type Q4_1, pinned F16",
    ):
        assert figure in refused.message


def test_the_right_model_is_accepted_whatever_it_is_called(seat: ServerSeat, hybrid_file: Path) -> None:
    assert seat.identity.weights_read
    assert seat.identity.weights_sha256 == file_sha256(hybrid_file)
    assert "Qwen3.6" not in seat.identity.label


def test_the_same_bytes_at_another_path_are_the_same_model(hybrid_server: str, copy: Path) -> None:
    with seated(hybrid_server, config(copy)) as seat:
        assert seat.identity.weights_read


def test_a_file_that_cannot_be_looked_at_is_told_apart(proxy: Proxy, hybrid_file: Path) -> None:
    proxy.reply = hiding_its_file
    with seated(proxy.endpoint, config(hybrid_file)) as seat:
        assert not seat.identity.weights_read


def test_other_weights_of_the_same_shape_are_refused(hybrid_server: str, other_hybrid: Path) -> None:
    assert refusal(hybrid_server, config(other_hybrid)).code == "wrong_model"


SETTINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "quantisation_named_wrongly": ({"quantisation": "Q8_0"}, "wrong_model", "is a F16 model, its board file says Q8_0"),
    "more_slots_wanted": ({"slots": 5}, "wrong_setting", "serves 4 slots; its board file says 5"),
    "fewer_slots_wanted": ({"slots": 3}, "wrong_setting", "serves 4 slots; its board file says 3"),
    "context_too_small": ({"context": 2048}, "context_too_small", "has 1024 tokens, its board file says 2048"),
    "hash_of_another_file": ({"weights_sha256": "0" * 64}, "hash_differs", "is not the one its board file pins"),
    "not_pinned": ({"weights_sha256": "unpinned"}, "unpinned", "does not pin the model file"),
    "pinned_in_two_files": ({"weights_sha256": ("0" * 64,) * 2}, "hash_differs", "1 files, its board file pins 2"),
    "no_such_file": ({"model": "/nowhere.gguf"}, "file_missing", "/nowhere.gguf"),
    "talks_no_sense": ({"sense_bound": 2.0}, "gibberish", "does not talk sense"),
}


@pytest.mark.parametrize("flaw", SETTINGS)
def test_a_seat_that_is_not_as_its_board_file_says_is_refused(flaw: str, hybrid_server: str, hybrid_file: Path) -> None:
    changes, code, reason = SETTINGS[flaw]
    refused = refusal(hybrid_server, config(hybrid_file, **changes))
    assert refused.code == code
    assert reason in refused.message
    assert refused.advice


def test_a_model_without_a_chat_template_is_not_given_one(proxy: Proxy, tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "base.gguf", "llama")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_tensor("token_embd.weight", np.zeros((4, 32), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    proxy.reply = hiding_its_file
    refused = refusal(proxy.endpoint, config(tmp_path / "base.gguf"))
    assert refused.code == "wrong_setting"
    assert "has no chat template" in refused.message


def test_what_is_no_llama_server_is_refused(hybrid_file: Path) -> None:
    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        refused = refusal(f"127.0.0.1:{server.server_port}", config(hybrid_file))
        server.shutdown()
    assert refused.code == "wrong_setting"


DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "a_list_of_models": {"/v1/models": []},
    "no_models": {"/v1/models": {"data": []}},
    "a_model_without_figures": {"/v1/models": {"data": [{"id": "workhorse", "meta": None}]}},
    "properties_of_another_program": {"/props": {"version": "0.4"}},
    "tokens_missing": {"/tokenize": {}},
    "grammar_not_kept_to": {"/completion": {"completion_probabilities": [], "content": "x"}},
}


@pytest.mark.parametrize("flaw", DESCRIPTIONS)
def test_a_server_that_does_not_describe_itself_is_refused(flaw: str, proxy: Proxy, hybrid_file: Path) -> None:
    proxy.reply = DESCRIPTIONS[flaw].get
    refused = refusal(proxy.endpoint, config(hybrid_file))
    assert refused.code == "wrong_setting"
    assert "does not describe itself" in refused.message


def test_nobody_answers(tmp_path: Path, hybrid_file: Path) -> None:
    refused = refusal(f"unix:{tmp_path}/nobody.sock"[-100:], config(hybrid_file, wait=0))
    assert refused.code == "down"
    assert "lexforge boards up" in refused.advice


# -- the probe -------------------------------------------------------------------------------------------------------


def test_a_small_sound_model_talks_sense(smollm2_server: str) -> None:
    with seated(smollm2_server, of_smollm2()) as seat:
        assert seat.identity.label.startswith("llama 135M Q4_1")


PROBES = {
    "sense": (0.7, " week has seven days", 2.0, True),
    "too_unlikely": (3.4, " week has seven days", 2.0, False),
    "not_a_number": (float("nan"), " week has seven days", 2.0, False),
    "one_sign_over_and_over": (0.7, "////////", 2.0, False),
    "one_letter_over_and_over": (0.7, "GGGGGGGG", 2.0, False),
    "another_language_with_its_own_bound": (3.4, " Tage und", 4.0, True),
    "random_weights_without_a_bound": (4.0, "////////", UNBOUNDED, True),
}


@pytest.mark.parametrize("case", PROBES)
def test_what_counts_as_sense(case: str) -> None:
    bits, continuation, bound, sound = PROBES[case]
    probe = Probe(bits_per_character=bits, continuation=continuation)
    if sound:
        require_sense(probe, bound, "workhorse")
        return
    with pytest.raises(SeatUnavailable) as refused:
        require_sense(probe, bound, "workhorse")
    assert refused.value.code == "gibberish"
