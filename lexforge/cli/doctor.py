"""`lexforge doctor`: whether everything is here that a draft needs, and nothing that could leak."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from lexforge import local_only
from lexforge.config import settings
from lexforge.errors import LexForgeError
from lexforge.ingest.picture import tesseract
from lexforge.llm import boards
from lexforge.llm.weights import locate

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

Check = tuple[bool, str]


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
    """Check the models, the closed network, the tracing variables, and the optional programs."""
    failed = False
    for passed, told in _checks(board_file):
        click.echo(f"{'ok  ' if passed else 'FAIL'} {told}")
        failed = failed or not passed
    click.echo(f"{'ok  ' if shutil.which('soffice') else 'note'} soffice (looking at a .docx as PDF; optional)")
    found = tesseract.available()
    click.echo(f"ok   {found} (reading scans)" if found else f"note {tesseract.HOW_TO_INSTALL}")
    sys.exit(1 if failed else 0)


def _checks(board_file: str) -> Iterator[Check]:
    clients = cloud_clients()
    yield not clients, f"no client of a hosted model can be imported{': ' + ', '.join(clients) if clients else ''}"
    tracing = [name for name in local_only.TRACING_VARIABLES if os.environ.get(name, "false") != "false"]
    yield not tracing, f"tracing is off{': ' + ', '.join(tracing) if tracing else ''}"
    allowed = ", ".join(settings().endpoints) or "none"
    yield local_only.is_installed(), f"connections are refused in this process; listed endpoints: {allowed}"
    try:
        board = boards.load(board_file, Path())
    except LexForgeError as error:
        yield False, str(error)
        return
    for name, seat in board.seats.items():
        try:
            yield True, f"{name.value}: {locate(seat, name.value).name}, sha256 {seat.weights_sha256[:16]} as pinned"
        except LexForgeError as error:
            yield False, str(error)
