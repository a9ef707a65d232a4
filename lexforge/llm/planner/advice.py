"""What the planner says beside its figures: alarms, and settings with the measured reason for each.

Reasons marked H200 were measured in 2026 with models of the true shapes of Qwen3.6-35B-A3B and Qwen3.5-122B-A10B
(random weights) on llama.cpp b11434.
"""

from __future__ import annotations

from collections.abc import Iterator

from lexforge.domain.record import Record
from lexforge.llm.boards import Board, Engine, KvType, SeatConfig
from lexforge.llm.planner.memory import best_split, room
from lexforge.llm.planner.model import Geometry, LayerKind
from lexforge.llm.planner.speed import figures, roofline

WIDE_UBATCH = 2048


class Advice(Record):
    """One thing to do, and why."""

    what: str
    why: str


def alarm(tokens_per_second: float, geometry: Geometry, board: Board, kv_type: KvType, depth: int = 0) -> str:
    """Why a decode figure cannot be what it says, or nothing; nothing also where the bandwidth is not known."""
    return _too_fast(tokens_per_second, roofline(geometry, board, kv_type, depth))


def _too_fast(tokens_per_second: float, most: float) -> str:
    if not most or tokens_per_second <= most:
        return ""
    return (
        f"{tokens_per_second:.0f} tok/s is more than the {most:.0f} that memory bandwidth allows: it must include "
        "speculative decoding or several requests at once, or the figure is wrong."
    )


def published_alarms(geometry: Geometry, board: Board) -> tuple[str, ...]:
    """Alarms for the published figures of this model on this card, each by the bytes of its own quantisation."""
    bandwidth = board.bandwidth_gb_s * 1e9
    of_this = [f for f in figures() if f.card == board.card and f.is_of(geometry)]
    return tuple(
        f"{figure.source}: {said}" for figure in of_this if (said := _too_fast(figure.decode, bandwidth / figure.bytes))
    )


def advice(geometry: Geometry, board: Board, seat: SeatConfig) -> tuple[Advice, ...]:
    """What to change in a seat's settings, and what to try."""
    return tuple(_advice(geometry, board, seat))


def _advice(geometry: Geometry, board: Board, seat: SeatConfig) -> Iterator[Advice]:
    if replicas := _replicas(geometry, board, seat):
        yield replicas
    if uneven := _uneven(geometry, board, seat):
        yield uneven
    if seat.engine is not Engine.SERVER:
        return
    if seat.ubatch < WIDE_UBATCH and _still_fits(geometry, board, seat, ubatch=WIDE_UBATCH):
        why = "2048 instead of 512 nearly doubled prefill (H200: 5,862 to 10,016 and 2,066 to 4,102 tok/s)"
        if geometry.count(LayerKind.RECURRENT):
            why += ", and a checkpoint of the recurrent state then lies inside the evidence (0 to 72 % reused)"
        yield Advice(what=f"ubatch = {WIDE_UBATCH}", why=why)
    if seat.kv_type is not KvType.F16 and _still_fits(geometry, board, seat, kv_type=KvType.F16):
        yield Advice(what='kv_type = "f16"', why="q8_0 and q4_0 cost 27 % of decode at 64k tokens (H200); f16 fits")
    if seat.cache_ram_mib:
        yield Advice(what="cache_ram_mib = 0", why="the prompt cache stalls all slots for about a second (H200)")
    if seat.slots == 1 and _still_fits(geometry, board, seat, slots=4):
        yield Advice(what="slots = 4", why="4 requests at once decoded 2.0 to 2.3 times as much as one (H200)")


def _still_fits(geometry: Geometry, board: Board, seat: SeatConfig, **changed: object) -> bool:
    return room(geometry, board, seat.model_copy(update=changed)).fits


def _replicas(geometry: Geometry, board: Board, seat: SeatConfig) -> Advice | None:
    """A split over cards is sequential: cards that each hold the whole model work at the same time instead."""
    if len(board.accelerators) < 2 or seat.split == "none":
        return None
    alone = board.model_copy(update={"accelerators": board.accelerators[:1]})
    if not room(geometry, alone, seat.model_copy(update={"split": "none"})).fits:
        return None
    return Advice(
        what=f"{len(board.accelerators)} servers of one card each instead of one over {len(board.accelerators)}",
        why="the model fits one card, and a split by layer works one card at a time (llamaR vignette, 4 x V100: "
        "176 tok/s split, 517 on one card, 1,300 on four; not tried with this model)",
    )


def _uneven(geometry: Geometry, board: Board, seat: SeatConfig) -> Advice | None:
    """Where an even split fills one card, another may fit."""
    if len(board.accelerators) < 2 or seat.split == "none" or seat.tensor_split or room(geometry, board, seat).fits:
        return None
    split, found = best_split(geometry, board, seat)
    if not found.fits:
        return None
    return Advice(
        what=f"tensor_split = {list(split)}",
        why=f"an even split gives the first card a layer more than it holds; this one leaves {found.headroom:.1f} GiB",
    )
