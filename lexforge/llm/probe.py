"""Whether a runtime talks sense: a plain text it must find likely, before it is asked anything that matters.

A wrong kernel, a broken quantisation or a wrong patch loads, answers 200 and writes gibberish; its identity is right
all the same. The measure is bits per character over a text that any model of English finds easy. Small, sound models
(135M and 270M parameters) need 0.69 and 0.70; one that finds all 49,152 tokens of its vocabulary alike needs 3.4.
"""

from __future__ import annotations

import math

from lexforge.domain.record import Record
from lexforge.errors import SeatUnavailable

BEGINNING = "The sun rises in the east and sets in the west. The day has twenty-four hours, and the"
TEXT = " week has seven days. The year has twelve months. Water freezes in the cold of winter and melts in the spring."
"""What the model is made to say, and what it would have said anyway is compared with."""

CONTINUED = 24
"""Tokens of the greedy continuation that is looked at."""


class Probe(Record):
    """What came of it: bits per character of TEXT, and how the model goes on behind BEGINNING, greedily."""

    bits_per_character: float
    continuation: str


def grammar(tokens: list[int]) -> str:
    """A grammar (GBNF) that lets exactly these tokens be sampled, so that a server tells how likely each one was."""
    return "root ::= " + " ".join(f"<[{token}]>" for token in tokens)


def bits_per_character(log_probabilities: list[float]) -> float:
    """From the natural logarithms of the probabilities of the tokens of TEXT."""
    return -sum(log_probabilities) / math.log(2) / len(TEXT)


def require_sense(probe: Probe, bound: float, seat: str) -> None:
    """SeatUnavailable `gibberish` when the text is too unlikely, or the continuation one sign over and over."""
    letters = {sign for sign in probe.continuation if sign.isalpha()}
    if not math.isfinite(probe.bits_per_character) or probe.bits_per_character > bound:
        told = f"needs {probe.bits_per_character:.2f} bits for a character of plain English (limit {bound:g})"
    elif len(letters) < 3 and bound < UNBOUNDED:
        told = f"goes on with {probe.continuation[:20]!r} behind plain English"
    else:
        return
    raise SeatUnavailable(
        "gibberish",
        f"The {seat} does not talk sense: it {told}.",
        "The model file is the right one, so the runtime is broken for it: try another build of llama.cpp, or no "
        "flash attention. A model made for another language may be given a higher `sense_bound` in the board file.",
    )


UNBOUNDED = 50.0
"""A bound that every model passes, for models of random weights in tests and measurements."""
