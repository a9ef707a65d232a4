"""`lexforge boards calibrate`: measure how fast a board really is, so that a plan can say it of other models."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from lexforge.cli.boards.group import SEATS, chosen, named, of_matter
from lexforge.cli.tables import plain_console, plain_table
from lexforge.llm.boards import BoardFile, SeatName
from lexforge.llm.planner.calibrating import Effort, calibrate, shown
from lexforge.llm.planner.calibration import Calibration, Fit, store
from lexforge.llm.planner.measure import ROUNDS
from lexforge.llm.weights import find

LONGEST_NAME = 24


@click.command("calibrate", epilog="Example: lexforge boards calibrate v100-two-boards --seat workhorse")
@named
@of_matter
@click.option("--seat", type=SEATS, default=SeatName.WORKHORSE.value, show_default=True, help="Whose board and engine.")
@click.option(
    "--model",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Measure these files instead of the models of the seats on that board.",
)
@click.option("--rounds", type=click.IntRange(1, 100), default=ROUNDS, show_default=True, help="Answers of each model.")
def command(name: str | None, matter: str | None, seat: str, files: tuple[Path, ...], rounds: int) -> None:
    """Measure decoding on the board of a seat, with small random models written for it and with real ones.

    The result is kept in the configuration folder; `lexforge boards plan` then predicts with it. Best on a machine
    that does nothing else: other work makes every figure worse.
    """
    board_file, console = chosen(name, matter), plain_console()
    board, config = board_file.board_of(SeatName(seat)), board_file.seats[SeatName(seat)]
    models = files or _models_on(board_file, SeatName(seat))
    told = Console(stderr=True, highlight=False, no_color=True)
    with told.status("starting") as status:
        found = calibrate(models, board, config, Effort(rounds=rounds), status.update)
    path = store(found)
    _show(console, found)
    console.print(f"Kept in {path}", soft_wrap=True)


def _models_on(board_file: BoardFile, seat: SeatName) -> tuple[Path, ...]:
    """The models of all seats on this seat's board that have the same engine; its own must be there."""
    same = [
        name
        for name, config in board_file.seats.items()
        if (config.board, config.engine) == (board_file.seats[seat].board, board_file.seats[seat].engine)
    ]
    return tuple(find(board_file.seats[name], name.value)[0] for name in same)


def _show(console: Console, calibration: Calibration) -> None:
    table = plain_table("model", "tokens deep", "measured tok/s", "predicted from the others", "off by")
    for one in shown(calibration):
        predicted = "its types were not measured" if one.predicted is None else f"{1 / one.predicted:.1f}"
        off = "" if one.predicted is None else f"{one.measured / one.predicted - 1:+.1%}"
        table.add_row(_short(one.model), str(one.depth), f"{1 / one.measured:.1f}", predicted, off)
    console.print(table)
    console.print(f"decode:  {_costs(calibration.decode)}", soft_wrap=True)
    console.print(f"prefill: {_costs(calibration.prefill)}", soft_wrap=True)


def _short(name: str) -> str:
    """A file's name that leaves room for the figures: assembled weights are called by their hash."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _costs(fitted: Fit) -> str:
    """The fit in words: bytes a second by type, and what comes on top."""
    others = ("rows", "layers", "recurrent", "vocabulary", "constant")
    told = [f"{name} {1e-9 / cost:.1f} GB/s" for name, cost in fitted.cost.items() if cost and name not in others]
    told += [f"{fitted.cost['layers'] * 1e6:.0f} us a layer", f"{fitted.cost['constant'] * 1e6:.0f} us a token"]
    return f"{', '.join(told)}; error {fitted.error:.0%}"
