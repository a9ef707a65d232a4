"""`lexforge doctor`: whether everything is here that a draft needs, and nothing that could leak."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from lexforge.cli import checks
from lexforge.cli.checks import Line, Mark
from lexforge.config import settings
from lexforge.errors import LexForgeError
from lexforge.llm import boards
from lexforge.llm.server import is_here
from lexforge.llm.weights import locate, shards_of

CLOUD_CLIENTS = (
    "openai",
    "anthropic",
    "litellm",
    "google.genai",
    "google.generativeai",
    "ollama",
    "cohere",
    "mistralai",
    "groq",
    "together",
    "replicate",
    "boto3",
    "vertexai",
    "huggingface_hub",
    "langchain_openai",
    "langchain_anthropic",
    "llm",
)
"""Importable clients of hosted models: none may be installed beside confidential files."""


def cloud_clients() -> list[str]:
    """Those of CLOUD_CLIENTS that this Python could import."""
    return [name for name in CLOUD_CLIENTS if _importable(name)]


def _importable(name: str) -> bool:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.origin is not None  # a bare folder of that name is no client


@click.command("doctor", epilog="Example: lexforge doctor --boards embedded")
@click.option("--boards", "board_file", default="embedded", show_default=True, help="The board file to check.")
def command(board_file: str) -> None:
    """Check the models, the closed network, who may read the files, the memory, and the optional programs.

    Each line begins with ok, note (works, but look at it) or FAIL; with a FAIL the exit code is 1.
    """
    failed = False
    for mark, told in _lines(board_file):
        click.echo(f"{mark.value:4} {told}")
        failed = failed or mark is Mark.FAIL
    sys.exit(1 if failed else 0)


def _lines(board_file: str) -> Iterator[Line]:
    clients = cloud_clients()
    told = f"no client of a hosted model can be imported{': ' + ', '.join(clients) if clients else ''}"
    yield Line(Mark.FAIL if clients else Mark.OK, told)
    yield checks.tracing()
    yield from checks.network(settings().allowed)
    yield from _models(board_file)
    yield from checks.permissions()
    yield from checks.programs()


def _models(board_file: str) -> Iterator[Line]:
    """The board file, the model file of each seat, and the memory for those that were found."""
    try:
        board = boards.load(board_file, Path())
    except LexForgeError as error:
        yield Line(Mark.FAIL, str(error))
        return
    files: list[Path] = []
    for name, seat in board.seats.items():
        if seat.endpoint and not is_here(seat.endpoint) and not Path(seat.model).expanduser().is_file():
            told = f"{name.value}: {seat.model} is not on this machine; only what {seat.endpoint} says is compared"
            yield Line(Mark.NOTE, told)
            continue
        try:
            first = locate(seat, name.value)
        except LexForgeError as error:
            yield Line(Mark.FAIL, str(error))
            continue
        files += shards_of(first)
        pinned = ", ".join(sha256[:16] for sha256 in seat.weights_sha256)
        yield Line(Mark.OK, f"{name.value}: {first.name}, sha256 {pinned} as pinned")
    yield checks.memory(files, checks.available_memory())
