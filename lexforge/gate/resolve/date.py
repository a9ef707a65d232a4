"""Dates: the calendar day must stand in the document that the sentence names, for the event that it tells of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from lexforge.domain.findings import Reason, Support
from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import DateValue
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.context import Repeated, Surroundings, repetition
from lexforge.gate.resolve.events import Event, labelled_dates
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot, is_within_reach, sources_of
from lexforge.gate.resolve.source_dates import Dated, dates_in

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def contains(claimed: DateValue, found: DateValue) -> bool:
    """Whether a date of a source lies within what the draft claims, part by part; a part not claimed is free.

    "March 2020" contains March 3, 2020; the reverse is not so, because the day would come from nowhere.
    """
    if claimed.year is not None and found.year != claimed.year:
        return False
    if claimed.quarter is not None:
        return found.month is not None and (found.month - 1) // 3 + 1 == claimed.quarter
    if claimed.month is not None and found.month != claimed.month:
        return False
    return claimed.day is None or found.day == claimed.day


def shown(value: DateValue) -> str:
    """A date as a lawyer writes it."""
    parts: list[str] = []
    if value.quarter is not None:
        parts.append(f"Q{value.quarter}")
    if value.month is not None and 1 <= value.month <= 12:
        parts.append(MONTH_NAMES[value.month - 1])
    if value.day is not None:
        parts.append(f"{value.day}," if value.year is not None else str(value.day))
    if value.year is not None:
        parts.append(str(value.year))
    return " ".join(parts) or "this date"


class DateResolver:
    """Dates against one bundle; each source is read at most once."""

    def __init__(self, sources: Sequence[SourceText], order: DateOrder) -> None:
        self.sources = sources
        self.order = order
        self._dates: dict[str, list[Dated]] = {}

    def dates(self, held: SourceText) -> list[Dated]:
        """All dates of one source."""
        known = self._dates.get(held.source.id)
        if known is None:
            known = dates_in(held.text, self.order)
            self._dates[held.source.id] = known
        return known

    def _matches(self, value: DateValue, held: SourceText) -> Iterator[Dated]:
        found = False
        for dated in self.dates(held):
            if contains(value, dated.value):
                found = True
                yield dated
        if not found and value.year is not None and value.month is None and value.quarter is None:
            for match in re.finditer(rf"{value.year}(?<![\d.,$]{value.year})(?!\d)", held.text):
                yield Dated(DateValue(year=value.year), match.start(), match.end())

    def resolve(
        self,
        value: DateValue,
        named: Sequence[SourceText] | None,
        event: Event | None = None,
        places: Sequence[Spot] = (),
        around: Surroundings | None = None,
    ) -> Outcome:
        """One date. `named` are the documents of the sentence, None when it names none.

        A date of a document that is not in the bundle may stand beside one of the `places` that speak of it. `around`
        are the words of the draft beside the date.
        """
        if not value.is_possible:
            return blocked(Reason.IMPOSSIBLE, f"There is no {shown(value)} in the calendar.")
        if not value.weekday_agrees:
            return self._wrong_weekday(value)
        scope = self.sources if named is None else named
        found = [(held, dated) for held in scope for dated in self._matches(value, held)]
        if not found:
            near = self._beside(value, places)
            if near:
                return grounded(f"{near[0].path} gives {shown(value)} where it speaks of that document.", near)
            return self._not_there(value, scope, named)
        if event is not None:
            return self._at_event(value, event, found, scope)
        return self._in_these_words(value, found, around)

    def _in_these_words(
        self, value: DateValue, found: Sequence[tuple[SourceText, Dated]], around: Surroundings | None
    ) -> Outcome:
        """Grounded by a document that has the date, unless that document says the very same of another day.

        Each document is judged by itself, so that one more of them can only add support.
        """
        other: Repeated | None = None
        for held in {held.source.id: held for held, _ in found}.values():
            own = [dated for source, dated in found if source is held]
            repeated = repetition(value, around, held, self.dates(held), own) if around is not None else None
            if repeated is None:
                support = held.support(own[0].start, own[0].end)
                return grounded(f"{shown(value)} stands in {support[0].path}, {support[0].at}.", support)
            other = other or repeated
        assert other is not None  # noqa: S101
        place = other.held.support(other.dated.start, other.dated.end)[0]
        message = f"{place.path} says this of “{' '.join(place.text.split())}”, not of {shown(value)}."
        return blocked(Reason.MISPLACED, message, nearest=place)

    def _beside(self, value: DateValue, places: Sequence[Spot]) -> tuple[Support, ...]:
        for held in sources_of(places):
            for dated in self._matches(value, held):
                if is_within_reach(held, dated.start, dated.end, places):
                    return held.support(dated.start, dated.end)
        return ()

    def _wrong_weekday(self, value: DateValue) -> Outcome:
        assert value.year is not None and value.month is not None and value.day is not None  # noqa: S101
        right = WEEKDAYS[date(value.year, value.month, value.day).weekday()]
        wrong = WEEKDAYS[value.weekday or 0]
        return blocked(Reason.INCONSISTENT, f"{shown(value)} was a {right}, not a {wrong}.")

    def _not_there(self, value: DateValue, scope: Sequence[SourceText], named: Sequence[SourceText] | None) -> Outcome:
        if named is not None and not named:
            return blocked(Reason.NOT_FOUND, f"The document named for {shown(value)} is not in the bundle.")
        nearest = self._nearest(value, scope)
        names = " or ".join(held.source.name for held in scope[:3])
        if named is not None:
            for held in self.sources:
                for dated in () if held in scope else self._matches(value, held):
                    other = held.support(dated.start, dated.end)[0]
                    message = f"{shown(value)} does not stand in {names}; it stands in {other.path}."
                    return blocked(Reason.MISPLACED, message, nearest=nearest or other)
        where = names if named is not None else "any document of the bundle"
        closest = f" The closest is “{' '.join(nearest.text.split())}”." if nearest else ""
        return blocked(Reason.NOT_FOUND, f"{shown(value)} does not stand in {where}.{closest}", nearest=nearest)

    def _nearest(self, value: DateValue, scope: Sequence[SourceText]) -> Support | None:
        """The date that agrees in most parts; only shown, never used to decide."""
        best: tuple[int, SourceText, Dated] | None = None
        for held in scope:
            for dated in self.dates(held):
                pairs = ((value.year, dated.value.year), (value.month, dated.value.month), (value.day, dated.value.day))
                score = sum(1 for ours, theirs in pairs if ours is not None and ours == theirs)
                if score > (best[0] if best else 1):
                    best = (score, held, dated)
        return best[1].support(best[2].start, best[2].end)[0] if best else None

    def _at_event(
        self, value: DateValue, event: Event, found: Sequence[tuple[SourceText, Dated]], scope: Sequence[SourceText]
    ) -> Outcome:
        """The date must be the one that the document itself puts beside the event."""
        other: Support | None = None
        for held in scope:
            own = labelled_dates(held, event, self.order)
            match = next((d for d in own if contains(value, d.value)), None)
            if match is not None:
                support = held.support(match.start, match.end)
                return grounded(f"{support[0].path} gives {shown(value)} as the day it was {event.value}.", support)
            if own and other is None:
                other = held.support(own[0].start, own[0].end)[0]
            elif not own and (here := next((d for h, d in found if h is held), None)) is not None:
                support = held.support(here.start, here.end)
                return grounded(f"{shown(value)} stands in {support[0].path}, {support[0].at}.", support)
        if other is None:
            return blocked(Reason.MISPLACED, f"No document named says it was {event.value} on {shown(value)}.")
        message = f"{other.path} says it was {event.value} on “{' '.join(other.text.split())}”, not on {shown(value)}."
        return blocked(Reason.MISPLACED, message, nearest=other)
