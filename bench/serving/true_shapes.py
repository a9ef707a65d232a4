"""The true tensor shapes of the Qwen models with random weights, on the accelerator of this machine: both engines.

    python -m bench.serving.true_shapes --program llama-server --accelerator 0 --gpu-layers all [--shape 122b]

Writes the model (37 GB for all of the 35B), calibrates each engine on probe models, predicts the model's decode from
those alone and measures it; then eight sections over four slots, seeded and not. Nothing is claimed about text.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from bench.serving import fan_out
from bench.serving.started import arguments
from lexforge.llm.boards import UNPINNED, Board, Engine, SeatConfig
from lexforge.llm.planner.calibrating import Effort, calibrate, shown
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.model_file import write_model
from lexforge.llm.planner.shapes import HybridShape, hybrid_metadata, hybrid_tensors
from tests.llm.hybrid import CHATML
from tests.llm.planner.models import QWEN_35B, QWEN_122B

SHAPES = {"35b": QWEN_35B, "122b": QWEN_122B}


def written(shape: HybridShape, folder: Path) -> Path:
    """The model file, whole."""
    path, began = folder / "true-shapes.gguf", perf_counter()
    header = {"general.file_type": 7, "tokenizer.chat_template": CHATML}
    write_model(path, hybrid_metadata(shape) | header, hybrid_tensors(shape))
    geometry = read_geometry(path)
    print(
        f"{path.stat().st_size / 1e9:.1f} GB in {perf_counter() - began:.0f} s: {geometry.parameters / 1e9:.2f} B "
        f"parameters, {geometry.bytes_per_token / 1e9:.2f} GB read for a token",
        flush=True,
    )
    return path


def predicted_and_measured(path: Path, board: Board, engine: Engine, program: str, ubatch: int) -> None:
    """One engine: what the probes say of the model, and what it does."""
    seat = SeatConfig(
        board=board.name,
        engine=engine,
        model=str(path),
        weights_sha256=UNPINNED,
        quantisation="Q8_0",
        program=program,
        ubatch=ubatch,
        prompt_format="plain" if engine is Engine.EMBEDDED else "chat",
    )
    found = calibrate([path], board, seat, Effort(rounds=8))
    print(f"\n{engine.value}: {'tokens deep':>12} {'measured tok/s':>16} {'predicted':>12} {'off by':>8}")
    for one in shown(found):
        told = f"{1 / one.predicted:12.1f} {one.measured / one.predicted - 1:+8.1%}" if one.predicted else "-"
        print(f"{'':{len(engine.value) + 1}} {one.depth:12} {1 / one.measured:16.1f} {told}")
    for one in found.measurements:
        rates = f"decode {1 / one.seconds:9.1f}, prefill {1 / one.prefill_seconds:9.1f} tok/s"
        print(f"    {one.model:24} {one.depth:6} deep: {rates}")
    print(f"    {found.decode}", flush=True)


def main() -> None:
    parser = arguments("true_shapes", "The 35B's true shapes on an accelerator.")
    parser.add_argument("--accelerator", type=int, action="append", help="number in PCI order; none: the CPU")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--layers", type=int, help="fewer than the model has")
    parser.add_argument("--experts", type=int, help="fewer than the model has")
    parser.add_argument("--shape", choices=SHAPES, default="35b")
    parser.add_argument("--evidence", type=int, default=20_000, help="tokens of the fan-out; 0: none")
    asked = parser.parse_args()
    if not asked.program:
        parser.error("name your llama-server with --program")
    fewer = {name: value for name in ("layers", "experts") if (value := getattr(asked, name)) is not None}
    shape = SHAPES[asked.shape].model_copy(update=fewer)
    board = Board(name="here", accelerators=tuple(asked.accelerator or ()))
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = written(shape, Path(folder))
        for engine in (Engine.SERVER, Engine.EMBEDDED):
            predicted_and_measured(path, board, engine, asked.program, asked.ubatch)
        if asked.evidence:
            fan_out.compared(path, asked.evidence, asked)


if __name__ == "__main__":
    main()
