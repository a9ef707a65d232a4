"""`lexforge boards units`: systemd units that keep the servers of a board file running, without a network."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import click

import lexforge
from lexforge.cli.boards.group import named, of_matter, place
from lexforge.cli.written import write_whole
from lexforge.config import home
from lexforge.domain.record import Record
from lexforge.errors import DocumentError
from lexforge.llm import boards
from lexforge.llm.boards import BoardFile, Engine, SeatName, devices
from lexforge.llm.serving import command as server_command
from lexforge.llm.serving.command import Places
from lexforge.llm.serving.process import LOADING_LIMIT
from lexforge.llm.weights import locate, shards_of
from lexforge.templating import render

HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""What systemd's ProtectHome= hides (systemd.exec(5))."""


class Told(Record):
    """What a unit needs to know beyond the board file.

    `probe` is the command line of `lexforge boards status`; `readable` what that and the server must be able to read.
    """

    user: str
    program: str
    model: Path
    probe: tuple[str, ...]
    readable: tuple[Path, ...]


@click.command("units", epilog="Example: lexforge boards units two-boards --into units")
@named
@of_matter
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default=Path("units"), show_default=True)
@click.option("--user", default=lambda: pwd.getpwuid(os.geteuid()).pw_name, help="Who runs the servers [default: you].")
def command(name: str | None, matter: str | None, into: Path, user: str) -> None:
    """Write a systemd unit for each server seat of board file NAME into a folder; nothing is installed.

    The servers get no network: they listen on UNIX sockets below /run/lexforge that only the user may open.
    """
    board_file = boards.load(*place(name, matter))
    seats = [seat for seat, config in board_file.seats.items() if config.engine is Engine.SERVER]
    for seat in seats:
        wanted = f"unix:{socket_of(seat)}"
        if board_file.seats[seat].endpoint not in ("", wanted):
            click.echo(f"{seat.value}: left out, its board file says that it is at {board_file.seats[seat].endpoint}")
            continue
        path = into / f"lexforge-{seat.value}.service"
        _write(path, unit(board_file, seat, _told(board_file, seat, place(name, matter), user)))
        click.echo(f"{path}: copy it to /etc/systemd/system, then `systemctl enable --now {path.name}`")
        if not board_file.seats[seat].endpoint:
            click.echo(f'  and write endpoint = "{wanted}" under [seats.{seat.value}] in the board file')
    if not seats:
        click.echo("No seat of this board file is served by a llama-server.")


def socket_of(seat: SeatName) -> Path:
    """Where the server of a seat listens when systemd keeps it running."""
    return Path("/run/lexforge") / seat.value / "llama-server.sock"


def unit(board_file: BoardFile, seat: SeatName, told: Told) -> str:
    """The text of a seat's unit; systemd.service(5), systemd.exec(5), systemd.resource-control(5)."""
    config, board, socket = board_file.seats[seat], board_file.board_of(seat), socket_of(seat)
    at = Places(program=told.program, model=told.model, socket=socket, slots=socket.parent / "slots")
    variables = devices(board)
    if board.accelerators:  # kernels that are compiled for these cards at the first start
        variables["CUDA_CACHE_PATH"] = f"/var/cache/lexforge/{seat.value}"
    text = render(
        "documents/llama-server.service.j2",
        seat=seat.value,
        board=board.name,
        user=told.user,
        accelerators=board.accelerators,
        environment=[quoted(f"{name}={value}") for name, value in variables.items()],
        start=" ".join(map(argument, server_command.argv(config, board, seat, at))),
        probe=" ".join(map(argument, told.probe)),
        limit=round(LOADING_LIMIT) + 60,
        readable=[quoted(str(path)) for path in told.readable],
    )
    return f"{text}\n"


def quoted(text: str) -> str:
    """A word of a unit file (systemd.syntax(7)): quoted where needed, no specifier expanded."""
    text = text.replace("%", "%%")
    if text and not set(text) & set(" \t\n'\"\\;"):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def argument(text: str) -> str:
    """A word of a command line in a unit file: besides, no variable expanded."""
    return quoted(text).replace("$", "$$")


def _told(board_file: BoardFile, seat: SeatName, where: tuple[str | None, Path], user: str) -> Told:
    config = board_file.seats[seat]
    model = locate(config, seat.value).absolute()
    program = Path(shutil.which(Path(config.program).expanduser()) or config.program).absolute()
    own = Path(shutil.which("lexforge", path=Path(sys.executable).parent) or shutil.which("lexforge") or "lexforge")
    file = str(boards.find(*where).absolute())
    probe = (str(own), "boards", "status", file, "--seat", seat.value, "--endpoint", f"unix:{socket_of(seat)}")
    needed = [*shards_of(model), *shards_of(model.resolve()), _folder_of_program(program), home(), Path(file), own]
    needed += [Path(lexforge.__file__).parent, Path(sys.prefix), Path(sys.base_prefix), Path(sys.base_prefix).resolve()]
    return Told(
        user=user,
        program=str(program),
        model=model,
        probe=(*probe, "--wait", str(round(LOADING_LIMIT))),
        readable=tuple(_hidden(needed)),
    )


def _folder_of_program(program: Path) -> Path:
    """The program, with its folder where its libraries lie beside it."""
    program = program.resolve()
    return program.parent if any(program.parent.glob("*.so*")) else program


def _hidden(needed: Iterable[Path]) -> list[Path]:
    """Those of the paths that exist and that ProtectHome= hides, each once, none inside another."""
    found = {path for path in needed for root in HOMES if path.exists() and path.is_relative_to(root)}
    return sorted(path for path in found if not any(path != other and path.is_relative_to(other) for other in found))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DocumentError(f"{path.parent} cannot be made: {error.strerror}.", "Name another folder.") from None
    write_whole(path, text)
