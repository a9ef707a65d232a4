"""Citations to the record: the document must be in the bundle, and have the page, line or paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lexforge.domain.findings import Reason
from lexforge.domain.mentions import RecordCiteValue, RecordForm
from lexforge.extract.record_cite import Lines, places
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.authority import Authority
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot
from lexforge.gate.resolve.transcript_lines import TranscriptLines, has_lines, printed_number
from lexforge.gate.tokens import norms_of

LABEL_WORDS = 70
SHOWN = 80
TESTIMONY = frozenset((RecordForm.DEPOSITION, RecordForm.TRANSCRIPT))
VOLUME = re.compile(r",?\s*\b[Vv]ol\.\s?([\dIVX]+)")
ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10"}
NUMBER = re.compile(r"(\d{1,4}(?:-\d{1,3})?)\]?\s*\Z")
EXHIBIT = re.compile(
    r"(?:Exs?\.?|Exhibits?|EXHIBIT|Attachment|Attach\.|Tab)\s*(?:No\.\s*)?"
    r"([A-Za-z]{1,3}(?:-?\d{1,4})?|\d{1,4}[A-Z]?(?:-[A-Z\d]{1,3})?)\s*\Z"
)
KIND_WORDS = {
    RecordForm.DECLARATION: ("declaration", "decl", "affidavit", "aff", "affirmation", "certification", "report"),
    RecordForm.COMPLAINT: (
        "complaint", "compl", "petition", "answer", "counterclaim", "indictment", "statement", "order", "brief",
        "memorandum", "motion", "reply", "opposition", "agreement", "contract", "lease", "stipulation",
    ),
    RecordForm.DEPOSITION: ("deposition", "dep", "depo", "transcript"),
    RecordForm.TRANSCRIPT: ("transcript", "tr", "hearing", "proceedings", "trial"),
    RecordForm.APPENDIX: ("appendix", "app", "record", "ja"),
}  # fmt: skip
FILLERS = frozenset((
    "of", "the", "decl", "declaration", "aff", "affidavit", "affirmation", "dep", "depo", "deposition", "tr",
    "transcript", "vol", "compl", "complaint", "am", "amended", "first", "second", "third", "verified", "supp", "suppl",
    "supplemental", "reply", "report", "rep", "hr'g", "hearing", "trial",
))  # fmt: skip
HEADER = r"(?:Document|Doc(?:ket)?\.?|Dkt\.?|ECF)(?:\s+No\.?)?\s*[:#]?\s*"
PLACES_AFTER = re.compile(
    r"[.,]{0,2}\s{1,3}(?:(?:at|Tr\.|Transcript|[Vv]ol\.\s?\w{1,4},?)\s{1,3}){0,3}\d{1,5}:\d{1,3}[\d:,;\s–—-]{0,80}"
)
PAGE_LINE = re.compile(r"(?m)^\s*(\d{1,2})\s{1,6}\S")


class RecordResolver:
    """Record cites against one bundle."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self.sources = sources
        self._labels = {held.source.id: _label_words(held) for held in sources}
        self._lines: dict[str, TranscriptLines | None] = {}

    def sources_of(self, value: RecordCiteValue) -> tuple[SourceText, ...]:
        """The documents of the bundle that a record cite names."""
        if value.form is RecordForm.DOCKET:
            return tuple(held for held in self.sources if _is_entry(held, value.document))
        if value.form is RecordForm.EXHIBIT:
            return tuple(held for held in self.sources if self._is_exhibit(held, value.document))
        return tuple(held for held in self.sources if self._is_document(held, value))

    def _is_exhibit(self, held: SourceText, document: str) -> bool:
        match = EXHIBIT.search(document)
        if match is None:
            return False
        letter = norms_of(match.group(1))
        words = self._labels[held.source.id]
        pairs = pairwise(words)
        return any(one in ("ex", "exh", "exhibit", "attachment", "tab") and (two,) == letter for one, two in pairs)

    def _is_document(self, held: SourceText, value: RecordCiteValue) -> bool:
        words = self._labels[held.source.id]
        kinds = KIND_WORDS.get(value.form, ())
        volume = VOLUME.search(value.document)
        if volume is not None and not _may_be_volume(words, volume[1].lower()):
            return False
        wanted = norms_of(VOLUME.sub("", value.document))
        own_kind = [k for k in kinds if any(k.startswith(w) or w.startswith(k) for w in wanted if len(w) > 2)]
        names = [w for w in wanted if w not in FILLERS and not w.isdigit() and w not in kinds]
        if not any(kind in words for kind in (own_kind or kinds)):
            return False
        return all(name in words for name in names if not any(kind.startswith(name) for kind in kinds))

    def spoken_of(self, value: RecordCiteValue, text: str) -> tuple[Spot, ...]:
        """Where documents of the bundle cite this document of the record, and no other lines of it than `text` does."""
        wanted = norms_of(value.document)
        lines = places(text)[1]
        found: list[Spot] = []
        for held in self.sources:
            for first in held.full.find(wanted):
                start, end = held.full.span(first, first + len(wanted) - 1)
                theirs = places(cited[0])[1] if lines and (cited := PLACES_AFTER.match(held.text, end)) else ()
                if not theirs or any(_share_a_line(one, other) for one in lines for other in theirs):
                    found.append(Spot(held, start, end))
        return tuple(found)

    def parts_of(self, held: Sequence[SourceText], value: RecordCiteValue, text: str) -> tuple[SourceText, ...] | None:
        """What a cite of these documents points to when it gives lines: in a transcript the lines, elsewhere all of it.

        None when the cite as written (`text`) names no place. A transcript without the lines adds nothing.
        """
        lines = places(text)[1]
        if not lines:
            return tuple(held) if value.pages or value.paragraphs else None
        alone = [page for page in value.pages if not any(one.first[0] <= page <= one.last[0] for one in lines)]
        found: list[SourceText] = []
        for source in held:
            numbered = self.lines_of(source)
            found += [source] if numbered is None else numbered.stretches(lines, alone)
        return tuple(found)

    def lines_of(self, held: SourceText) -> TranscriptLines | None:
        """The numbered lines of a source, read once; None when it has none."""
        if held.source.id not in self._lines:
            self._lines[held.source.id] = TranscriptLines(held) if has_lines(held) else None
        return self._lines[held.source.id]

    def resolve(self, value: RecordCiteValue, text: str) -> Outcome:
        """One record cite; `text` is the cite as written."""
        held = self.sources_of(value)
        if not held:
            return self._cited_there(value, text)
        lines = places(text)[1]
        judged = [self._judged(source, value, lines) for source in held]
        return next((outcome for outcome in judged if outcome.is_grounded), judged[0])

    def resolve_pin(self, value: RecordCiteValue, text: str) -> Outcome | None:
        """The places of a short form in the transcript that it goes back to; None where it may mean anything else."""
        held = self.sources_of(value)
        return self.resolve(value, text) if held and all(self.lines_of(source) for source in held) else None

    def _judged(self, held: SourceText, value: RecordCiteValue, lines: Sequence[Lines]) -> Outcome:
        """The cite against one of the documents that it may mean."""
        numbered = self.lines_of(held) if lines or (value.form in TESTIMONY and value.pages) else None
        if numbered is not None:
            return _in_transcript(numbered, value, lines)
        fault = _fault(held, value)
        beginning = held.support(0, min(SHOWN, len(held.text)))
        if fault is None:
            return grounded(f"{value.document} is {held.source.path}.", beginning)
        return blocked(Reason.OUT_OF_RANGE, fault, nearest=beginning[0] if beginning else None)

    def _cited_there(self, value: RecordCiteValue, text: str) -> Outcome:
        wanted = norms_of(text)
        for held in self.sources:
            for first in held.full.find(wanted):
                start, end = held.full.span(first, first + len(wanted) - 1)
                if not re.match(r"[-–.:]\d", held.text[end : end + 2]):
                    return grounded(f"{held.source.path} cites it so.", held.support(start, end))
        return blocked(Reason.NOT_FOUND, f"No document of the bundle is {value.document}.")


def _in_transcript(numbered: TranscriptLines, value: RecordCiteValue, lines: Sequence[Lines]) -> Outcome:
    backwards = next((one for one in lines if one.first > one.last), None)
    if backwards is not None:
        first, last = (":".join(map(str, place)) for place in backwards)
        return blocked(Reason.IMPOSSIBLE, f"The lines {first} to {last} run backwards.")
    held = numbered.held
    fault = numbered.fault(value.pages, lines)
    if fault is not None:
        closest = held.support(fault.start, fault.end)
        return blocked(Reason.OUT_OF_RANGE, fault.message, nearest=closest[0] if closest else None)
    spans = numbered.spans(lines) or numbered.heads(value.pages)
    support = tuple(place for span in spans for place in held.support(*span))
    return grounded(f"{value.document} is {held.source.path}.", support)


def _may_be_volume(words: Sequence[str], number: str) -> bool:
    """Whether a document, by the words it calls itself, is this volume or says nothing of volumes."""
    said = [ROMAN.get(two, two) for one, two in pairwise(words) if one in ("vol", "volume")]
    numbers = [two for two in said if two.isdecimal()]
    return not numbers or ROMAN.get(number, number) in numbers


def _share_a_line(one: Lines, other: Lines) -> bool:
    return one.first <= other.last and other.first <= one.last


def _label_words(held: SourceText) -> list[str]:
    """Words of the path and of the beginning: what a document calls itself."""
    path = re.sub(r"[_/.-]+", " ", held.source.path.rsplit(".", 1)[0])
    return [*norms_of(path), *held.full.norms[:LABEL_WORDS]]


def _is_entry(held: SourceText, document: str) -> bool:
    """Whether a filing header on the document, or its file name, bears this entry number."""
    match = NUMBER.search(document)
    if match is None:
        return False
    number = re.escape(match.group(1))
    if re.search(rf"{HEADER}{number}(?![\d-])", held.text[:1200], re.I):
        return True
    return re.search(rf"(?:dkt|ecf|doc|docket)[-_ .]*0*{number}(?!\d)", held.source.name, re.I) is not None


def _fault(held: SourceText, value: RecordCiteValue) -> str | None:
    """What the document does not have; None when it has all that is cited."""
    path = held.source.path
    if value.paragraphs:
        last = Authority(held).last_paragraph
        beyond = [number for number in value.paragraphs if not 1 <= number <= last]
        if beyond:
            return f"{path} has no paragraph {beyond[0]}; its numbered paragraphs end at {last}."
    if value.lines and value.pages:
        return _fault_of_lines(held, value)
    count = Authority(held).last_slip_page
    beyond = [number for number in value.pages if not 1 <= number <= max(count, len(held.source.pages))]
    if beyond and not _printed_pages(held) & set(value.pages):
        return f"{path} has no page {beyond[0]}; it has {count}."
    return None


def _printed_pages(held: SourceText) -> set[int]:
    """The page numbers that were read on the pages; where none was, those printed at their head or foot."""
    found = {number for page in held.source.pages if (number := printed_number(page)) is not None}
    if found:
        return found
    for page in held.source.pages:
        lines = [line.strip() for line in page.text.splitlines() if line.strip()]
        for line in (*lines[:2], *lines[-3:]):
            if match := re.fullmatch(r"(?:Page\s+|-\s*)?(\d{1,5})(?:\s*-)?", line):
                found.add(int(match.group(1)))
    return found


def _fault_of_lines(held: SourceText, value: RecordCiteValue) -> str | None:
    printed = _printed_pages(held)
    known = printed or set(range(1, len(held.source.pages) + 1))
    beyond = [page for page in value.pages if page not in known]
    if beyond:
        return f"{held.source.path} has no page {beyond[0]}."
    numbers = [int(m.group(1)) for m in PAGE_LINE.finditer(held.text)]
    last = max(numbers, default=25)
    high = [line for line in value.lines if not 1 <= line <= max(last, 25)]
    return f"{held.source.path} has no line {high[0]} on a page; its lines end at {last}." if high else None
