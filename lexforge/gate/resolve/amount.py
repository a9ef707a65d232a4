"""Sums of money: the same sum in the same currency must stand in the document that the sentence names."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from lexforge.domain.findings import Reason
from lexforge.domain.mentions import AmountValue, Mention
from lexforge.extract import amount
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot, is_within_reach, sources_of

Sum = tuple[Decimal, str]


def _sum(value: AmountValue) -> Sum | None:
    try:
        return Decimal(value.amount), value.currency
    except InvalidOperation:
        return None


class AmountResolver:
    """Amounts against one bundle; a source is read when the first amount of a draft is looked up in it."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self.sources = sources
        self._sums: dict[str, dict[Sum, Mention]] = {}

    def _of(self, held: SourceText) -> dict[Sum, Mention]:
        known = self._sums.get(held.source.id)
        if known is None:
            known = {}
            for mention in amount.find(held.text):
                if isinstance(mention.value, AmountValue) and (total := _sum(mention.value)) is not None:
                    known.setdefault(total, mention)
            self._sums[held.source.id] = known
        return known

    def resolve(
        self, value: AmountValue, text: str, named: Sequence[SourceText] | None, places: Sequence[Spot] = ()
    ) -> Outcome:
        """One amount; `named` are the documents of the sentence (None: it names none), `places` what speaks of them."""
        wanted = _sum(value)
        if wanted is None:
            return blocked(Reason.NOT_FOUND, f"“{text}” could not be read as an amount.")
        for held in sources_of(places):
            mention = self._of(held).get(wanted)
            if mention is not None and is_within_reach(held, mention.start, mention.end, places):
                near = held.support(mention.start, mention.end)
                return grounded(f"{near[0].path} gives {text} where it speaks of that document.", near)
        if named is not None and not named:
            return blocked(Reason.NOT_FOUND, f"The document named for {text} is not in the bundle.")
        scope = self.sources if named is None else named
        for held in scope:
            if (mention := self._of(held).get(wanted)) is not None:
                support = held.support(mention.start, mention.end)
                return grounded(f"{text} stands in {support[0].path}, {support[0].at}.", support)
        listed = " or ".join(held.source.name for held in scope[:3])
        names = "any document of the bundle" if named is None else listed
        for held in self.sources:
            if (mention := self._of(held).get(wanted)) is not None:
                other = held.support(mention.start, mention.end)[0]
                message = f"{text} does not stand in {names}; it stands in {other.path}."
                return blocked(Reason.MISPLACED, message, nearest=other)
        return blocked(Reason.NOT_FOUND, f"{text} does not stand in {names}.")
