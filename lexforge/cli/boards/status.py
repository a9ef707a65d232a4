"""`lexforge boards status`: which seats can answer, and who would."""

from __future__ import annotations

import time

import click

from lexforge.cli.boards.group import SEATS, chosen, named, of_matter
from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import BoardFile, SeatName
from lexforge.llm.serving.status import SeatStatus, seat_status, status
from lexforge.local_only import parse_endpoint

BEGINNING = 30.0
"""Seconds in which a server that was just started must listen; llama-server does before it loads the model. Later, one
that is down has ended."""


def _an_endpoint(_: click.Context, __: click.Parameter, value: str) -> str:
    try:
        return str(parse_endpoint(value)) if value else ""
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command("status", epilog="Example: lexforge boards status two-boards")
@named
@of_matter
@click.option("--seat", type=SEATS, help="Look only at this one; exit code 6 unless it is up.")
@click.option("--endpoint", default="", callback=_an_endpoint, help="Ask there instead. With --seat.")
@click.option("--wait", type=click.FloatRange(min=0), default=0, help="Seconds to wait for it. With --seat.")
def command(name: str | None, matter: str | None, seat: str | None, endpoint: str, wait: float) -> None:
    """Show each seat of board file NAME: up, loading, down, or unknown, and what its server says of itself.

    Unknown: something answers that is not what the board file asks for.
    """
    board_file = chosen(name, matter)
    if seat is not None:
        _require_up(_reached(board_file, SeatName(seat), endpoint, wait))
        return
    if endpoint or wait:
        raise click.UsageError("--endpoint and --wait go with --seat.")
    for one in status(board_file):
        _show(one)


def _reached(board_file: BoardFile, name: SeatName, endpoint: str, wait: float) -> SeatStatus:
    """The seat's status when it is up, or after `wait` seconds."""
    seat = board_file.seats[name]
    if endpoint:
        seat = seat.model_copy(update={"endpoint": endpoint})
    began = time.monotonic()
    while True:
        found = seat_status(name, seat)
        patience = {"loading": wait, "down": min(wait, BEGINNING)}.get(found.state, 0)
        if time.monotonic() - began >= patience:
            return found
        time.sleep(0.5)


def _require_up(found: SeatStatus) -> None:
    _show(found)
    if found.state not in ("up", "embedded"):
        raise SeatUnavailable(
            found.state,
            f"The {found.name.value} is {'not what its board file says' if found.state == 'unknown' else found.state}.",
            "Run `lexforge boards up`, or look at the log of whoever keeps it running.",
        )


def _show(found: SeatStatus) -> None:
    parts = [f"{found.name.value:9}", f"{found.state:8}", found.endpoint, f"process {found.pid}" if found.pid else ""]
    parts += [f"calls itself {found.alias}" if found.alias else "", found.model]
    parts += [f"{found.context} tokens a slot" if found.context else ""]
    if found.slots:
        parts.append(f"{'?' if found.busy is None else found.busy} of {found.slots} slots busy")
    parts.append(f"llama.cpp {found.build}" if found.build else "")
    click.echo("  ".join(part for part in parts if part))
    for note in found.notes:
        click.echo(f"{'':9}  {note}")
