"""Spots in the bundle where a document speaks of another one, and what stands within reach of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lexforge.gate.index import SourceText

REACH = 700


@dataclass(frozen=True)
class Spot:
    """`held.text[start:end]` speaks of a document that the draft names."""

    held: SourceText
    start: int
    end: int


def is_within_reach(held: SourceText, start: int, end: int, spots: Iterable[Spot]) -> bool:
    """Whether `text[start:end]` of a source stands near one of the spots in it."""
    return any(s.held is held and start <= s.end + REACH and s.start - REACH <= end for s in spots)


def sources_of(spots: Sequence[Spot]) -> tuple[SourceText, ...]:
    """The sources in which there are spots, each once."""
    return tuple({spot.held.source.id: spot.held for spot in spots}.values())
