"""A folder for sockets, board files of small servers, and the certainty that nothing is left running."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lexforge.llm.boards import Board, BoardFile, Engine, SeatConfig, SeatName
from lexforge.llm.serving import ending
from tests.llm.llama_server import program, smollm2

SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

MakeBoards = Callable[..., BoardFile]


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty folder for sockets; pytest's own path is too long for one."""
    with tempfile.TemporaryDirectory(prefix="lf-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield Path(folder) / "lexforge"
        ending.down(limit=5)


@pytest.fixture
def one_server(tmp_path: Path) -> MakeBoards:
    """Makes a board file whose workhorse is a small server, with some fields changed; its reasoner is embedded."""

    def make(**changes: Any) -> BoardFile:
        seat = {
            "board": "cpu",
            "engine": Engine.SERVER,
            "model": str(smollm2()),
            "weights_sha256": SMOLLM2,
            "quantisation": "Q4_1",
            "context": 512,
            "program": program(tmp_path),
            **changes,
        }
        other = SeatConfig(board="cpu", model="/nowhere.gguf", weights_sha256="0" * 64, quantisation="Q8_0")  # type: ignore[arg-type]
        seats = {SeatName.WORKHORSE: SeatConfig.model_validate(seat), SeatName.REASONER: other}
        return BoardFile(boards=(Board(name="cpu"),), seats=seats)

    return make


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Writes an executable shell script; gives its path."""

    def write(text: str) -> str:
        path = tmp_path / "script"
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return write
