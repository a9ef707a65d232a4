"""Where other documents of the bundle cite a case: name, court and year as they stand beside the number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexforge.domain.findings import Support
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.courts import court_key
from lexforge.gate.resolve.names import VERSUS, name_words, stands_at
from lexforge.gate.tokens import Stream

WORDS_BEFORE = 46
WORDS_AFTER = 44
YEAR_AFTER = re.compile(r"\A[^();]{0,150}?\(\s*([^()]*?)[\s,]*((?:1[6-9]|20)\d\d)[\s,]*(?:,[^()]*)?\)")
NEXT_SENTENCE = re.compile(r"[a-z0-9]\.\s+[A-Z]|\s+v\.\s")
EARLIER_CITES = re.compile(
    r"(?:\d{1,4}\s+[A-Z][\w.'’ ]{0,24}?\s\d{1,5}(?:[-–—]\d+)?(?:,\s*(?:at\s)?\d{1,5}(?:[-–—]\d+)?)*\s*,?\s*)+\Z"
)
DOCKET_BEFORE = re.compile(r"[\s,]+Nos?\.?(?:\s*[\w:-]*\d[\w:-]*,?)?\s*\Z")
ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*,?\s*\Z")
MONTH_TAIL = re.compile(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s*\d{0,2}\s*,?\s*\Z")
PIN_RUN = re.compile(r"(?:[\s,&¶–—-]|\bat\b|\band\b|\bslip op\.|\bpp?\.|\bnn?\.|\d{1,5}(?![\w.]))+")
PIN = re.compile(r"(\d{1,5})(?:\s?[-–—]\s?(\d{1,5}))?")
LONGEST_PIN = 200
FURNITURE_WORDS = re.compile(r"\w+")
SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class CitedThere:
    """One place where a document of the bundle cites a case."""

    held: SourceText
    start: int
    end: int
    before: str
    court: str | None
    year: int | None
    pins: frozenset[int] = frozenset()

    @property
    def support(self) -> tuple[Support, ...]:
        """The place, as evidence."""
        return self.held.support(self.start, self.end)

    def is_named(self, name: str) -> bool:
        """Whether exactly this name ends where the number begins."""
        wanted = comparable(name)
        for lead in _leads(self.before):
            there = comparable(lead)
            ends = (stands_at(wanted, there, at) for at in range(max(0, len(there) - 3 * len(wanted) - 4), len(there)))
            if wanted and any(end == len(there) for end in ends):
                return True
        return False


def comparable(name: str) -> tuple[str, ...]:
    """The words of a case name with "versus" between the parties."""
    sides = [name_words(side) for side in VERSUS.split(name)]
    words: list[str] = []
    for number, side in enumerate(sides):
        words += ["versus", *side] if number else list(side)
    return tuple(words)


def _leads(before: str) -> Iterator[str]:
    """The text before a number with what may stand between name and number taken away step by step."""
    lead = before.rstrip(" ,")
    yield lead
    lead = EARLIER_CITES.sub("", lead).rstrip(" ,")
    yield lead
    for noise in (ASIDE, DOCKET_BEFORE):
        bare = noise.sub("", lead).rstrip(" ,")
        if bare != lead:
            yield bare


def snippet(stream: Stream, first: int, last: int) -> str:
    """The text of the words `first` to `last` without what the stream leaves out between them."""
    parts: list[str] = []
    for place in range(max(0, first), min(last + 1, len(stream.norms))):
        parts.append(stream.text[slice(*stream.span(place, place))])
        parts.append(SPACES.sub(" ", FURNITURE_WORDS.sub("", stream.gap(place))))
    return "".join(parts)


def _court_and_year(after: str) -> tuple[str | None, int | None]:
    found = YEAR_AFTER.match(after)
    if found is None or NEXT_SENTENCE.search(after[: found.start(1)]):
        return None, None
    court = MONTH_TAIL.sub("", found.group(1)).strip(" ,-–")
    return court or None, int(found.group(2))


def places_citing(sources: Sequence[SourceText], key: tuple[str, ...]) -> list[CitedThere]:
    """Every place where the words of a reporter citation stand in a row."""
    found: list[CitedThere] = []
    for held in sources:
        stream = held.body
        spots = list(stream.find(key))
        if not spots and (spots := list(held.full.find(key))):
            stream = held.full
        for first in spots:
            last = first + len(key) - 1
            after = _tail(stream, last)
            court, year = _court_and_year(after)
            before = snippet(stream, first - WORDS_BEFORE, first - 1)
            start, end = stream.span(first, last)
            found.append(CitedThere(held, start, end, before, court, year, _pins(after)))
    return found


def _pins(after: str) -> frozenset[int]:
    """Pages or paragraphs that follow the number, ranges in full."""
    pins: set[int] = set()
    run = PIN_RUN.match(after)
    for first, last in PIN.findall(run.group() if run else ""):
        begin = int(first)
        end = int(first[: -len(last)] + last) if last and len(last) < len(first) else int(last or first)
        pins |= set(range(begin, min(end, begin + LONGEST_PIN) + 1))
    return frozenset(pins)


def _tail(stream: Stream, last: int) -> str:
    return snippet(stream, last, last + WORDS_AFTER)[stream.ends[last] - stream.starts[last] :]


def same_court(one: str | None, other: str | None) -> bool:
    """Whether two parentheticals name one court; a missing one names none."""
    return court_key(one) == court_key(other)
