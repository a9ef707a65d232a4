"""The documents of a production: rows of the .DAT, pages of the .OPT and files tied together by Bates number."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lexforge.ingest.load_file.dat import DatRecord, LoadFile
from lexforge.ingest.load_file.decoding import DefectLog
from lexforge.ingest.load_file.fields import Field
from lexforge.ingest.load_file.numbers import BatesNumber, number_of
from lexforge.ingest.load_file.opt import OptFile, OptPage
from lexforge.ingest.load_file.paths import Folder

MAX_SPAN = 100_000
"""Pages; a range that claims more is not counted out."""
_HASHES = {Field.MD5: "md5", Field.SHA1: "sha1", Field.SHA256: "sha256"}
_BY_LENGTH = {32: "md5", 40: "sha1", 64: "sha256"}
_OWN = {Field.FIRST, Field.LAST, Field.CUSTODIAN, Field.DESIGNATION, *_HASHES, Field.HASH, Field.TEXT, Field.NATIVE}
_LONGEST_PATH = 1_024


@dataclass(frozen=True, slots=True)
class ProducedPage:
    """One page: its number, and its image and text, relative to the evidence folder, where the production has them."""

    bates: str
    image: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ProducedDocument:
    """One document as produced. `first` and `last` stand as in the load file; `line` is that of its row.

    `text` is the text of the whole, and None where each page has its own. `family` is the first number of the parent,
    None for a parent. `hashes` maps `md5`, `sha1`, `sha256` to hex digits. `other` holds the remaining values that are
    not empty, under the name of the `Field` or, where its meaning is unknown, of the header.
    """

    first: str
    last: str
    pages: tuple[ProducedPage, ...]
    text: str | None
    native: str | None
    family: str | None
    custodian: str | None
    designation: str | None
    line: int
    hashes: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        """The files of its text: one for the whole, or one for each page that has one."""
        return [text for text in (self.text, *(page.text for page in self.pages)) if text]


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers of one document; `stated` says whether the load file has both ends and they are a range."""

    line: int
    first_text: str
    last_text: str
    first: BatesNumber | None
    last: BatesNumber | None
    stated: bool

    @property
    def size(self) -> int | None:
        """Pages from first to last; None where the numbers do not tell."""
        first, last = self.first, self.last
        if first is None or last is None or not self.stated:
            return None
        if not first.suffix and not last.suffix:
            return last.counter - first.counter + 1
        if first.counter == last.counter and first.page is not None and last.page is not None:
            return last.page - first.page + 1
        return None


def spans_of(load: LoadFile) -> list[Span]:
    """The numbers of each record, in the order of the file."""
    spans = []
    for record in load.records:
        first, last = load.value(record, Field.FIRST), load.value(record, Field.LAST)
        spans.append(_span(record.line, first, last or first, stated=bool(last)))
    return spans


def _span(line: int, first_text: str, last_text: str, *, stated: bool) -> Span:
    first, last = number_of(first_text), number_of(last_text)
    is_range = first is not None and last is not None and first.may_reach(last)
    return Span(line, first_text, last_text, first, last, stated and is_range)


def spans_of_pages(opt: OptFile) -> list[Span]:
    """The numbers of each document of an .OPT that comes without a .DAT."""
    return [_span(run[0].line, run[0].page_id, run[-1].page_id, stated=True) for run in runs(opt)]


def runs(opt: OptFile) -> Iterator[list[OptPage]]:
    """The documents of an .OPT as it marks them."""
    run: list[OptPage] = []
    for page in opt.pages:
        if page.starts and run:
            yield run
            run = []
        run.append(page)
    if run:
        yield run


@dataclass(frozen=True)
class Tied:
    """Pages of the .OPT by the index of their document, and those that are in no document's range."""

    pages: Mapping[int, list[OptPage]]
    orphans: list[OptPage]


def tie(spans: list[Span], opt: OptFile) -> Tied:
    """Give each page to the document whose range holds it, or that starts the run of a document without a range."""
    ranges: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    by_text: dict[str, int] = {}
    for index, span in enumerate(spans):
        if span.first is not None:
            prefix, width = span.first.key
            widest = span.last.width if span.last is not None and span.stated else width
            for each in range(width, widest + 1):
                ranges[prefix, each].append((span.first.counter, index))
        by_text.setdefault(span.first_text.casefold(), index)
    for found in ranges.values():
        found.sort(key=lambda item: (item[0], -item[1]))
    pages: dict[int, list[OptPage]] = defaultdict(list)
    orphans: list[OptPage] = []
    for run in runs(opt):
        head = by_text.get(run[0].page_id.casefold())
        for page in run:
            holder = _holder(page, spans, ranges)
            if holder is None and head is not None and not spans[head].stated:
                holder = head
            (orphans if holder is None else pages[holder]).append(page)
    return Tied(pages, orphans)


def _holder(page: OptPage, spans: list[Span], ranges: Mapping[tuple[str, int], list[tuple[int, int]]]) -> int | None:
    number = number_of(page.page_id)
    if number is None or number.key not in ranges:
        return None
    found = ranges[number.key]
    at = bisect_right(found, number.counter, key=lambda item: item[0]) - 1
    if at < 0:
        return None
    counter, index = found[at]
    last = spans[index].last
    return index if number.counter <= (last.counter if last is not None and spans[index].stated else counter) else None


class _Row(NamedTuple):
    load: LoadFile
    record: DatRecord


def documents_of(
    load: LoadFile | None, opt: OptFile | None, folder: Folder, log: DefectLog, opt_log: DefectLog
) -> tuple[list[ProducedDocument], set[str]]:
    """Documents in the order of the load file, and all images that the .OPT leads to, in a document or not.

    What is wrong with a path goes to the log of the file that holds it.
    """
    spans = spans_of(load) if load else spans_of_pages(opt) if opt else []
    tied = tie(spans, opt) if opt else Tied({}, [])
    images = {page.line: _file(page.path, page.line, folder, opt_log) for page in (opt.pages if opt else ())}
    documents = []
    budget = 10 * MAX_SPAN + 10 * len(images)
    for index, span in enumerate(spans):
        pages = [(page.page_id, images[page.line]) for page in tied.pages.get(index, ())]
        if not pages:
            pages = [(name, None) for name in _counted_out(span, budget)]
            budget -= len(pages)
        row = _Row(load, load.records[index]) if load else None
        documents.append(_document(span, pages, row, folder, log))
    return documents, {path for path in images.values() if path}


def _counted_out(span: Span, budget: int) -> list[str]:
    """The numbers of a document that has no images; only the first where the range is absurd."""
    size, first = span.size or 1, span.first
    if first is None or first.suffix or not 1 < size <= min(MAX_SPAN, budget):
        return [span.first_text] if span.first_text else []
    return [str(first.plus(n)) for n in range(size)]


def _document(
    span: Span, numbered: list[tuple[str, str | None]], row: _Row | None, folder: Folder, log: DefectLog
) -> ProducedDocument:
    def value(name: Field) -> str:
        return row.load.value(row.record, name) if row else ""

    text = _linked(value(Field.TEXT), span.line, folder, log) or _text(span.first_text, folder)
    texts = [_text(number, folder) for number, _ in numbered] if len(numbered) > 1 else []
    by_page = any(texts[1:]) and len({number for number, _ in numbered}) > 1
    pages = tuple(
        ProducedPage(number, image, texts[n] if by_page else None) for n, (number, image) in enumerate(numbered)
    )
    return ProducedDocument(
        first=span.first_text,
        last=span.last_text,
        pages=pages,
        text=None if by_page and text in (None, texts[0]) else text,
        native=_linked(value(Field.NATIVE), span.line, folder, log) or _native(span.first_text, folder),
        family=_family(span.first_text, value),
        custodian=value(Field.CUSTODIAN) or None,
        designation=value(Field.DESIGNATION) or None,
        line=span.line,
        hashes=_hashes(value),
        other=_other(row.load, row.record) if row else {},
    )


def _family(first: str, value: Callable[[Field], str]) -> str | None:
    for name in (Field.PARENT, Field.FAMILY_FIRST):
        if value(name):
            return None if value(name).casefold() == first.casefold() else value(name)
    return None


def _hashes(value: Callable[[Field], str]) -> dict[str, str]:
    found = {algorithm: value(name).casefold() for name, algorithm in _HASHES.items() if value(name)}
    whole = value(Field.HASH).casefold()
    if len(whole) in _BY_LENGTH:
        found.setdefault(_BY_LENGTH[len(whole)], whole)
    return found


def _other(load: LoadFile, record: DatRecord) -> dict[str, str]:
    meaning = {column: name for name, column in load.columns.items()}
    found: dict[str, str] = {}
    for column, text in enumerate(record.values[: len(load.fields)]):
        name = meaning.get(column)
        if not text.strip() or (name in _OWN and not (name is Field.TEXT and is_embedded(text))):
            continue
        key = name.value if name else load.fields[column]
        found[key if key not in found else f"{key} ({column + 1})"] = text
    return found


def is_embedded(text: str) -> bool:
    """Whether the field that should hold the path of the text holds the text itself."""
    return "\n" in text or len(text) > _LONGEST_PATH


def _linked(raw: str, line: int, folder: Folder, log: DefectLog) -> str | None:
    return None if not raw or is_embedded(raw) else _file(raw, line, folder, log)


def _file(raw: str, line: int, folder: Folder, log: DefectLog) -> str | None:
    if not raw:
        return None
    found = folder.resolve(raw)
    if found.code:
        log.add(line, found.code, f"Line {line}: {found.message}")
    return found.path


def _text(number: str, folder: Folder) -> str | None:
    named = (name for name in folder.named(number) if name.lower().endswith(".txt"))
    return next((name for name in named if not _in_natives(name)), None) if number else None


def _native(number: str, folder: Folder) -> str | None:
    return next(filter(_in_natives, folder.named(number)), None) if number else None


def _in_natives(path: str) -> bool:
    return any(part.casefold().startswith("native") for part in path.split("/")[:-1])
