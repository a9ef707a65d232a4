"""Which documents a sentence names: by Bates number, case, record cite, document number or volume of a report.

What counts as naming a document is read from the draft alone. Whether the bundle holds that document decides only
what the name stands for; a name that stands for nothing grounds nothing. So taking a source out of the bundle can
never widen the documents in which a sentence may find its support.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from lexforge.domain.mentions import BatesValue, CitationValue, Mention, MentionKind, RecordCiteValue
from lexforge.extract.record_cite import places
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.bates import BatesResolver
from lexforge.gate.resolve.case import CaseResolver
from lexforge.gate.resolve.citation import CASE_FORMS
from lexforge.gate.resolve.places import Spot
from lexforge.gate.resolve.record_cite import ROMAN, RecordResolver
from lexforge.gate.sentences import Sentence, Sentences
from lexforge.gate.spans import Spans
from lexforge.gate.tokens import norms_of

IDENTIFIER = re.compile(r"(?<![\w-])[A-Z]{1,4}-?\d{4,}(?:-\d{2,})*(?![\w-]|\.\d)")
VOLUME = re.compile(
    r"[Rr]eport\s*\(?\s*[Vv]ol(?:ume|\.)\s*(?P<after>[IVX]+|\d{1,2})\b"
    r"|[Vv]ol(?:ume|\.)\s*(?P<before>[IVX]+|\d{1,2})\s+of\s+(?:the\s+)?[A-Z][\w'’ ]{0,60}?[Rr]eport\b"
)
TITLE_WORDS = 60


class How(StrEnum):
    """By what a document is named."""

    BATES = "bates"
    CASE_NAME = "case_name"
    CITATION = "citation"
    RECORD = "record"
    IDENTIFIER = "identifier"
    VOLUME = "volume"


@dataclass(frozen=True)
class Naming:
    """`text[start:end]` of the draft names these sources; `places` is where others speak of them.

    `parts` is what of the sources is pointed to, down to the lines of a transcript; None when they are only named.
    """

    start: int
    end: int
    how: How
    label: str
    sources: tuple[SourceText, ...]
    places: tuple[Spot, ...] = ()
    parts: tuple[SourceText, ...] | None = None


class Namings:
    """All namings of one draft in order."""

    def __init__(
        self,
        sentences: Sentences,
        sources: Sequence[SourceText],
        bates: BatesResolver,
        cases: CaseResolver,
        records: RecordResolver,
    ) -> None:
        self.sentences = sentences
        self.sources = sources
        self._bates, self._cases, self._records = bates, cases, records
        self._pins = _pins(sentences.mentions)
        found = [naming for at, mention in enumerate(sentences.mentions) if (naming := self._of(at, mention))]
        found += self._in_words(sentences.text)
        self.all = sorted(found, key=lambda naming: (naming.start, naming.end))
        self._spans = Spans((naming.start, naming.end) for naming in self.all)

    def _of(self, at: int, mention: Mention) -> Naming | None:
        value = mention.value
        if isinstance(value, BatesValue):
            held = self._bates.sources_of(value)
            return Naming(mention.start, mention.end, How.BATES, mention.text, held, parts=held)
        if (cited := self.record_cite(at)) is not None:
            return self._of_record(mention, *cited)
        if isinstance(value, CitationValue):
            return self._of_citation(mention, value)
        return None

    def record_cite(self, at: int) -> tuple[RecordCiteValue, str] | None:
        """The record cite that the mention at this index is or goes back to, at its own pages and lines, as written."""
        mention = self.sentences.mentions[at]
        origin = self._origin(mention)
        if not isinstance(origin.value, RecordCiteValue):
            return None
        pin = self._pins.get(at)
        if pin is None:
            return origin.value, origin.text
        pages, ranges = places(pin)
        lines = tuple(line for one in ranges for line in (one.first[1], one.last[1]))
        return origin.value.model_copy(update={"pages": pages, "lines": lines, "paragraphs": ()}), pin

    def _of_citation(self, mention: Mention, value: CitationValue) -> Naming | None:
        """A case, or the one that a short form stands for; statutes and rules name no document."""
        origin = self._origin(mention)
        full = origin.value
        if not isinstance(full, CitationValue):
            return None
        if full.form not in CASE_FORMS:
            return None
        is_cited = bool(full.reporter or full.docket)
        own = self._cases.opinions(full) if is_cited else self._cases.named(full.name or "")
        how = How.CITATION if is_cited else How.CASE_NAME
        held = tuple(authority.held for authority in own)
        return Naming(mention.start, mention.end, how, origin.text, held, self._cases.spoken_of(full, origin.text))

    def _of_record(self, mention: Mention, value: RecordCiteValue, written: str) -> Naming:
        held, spots = self._records.sources_of(value), self._records.spoken_of(value, written)
        parts = self._records.parts_of(held, value, written)
        return Naming(mention.start, mention.end, How.RECORD, self._origin(mention).text, held, spots, parts)

    def _origin(self, mention: Mention) -> Mention:
        """What a short form refers to, through other short forms."""
        for _ in range(len(self.sentences.mentions)):
            value = mention.value
            if not isinstance(value, CitationValue) or value.antecedent is None:
                break
            mention = self.sentences.mentions[value.antecedent]
        return mention

    def _in_words(self, text: str) -> list[Naming]:
        found: list[Naming] = []
        read = (m for m in self.sentences.mentions if m.kind is not MentionKind.QUOTATION)
        covered = Spans((m.start, m.end) for m in read)
        for match in IDENTIFIER.finditer(text):
            if covered.touch(*match.span()):
                continue
            wanted = norms_of(match.group())
            held = tuple(s for s in self.sources if any(True for _ in s.full.find(wanted)))
            found.append(Naming(*match.span(), How.IDENTIFIER, match.group(), held))
        for match in VOLUME.finditer(text):
            held = tuple(s for s in self.sources if is_volume(s, match["after"] or match["before"]))
            found.append(Naming(*match.span(), How.VOLUME, match.group(), held))
        return found

    def within(self, sentence: Sentence, allowed: Callable[[Naming], bool]) -> list[Naming]:
        """Namings of one sentence that pass `allowed`."""
        return [self.all[at] for at in self._spans.within(sentence.start, sentence.end) if allowed(self.all[at])]


def _pins(mentions: Sequence[Mention]) -> dict[int, str]:
    """The pin of each short form, by index; one without a pin has that of the short form before it (Bluebook 4.1)."""
    found: dict[int, str] = {}
    last: dict[int, str] = {}
    for at, mention in enumerate(mentions):
        value = mention.value
        if isinstance(value, CitationValue) and value.antecedent is not None:
            if value.pin is not None:
                last[value.antecedent] = value.pin
            if value.antecedent in last:
                found[at] = last[value.antecedent]
    return found


def is_volume(held: SourceText, number: str) -> bool:
    """Whether the title of a source says that it is this volume of a report."""
    title = held.full.norms[:TITLE_WORDS]
    wanted = {number.lower(), ROMAN.get(number.lower(), number)}
    wanted |= {roman for roman, digit in ROMAN.items() if digit == number}
    pairs = pairwise(title)
    return "report" in title and any(one in ("volume", "vol") and two in wanted for one, two in pairs)
