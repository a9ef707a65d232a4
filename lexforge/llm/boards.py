"""Board files: which seat is served by which model file on which board."""

from __future__ import annotations

from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from lexforge.config import home, read_toml, settings
from lexforge.domain.record import Record
from lexforge.errors import MatterError
from lexforge.llm.request import Sampling
from lexforge.local_only import parse_endpoint

UNPINNED = "unpinned"
"""In place of a hash: a file that was not chosen yet. It can be planned with; it is never served."""
VOLTA = "7.0"

Sha256 = Annotated[str, StringConstraints(pattern=rf"^([0-9a-f]{{64}}|{UNPINNED})$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)]


def _in_a_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


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


class Speculation(StrEnum):
    """Drafting without a draft model: `ngram` looks the last tokens up in what was read (llama.cpp's `ngram-mod`)."""

    NONE = "none"
    NGRAM = "ngram"


class Engine(StrEnum):
    """What runs the model: llama.cpp inside a child process of ours, or a llama-server."""

    EMBEDDED = "embedded"
    SERVER = "server"


class KvType(StrEnum):
    """Type of the KV cache, as llama.cpp's `--cache-type-k` and `-v` name it."""

    F16 = "f16"
    Q8_0 = "q8_0"
    Q4_0 = "q4_0"


class Board(Record):
    """Accelerators joined by NVLink, all of one kind; no accelerators: the CPU.

    `accelerators` are numbers in PCI order (`CUDA_DEVICE_ORDER=PCI_BUS_ID`). `memory_gib` and `bandwidth_gb_s` are of
    one accelerator (of the machine, where there is none), from its data sheet; 0: not known. `cuda` is the toolkit
    that the board's llama.cpp was built with.
    """

    name: Name
    accelerators: tuple[Annotated[int, Field(ge=0)], ...] = ()
    card: str = ""
    compute_capability: Annotated[str, StringConstraints(pattern=r"^(\d+\.\d)?$")] = ""
    memory_gib: Annotated[float, Field(ge=0)] = 0
    bandwidth_gb_s: Annotated[float, Field(ge=0)] = 0
    nvlink_group: str = ""
    cuda: Annotated[str, StringConstraints(pattern=r"^(\d+\.\d+)?$")] = ""

    @property
    def is_volta(self) -> bool:
        """A V100, whose kernels and toolkits are limited."""
        return self.compute_capability == VOLTA


class SeatConfig(Record):
    """One seat: exactly which file it is served from, and how.

    `model` is a path (the first shard, where there are several), `package:NAME/FILE`, or `assemble:NAME` for weights
    that come as packages. `weights_sha256` pins every shard in order. `context` is tokens for one slot.
    `reasoning_budget` is tokens a request may think before it answers; 0: it does not think. `endpoint` is where a
    llama-server listens that somebody else keeps running; without it `lexforge boards up` starts one. `wait` is the
    longest a step waits for a seat that is restarting, in seconds. `sense_bound` is what it may need at most for plain
    English, in bits per character, before it counts as broken (`lexforge.llm.probe`). `ubatch` and `cache_ram_mib` are
    llama.cpp's `-ub` and `-cram`; `tensor_split` is `-ts`, layers for each accelerator, in equal parts without it.
    """

    board: Name
    engine: Engine = Engine.EMBEDDED
    model: str
    weights_sha256: Annotated[tuple[Sha256, ...], Field(min_length=1), BeforeValidator(_in_a_list)]
    quantisation: str
    prompt_format: PromptFormat = PromptFormat.CHAT
    wording: Wording = Wording.OPEN
    context: Annotated[int, Field(ge=512)] = 4096
    slots: Annotated[int, Field(ge=1, le=64)] = 1
    kv_type: KvType = KvType.F16
    flash_attention: bool = True
    split: Literal["layer", "none"] = "layer"
    tensor_split: tuple[Annotated[int, Field(ge=0)], ...] = ()
    ubatch: Annotated[int, Field(ge=32, le=8192)] = 512
    cache_ram_mib: Annotated[int, Field(ge=0)] = 0
    speculation: Speculation = Speculation.NONE
    threads: Annotated[int, Field(ge=1)] = 1
    sampling: Sampling = Sampling()
    reasoning_budget: Annotated[int, Field(ge=0)] = 0
    endpoint: str = ""
    program: str = "llama-server"
    wait: Annotated[float, Field(ge=0, le=86_400)] = 120
    sense_bound: Annotated[float, Field(gt=0)] = 2.0

    @model_validator(mode="after")
    def _possible(self) -> SeatConfig:
        if self.kv_type is not KvType.F16 and not self.flash_attention:
            raise ValueError("a quantised KV cache needs flash_attention = true")
        if self.engine is Engine.EMBEDDED:
            self._only_for_servers()
        elif self.prompt_format is PromptFormat.PLAIN:
            raise ValueError("a llama-server applies the model's own chat template; prompt_format must be 'chat'")
        if self.endpoint:
            parse_endpoint(self.endpoint)
        return self

    def _only_for_servers(self) -> None:
        beyond = {
            "slots": self.slots > 1,
            "reasoning_budget": self.reasoning_budget > 0,
            "endpoint": bool(self.endpoint),
            "speculation": self.speculation is not Speculation.NONE,
        }
        if named := [key for key, used in beyond.items() if used]:
            raise ValueError(f"{', '.join(named)}: only an engine = 'server' seat can do that")


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

    @model_validator(mode="after")
    def _boards_apart(self) -> BoardFile:
        """A seat spans one board, never two: so two boards never share a name, a card or an NVLink group."""
        _require_apart("name", [board.name for board in self.boards])
        _require_apart("nvlink_group", [board.nvlink_group for board in self.boards if board.nvlink_group])
        _require_apart("accelerator", [number for board in self.boards for number in board.accelerators])
        return self

    @model_validator(mode="after")
    def _served_within_its_limits(self) -> BoardFile:
        for name, seat in self.seats.items():
            board = self.board_of(name)
            if seat.tensor_split and len(seat.tensor_split) != len(board.accelerators):
                raise ValueError(
                    f"seat {name.value}: tensor_split needs one number for each of the {len(board.accelerators)} "
                    f"accelerators of board {board.name}"
                )
            if board.is_volta and (problem := volta_problem(board, seat)):
                raise ValueError(f"seat {name.value} on board {board.name}: {problem}")
        return self

    def board_of(self, seat: SeatName) -> Board:
        """The one board a seat sits on."""
        return next(board for board in self.boards if board.name == self.seats[seat].board)


def _require_apart(what: str, values: list[Any]) -> None:
    if twice := [value for value in dict.fromkeys(values) if values.count(value) > 1]:
        raise ValueError(f"{what} {twice[0]!r} stands on two boards; boards share nothing")


def volta_problem(board: Board, seat: SeatConfig) -> str:
    """Why a seat cannot run on a V100, or nothing.

    Volta has no bf16 and no FP8 units; CUDA 13 dropped it and builds with 12.9 fail to allocate (llama.cpp issue
    28416); tensor split hangs on it for the hybrid models (issue 27366), which `split` cannot even say.
    """
    if any(mark in seat.quantisation.upper() for mark in ("BF16", "FP8", "AWQ")):
        return f"{seat.quantisation} weights do not run on Volta; use a GGUF quantisation such as Q8_0 or Q4_K_M"
    if board.cuda and tuple(map(int, board.cuda.split("."))) > (12, 8):
        return f"llama.cpp built with CUDA {board.cuda} does not run on Volta; build it with 12.8 or older"
    if seat.kv_type is KvType.Q4_0:
        return "kv_type q4_0 with flash attention gave garbage on Volta builds; use f16 or q8_0"
    return ""


def devices(board: Board) -> dict[str, str]:
    """The environment that shows a process the accelerators of one board and no others, numbered in PCI order."""
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": ",".join(map(str, board.accelerators))}


def load(name: str | None, matter: Path) -> BoardFile:
    """The board file called `name`: beside `matter.toml`, in the configuration folder, or shipped with LexForge.

    Without a name the one that lexforge.toml says.
    """
    return read_toml(find(name, matter), BoardFile)


def find(name: str | None, matter: Path) -> Path:
    """Where the board file called `name` is; MatterError says where it was looked for."""
    name = name or settings().boards
    file_name = name if name.endswith(".toml") else f"{name}.toml"
    shipped = Path(str(resources.files("lexforge.llm") / "board_files"))
    looked = [matter / file_name, home() / "boards" / file_name, shipped / file_name]
    for path in looked:
        if path.is_file():
            return path
    raise MatterError(
        f"No board file {file_name}: looked in {', '.join(str(p.parent) for p in looked)}.",
        "Correct `boards` in matter.toml, or put the file beside it.",
    )
