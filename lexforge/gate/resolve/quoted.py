"""Quoted words taken apart: plain words, letters and words in brackets, and ellipses."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from lexforge.gate.tokens import TOKEN, fold, norms_of

ELLIPSIS = r"(?:\.[\s\u00a0]?){3,}|…(?:\s?\.)?|(?:\*\s?){3}"
PIECE = re.compile(
    rf"(?P<gap>\[\s*(?:{ELLIPSIS})\s*\]|{ELLIPSIS})"
    r"|(?P<before>[^\W_]*)\[(?P<inside>[^\[\]]{0,120})\](?P<after>[^\W_]*(?:['’ʼ][^\W\d_]+)*)"
    rf"|(?P<word>{TOKEN.pattern})"
)
LETTERS = re.compile(r"[^\W\d_]*['’]?[^\W\d_]*\Z")


class Part(StrEnum):
    """What one piece of a quotation licenses."""

    WORD = "word"
    ALTERED = "altered"
    BRACKET = "bracket"
    GAP = "gap"


class Piece(NamedTuple):
    """One piece: `words` as folded; an ALTERED word keeps what stands before and after its bracket."""

    part: Part
    words: tuple[str, ...]
    before: str = ""
    after: str = ""


def _bracket(match: re.Match[str]) -> list[Piece]:
    """A word with a part in brackets ("pushe[d]"), or words in brackets between words ("doctrine[, which]")."""
    before, inside, after = fold(match["before"]), match["inside"], fold(match["after"])
    if (before or after) and LETTERS.match(inside):
        return [Piece(Part.ALTERED, (fold(match["before"] + inside + match["after"]),), before, after)]
    between = Piece(Part.BRACKET, norms_of(inside))
    words = [Piece(Part.WORD, (word,)) if word else None for word in (before, after)]
    return [piece for piece in (words[0], between, words[1]) if piece is not None]


def pieces_of(words: str) -> tuple[Piece, ...]:
    """The pieces of a quotation in order; ellipses and inserted words at its ends are dropped.

    An ellipsis at either end says only that the sentence was longer (Bluebook rule 5.3).
    """
    found: list[Piece] = []
    for match in PIECE.finditer(words):
        if match["gap"]:
            found.append(Piece(Part.GAP, ()))
        elif match["inside"] is not None:
            found += _bracket(match)
        else:
            found.append(Piece(Part.WORD, (fold(match["word"]),)))
    while found and found[0].part is Part.GAP:
        del found[0]
    while found and found[-1].part is Part.GAP:
        del found[-1]
    return tuple(found)
