"""The command line and the environment of a server, read by llama.cpp's own parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lexforge.llm.boards import Board, Engine, KvType, SeatConfig, SeatName, Speculation
from lexforge.llm.serving.command import NEVER, TRANSPORT, Places, argv, environment, forbidden, identifying
from tests.llm.llama_server import parsed

xllamacpp = pytest.importorskip("xllamacpp")

HERE = Path(__file__).parent
CPU = Board(name="cpu")
FOUR = Board(name="four", accelerators=(4, 5, 8, 9))
ONE = Board(name="one", accelerators=(3,))


def seat(**changes: Any) -> SeatConfig:
    given = {"board": "b", "engine": Engine.SERVER, "model": "m", "weights_sha256": "0" * 64, "quantisation": "Q8_0"}
    return SeatConfig.model_validate({**given, **changes})


def words(board: Board = CPU, socket: str = "/run/w.sock", saved: Path = HERE, **changes: Any) -> tuple[str, ...]:
    at = Places(program="/opt/llama-server", model=Path("/m/a b.gguf"), socket=Path(socket), slots=saved)
    return argv(seat(**changes), board, SeatName.WORKHORSE, at)


UNDERSTOOD: list[tuple[str, Any, Board, dict[str, Any], str]] = [
    ("model.path", "/m/a b.gguf", CPU, {}, "exactly the pinned file, spaces and all"),
    ("model_alias", {"workhorse"}, CPU, {}, "the answer names the seat"),
    ("hostnames", ["/run/w.sock"], CPU, {}, "a UNIX socket, no port"),
    ("n_ctx", 12288, CPU, {"slots": 3, "context": 4096}, "llama.cpp counts the context of all slots together"),
    ("n_parallel", 3, CPU, {"slots": 3}, "as many slots as the board file says, not as many as it guesses"),
    ("kv_unified", False, CPU, {"slots": 3}, "slots that cannot take from each other"),
    ("fit_params", False, CPU, {}, "nothing is shrunk without a word"),
    ("n_ubatch", 1024, CPU, {"ubatch": 1024}, "compute buffers follow it"),
    ("n_batch", 2048, CPU, {"ubatch": 512}, "llama.cpp's own, written down"),
    ("n_batch", 4096, CPU, {"ubatch": 4096}, "a larger ubatch would be cut to the batch"),
    ("cache_ram_mib", 0, CPU, {}, "the host cache stalls all slots"),
    ("n_ctx_checkpoints", 32, CPU, {}, "hybrid models go back to a checkpoint"),
    ("slot_save_path", f"{HERE}/", CPU, {}, "where seeded slots are kept"),
    ("slot_prompt_similarity", 0.0, CPU, {}, "the client says which slot"),
    ("endpoint_metrics", True, CPU, {}, "throughput by the server's own counters"),
    ("endpoint_slots", True, CPU, {}, "which slots are busy"),
    ("endpoint_props", False, CPU, {}, "no client may change settings"),
    ("offline", True, CPU, {}, "nothing is fetched"),
    ("ui", False, CPU, {}, "no page for a browser"),
    ("ctx_shift", False, CPU, {}, "no evidence is dropped"),
    ("use_jinja", True, CPU, {}, "the model's own chat template"),
    ("cpuparams.n_threads", 7, CPU, {"threads": 7}, "as the board file says"),
    ("flash_attn_type.name", "LLAMA_FLASH_ATTN_TYPE_ENABLED", CPU, {}, "on, not automatic"),
    ("flash_attn_type.name", "LLAMA_FLASH_ATTN_TYPE_DISABLED", CPU, {"flash_attention": False}, "off, not automatic"),
    ("cache_type_k.name", "GGML_TYPE_Q8_0", CPU, {"kv_type": KvType.Q8_0}, "both halves of the cache"),
    ("cache_type_v.name", "GGML_TYPE_Q8_0", CPU, {"kv_type": KvType.Q8_0}, "both halves of the cache"),
    ("n_gpu_layers", -1, CPU, {}, "without accelerators nothing is said of layers; there is no device"),
    ("n_gpu_layers", -2, FOUR, {}, "all layers, never as many as happen to fit"),
    ("split_mode.name", "LLAMA_SPLIT_MODE_LAYER", FOUR, {}, "tensor split hangs on Volta"),
    ("tensor_split[:5]", [1, 1, 1, 1, 0], FOUR, {}, "equal cards get equal shares"),
    ("tensor_split[:5]", [12, 12, 12, 13, 0], FOUR, {"tensor_split": (12, 12, 12, 13)}, "unless the board file says"),
    ("split_mode.name", "LLAMA_SPLIT_MODE_NONE", ONE, {}, "nothing to split over"),
    ("split_mode.name", "LLAMA_SPLIT_MODE_NONE", FOUR, {"split": "none"}, "the board file asks for one card"),
]


@pytest.mark.parametrize(
    ("field", "value", "board", "changes", "reason"), UNDERSTOOD, ids=[f"{r[0]}: {r[4]}" for r in UNDERSTOOD]
)
def test_llama_cpp_understands(field: str, value: Any, board: Board, changes: dict[str, Any], reason: str) -> None:
    found = parsed(words(board, **changes)[1:])
    assert found is not None
    name, _, part = field.partition("[")
    for step in name.split("."):
        found = getattr(found, step)
    assert (found[:5] if part else found) == value, reason


@pytest.mark.parametrize(
    ("speculation", "types", "reason"),
    [
        (Speculation.NONE, {"NONE"}, "off unless asked for: free prose loses a few percent"),
        (Speculation.NGRAM, {"NONE", "NGRAM_MOD"}, "local look-up, no draft model"),
    ],
)
def test_drafting(speculation: Speculation, types: set[str], reason: str) -> None:
    found = parsed(words(speculation=speculation)[1:])
    assert found is not None
    assert {kind.name.removeprefix("COMMON_SPECULATIVE_TYPE_") for kind in found.speculative.types} == types, reason


def test_without_accelerators_no_device_is_used() -> None:
    line = words(CPU)
    assert line[line.index("--device") + 1] == "none"
    assert "--device" not in words(FOUR)


def test_no_seat_is_started_with_what_is_never_allowed() -> None:
    assert forbidden(words(FOUR, speculation="ngram")) == ()


def test_what_is_never_allowed_is_spelled_as_llama_cpp_spells_it() -> None:
    library = Path(xllamacpp.xllamacpp.__file__).read_bytes()
    long = [option for option in (*NEVER, *TRANSPORT) if option.startswith("--")]  # short ones may be within code
    assert [option for option in long if b"\0" + option.encode() + b"\0" not in library] == []


def test_what_a_forbidden_option_does_is_told() -> None:
    found = forbidden(("llama-server", "--context-shift", "--tools", "all", "--context-shift"))
    assert found == (
        "--context-shift: drops the beginning of the evidence without a word",
        "--tools: runs programs for whoever asks",
    )


SAME: list[tuple[tuple[str, ...], str]] = [
    (words(socket="/elsewhere/w.sock"), "another socket"),
    (words(saved=Path("/elsewhere")), "another folder of slots"),
    (("/usr/bin/python3", "/wrapper.py", *words()[1:]), "started by an interpreter"),
    ((*words(), "--port", "8080", "--log-file", "x", "--api-key", "secret"), "a port, a log and a key"),
    ((*words(), "--api-key", "--port"), "a key that looks like an option"),
]


@pytest.mark.parametrize(("line", "reason"), SAME, ids=[row[1] for row in SAME])
def test_transport_is_not_identity(line: tuple[str, ...], reason: str) -> None:
    assert identifying(line) == identifying(words()), reason


DIFFERENT: list[tuple[dict[str, Any], str]] = [
    ({"context": 8192}, "context"),
    ({"slots": 2}, "slots"),
    ({"kv_type": KvType.Q8_0}, "cache"),
    ({"ubatch": 256}, "batches change what is reused and the last bits of a sum"),
    ({"speculation": Speculation.NGRAM}, "drafting"),
    ({"flash_attention": False}, "kernels"),
    ({"threads": 2}, "threads"),
]


@pytest.mark.parametrize(("changes", "reason"), DIFFERENT, ids=[row[1] for row in DIFFERENT])
def test_settings_are_identity(changes: dict[str, Any], reason: str) -> None:
    assert identifying(words(**changes)) != identifying(words()), reason


def test_a_key_is_not_kept() -> None:
    assert "secret" not in identifying((*words(), "--api-key", "secret"))


def test_nothing_but_options_is_left_of_an_empty_line() -> None:
    assert identifying(()) == identifying(("llama-server",)) == ()


PASSED: list[tuple[str, bool, str]] = [
    ("PATH", True, "a script needs it"),
    ("HOME", True, "the CUDA kernel cache lies there"),
    ("LD_LIBRARY_PATH", True, "where CUDA may lie"),
    ("LLAMA_ARG_CTX_SIZE", False, "would stand for a setting nobody wrote down"),
    ("LLAMA_ARG_HF_REPO", False, "would download a model"),
    ("HF_TOKEN", False, "a key to a service"),
    ("HF_ENDPOINT", False, "an address to call"),
    ("https_proxy", False, "an address to call"),
    ("ALL_PROXY", False, "an address to call"),
    ("GGML_CUDA_FORCE_MMQ", False, "other kernels, other answers"),
    ("LD_PRELOAD", False, "other code"),
    ("CUDA_DEVICE_MAX_CONNECTIONS", False, "not asked for"),
    ("AWS_SECRET_ACCESS_KEY", False, "a key to a service"),
]


@pytest.mark.parametrize(("name", "passed", "reason"), PASSED, ids=[row[0] for row in PASSED])
def test_what_a_server_inherits(name: str, passed: bool, reason: str) -> None:
    assert (name in environment(CPU, {name: "x"})) is passed, reason


def test_a_server_sees_its_own_accelerators_only() -> None:
    given = environment(FOUR, {"CUDA_VISIBLE_DEVICES": "0", "CUDA_DEVICE_ORDER": "FASTEST_FIRST"})
    assert given == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "4,5,8,9"}
    assert environment(CPU, {})["CUDA_VISIBLE_DEVICES"] == ""
