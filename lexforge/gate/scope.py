"""Where a mention must stand: the documents that its sentence names.

A citation follows the sentence that it supports (Bluebook B1.1), so a sentence is read together with the citation
sentences behind it, and with the sentence before when that one announces what comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lexforge.domain.mentions import Mention
from lexforge.gate.index import SourceText
from lexforge.gate.naming import How, Naming, Namings
from lexforge.gate.resolve.context import Surroundings, surroundings
from lexforge.gate.resolve.events import Event, event_before
from lexforge.gate.resolve.places import Spot
from lexforge.gate.sentences import Sentence

RECORD = frozenset((How.BATES, How.RECORD, How.IDENTIFIER, How.VOLUME))


@dataclass(frozen=True)
class Scope:
    """The documents named; `places` are where documents of the bundle speak of them.

    `parts` are the same documents, but of a transcript that is cited by line only what is cited.
    """

    label: str
    sources: tuple[SourceText, ...]
    places: tuple[Spot, ...] = ()
    parts: tuple[SourceText, ...] = ()


def _union(namings: Iterable[Naming]) -> Scope | None:
    found = list(namings)
    if not found:
        return None
    sources = {held.source.id: held for naming in found for held in naming.sources}
    places = tuple(place for naming in found for place in naming.places)
    return Scope(found[0].label, tuple(sources.values()), places, _parts(found))


def _parts(found: Sequence[Naming]) -> tuple[SourceText, ...]:
    """What is pointed to; a document that is only named is there whole, unless another cite gives a place in it."""
    pointed = {held.source.id for naming in found if naming.parts is not None for held in naming.sources}
    parts: dict[str, SourceText] = {}
    for naming in found:
        own = (held for held in naming.sources if held.source.id not in pointed)
        parts |= {part.source.id: part for part in (own if naming.parts is None else naming.parts)}
    return tuple(parts.values())


class Scopes:
    """Scopes of the mentions of one draft."""

    def __init__(self, namings: Namings) -> None:
        self.namings = namings
        self.sentences = namings.sentences

    def of_fact(self, mention: Mention) -> Scope | None:
        """Documents in which a date or an amount must stand; None when the sentence names none.

        A legal citation supports a proposition, not a fact: it binds only when it is named in running text before the
        fact ("As Roe v. Doe recounts, on May 3, ...").
        """
        place = self.sentences.place_of(mention.start)
        sentence = self.sentences.all[place]

        def binds(naming: Naming) -> bool:
            return naming.how in RECORD or (naming.how is How.CASE_NAME and naming.end <= mention.start)

        found = self.namings.within(sentence, binds)
        for after in self.sentences.following_citations(place):
            found += self.namings.within(after, lambda naming: naming.how in RECORD)
        if not found and (before := self.sentences.introduction(place)) is not None:
            found = self.namings.within(before, lambda naming: naming.how is not How.CITATION)
        return _union(found)

    def sentence_of(self, mention: Mention) -> Sentence:
        """The sentence in which the mention begins."""
        return self.sentences.all[self.sentences.place_of(mention.start)]

    def of_sentences(self) -> Iterator[tuple[Sentence, Scope]]:
        """Each sentence that names documents of the record, with them."""
        for place, sentence in enumerate(self.sentences.all):
            found = self.namings.within(sentence, lambda naming: naming.how in RECORD)
            for after in self.sentences.following_citations(place):
                found += self.namings.within(after, lambda naming: naming.how in RECORD)
            scope = _union(found)
            if scope is not None:
                yield sentence, scope

    def around(self, mention: Mention) -> Surroundings:
        """The words of the sentence beside a mention."""
        sentence = self.sentence_of(mention)
        return surroundings(self.sentences.text, mention.start, mention.end, sentence.start, sentence.end)

    def event(self, mention: Mention) -> Event | None:
        """The event that the sentence dates, when it names the document that records it."""
        sentence = self.sentence_of(mention)
        if self.of_fact(mention) is None:
            return None
        return event_before(self.sentences.text, sentence.start, mention.start)

    def of_quotation(self, mention: Mention) -> Scope | None:
        """Documents to which quoted words are given; None when they are given to none."""
        place = self.sentences.place_of(mention.start)
        last = self.sentences.place_of(max(mention.start, mention.end - 1))
        found: list[Naming] = []
        for number in range(place, last + 1):
            sentence = self.sentences.all[number]
            found += self.namings.within(sentence, lambda n: not mention.overlaps(n.start, n.end))
        for after in self.sentences.following_citations(last):
            found += self.namings.within(after, lambda n: not mention.overlaps(n.start, n.end))
        if not found and (before := self.sentences.introduction(place)) is not None:
            found = self.namings.within(before, lambda _: True)
        return _union(found)

    def described(self, mention: Mention) -> Sequence[tuple[str, Sequence[SourceText]]]:
        """Documents that the sentence of a Bates number describes in another way, each with its description."""
        sentence = self.sentence_of(mention)
        other = self.namings.within(sentence, lambda n: n.how in (How.IDENTIFIER, How.RECORD))
        return [(naming.label, naming.sources) for naming in other if not mention.overlaps(naming.start, naming.end)]
