"""`lexforge boards up`: start the servers of a board file."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape

from lexforge.cli.boards.group import chosen, named, of_matter
from lexforge.llm.boards import Engine
from lexforge.llm.serving import process


@click.command("up", epilog="Example: lexforge boards up two-boards")
@named
@of_matter
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=process.LOADING_LIMIT,
    show_default=True,
    help="Seconds to wait for a server to load.",
)
def command(name: str | None, matter: str | None, limit: float) -> None:
    """Start the server of each seat in board file NAME that has none yet, and wait until all answer.

    Each model file is checked against its pinned hash first. A server listens on a UNIX socket that only you may open,
    and goes on running until `lexforge boards down`. A seat with an `endpoint` is left to whoever keeps it running.
    """
    board_file = chosen(name, matter)
    console = Console(stderr=True)
    with console.status("Looking") as line:
        servers = process.up(board_file, lambda text: line.update(escape(text)), limit)
    for server in servers:
        click.echo(f"{server.name.value}: up at {server.endpoint}, process {server.pid}, {server.model.name}")
    for seat_name, seat in board_file.seats.items():
        if seat.engine is Engine.EMBEDDED:
            click.echo(f"{seat_name.value}: embedded; it needs no server")
        elif seat.endpoint:
            click.echo(f"{seat_name.value}: left to whoever keeps {seat.endpoint} running")
