"""Citations to the record: the document must be in the bundle, and have the page, line or paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lexforge.domain.findings import Reason
from lexforge.domain.mentions import RecordCiteValue, RecordForm
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.authority import Authority
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot
from lexforge.gate.tokens import norms_of

LABEL_WORDS = 70
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
PAGE_LINE = re.compile(r"(?m)^\s*(\d{1,2})\s{1,6}\S")


class RecordResolver:
    """Record cites against one bundle."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self.sources = sources
        self._labels = {held.source.id: _label_words(held) for held in sources}

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
        wanted = norms_of(value.document)
        own_kind = [k for k in kinds if any(k.startswith(w) or w.startswith(k) for w in wanted if len(w) > 2)]
        names = [w for w in wanted if w not in FILLERS and not w.isdigit() and w not in kinds]
        if not any(kind in words for kind in (own_kind or kinds)):
            return False
        return all(name in words for name in names if not any(kind.startswith(name) for kind in kinds))

    def spoken_of(self, value: RecordCiteValue) -> tuple[Spot, ...]:
        """Where documents of the bundle cite this document of the record."""
        wanted = norms_of(value.document)
        return tuple(
            Spot(held, *held.full.span(first, first + len(wanted) - 1))
            for held in self.sources
            for first in held.full.find(wanted)
        )

    def resolve(self, value: RecordCiteValue, text: str) -> Outcome:
        """One record cite; `text` is the cite as written."""
        held = self.sources_of(value)
        if not held:
            return self._cited_there(value, text)
        faults = [_fault(source, value) for source in held]
        for source, fault in zip(held, faults, strict=True):
            if fault is None:
                place = source.support(0, min(80, len(source.text)))
                return grounded(f"{value.document} is {source.source.path}.", place)
        nearest = held[0].support(0, min(80, len(held[0].text)))
        return blocked(Reason.OUT_OF_RANGE, faults[0] or "", nearest=nearest[0] if nearest else None)

    def _cited_there(self, value: RecordCiteValue, text: str) -> Outcome:
        wanted = norms_of(text)
        for held in self.sources:
            for first in held.full.find(wanted):
                start, end = held.full.span(first, first + len(wanted) - 1)
                if not re.match(r"[-–.:]\d", held.text[end : end + 2]):
                    return grounded(f"{held.source.path} cites it so.", held.support(start, end))
        return blocked(Reason.NOT_FOUND, f"No document of the bundle is {value.document}.")


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
    """Page numbers printed at the head or foot of the pages."""
    found: set[int] = set()
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
