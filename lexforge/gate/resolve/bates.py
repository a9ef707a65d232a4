"""Bates numbers: every page of a range must be stamped in the production, and on the document that is described."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from lexforge.domain.evidence import Page
from lexforge.domain.findings import Reason, Support
from lexforge.domain.mentions import BatesValue
from lexforge.extract.bates import BatesRegistry, find
from lexforge.extract.bates_registry import prefix_key
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded

STAMP = re.compile(r"^(?P<prefix>.*?)[-_ .]*(?P<counter>\d{2,15})(?:\.\d{3,4})?(?:[-_ ][A-Z]{1,6})?$")
LONGEST_RANGE = 20_000
LONGEST_CITED = 2_000
MOST_SHOWN = 3
Key = tuple[str, int]
Spot = tuple[SourceText, Page, str]


class BatesResolver:
    """Stamps of one bundle by prefix (without separators, in capitals) and number."""

    def __init__(self, sources: Sequence[SourceText], registry: BatesRegistry) -> None:
        self.sources = sources
        self.registry = registry
        self._pages: dict[Key, list[Spot]] = defaultdict(list)
        for held in sources:
            for key, page, stamp in _stamped(held):
                self._pages[key].append((held, page, stamp))
        self._prefixes = {prefix for prefix, _ in self._pages}
        self._citing: dict[Key, list[SourceText]] | None = None

    def pages(self, value: BatesValue) -> list[Spot]:
        """The pages that bear the first number."""
        return self._pages.get((prefix_key(value.prefix), value.first), [])

    def sources_of(self, value: BatesValue) -> tuple[SourceText, ...]:
        """The documents that bear any number of the range, or speak of it."""
        prefix = prefix_key(value.prefix)
        found: dict[str, SourceText] = {}
        for number in range(value.first, min(value.last, value.first + LONGEST_RANGE) + 1):
            bearing = [held for held, _, _ in self._pages.get((prefix, number), ())]
            for held in (*bearing, *self._speaking_of((prefix, number))):
                found[held.source.id] = held
        return tuple(found.values())

    def _speaking_of(self, key: Key) -> list[SourceText]:
        """Sources in whose running text a number is cited; read once, when first asked for."""
        if self._citing is None:
            self._citing = defaultdict(list)
            for held in self.sources:
                for mention in find(held.text, self.registry):
                    if not isinstance(mention.value, BatesValue):
                        continue
                    prefix, first = prefix_key(mention.value.prefix), mention.value.first
                    for number in range(first, min(mention.value.last, first + LONGEST_CITED) + 1):
                        self._citing[prefix, number].append(held)
        return self._citing.get(key, [])

    def resolve(self, value: BatesValue, described: Sequence[tuple[str, Sequence[SourceText]]] = ()) -> Outcome:
        """One number or range. `described` are the documents the sentence names otherwise, with what names them."""
        written = _written(value.prefix, value.first, value.width)
        if value.last < value.first:
            end = _written(value.prefix, value.last, value.width)
            return blocked(Reason.IMPOSSIBLE, f"The range runs backwards, from {written} to {end}.")
        if value.last - value.first > LONGEST_RANGE:
            return blocked(Reason.OUT_OF_RANGE, f"No document has as many pages as the range from {written} says.")
        prefix = prefix_key(value.prefix)
        unstamped = [n for n in range(value.first, value.last + 1) if (prefix, n) not in self._pages]
        missing = [n for n in unstamped if not self._speaking_of((prefix, n))]
        if missing:
            return self._missing(value, prefix, missing)
        support = tuple(self._support(prefix, value))
        for label, sources in described:
            if support and not any(held in sources for held in self.sources_of(value)):
                return self._elsewhere(written, label, support)
        where = f"is stamped on {support[0].path}" if support else "is cited in the bundle"
        return grounded(f"{written} {where}.", support)

    def _elsewhere(self, written: str, label: str, support: tuple[Support, ...]) -> Outcome:
        message = f"{written} is stamped on {support[0].path}, which is not the document described by “{label}”."
        return blocked(Reason.MISPLACED, message, nearest=support[0])

    def _support(self, prefix: str, value: BatesValue) -> Iterator[Support]:
        for number in range(value.first, value.last + 1):
            for held, page, stamp in self._pages.get((prefix, number), ())[:1]:
                yield stamp_support(held, page, stamp)

    def _missing(self, value: BatesValue, prefix: str, missing: Sequence[int]) -> Outcome:
        written = _written(value.prefix, missing[0], value.width)
        if prefix not in self._prefixes:
            return self._unknown_prefix(value, written)
        known = sorted(number for found, number in self._pages if found == prefix)
        near = min(known, key=lambda number: abs(number - missing[0]))
        held, page, stamp = self._pages[prefix, near][0]
        nearest = stamp_support(held, page, stamp)
        if value.last > value.first:
            message = f"The range is not stamped throughout: {written} is on no page; the nearest is {stamp}."
        else:
            message = f"{written} is stamped on no page of the bundle; the nearest is {stamp} ({held.source.path})."
        return blocked(Reason.OUT_OF_RANGE, message, nearest=nearest)

    def _unknown_prefix(self, value: BatesValue, written: str) -> Outcome:
        same = next((p for p in sorted(self._prefixes) if (p, value.first) in self._pages), None)
        if same is not None:
            held, page, stamp = self._pages[same, value.first][0]
            message = f"No page bears {written}; that number is stamped as {stamp} ({held.source.path})."
            return blocked(Reason.NOT_FOUND, message, nearest=stamp_support(held, page, stamp))
        known = ", ".join(sorted({item.prefix for item in self.registry.series})[:MOST_SHOWN]) or "none"
        message = f"No page of the bundle is stamped {written}; the production's prefixes are: {known}."
        return blocked(Reason.NOT_FOUND, message)


def stamp_support(held: SourceText, page: Page, stamp: str) -> Support:
    """The stamp on its page, or the whole page when its text does not show it."""
    begin = held.start_of(page)
    at = page.text.find(stamp)
    start, end = (at, at + len(stamp)) if at >= 0 else (0, len(page.text))
    found = held.support(begin + start, begin + end)
    if found:
        return found[0]
    return Support(source=held.source.id, path=held.source.path, page=page.number, start=0, end=0, text="", bates=stamp)


def _stamped(held: SourceText) -> Iterator[tuple[Key, Page, str]]:
    """Every stamp of a source; a page between two stamped ones bears the number between theirs if scanning lost it."""
    last: tuple[Key, int] | None = None
    for at, page in enumerate(held.source.pages):
        first: Key | None = None
        for stamp in page.bates:
            match = STAMP.match(stamp.strip())
            if match is None:
                continue
            key = (prefix_key(match["prefix"]), int(match["counter"]))
            first = first or key
            yield key, page, stamp
        if first is None:
            continue
        if last is not None and first[0] == last[0][0] and first[1] - last[0][1] == at - last[1]:
            for lost in range(1, at - last[1]):
                between = held.source.pages[last[1] + lost]
                yield (first[0], last[0][1] + lost), between, ""
        last = (first, at)


def _written(prefix: str, number: int, width: int) -> str:
    joint = "" if not prefix or prefix[-1] in "-_ ." or "-" in prefix else " "
    return f"{prefix}{joint}{str(number).zfill(width)}"
