"""A server for a measurement: the tests' own or a real `llama-server`, with a model that needs no download."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from lexforge.llm.server import ServerClient
from tests.llm.hybrid import write_hybrid
from tests.llm.llama_server import serve, smollm2

MODELS = ("hybrid", "smollm2")
SENTENCE = "On day {} the clerk wrote item {} into the book of the harbour. "


def arguments(name: str, description: str) -> argparse.ArgumentParser:
    """What both measurements can be told."""
    parser = argparse.ArgumentParser(prog=f"bench.serving.{name}", description=description)
    parser.add_argument("--program", help="a llama-server; without it the package xllamacpp serves")
    parser.add_argument("--ubatch", type=int, default=512)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--gpu-layers", default="0", help="layers on accelerators: a number, or all")
    return parser


def model_file(name: str, folder: Path) -> Path:
    """A random hybrid model that is written now, or SmolLM2 as it is installed."""
    return write_hybrid(folder / "hybrid.gguf") if name == "hybrid" else smollm2()


@contextmanager
def started(program: str | None, model: Path, slots: int, context: int, asked: argparse.Namespace) -> Iterator[str]:
    """The endpoint of a server with so many slots of `context` tokens each."""
    with tempfile.TemporaryDirectory(prefix="lf-") as name:
        folder = Path(name)
        flags: dict[str, object] = {
            "ctx_size": slots * context,
            "parallel": slots,
            "no_kv_unified": True,
            "cache_ram": 0,
            "slot_prompt_similarity": 0,
            "slot_save_path": folder,
            "ubatch_size": asked.ubatch,
            "threads": asked.threads,
            "gpu_layers": asked.gpu_layers,
        }
        if program is None:
            with serve(folder, model, **flags) as (endpoint, _):  # type: ignore[arg-type]
                yield endpoint
            return
        words = [word for key, value in flags.items() for word in _words(key, value)]
        command = [program, "--model", str(model), "--host", f"{folder}/seat.sock", *words]
        with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
            try:
                _wait(f"unix:{folder}/seat.sock", process)
                yield f"unix:{folder}/seat.sock"
            finally:
                process.terminate()


def _words(key: str, value: object) -> list[str]:
    return [f"--{key.replace('_', '-')}", *([] if value is True else [str(value)])]


def _wait(endpoint: str, process: subprocess.Popen[bytes]) -> None:
    client = ServerClient(endpoint)
    while client.health() != "ok":
        if process.poll() is not None:
            raise SystemExit("the server ended before it answered")
        sleep(0.1)
    client.close()


def text_of(client: ServerClient, tokens: int, first: int = 0) -> str:
    """About so many tokens of invented evidence; `first` makes it another text."""
    sentences = [SENTENCE.format(first + day, (first + day) * 37 % 997) for day in range(tokens // 10)]
    each = len(client.post("/tokenize", {"content": "".join(sentences)})["tokens"]) / len(sentences)
    return "".join(sentences[: round(tokens / each)])
