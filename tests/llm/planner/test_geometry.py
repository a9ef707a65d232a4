"""Geometry from headers: true shapes, split files, and files that are flawed."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from lexforge.errors import SeatUnavailable
from lexforge.llm import boards
from lexforge.llm.boards import KvType, SeatName
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.model import LayerKind
from lexforge.llm.planner.model_file import Planned, write_header
from lexforge.llm.planner.shapes import dense_metadata, dense_tensors
from lexforge.llm.weights import find
from tests.llm.hybrid import write_hybrid
from tests.llm.planner.models import DENSE, QWEN_35B, QWEN_122B, dense, gemma_like, hybrid

MIB = 1 << 20


@pytest.mark.parametrize(
    ("shape", "total", "active", "kv", "state"),
    [
        (QWEN_35B, 34.7e9, 2.95e9, 20_480, 62.8),
        (QWEN_122B, 122.1e9, 9.01e9, 24_576, 149.1),
    ],
    ids=["35b", "122b"],
)
def test_true_shapes(shape: object, total: float, active: float, kv: int, state: float, tmp_path: Path) -> None:
    assert isinstance(shape, type(QWEN_35B))
    found = hybrid(tmp_path / "model.gguf", shape)
    assert found.parameters == pytest.approx(total, rel=0.002)
    assert found.active_parameters == pytest.approx(active, rel=0.002)
    assert found.kv_per_token(KvType.F16) == kv
    assert found.kv_per_token(KvType.Q8_0) == kv * 34 / 64
    assert found.state_per_slot / MIB == pytest.approx(state, abs=0.1)
    assert found.count(LayerKind.RECURRENT) == 3 * found.count(LayerKind.ATTENTION)


def test_only_the_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    found = hybrid(path, QWEN_35B)
    assert found.size == pytest.approx(36.9e9, rel=0.001)
    assert path.stat().st_size > found.size
    assert path.stat().st_blocks * 512 < 10 * MIB, "the file is a hole behind its header"


@pytest.mark.parametrize(
    ("name", "parameters", "read", "kinds"),
    [
        (SeatName.WORKHORSE, 134_515_008, 96_576_768, (30, 0, 0)),
        (SeatName.REASONER, 268_098_176, 246_587_904, (3, 15, 0)),
    ],
    ids=["smollm2", "gemma3"],
)
def test_real_models(name: SeatName, parameters: int, read: int, kinds: tuple[int, int, int]) -> None:
    config = boards.load("embedded", Path()).seats[name]
    found = read_geometry(find(config, name.value)[0])
    assert found.parameters == found.active_parameters == parameters
    assert found.bytes_per_token == found.size == read, "their head is their embedding, so all of it is read"
    assert tuple(found.count(kind) for kind in LayerKind) == kinds
    assert found.file_type == config.quantisation


def test_an_untied_embedding_is_not_read_and_experts_are_in_the_share_used(tmp_path: Path) -> None:
    found = read_geometry(write_hybrid(tmp_path / "model.gguf"))
    experts = 8 * 3 * 8 * 64 * 128 * 2
    assert found.bytes_per_token == found.size - sum(found.input_sizes.values()) - experts * 6 // 8
    assert not found.tied


@pytest.mark.parametrize(
    ("changed", "windowed", "reason"),
    [
        ({}, 5, "gemma3: every sixth layer sees everything"),
        ({"gemma3.attention.sliding_window_pattern": 3}, 4, "the header's own period counts"),
        ({"gemma3.attention.sliding_window_pattern": [1, 0, 1, 0, 0, 0]}, 2, "the header says it layer by layer"),
        ({"gemma3.attention.sliding_window": 0}, 0, "no window at all"),
    ],
)
def test_layers_with_a_window(changed: dict[str, int], windowed: int, reason: str, tmp_path: Path) -> None:
    assert gemma_like(tmp_path / "model.gguf", 6, **changed).count(LayerKind.WINDOW) == windowed, reason


def test_layers_that_only_predict_ahead_are_not_counted(tmp_path: Path) -> None:
    plain = dense(tmp_path / "plain.gguf", DENSE)
    ahead = dense(tmp_path / "ahead.gguf", DENSE, **{"llama.nextn_predict_layers": 1})
    assert len(ahead.layers) == len(plain.layers) - 1
    assert ahead.bytes_per_token < plain.bytes_per_token
    assert ahead.size == plain.size


def shards(folder: Path) -> list[Path]:
    """DENSE in two files, as gguf-split writes it."""
    tensors, found = dense_tensors(DENSE), []
    for number, part in enumerate((tensors[:20], tensors[20:])):
        path = folder / f"model-{number + 1:05}-of-00002.gguf"
        own = {"split.no": number, "split.count": 2, "split.tensors.count": len(tensors)}
        write_header(path, (dense_metadata(DENSE) if number == 0 else {}) | own, part)
        found.append(path)
    return found


def test_shards_together_are_the_model(tmp_path: Path) -> None:
    assert read_geometry(shards(tmp_path)[0]) == dense(tmp_path / "whole.gguf", DENSE)


def nothing(path: Path) -> None:
    path.unlink()


def another_format(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04" + bytes(100))


def header_cut(path: Path) -> None:
    os.truncate(path, 200)


def weights_cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 100)


def old_version(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4)
        file.write(struct.pack("<I", 1))


def endless_count(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8)
        file.write(struct.pack("<Q", 1 << 60))


def no_layers(path: Path) -> None:
    write_header(path, {"general.architecture": "llama"}, [])


def a_type_of_the_future(path: Path) -> None:
    write_header(path, dense_metadata(DENSE), dense_tensors(DENSE))
    data = path.read_bytes()
    at = data.index(b"token_embd.weight") + len(b"token_embd.weight") + 4 + 16
    path.write_bytes(data[:at] + struct.pack("<I", 250) + data[at + 4 :])


def not_attention(path: Path) -> None:
    tensors = [t for t in dense_tensors(DENSE) if "attn_" not in t.name]
    write_header(path, dense_metadata(DENSE), [*tensors, Planned("blk.0.attn_kv_a_mqa.weight", (512, 64), "F16")])


FLAWS = {
    nothing: "No such file",
    another_format: "not a GGUF file",
    header_cut: "cut off or damaged",
    weights_cut: "it is cut off",
    old_version: "GGUF version 1",
    endless_count: "cut off or damaged",
    no_layers: "lacks llama.block_count",
    a_type_of_the_future: "unknown type 250",
    not_attention: "does not describe a model that the planner knows",
}


@pytest.mark.parametrize("flaw", FLAWS, ids=lambda flaw: flaw.__name__)
def test_a_flawed_file_is_refused(flaw: object, tmp_path: Path) -> None:
    assert callable(flaw)
    path = tmp_path / "model.gguf"
    write_header(path, dense_metadata(DENSE), dense_tensors(DENSE))
    flaw(path)
    with pytest.raises(SeatUnavailable, match=FLAWS[flaw]) as refused:
        read_geometry(path)
    assert refused.value.code == "file_unreadable"
    assert refused.value.advice


def second_missing(first: Path, second: Path) -> Path:
    second.unlink()
    return first


def second_given(first: Path, second: Path) -> Path:
    return second


def second_of_another(first: Path, second: Path) -> Path:
    write_header(second, {"split.no": 1, "split.count": 2}, dense_tensors(DENSE)[25:])
    return first


def second_cut(first: Path, second: Path) -> Path:
    os.truncate(second, second.stat().st_size - 1000)
    return first


SHARD_FLAWS = {
    second_missing: "model-00002-of-00002.gguf is missing",
    second_given: "not named as the first",
    second_of_another: "do not belong together",
    second_cut: "cut off",
}


@pytest.mark.parametrize("flaw", SHARD_FLAWS, ids=lambda flaw: flaw.__name__)
def test_flawed_shards_are_refused(flaw: object, tmp_path: Path) -> None:
    assert callable(flaw)
    with pytest.raises(SeatUnavailable, match=SHARD_FLAWS[flaw]):
        read_geometry(flaw(*shards(tmp_path)))
