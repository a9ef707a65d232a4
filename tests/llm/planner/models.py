"""Headers with true shapes, written as sparse files."""

from __future__ import annotations

from pathlib import Path

from lexforge.llm.boards import UNPINNED, Board, SeatConfig
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.model import Geometry
from lexforge.llm.planner.model_file import Value, write_header
from lexforge.llm.planner.shapes import (
    DenseShape,
    HybridShape,
    dense_metadata,
    dense_tensors,
    hybrid_metadata,
    hybrid_tensors,
)

QWEN_35B = HybridShape(
    layers=40,
    width=2048,
    heads=16,
    kv_heads=2,
    head_width=256,
    experts=256,
    experts_used=8,
    expert_width=512,
    v_heads=32,
    qk_heads=16,
    state=128,
    vocabulary=248_320,
    kind="Q8_0",
    expert_kind="Q8_0",
)
QWEN_122B = QWEN_35B.model_copy(update={"layers": 48, "width": 3072, "heads": 32, "expert_width": 1024, "v_heads": 64})
DENSE = DenseShape(
    layers=6, width=512, heads=8, kv_heads=2, head_width=64, feed_forward=1536, vocabulary=1000, kind="Q8_0"
)

FOUR_V100 = Board(
    name="four",
    accelerators=(0, 1, 2, 3),
    card="V100-SXM2-32GB",
    compute_capability="7.0",
    memory_gib=32,
    bandwidth_gb_s=900,
)
CPU = Board(name="cpu")


def seat(**settings: object) -> SeatConfig:
    given = {"board": "four", "engine": "server", "model": "m.gguf", "weights_sha256": UNPINNED, "quantisation": "Q8_0"}
    return SeatConfig.model_validate(given | settings)


def hybrid(path: Path, shape: HybridShape, **changed: Value) -> Geometry:
    """The geometry of a sparse file with the shape; `changed` metadata go on top."""
    write_header(path, hybrid_metadata(shape) | {"general.file_type": 7} | changed, hybrid_tensors(shape))
    return read_geometry(path)


def dense(path: Path, shape: DenseShape, **changed: Value) -> Geometry:
    write_header(path, dense_metadata(shape) | changed, dense_tensors(shape))
    return read_geometry(path)


def gemma_like(path: Path, layers: int, **changed: Value) -> Geometry:
    """A dense model whose header calls it gemma3, with a window of 512 tokens."""
    shape = DENSE.model_copy(update={"layers": layers})
    metadata = {key.replace("llama.", "gemma3."): value for key, value in dense_metadata(shape).items()}
    metadata |= {"general.architecture": "gemma3", "gemma3.attention.sliding_window": 512}
    write_header(path, metadata | changed, dense_tensors(shape))
    return read_geometry(path)
