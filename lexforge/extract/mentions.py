"""All mentions of a text at once; the one entry that drafts and sources go through alike."""

from __future__ import annotations

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import Mention
from lexforge.extract import amount, bates, citation, date, quote, record_cite
from lexforge.extract.antecedent import resolved
from lexforge.extract.bates_registry import BatesRegistry
from lexforge.extract.fold import Spot, fold, mask


def find_mentions(text: str, registry: BatesRegistry, date_order: DateOrder) -> tuple[Mention, ...]:
    """Every mention of `text`, sorted by (start, end), with antecedents as indices into the returned tuple.

    Mentions other than quotations are disjoint among themselves, and so are quotations; a quotation may contain other
    mentions, because a date inside quotation marks is still a date that must be true. For each, `text[m.start:m.end] ==
    m.text`. Linear in the length of `text`; raises nothing of its own.
    """
    folded = fold(text)
    spots: list[Spot] = []
    masked = folded.text
    law = citation.scan(masked)
    masked = _take(spots, masked, law)
    masked = _take(spots, masked, record_cite.scan(masked))
    masked = _take(spots, masked, bates.scan(masked, registry))
    masked = _take(spots, masked, amount.scan(masked))
    _take(spots, masked, date.scan(masked, date_order))
    found = folded.mentions(spots)
    quotations = quote.scan(folded, found)
    together = sorted((*found, *quotations), key=lambda mention: (mention.start, mention.end))
    return resolved(text, together)


def _take(spots: list[Spot], masked: str, found: list[Spot]) -> str:
    """Keep what was found and hide it from the patterns that follow."""
    spots += found
    return mask(masked, found)
