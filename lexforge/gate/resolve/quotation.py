"""Quotations: the words must stand in the document to which the draft gives them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from lexforge.domain.findings import Reason, Support
from lexforge.domain.mentions import QuotationValue
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.alignment import align, is_negation, negation_before
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot, is_within_reach, sources_of
from lexforge.gate.resolve.quoted import Part, Piece, pieces_of
from lexforge.gate.tokens import Stream, fold

GRAM = 3
FEWEST_GRAMS = 2
FEWEST_STATED = 5
LONGEST_SHOWN = 12
LINE_END = re.compile(r"\b([^\W\d_]{2,})[-‐‑] ([^\W\d_]{2,})\b")
PAGE_MARK = re.compile(r"\n\s*[-–—]?\s*\d{1,4}\s*[-–—]?\s*\n")


class Found(NamedTuple):
    """Where the quotation stands in the text of a source, and the negation that it leaves out just before."""

    start: int
    end: int
    negation: str | None


def find_span(held: SourceText, pieces: Sequence[Piece]) -> Found | None:
    """Where the quotation stands in the text of one source; None when it does not."""
    for stream in (held.body, held.full):
        found = align(stream, tuple(pieces))
        if found is not None:
            # A term of a few words stands in many places; only a longer run is one statement turned round.
            is_statement = found[1] - found[0] + 1 >= FEWEST_STATED
            return Found(*stream.span(*found), negation_before(stream, found[0]) if is_statement else None)
    return None


def locate(held: SourceText, pieces: Sequence[Piece]) -> tuple[Support, ...]:
    """The same as places in the bundle."""
    found = find_span(held, pieces)
    return () if found is None else held.support(found.start, found.end)


def resolve_quotation(
    value: QuotationValue,
    named: Sequence[SourceText],
    rest: Iterable[SourceText],
    places: Sequence[Spot] = (),
    lead: Sequence[str] = (),
) -> Outcome:
    """Look for the words in the documents the sentence names (`named`), then in the `rest` of the bundle.

    Only the first can ground them when the sentence names any; `named` is the whole bundle when it names none. Words of
    a document that is not in the bundle may stand beside one of the `places` where another one speaks of it. `lead` are
    the folded words of the draft before the quotation.
    """
    rest = list(rest)
    pieces = pieces_of(_rejoined(PAGE_MARK.sub(" ", value.words), (*named, *rest)))
    if not any(piece.part is Part.WORD or piece.part is Part.ALTERED for piece in pieces):
        return blocked(Reason.NOT_FOUND, "This quotation holds no words that could be looked up.")
    turned: Outcome | None = None
    for held in named:
        found = find_span(held, pieces)
        if found is None:
            continue
        support = held.support(found.start, found.end)
        if found.negation is None or any(is_negation(word) for word in lead):
            return grounded(f"These words stand in {support[0].where}.", support)
        turned = turned or _turned_round(found.negation, support)
    if turned is not None:
        return turned
    return _elsewhere(pieces, named, rest, places)


def _rejoined(words: str, sources: Sequence[SourceText]) -> str:
    """The words with those made whole that a hyphen at the end of a line of the draft splits.

    Only into a word that some source has: in "short- and long-term" the hyphen stands for something else.
    """

    def whole(match: re.Match[str]) -> str:
        word = match[1] + match[2]
        return word if any(fold(word) in held.full.positions for held in sources) else match[0]

    return LINE_END.sub(whole, words)


def _turned_round(negation: str, support: tuple[Support, ...]) -> Outcome:
    message = f"The quotation begins just after “{negation}” in {support[0].where}, and so says the contrary."
    return blocked(Reason.WORDS_CHANGED, message, nearest=support[0])


def _elsewhere(
    pieces: Sequence[Piece], named: Sequence[SourceText], others: Sequence[SourceText], places: Sequence[Spot]
) -> Outcome:
    """The words do not stand in the documents named: where they stand, or what comes closest."""
    # A document that is in the bundle proves its own words; where another speaks of it counts for an absent one only.
    for held in () if named else sources_of(places):
        found = find_span(held, pieces)
        if found is not None and is_within_reach(held, found.start, found.end, places):
            near = held.support(found.start, found.end)
            return grounded(f"{near[0].where} quotes these words where it speaks of that document.", near)
    for held in others:
        support = locate(held, pieces)
        if support:
            where = _names(named) or "the document cited, which is not in the bundle"
            message = f"These words are not in {where}; they stand in {support[0].where}."
            return blocked(Reason.MISPLACED, message, nearest=support[0])
    return _closest(pieces, named or others)


def _names(sources: Sequence[SourceText]) -> str:
    names = [held.source.name for held in sources[:3]]
    return " or ".join(names) + (" or others" if len(sources) > 3 else "")


def _plain(pieces: Sequence[Piece]) -> list[str]:
    return [word for piece in pieces if piece.part is not Part.BRACKET for word in piece.words]


def _best_diagonal(stream: Stream, wanted: Sequence[str]) -> tuple[int, int]:
    """How many runs of three words of the quotation stand in the source at one offset, and that offset."""
    votes: Counter[int] = Counter()
    for rank in range(len(wanted) - GRAM + 1):
        for place in stream.find(wanted[rank : rank + GRAM]):
            votes[place - rank] += 1
    if not votes:
        return 0, 0
    offset, count = max(votes.items(), key=lambda item: (item[1], -item[0]))
    return count, offset


def _closest(pieces: Sequence[Piece], sources: Sequence[SourceText]) -> Outcome:
    """Name the word that was changed, where the source says something close."""
    wanted = _plain(pieces)
    best: tuple[int, int, SourceText] | None = None
    for held in sources:
        count, offset = _best_diagonal(held.body, wanted)
        if best is None or count > best[0]:
            best = (count, offset, held)
    if best is None or best[0] < min(FEWEST_GRAMS, max(1, len(wanted) - GRAM)):
        return blocked(Reason.NOT_FOUND, f"These words were not found in {_names(sources)}.")
    _, offset, held = best
    first = max(0, offset)
    last = min(len(held.body.norms), max(first + 1, offset + len(wanted) + 2))
    support = held.support(*held.body.span(first, last - 1))
    difference = _difference(wanted, held.body.norms[first:last])
    message = f"The quotation differs from {support[0].where}: {difference}."
    return blocked(Reason.WORDS_CHANGED, message, nearest=support[0])


def _difference(wanted: Sequence[str], there: Sequence[str]) -> str:
    """The first difference in words: what the draft has, and what the source has."""
    matcher = SequenceMatcher(None, wanted, there, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        ours, theirs = " ".join(wanted[a:b][:LONGEST_SHOWN]), " ".join(there[c:d][:LONGEST_SHOWN])
        if tag == "replace":
            return f"it has “{ours}” where the source has “{theirs}”"
        if tag == "delete":
            return f"it has “{ours}”, which the source does not have there"
        if tag == "insert" and 0 < a < len(wanted):
            return f"it leaves out “{theirs}” after “{wanted[a - 1]}”"
    return "the words are in another order, or more is left out than an ellipsis may hide"
