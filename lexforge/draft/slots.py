"""The slot table of a passage, and rendering. What must be exact is copied by code, never written by a model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lexforge.domain.draft import Slot, SlotKind
from lexforge.domain.evidence import Bundle, Correspondence, Page, Passage, Role, Source
from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import CitationForm, CitationValue, Mention, MentionKind
from lexforge.domain.record import Record
from lexforge.errors import AnswerMalformed, BundleError
from lexforge.extract.bates_registry import BatesRegistry, learn
from lexforge.extract.content_words import content_words
from lexforge.extract.mentions import find_mentions
from lexforge.extract.sentences import sentences

SIGN = re.compile(r"⟦([DBCXQNAR]\d+)⟧")
_KINDS = {
    MentionKind.DATE: SlotKind.DATE,
    MentionKind.BATES: SlotKind.BATES,
    MentionKind.CITATION: SlotKind.CITATION,
    MentionKind.RECORD_CITE: SlotKind.RECORD_CITE,
    MentionKind.AMOUNT: SlotKind.AMOUNT,
}
_LINE_END_HYPHEN = re.compile(r"([\w-]+)-[ \t]*\n\s*(\w)")
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+(?=(?:and|but|however|which|because|although|while|where|who)\b)")
_WEEKDAY = re.compile(r"^[A-Z][a-z]+day,?\s+")
MOST_QUOTATIONS = 3
"""Sentences offered as quotations: those of the passage that speak most of the point."""
QUOTABLE = range(6, 41)
"""Words a quotation may have: fewer prove too little, more belong in a block quotation."""
_ANY_QUOTATION_MARK = re.compile('["“”„«»]')


class SlotTable(Record):
    """The slots of one passage. `slotted` is the passage's text, white space folded, with slots in it.

    `own` maps a role to the key that carries it: `date`, `author`, `recipient` of the document, `bates` of the page,
    `citation` of the authority, `place` where no Bates number is stamped.
    """

    passage: str
    slotted: str
    slots: tuple[Slot, ...]
    own: dict[str, str]

    def text_of(self, key: str) -> str:
        """The exact words of a slot; AnswerMalformed for a key that is not in the table."""
        for slot in self.slots:
            if slot.key == key:
                return slot.text
        raise AnswerMalformed(f"The answer uses a slot that does not exist: {key}.", "This is a defect; report it.")

    def keys(self, kind: SlotKind) -> list[str]:
        """Keys of one kind, in order."""
        return [slot.key for slot in self.slots if slot.kind is kind]


class _Builder:
    """Numbers slots per kind while a table is being built; refused texts are never offered again."""

    def __init__(self, passage: str, refused: frozenset[str]) -> None:
        self._passage = passage
        self._refused = refused
        self.slots: list[Slot] = []

    def add(self, kind: SlotKind, text: str) -> str | None:
        """The key for this exact text, an existing one if the text already has one."""
        exact = folded(text)
        if not exact or exact in self._refused:
            return None
        for slot in self.slots:
            if slot.kind is kind and slot.text == exact:
                return slot.key
        key = f"{kind.value}{1 + sum(slot.kind is kind for slot in self.slots)}"
        self.slots.append(Slot(key=key, kind=kind, text=exact, passage=self._passage))
        return key


class SlotTables:
    """Makes the slot tables of one bundle. Bates prefixes are learned from the production once."""

    def __init__(self, bundle: Bundle, date_order: DateOrder) -> None:
        self._bundle = bundle
        self._date_order = date_order
        self._registry = learn(tuple(page.text for page in source.pages) for source in bundle.evidence)

    def table(self, passage_id: str, point: str, refused: Iterable[str] = ()) -> SlotTable:
        """The table for a passage that is to support `point`.

        `refused` are exact texts that the gate has blocked in an earlier attempt; they are not offered again.
        """
        passage, source = self._bundle.passage(passage_id), self._bundle.source_of(passage_id)
        if passage.derived_from is not None:
            raise BundleError(
                f"Passage {passage_id} holds words of LexForge draft {passage.derived_from}, which prove nothing.",
                "This is a defect; report it: no plan may rely on such a passage.",
            )
        builder = _Builder(passage_id, frozenset(refused))
        own = _own_slots(builder, source, self._bundle.page_of(passage_id), passage)
        slotted = _slotted(builder, passage.text, find_mentions(passage.text, self._registry, self._date_order))
        for sentence in by_relevance(_quotable(passage.text), point)[:MOST_QUOTATIONS]:
            builder.add(SlotKind.QUOTATION, f"“{sentence}”")
        return SlotTable(passage=passage_id, slotted=slotted, slots=tuple(builder.slots), own=own)


def _own_slots(builder: _Builder, source: Source, page: Page, passage: Passage) -> dict[str, str]:
    offered: list[tuple[str, str | None]] = []
    if source.role is Role.AUTHORITY:
        offered.append(("citation", _add(builder, SlotKind.CITATION, own_citation(source))))
    else:
        who = _writer(source, passage)
        offered += [
            ("date", _add(builder, SlotKind.DATE, _day(who.sent))),
            ("author", _add(builder, SlotKind.AUTHOR, who.author)),
            ("recipient", _add(builder, SlotKind.RECIPIENT, " and ".join(who.recipients) or None)),
            ("bates", _add(builder, SlotKind.BATES, _stamp(page, passage))),
        ]
        if not page.bates:
            offered.append(("place", builder.add(SlotKind.RECORD_CITE, f"{source.name} at {page.number}")))
    return {role: key for role, key in offered if key is not None}


def _writer(source: Source, passage: Passage) -> Correspondence:
    return passage.correspondence if passage.correspondence is not None else source.correspondence or Correspondence()


def _add(builder: _Builder, kind: SlotKind, text: str | None) -> str | None:
    return builder.add(kind, text) if text else None


def _day(sent: str | None) -> str | None:
    """The date in a header line, as printed there, without weekday and time of day."""
    if not sent:
        return None
    found = find_mentions(sent, BatesRegistry(), DateOrder.MONTH_FIRST)
    return next((_WEEKDAY.sub("", m.text) for m in found if m.kind is MentionKind.DATE), None)


def _stamp(page: Page, passage: Passage) -> str | None:
    """The Bates number of the passage: the first stamp after it, since stamps stand at the foot, else the last."""
    if not page.bates:
        return None
    places = [(page.text.find(stamp), stamp) for stamp in page.bates]
    return next((stamp for place, stamp in sorted(places) if place >= passage.end), max(places)[1])


def own_citation(source: Source) -> str | None:
    """The full citation that an opinion gives of itself: the first one on its first page."""
    start = source.pages[0].text[:2000]
    for mention in find_mentions(start, BatesRegistry(), DateOrder.MONTH_FIRST):
        value = mention.value
        if isinstance(value, CitationValue) and value.form in (CitationForm.CASE, CitationForm.NEUTRAL):
            return mention.text
    return None


def _slotted(builder: _Builder, text: str, found: Iterable[Mention]) -> str:
    """The text with every exact thing replaced by its slot, and quotation marks dropped."""
    pieces, at = [], 0
    for mention in found:
        kind = _KINDS.get(mention.kind)
        if kind is None or mention.start < at:
            continue
        key = builder.add(kind, mention.text)
        pieces += [text[at : mention.start], f"⟦{key}⟧" if key else "…"]
        at = mention.end
    pieces.append(text[at:])
    return folded(_ANY_QUOTATION_MARK.sub("", "".join(pieces)))


def by_relevance(sentences: list[str], point: str) -> list[str]:
    """The sentences that share most content words with the point, best first; ties stay in reading order.

    One that shares less than half as many as the best is left out.
    """
    wanted = set(content_words(point))
    shared = {sentence: len(wanted & set(content_words(sentence))) for sentence in sentences}
    least = max(shared.values(), default=0) / 2
    return sorted((s for s in sentences if shared[s] >= least), key=lambda s: -shared[s])


def _quotable(text: str) -> list[str]:
    """Sentences, or clauses of long ones, that can stand in quotation marks; marks inside them become single ones.

    Bluebook rule 5.1: a quotation of fifty words and more is a block quotation, which a sentence cannot hold.
    """
    found = []
    for sentence in sentences(text):
        if sentence[-1] not in '.!?"”)':  # a heading, or a row of a table
            continue
        whole = _with_single_marks(folded(sentence))
        pieces = [whole] if len(whole.split()) < QUOTABLE.stop else _CLAUSE.split(whole)
        found += [piece.rstrip(" ,;:") for piece in pieces if len(piece.split()) in QUOTABLE]
    return [piece for piece in found if piece.count("‘") <= piece.count("’")]


def _with_single_marks(text: str) -> str:
    opened = re.sub(r"(?<![\w.,!?])[\"“„«]", "‘", text)
    return re.sub(r"[\"”»“„«]", "’", opened)


def folded(text: str) -> str:
    """White space folded to single spaces. A word divided at a line end is joined; a compound keeps its hyphen."""
    joined = _LINE_END_HYPHEN.sub(
        lambda m: m[1] + ("-" if "-" in m[1] or m[2].isupper() or m[2].isdigit() else "") + m[2], text
    )
    return " ".join(joined.split())


def rendered(sentence: str, table: SlotTable) -> str:
    """The sentence with exact words for slots. A quotation inside a sentence that goes on loses its final period."""

    def exact(match: re.Match[str]) -> str:
        text = table.text_of(match.group(1))
        goes_on = sentence[match.end() :].lstrip()
        if match.group(1)[0] == SlotKind.QUOTATION.value and text.endswith(".”") and goes_on:
            return f"{text[:-2]}”"
        return text

    shown = SIGN.sub(exact, sentence)
    if "⟦" in shown or "⟧" in shown:
        raise AnswerMalformed(f"The answer holds a broken slot: {sentence}", "The engine did not keep to the grammar.")
    return shown
