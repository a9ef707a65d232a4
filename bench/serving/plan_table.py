"""The planner's tables for three machines: two boards of V100, an RTX 5090 with an R9700, and this one.

    .venv/bin/python -m bench.serving.plan_table

The two Qwen models are headers with their true tensor shapes and nothing behind them, written here.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console

from lexforge.cli.boards.plan import Model, show
from lexforge.cli.tables import plain_console
from lexforge.llm import boards
from lexforge.llm.boards import SeatConfig, SeatName
from lexforge.llm.planner.calibration import stored
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.weights import find
from tests.llm.planner.models import QWEN_35B, QWEN_122B, hybrid


def show_rig(console: Console, name: str, models: tuple[Model, ...], every_board: bool) -> None:
    """One board file with the models on it: each on every board, or one a seat."""
    board_file = boards.load(name, Path())
    for number, (seat, config) in enumerate(board_file.seats.items()):
        board = board_file.board_of(seat)
        for model in models if every_board else models[number : number + 1]:
            show(console, model, board, config, stored(board.name))


def show_this_machine(console: Console) -> None:
    """The embedded models here; `lexforge boards calibrate embedded` first makes these figures calibrated ones."""
    board_file = boards.load("embedded", Path())
    for seat in SeatName:
        config: SeatConfig = board_file.seats[seat]
        model = Model(seat.value, read_geometry(find(config, seat.value)[0]))
        board = board_file.board_of(seat)
        show(console, model, board, config, stored(board.name))


def main() -> None:
    console = plain_console()
    with tempfile.TemporaryDirectory() as folder:
        small = Model("Qwen3.6-35B-A3B", hybrid(Path(folder) / "35b.gguf", QWEN_35B))
        large = Model("Qwen3.5-122B-A10B", hybrid(Path(folder) / "122b.gguf", QWEN_122B))
    show_rig(console, "v100-two-boards", (small, large), every_board=False)
    show_rig(console, "rtx5090-r9700", (small, large), every_board=True)
    show_this_machine(console)


if __name__ == "__main__":
    main()
