"""Board files: which seat is served by which model file on which board."""

from __future__ import annotations

from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from lexforge.config import home, read_toml
from lexforge.domain.record import Record
from lexforge.errors import MatterError
from lexforge.llm.request import Sampling

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class SeatName(StrEnum):
    """The roles a model can fill."""

    WORKHORSE = "workhorse"
    REASONER = "reasoner"

    @property
    def other(self) -> SeatName:
        """The seat that reviews what this one wrote."""
        return SeatName.REASONER if self is SeatName.WORKHORSE else SeatName.WORKHORSE


class PromptFormat(StrEnum):
    """How messages become text: the model's own chat template, or plain paragraphs for a base model."""

    CHAT = "chat"
    PLAIN = "plain"


class Wording(StrEnum):
    """How freely a seat may put things.

    `closed`: between slots only runs of words that stand in the passage, for models too small to paraphrase without
    inventing. `open`: any words, digits and quotation marks still impossible outside slots.
    """

    CLOSED = "closed"
    OPEN = "open"


class Board(Record):
    """Accelerators joined by NVLink, as llama.cpp numbers them; empty for the CPU."""

    name: str
    accelerators: tuple[int, ...] = ()


class SeatConfig(Record):
    """One seat. `model` is a path, `package:NAME/FILE`, or `assemble:NAME` for weights that come as packages."""

    board: str
    engine: Literal["embedded"] = "embedded"
    model: str
    weights_sha256: Sha256
    quantisation: str
    prompt_format: PromptFormat = PromptFormat.CHAT
    wording: Wording = Wording.OPEN
    context: Annotated[int, Field(ge=512)] = 4096
    threads: Annotated[int, Field(ge=1)] = 1
    sampling: Sampling = Sampling()


class BoardFile(Record):
    """Boards and the two seats on them; every seat sits on exactly one board that exists."""

    boards: Annotated[tuple[Board, ...], Field(min_length=1)]
    seats: dict[SeatName, SeatConfig]

    @model_validator(mode="after")
    def _every_seat_on_a_board(self) -> BoardFile:
        missing = [name.value for name in SeatName if name not in self.seats]
        if missing:
            raise ValueError(f"no seat {', '.join(missing)}; both seats are needed")
        names = {board.name for board in self.boards}
        for name, seat in self.seats.items():
            if seat.board not in names:
                raise ValueError(
                    f"seat {name.value} sits on board {seat.board!r}, which is not listed under [[boards]]"
                )
        return self


def load(name: str, matter: Path) -> BoardFile:
    """The board file called `name`: beside `matter.toml`, in the configuration folder, or shipped with LexForge."""
    file_name = name if name.endswith(".toml") else f"{name}.toml"
    shipped = Path(str(resources.files("lexforge.llm") / "board_files"))
    looked = [matter / file_name, home() / "boards" / file_name, shipped / file_name]
    for path in looked:
        if path.is_file():
            return read_toml(path, BoardFile)
    raise MatterError(
        f"No board file {file_name}: looked in {', '.join(str(p.parent) for p in looked)}.",
        "Correct `boards` in matter.toml, or put the file beside it.",
    )
