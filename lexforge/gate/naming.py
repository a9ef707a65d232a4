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
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.bates import BatesResolver
from lexforge.gate.resolve.case import CaseResolver
from lexforge.gate.resolve.citation import CASE_FORMS
from lexforge.gate.resolve.places import Spot
from lexforge.gate.resolve.record_cite import RecordResolver
from lexforge.gate.sentences import Sentence, Sentences
from lexforge.gate.spans import Spans
from lexforge.gate.tokens import norms_of

IDENTIFIER = re.compile(r"(?<![\w-])[A-Z]{1,4}-?\d{4,}(?:-\d{2,})*(?![\w-]|\.\d)")
VOLUME = re.compile(
    r"[Rr]eport\s*\(?\s*[Vv]ol(?:ume|\.)\s*(?P<after>[IVX]+|\d{1,2})\b"
    r"|[Vv]ol(?:ume|\.)\s*(?P<before>[IVX]+|\d{1,2})\s+of\s+(?:the\s+)?[A-Z][\w'’ ]{0,60}?[Rr]eport\b"
)
ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10"}
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
    """`text[start:end]` of the draft names these sources; `places` is where others speak of them."""

    start: int
    end: int
    how: How
    label: str
    sources: tuple[SourceText, ...]
    places: tuple[Spot, ...] = ()


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
        found = [naming for at, mention in enumerate(sentences.mentions) if (naming := self._of(at, mention))]
        found += self._in_words(sentences.text)
        self.all = sorted(found, key=lambda naming: (naming.start, naming.end))
        self._spans = Spans((naming.start, naming.end) for naming in self.all)

    def _of(self, at: int, mention: Mention) -> Naming | None:
        value = mention.value
        if isinstance(value, BatesValue):
            return Naming(mention.start, mention.end, How.BATES, mention.text, self._bates.sources_of(value))
        if isinstance(value, RecordCiteValue):
            return self._of_record(mention, mention, value)
        if isinstance(value, CitationValue):
            return self._of_citation(mention, value)
        return None

    def _of_citation(self, mention: Mention, value: CitationValue) -> Naming | None:
        """A case, or the one that a short form stands for; statutes and rules name no document."""
        origin = self._origin(mention)
        if isinstance(origin.value, RecordCiteValue):
            return self._of_record(mention, origin, origin.value)
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

    def _of_record(self, mention: Mention, origin: Mention, value: RecordCiteValue) -> Naming:
        held = self._records.sources_of(value)
        return Naming(mention.start, mention.end, How.RECORD, origin.text, held, self._records.spoken_of(value))

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


def is_volume(held: SourceText, number: str) -> bool:
    """Whether the title of a source says that it is this volume of a report."""
    title = held.full.norms[:TITLE_WORDS]
    wanted = {number.lower(), ROMAN.get(number.lower(), number)}
    wanted |= {roman for roman, digit in ROMAN.items() if digit == number}
    pairs = pairwise(title)
    return "report" in title and any(one in ("volume", "vol") and two in wanted for one, two in pairs)
