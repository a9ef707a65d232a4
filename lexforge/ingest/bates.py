"""Which Bates numbers a page bears, decided from the most certain sign there is and never from a guess.

In this order: load file, the artifact Acrobat writes, an annotation, the margin, text that stands apart, the file name,
OCR. Numbers in a margin or from OCR count only when a sequence bears them out: one prefix and width, and one more on
each page (three pages and six of ten at least), or numbers that differ from document to document. A number that stays
the same from page to page is a docket number or a form. One page of OCR proves nothing: well-formed wrong numbers
come out of it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lexforge.domain.evidence import StampOrigin
from lexforge.extract.bates_registry import BatesRegistry, BatesSeries, BatesStamp, learn, prefix_key, stamps
from lexforge.ingest.reading import PageReading

FEWEST, SHARE = 3, 0.6
"""Pages, and share of a document's pages, on which number minus page number must be the same."""
_CERTAIN = (StampOrigin.ARTIFACT, StampOrigin.ANNOTATION)
_BY_SEQUENCE = (StampOrigin.MARGIN, StampOrigin.OCR)
_IN_ORDER = (*_CERTAIN, StampOrigin.MARGIN, StampOrigin.TEXT, StampOrigin.FILE_NAME, StampOrigin.OCR)
_RANGE_NAME = re.compile(
    r"(?P<first>[A-Za-z][\w.&-]*?[-_ ]?\d{4,15})"
    r"(?:\s*(?:-|–|_|to|through)\s*(?P<last>[A-Za-z][\w.&-]*?[-_ ]?\d{4,15}))?"
)

Numbers = tuple[tuple[str, ...], StampOrigin | None]
"""The numbers of one page, and how they were read."""
_Series = tuple[str, int]


@dataclass(frozen=True)
class Document:
    """A file whose pages may be stamped: its `name` without an ending, `drawn` when its margins could be looked at.

    `produced` are the numbers that a load file gives its pages, by page index from 0.
    """

    name: str
    pages: Sequence[PageReading]
    drawn: bool = False
    produced: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def number_all(documents: Sequence[Document]) -> list[list[Numbers]]:
    """The numbers of each page of each document; what a number is here depends on the whole production."""
    registries = _registries(documents)
    return [_numbered(document, registries) for document in documents]


def _registries(documents: Sequence[Document]) -> dict[StampOrigin, BatesRegistry]:
    """What a stamp looks like, for each sign by itself; a weak sign may always show what a stronger one established."""
    produced = [["\n".join(numbers) for numbers in d.produced.values()] for d in documents]
    known = learn(produced).series
    found: dict[StampOrigin, BatesRegistry] = {}
    for origin in _IN_ORDER:
        texts = [[_shown(page, origin, document) for page in document.pages] for document in documents]
        learned = learn(texts)
        if origin in _BY_SEQUENCE:
            learned = _borne_out(texts, learned, alone=origin is StampOrigin.MARGIN)
        known = _joined(known, learned.series)
        found[origin] = BatesRegistry(series=known)
    return found


def _joined(known: Sequence[BatesSeries], more: Sequence[BatesSeries]) -> tuple[BatesSeries, ...]:
    """One series for each prefix and width, under the spelling of the stronger sign."""
    series: dict[_Series, BatesSeries] = {}
    for one in (*known, *more):
        key = prefix_key(one.prefix), one.width
        old = series.get(key, one)
        low, high = min(old.first, one.first), max(old.last, one.last)
        series[key] = old.model_copy(update={"first": low, "last": high})
    return tuple(series.values())


def _shown(page: PageReading, origin: StampOrigin, document: Document) -> str:
    """The text in which this sign is looked for, one candidate to a line."""
    if origin is StampOrigin.TEXT:
        return "" if document.drawn else page.text
    if origin is StampOrigin.FILE_NAME:
        return ""
    return "\n".join(candidate.text for candidate in page.candidates if candidate.origin is origin)


def _borne_out(texts: Iterable[Sequence[str]], learned: BatesRegistry, *, alone: bool) -> BatesRegistry:
    """The series that some sequence bears out; `alone` lets single pages of several documents be one."""
    kept: set[_Series] = set()
    loose: dict[_Series, list[set[int]]] = defaultdict(list)
    for pages in texts:
        numbers: dict[_Series, list[tuple[int, int]]] = defaultdict(list)
        for index, text in enumerate(pages):
            for stamp in stamps(text, learned):
                numbers[prefix_key(stamp.prefix), stamp.width].append((index, stamp.number))
        for key, seen in numbers.items():
            if _rises(seen, len(pages)):
                kept.add(key)
            loose[key].append({number for _, number in seen} if _differ(seen) else set())
    if alone:
        kept |= {key for key, documents in loose.items() if _apart(documents)}
    return BatesRegistry(series=tuple(s for s in learned.series if (prefix_key(s.prefix), s.width) in kept))


def _rises(seen: Sequence[tuple[int, int]], pages: int) -> bool:
    """Whether the number grows by one a page on most pages; on both of two, and never on a single one."""
    return _offset(seen, pages) is not None


def _offset(seen: Sequence[tuple[int, int]], pages: int) -> int | None:
    """What number minus page index is on most pages."""
    offset, count = Counter(number - index for index, number in set(seen)).most_common(1)[0]
    return offset if count >= max(min(FEWEST, max(pages, 2)), SHARE * pages) else None


def _differ(seen: Sequence[tuple[int, int]]) -> bool:
    """Whether no number stands on two pages of one document."""
    pages_of: dict[int, set[int]] = defaultdict(set)
    for index, number in seen:
        pages_of[number].add(index)
    return all(len(indices) == 1 for indices in pages_of.values())


def _apart(documents: Sequence[set[int]]) -> bool:
    """Whether at least two documents bear numbers, and none bears another's: a form number stands on all alike."""
    if len(documents) < 2 or not all(documents):
        return False
    return sum(len(numbers) for numbers in documents) == len(set().union(*documents))


def _numbered(document: Document, registries: Mapping[StampOrigin, BatesRegistry]) -> list[Numbers]:
    found = {origin: _by_sign(document, origin, registries[origin]) for origin in _IN_ORDER}
    found[StampOrigin.FILE_NAME] = _from_name(document, registries[StampOrigin.FILE_NAME])
    found[StampOrigin.OCR] = _in_sequence(found[StampOrigin.OCR])
    return [_of_page(document, index, found) for index in range(len(document.pages))]


def _of_page(document: Document, index: int, found: Mapping[StampOrigin, Sequence[Sequence[BatesStamp]]]) -> Numbers:
    if index in document.produced:
        return document.produced[index], StampOrigin.LOAD_FILE
    for origin in _IN_ORDER:
        if stamped := _distinct(found[origin][index]):
            return stamped, origin
    return (), None


def _by_sign(document: Document, origin: StampOrigin, registry: BatesRegistry) -> list[list[BatesStamp]]:
    """The stamps of each page that this sign shows, of the series known by it."""
    if not registry.series:
        return [[] for _ in document.pages]
    known = {(prefix_key(series.prefix), series.width) for series in registry.series}
    texts = (page.text if origin is StampOrigin.TEXT else _shown(page, origin, document) for page in document.pages)
    return [[s for s in stamps(text, registry) if (prefix_key(s.prefix), s.width) in known] for text in texts]


def _in_sequence(pages: Sequence[Sequence[BatesStamp]]) -> list[list[BatesStamp]]:
    """Only what fits the sequence of this very document: OCR reads wrong numbers that look right."""
    seen: dict[_Series, list[tuple[int, int]]] = defaultdict(list)
    for index, found in enumerate(pages):
        for stamp in found:
            seen[prefix_key(stamp.prefix), stamp.width].append((index, stamp.number))
    offsets = {key: _offset(numbers, len(pages)) for key, numbers in seen.items()}
    return [
        [s for s in found if offsets[prefix_key(s.prefix), s.width] == s.number - index]
        for index, found in enumerate(pages)
    ]


def _distinct(found: Iterable[BatesStamp]) -> tuple[str, ...]:
    """Each number once, as it is first written: a closed-up candidate repeats the spaced one."""
    first: dict[tuple[str, int, int], str] = {}
    for stamp in found:
        first.setdefault((prefix_key(stamp.prefix), stamp.width, stamp.number), stamp.text)
    return tuple(first.values())


def _from_name(document: Document, registry: BatesRegistry) -> list[list[BatesStamp]]:
    """The numbers of all pages when the file is named by its range, and the range has as many numbers as pages."""
    nothing: list[list[BatesStamp]] = [[] for _ in document.pages]
    match = _RANGE_NAME.fullmatch(document.name)
    if match is None:
        return nothing
    named = BatesRegistry(series=_joined(registry.series, learn([[f"{match['first']}\n{match['last'] or ''}"]]).series))
    first = stamps(match["first"], named)
    last = stamps(match["last"], named) if match["last"] else first
    if not first or not last or prefix_key(first[0].prefix) != prefix_key(last[0].prefix):
        return nothing
    if last[0].number - first[0].number + 1 != len(document.pages):
        return nothing
    return [[_counted(first[0], n)] for n in range(len(document.pages))]


def _counted(stamp: BatesStamp, more: int) -> BatesStamp:
    number = stamp.number + more
    return stamp.model_copy(update={"number": number, "text": f"{stamp.text[: -stamp.width]}{number:0{stamp.width}}"})
