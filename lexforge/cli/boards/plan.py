"""`lexforge boards plan`: what fits each board, how fast it will be, and what to set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.table import Table

from lexforge.cli.boards.group import chosen, named, of_matter
from lexforge.cli.tables import plain_console, plain_table
from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import Board, SeatConfig
from lexforge.llm.planner.advice import advice, published_alarms
from lexforge.llm.planner.calibration import Calibration, stored
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.memory import GIB, QUANTISATIONS, Candidate, candidates
from lexforge.llm.planner.model import Geometry, LayerKind
from lexforge.llm.planner.speed import Basis, Speed, speed
from lexforge.llm.weights import find

DEPTHS = (0, 65_536)
"""Where decoding is looked at: an empty slot, and one deep in evidence."""

Range = tuple[float, float, float]


class Model(NamedTuple):
    """A model to plan with, and how people call it."""

    label: str
    geometry: Geometry


@click.command("plan", epilog="Example: lexforge boards plan v100-two-boards --gguf model.gguf=mine --context 131072")
@named
@of_matter
@click.option("--gguf", "files", multiple=True, metavar="FILE[=LABEL]", help="Plan with this file on every board.")
@click.option("--context", type=click.IntRange(min=512), help="Tokens of one slot instead of the board file's.")
@click.option("--slots", type=click.IntRange(1, 64), help="Requests at a time instead of the board file's.")
def command(
    name: str | None, matter: str | None, files: tuple[str, ...], context: int | None, slots: int | None
) -> None:
    """Show for each board what fits, how fast it will decode, and what to set. Only headers of model files are read."""
    board_file, console = chosen(name, matter), plain_console()
    changed = {key: value for key, value in (("context", context), ("slots", slots)) if value is not None}
    for seat_name, seat in board_file.seats.items():
        board, wanted = board_file.board_of(seat_name), seat.model_copy(update=changed)
        try:
            models = [_model(file) for file in files] or [_own_model(seat_name.value, seat)]
        except SeatUnavailable as error:
            if files or error.code != "file_missing":
                raise
            console.print(f"{board_line(board)}\n  {seat_name.value}: {error.message} Name one with --gguf FILE.\n")
            continue
        for model in models:
            show(console, model, board, wanted, stored(board.name))


def _model(file: str) -> Model:
    path, _, label = file.partition("=")
    return Model(label or Path(path).name, read_geometry(Path(path).expanduser()))


def _own_model(name: str, seat: SeatConfig) -> Model:
    return Model(name, read_geometry(find(seat, name)[0]))


def show(console: Console, model: Model, board: Board, seat: SeatConfig, calibration: Calibration | None) -> None:
    """The whole plan of one model on one board."""
    console.print(board_line(board), soft_wrap=True)
    console.print(f"  {model.label}: {model_line(model.geometry)}", soft_wrap=True)
    console.print(_table(_rows(model.geometry, board, seat), seat))
    if calibration and (calibration.threads, calibration.kv_type) != (seat.threads, seat.kv_type.value):
        console.print(
            f"  The calibration of {calibration.date} was made with {calibration.threads} threads and KV "
            f"{calibration.kv_type}; it says nothing of this seat.",
            soft_wrap=True,
        )
        calibration = None
    for line in _lines(model.geometry, board, seat, calibration):
        console.print(f"  {line}", soft_wrap=True)
    console.print()


def board_line(board: Board) -> str:
    """A board in words."""
    if not board.accelerators:
        return f"{board.name}: the CPU of this machine"
    return (
        f"{board.name}: {len(board.accelerators)} x {board.card or 'accelerator'}, {board.memory_gib:g} GiB and "
        f"{board.bandwidth_gb_s:g} GB/s each (data sheet)"
    )


def model_line(geometry: Geometry) -> str:
    """A model in words: what its header says."""
    kinds = ", ".join(f"{geometry.count(kind)} {kind.value}" for kind in LayerKind if geometry.count(kind))
    return (
        f"{geometry.architecture} {geometry.file_type}, {_billions(geometry.parameters)} parameters, "
        f"{_billions(geometry.active_parameters)} and {geometry.bytes_per_token / 1e9:.2f} GB read a token, "
        f"{len(geometry.layers)} layers ({kinds}), trained to {geometry.context_trained:,} tokens"
    )


def _billions(count: int) -> str:
    return f"{count / 1e9:.2f} B" if count >= 1e9 else f"{count / 1e6:.0f} M"


def _rows(geometry: Geometry, board: Board, seat: SeatConfig) -> tuple[Candidate, ...]:
    own = geometry.file_type
    names = [own, *(name for name in QUANTISATIONS if name not in (own, "F16"))]
    longer = [c for c in (32_768, 131_072) if seat.context < c <= geometry.context_trained]
    return candidates(geometry, board, seat, (seat.context, *longer), names)


def _table(rows: Iterable[Candidate], seat: SeatConfig) -> Table:
    names = ("tokens a slot", "weights", "KV", "state", "compute", "headroom GiB", "")
    table = plain_table(
        f"  {seat.slots} slot{'s' * (seat.slots > 1)}, KV {seat.kv_type.value}, -ub {seat.ubatch}", *names
    )
    for number, row in enumerate(rows):
        fullest = max(row.room.parts, key=lambda part: part.total)
        sizes = (fullest.weights, fullest.kv, fullest.state, fullest.compute)
        table.add_row(
            f"  {row.quantisation}{'' if number else ' (the file)'}",
            f"{row.context:,}",
            *(f"{size / GIB:.2f}" for size in sizes),
            f"{row.room.headroom:.1f}" if row.room.capacity else "?",
            _verdict(row),
        )
    return table


def _verdict(row: Candidate) -> str:
    if not row.room.capacity:
        return "memory_gib is not in the board file"
    return "fits" if row.room.fits else "does not fit"


def _lines(geometry: Geometry, board: Board, seat: SeatConfig, calibration: Calibration | None) -> Iterator[str]:
    depths = [depth for depth in DEPTHS if depth < min(seat.context, geometry.context_trained)]
    speeds = [speed(geometry, board, seat.kv_type, depth, calibration) for depth in depths]
    for one in speeds:
        yield from _speed_lines(one, geometry)
    for figure in speeds[0].published:
        yield (
            f"published: {figure.decode:g} tok/s, {figure.quantisation} on {figure.accelerators} x {figure.card} "
            f"({figure.source}, {figure.date}; {figure.note})"
        )
    yield from (f"ALARM: {said}" for said in published_alarms(geometry, board))
    for hint in advice(geometry, board, seat):
        yield f"try {hint.what}: {hint.why}"


def _speed_lines(one: Speed, geometry: Geometry) -> Iterator[str]:
    most = f"; roofline {one.roofline:.0f} tok/s" if one.roofline else ""
    where = f"decode, {one.depth:,} tokens deep"
    if one.basis is Basis.CALIBRATED and one.decode:
        yield f"{where}: {_range(one.decode)} tok/s, calibrated{most}"
        if one.prefill and not one.depth:
            yield f"prefill: {_range(one.prefill)} tok/s, calibrated"
        return
    yield f"{where}: {one.basis.value}{most or '; the board file does not say bandwidth_gb_s'}"
    if one.estimate and not one.depth:
        yield (
            f"estimate {_range(one.estimate)} tok/s, from one published figure of another model on this card: "
            "`lexforge boards calibrate` replaces it"
        )
    if not one.depth:
        yield f"prefill: not known before a calibration{_prefill(one)}"


def _prefill(one: Speed) -> str:
    known = [f for f in one.published if f.prefill]
    return "".join(f"; published {f.prefill:g} tok/s at {f.depth:,} tokens ({f.source}, {f.date})" for f in known)


def _range(rates: Range) -> str:
    low, likely, high = rates
    return f"{likely:.0f} ({low:.0f} to {high:.0f})"
