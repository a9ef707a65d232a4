"""What is known of each seat's server, from its process and from its own words."""

from __future__ import annotations

from typing import Any, Literal

from lexforge.domain.record import Record
from lexforge.errors import AnswerError, LexForgeError, SeatUnavailable
from lexforge.llm.boards import BoardFile, Engine, SeatConfig, SeatName
from lexforge.llm.server import ServerClient
from lexforge.llm.serving.command import forbidden
from lexforge.llm.serving.listening import argv_of, pid_of
from lexforge.llm.serving.process import endpoint_of
from lexforge.llm.serving.state import read, running
from lexforge.llm.weights import find

State = Literal["up", "loading", "down", "unknown", "embedded"]


class SeatStatus(Record):
    """One seat.

    `unknown`: something answers that is not what the board file asks for, and `notes` say why; `embedded`: it needs no
    server. `model` is the file's path as the server names it, `context` tokens for one slot, `busy` slots at work;
    `build` is llama.cpp's. What could not be learnt is empty, 0 or None. Proof of identity is not this: see
    `lexforge.llm.identity`.
    """

    name: SeatName
    state: State
    endpoint: str = ""
    pid: int | None = None
    alias: str = ""
    model: str = ""
    context: int = 0
    slots: int = 0
    busy: int | None = None
    build: str = ""
    notes: tuple[str, ...] = ()


def status(boards: BoardFile) -> list[SeatStatus]:
    """Every seat of a board file, in its order; nothing is started or changed."""
    return [seat_status(name, seat) for name, seat in boards.seats.items()]


def seat_status(name: SeatName, seat: SeatConfig) -> SeatStatus:
    """One seat as it is now."""
    if seat.engine is Engine.EMBEDDED:
        return SeatStatus(name=name, state="embedded", model=seat.model, context=seat.context)
    try:
        endpoint = endpoint_of(name, seat)
    except SeatUnavailable as error:
        return SeatStatus(name=name, state="down", notes=_what_became_of_it(name) or (str(error),))
    client = ServerClient(endpoint, name.value)
    try:
        return _asked(client, name, seat)
    finally:
        client.close()


def _what_became_of_it(name: SeatName) -> tuple[str, ...]:
    kept = read(name)
    return (f"It was started as process {kept.pid} and has ended; its log is {kept.log}.",) if kept else ()


def _asked(client: ServerClient, name: SeatName, seat: SeatConfig) -> SeatStatus:
    known = SeatStatus(name=name, state="down", endpoint=client.endpoint, pid=pid_of(client.endpoint))
    try:
        client.get("/health")
    except AnswerError as error:
        return known.model_copy(update={"state": "unknown", "notes": (str(error),)})
    except SeatUnavailable as error:
        # A server of ours listens only a moment after it was started.
        ours = None if seat.endpoint else running(name)
        if error.code == "loading" or ours is not None:
            return known.model_copy(update={"state": "loading", "pid": ours.pid if ours else known.pid})
        return known.model_copy(update={"notes": (error.message,)})
    return _described(client, known, seat)


def _described(client: ServerClient, known: SeatStatus, seat: SeatConfig) -> SeatStatus:
    try:
        properties, models = client.get("/props"), client.get("/v1/models")
        told = {
            "alias": str(models["data"][0]["id"]),
            "model": str(properties["model_path"]),
            "context": int(models["data"][0]["meta"]["n_ctx"]),
            "slots": int(properties["total_slots"]),
            "build": str(properties["build_info"]),
            "busy": _busy(client),
        }
    except (LexForgeError, KeyError, IndexError, TypeError, ValueError) as error:
        return known.model_copy(update={"state": "unknown", "notes": (f"It does not describe itself: {error!r}.",)})
    described = known.model_copy(update=told)
    notes = (*_otherwise(described, seat), *forbidden(argv_of(client.endpoint) or ()))
    return described.model_copy(update={"state": "unknown" if notes else "up", "notes": notes})


def _busy(client: ServerClient) -> int | None:
    """Slots at work; None when the server was started without `--slots`."""
    try:
        slots: list[dict[str, Any]] = client.get("/slots")
    except AnswerError:
        return None
    return sum(bool(slot["is_processing"]) for slot in slots)


def _otherwise(found: SeatStatus, seat: SeatConfig) -> tuple[str, ...]:
    """What is plainly not as the board file says."""
    served, file = found.model.rpartition("/")[2], _file(found, seat)
    told = {
        f"It serves {served}, the board file says {file}.": served != file,
        f"A slot holds {found.context} tokens, the board file says {seat.context}.": found.context < seat.context,
        f"It has {found.slots} slots, the board file says {seat.slots}.": found.slots != seat.slots,
    }
    return tuple(note for note, differs in told.items() if differs)


def _file(found: SeatStatus, seat: SeatConfig) -> str:
    """The name of the file that the board file pins; without its folder, which another machine may name otherwise."""
    try:
        return find(seat, found.name.value)[0].name
    except SeatUnavailable:
        return seat.model.rpartition("/")[2]
