"""`lexforge boards`: the servers that fill the seats."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from lexforge.llm import boards
from lexforge.llm.boards import BoardFile, SeatName
from lexforge.store.folder import find_matter

_COMMANDS = {name: f"lexforge.cli.boards.{name}" for name in ("up", "down", "status", "plan", "calibrate", "units")}

SEATS = click.Choice([name.value for name in SeatName])
named = click.argument("name", required=False)
of_matter = click.option("--matter", help="Take the board file that this matter names.")


class _Lazy(click.Group):
    """Imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS or find_spec(_COMMANDS[cmd_name]) is None:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command


@click.group("boards", cls=_Lazy)
def command() -> None:
    """Start, stop and look at the model servers of a board file.

    The board file is NAME (looked for beside matter.toml, in the configuration folder, among the shipped ones, or as a
    path), else the one that the matter names, else `boards` of lexforge.toml, else "embedded".
    """


def chosen(name: str | None, matter: str | None) -> BoardFile:
    """The board file that a command line means."""
    return boards.load(*place(name, matter))


def place(name: str | None, matter: str | None) -> tuple[str | None, Path]:
    """The name of the board file that a command line means, and the folder where it is looked for first."""
    if matter is None:
        return name, Path().absolute()
    found = find_matter(matter)
    return name or found.config.boards, found.path.absolute()
