"""What fits: against the sizes that a real llama-server prints, and the rules a plan must keep."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from lexforge.llm.boards import KvType
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.memory import (
    GIB,
    as_quantised,
    best_split,
    candidates,
    compute_size,
    even_split,
    parts,
    room,
)
from lexforge.llm.planner.model import LayerKind
from lexforge.llm.server import ServerClient
from tests.llm.hybrid import write_hybrid
from tests.llm.llama_server import serve
from tests.llm.planner.models import CPU, DENSE, FOUR_V100, QWEN_35B, QWEN_122B, dense, gemma_like, hybrid, seat

MIB = 1 << 20
_PRINTED = re.compile(r"(KV|RS|compute) buffer size *= *([\d.]+) MiB")


def printed(log: str) -> dict[str, float]:
    """MiB by kind of buffer, as llama.cpp prints them, several of one kind summed."""
    found: dict[str, float] = {}
    for kind, size in _PRINTED.findall(log):
        found[kind] = found.get(kind, 0) + float(size)
    return found


def printed_in(path: Path) -> dict[str, float]:
    """The same, once all of it is in the log, which llama.cpp writes in a thread of its own."""
    until = time.monotonic() + 10
    while not {"KV", "RS", "compute"} <= (found := printed(path.read_text(encoding="utf-8"))).keys():
        assert time.monotonic() < until, f"not all buffers were printed: {found}"
        time.sleep(0.05)
    return found


@pytest.mark.parametrize(
    ("slots", "context", "ubatch", "kv", "fa", "reason"),
    [
        (1, 8192, 512, "f16", True, "one slot"),
        (4, 2048, 512, "f16", True, "the same context in four slots: smaller buffers"),
        (2, 4096, 128, "q8_0", True, "small batches, quantised cache"),
        (1, 4096, 512, "f16", False, "no flash attention: the scores are kept"),
    ],
)
def test_sizes_are_those_a_real_server_prints(
    slots: int, context: int, ubatch: int, kv: str, fa: bool, reason: str, tmp_path: Path
) -> None:
    path = write_hybrid(tmp_path / "hybrid.gguf")
    config = seat(slots=slots, context=context, ubatch=ubatch, kv_type=kv, flash_attention=fa)
    flags: dict[str, Any] = {
        "ctx_size": slots * context,
        "parallel": slots,
        "no_kv_unified": True,
        "ubatch_size": ubatch,
        "cache_type_k": kv,
        "cache_type_v": kv,
        "flash_attn": "on" if fa else "off",
        "fit": "off",
        "verbosity": 10,
    }
    with serve(tmp_path, path, **flags) as (endpoint, _):
        client = ServerClient(endpoint)
        assert client.health() == "ok"
        client.close()
        told = printed_in(tmp_path / "llama-server.log")
    (part,) = parts(read_geometry(path), config, 0)
    assert part.kv / MIB == pytest.approx(told["KV"], abs=0.01), reason
    assert part.state / MIB == pytest.approx(told["RS"], abs=0.01), reason
    assert told["compute"] * 0.97 < part.compute / MIB < told["compute"] * 1.25, reason


# What llama.cpp printed for the true shapes (CPU backend, build of 2026-10; outputs limited as a server limits them).
TRUE_SHAPES = [
    (QWEN_35B, 1, 131_072, 512, 200.02),
    (QWEN_35B, 1, 131_072, 2048, 800.07),
    (QWEN_35B, 4, 32_768, 2048, 416.07),
    (QWEN_35B, 8, 16_384, 512, 104.77),
    (QWEN_122B, 1, 131_072, 512, 248.02),
    (QWEN_122B, 4, 32_768, 2048, 608.07),
]


@pytest.mark.parametrize(("shape", "slots", "context", "ubatch", "told"), TRUE_SHAPES)
def test_compute_buffers_of_true_shapes(
    shape: object, slots: int, context: int, ubatch: int, told: float, tmp_path: Path
) -> None:
    assert isinstance(shape, type(QWEN_35B))
    found = compute_size(hybrid(tmp_path / "m.gguf", shape), seat(slots=slots, context=context, ubatch=ubatch))
    assert told * 0.99 <= found / MIB <= told * 1.04


def test_fewer_slots_at_the_same_total_need_bigger_buffers(tmp_path: Path) -> None:
    geometry = dense(tmp_path / "m.gguf", DENSE)
    sizes = [compute_size(geometry, seat(slots=n, context=32_768 // n)) for n in (1, 2, 4, 8)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)


def test_every_byte_of_the_weights_is_somewhere(tmp_path: Path) -> None:
    geometry = hybrid(tmp_path / "m.gguf", QWEN_122B)
    held = sum(part.weights for part in parts(geometry, seat(), 4))
    assert held == geometry.size - sum(geometry.input_sizes.values()), "the embedding stays with the host"
    assert parts(geometry, seat(), 0)[0].weights == geometry.size


def test_each_card_holds_the_cache_of_its_own_layers(tmp_path: Path) -> None:
    geometry = hybrid(tmp_path / "m.gguf", QWEN_35B)
    held = parts(geometry, seat(context=131_072), 4)
    assert sum(part.kv for part in held) == 131_072 * geometry.kv_per_token(KvType.F16)
    assert sum(part.state for part in held) == geometry.state_per_slot


def test_a_window_saves_cache_in_a_server_and_not_in_the_embedded_engine(tmp_path: Path) -> None:
    geometry = gemma_like(tmp_path / "m.gguf", 6)
    assert geometry.count(LayerKind.WINDOW) == 5
    served, own = (parts(geometry, seat(context=8192, engine=engine), 0)[0].kv for engine in ("server", "embedded"))
    assert own == 8192 * 6 * 2 * 128 * 2
    assert served == (8192 + 5 * 1024) * 2 * 128 * 2, "512 tokens of window and 512 of the batch"


def test_the_large_model_at_q8_fits_four_cards_only_when_split_by_hand(tmp_path: Path) -> None:
    geometry, small = hybrid(tmp_path / "m.gguf", QWEN_122B), seat(context=32_768, ubatch=512)
    assert even_split(geometry, 4) == (13, 12, 12, 12)
    assert not room(geometry, FOUR_V100, small).fits
    split, found = best_split(geometry, FOUR_V100, small)
    assert split == (12, 12, 12, 13)
    assert found.fits
    assert found.headroom < 1


def test_candidates_shrink_with_their_bits_and_grow_with_context(tmp_path: Path) -> None:
    geometry = hybrid(tmp_path / "m.gguf", QWEN_122B)
    rows = candidates(geometry, FOUR_V100, seat(), (32_768, 131_072), ("Q8_0", "Q6_K", "Q4_K_M"))
    assert [(row.quantisation, row.room.fits) for row in rows if row.context == 32_768] == [
        ("Q8_0", False),
        ("Q6_K", True),
        ("Q4_K_M", True),
    ]
    by_name = {(row.quantisation, row.context): row.room.headroom for row in rows}
    assert all(by_name[name, 32_768] > by_name[name, 131_072] for name in ("Q8_0", "Q6_K", "Q4_K_M"))


@pytest.mark.parametrize(("name", "published"), [("Q8_0", 36.9e9), ("Q6_K", 29e9), ("Q4_K_M", 21.2e9)])
def test_quantised_sizes_are_near_published_files(name: str, published: float, tmp_path: Path) -> None:
    assert as_quantised(hybrid(tmp_path / "m.gguf", QWEN_35B), name).size == pytest.approx(published, rel=0.03)


def test_a_board_without_memory_in_its_file_promises_nothing(tmp_path: Path) -> None:
    unknown = FOUR_V100.model_copy(update={"memory_gib": 0})
    assert not room(dense(tmp_path / "m.gguf", DENSE), unknown, seat()).fits


def test_the_cpu_board_has_the_memory_of_this_machine(tmp_path: Path) -> None:
    found = room(dense(tmp_path / "m.gguf", DENSE), CPU, seat())
    assert found.capacity > GIB
    assert found.fits
