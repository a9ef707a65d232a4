"""`lexforge boards down`: stop the servers that `lexforge boards up` started."""

from __future__ import annotations

import click

from lexforge.cli.boards.group import SEATS
from lexforge.llm.boards import SeatName
from lexforge.llm.serving.ending import down


@click.command("down", epilog="Example: lexforge boards down")
@click.option("--seat", type=SEATS, help="Stop only this one.")
def command(seat: str | None) -> None:
    """Stop the servers that `lexforge boards up` started, whichever board file they were for, and no other process.

    Slots that they saved are deleted.
    """
    stopped = down(SeatName if seat is None else [SeatName(seat)])
    for one in stopped:
        click.echo(f"{one.server.name.value}: {one.how}")
    if not stopped:
        click.echo("Nothing to stop: `lexforge boards up` started no server that is left.")
