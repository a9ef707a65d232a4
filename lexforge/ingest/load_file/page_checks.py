"""Whether the pages of an .OPT, the ranges of a .DAT and the counts in both agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lexforge.ingest.load_file.dat import LoadFile
from lexforge.ingest.load_file.decoding import Defect, shown
from lexforge.ingest.load_file.documents import MAX_SPAN, ProducedDocument, Span, Tied, runs
from lexforge.ingest.load_file.fields import Field
from lexforge.ingest.load_file.numbers import number_of
from lexforge.ingest.load_file.opt import OptFile, OptPage


def of_records(
    load: LoadFile, spans: list[Span], tied: Tied, opt: OptFile | None, documents: Sequence[ProducedDocument]
) -> Iterator[Defect]:
    """Counts and ranges of the .DAT against each other and against the pages of the .OPT; lines of the .DAT.

    `spans` and `documents` are those of the records, in their order.
    """
    for index, (record, span) in enumerate(zip(load.records, spans, strict=True)):
        pages = tied.pages.get(index, [])
        stated = load.value(record, Field.PAGE_COUNT)
        native = bool(load.value(record, Field.NATIVE) or documents[index].native)
        count = int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 10 else None
        if stated and count is None:
            message = f"Line {span.line}: {shown(stated)} is no number of pages."
            yield Defect(span.line, "bad_page_count", message)
        by_document = _numbered_by_document(span, pages)
        size = None if by_document else span.size
        if count is not None:
            yield from _counted(span, count, size, len(pages) if by_document or size is None else 0, native)
        if opt is not None:
            text = bool(load.value(record, Field.TEXT) or documents[index].texts)
            yield from _covered(span, size, pages, native or not text)


def _numbered_by_document(span: Span, pages: list[OptPage]) -> bool:
    """Whether pages share the number of their document, repeated or with a suffix."""
    if span.first is None:
        return False
    numbers = [number_of(page.page_id) for page in pages]
    return span.size == 1 and any(number is not None and number.counter == span.first.counter for number in numbers[1:])


def _counted(span: Span, count: int, size: int | None, pages: int, native: bool) -> Iterator[Defect]:
    if size is not None and size > 0 and count != size and not (native and size == 1):
        message = f"Line {span.line} states {count} pages; {span.first_text} to {span.last_text} are {size}."
        yield Defect(span.line, "page_count", message)
    elif pages and count != pages and not (native and pages == 1):
        yield Defect(span.line, "page_count", f"Line {span.line} states {count} pages; the .OPT has {pages}.")


def _covered(span: Span, size: int | None, pages: list[OptPage], may_lack: bool) -> Iterator[Defect]:
    """Numbers of a record that the .OPT lacks. A native, or a record with nothing at all, is not expected there."""
    first = span.first
    if not pages:
        if not may_lack and span.first_text:
            message = f"Line {span.line}: the .OPT has no page of {shown(span.first_text)}. Ask for its images."
            yield Defect(span.line, "record_without_pages", message)
        return
    if size is None or first is None or first.suffix or not 0 < size <= MAX_SPAN:
        return
    numbers = {number.counter for page in pages if (number := number_of(page.page_id)) is not None}
    count = size - sum(first.counter <= number < first.counter + size for number in numbers)
    if count:
        missing = islice((n for n in range(size) if first.counter + n not in numbers), 5)
        names = [str(first.plus(n)) for n in missing] + (["…"] if count > 5 else [])
        message = f"Line {span.line}: the .OPT lacks {', '.join(names)} (pages missing: {count}). Ask for them."
        yield Defect(span.line, "pages_missing", message)


def of_pages(opt: OptFile, spans: list[Span], tied: Tied, load: LoadFile | None) -> Iterator[Defect]:
    """Pages of the .OPT against each other and against the records; lines of the .OPT."""
    for run in runs(opt):
        head = run[0]
        if head.document_pages is not None and head.document_pages != len(run):
            message = f"Line {head.line} states {head.document_pages} pages for {head.page_id}; {len(run)} follow it."
            yield Defect(head.line, "opt_page_count", message)
    yield from _repeated(opt)
    if load is not None:
        yield from _orphans(tied.orphans)
        yield from _breaks(spans, tied)


def _repeated(opt: OptFile) -> Iterator[Defect]:
    """A page id of two documents, or twice with the same image; pages that share their document's number are none."""
    seen: dict[str, tuple[int, int, str]] = {}
    for number, run in enumerate(runs(opt)):
        for page in run:
            known = seen.setdefault(page.page_id.casefold(), (number, page.line, page.path))
            if known[1] != page.line and (known[0] != number or known[2] == page.path):
                message = f"Line {page.line}: page {page.page_id} stands in line {known[1]} already."
                yield Defect(page.line, "page_duplicate", message)


def _orphans(orphans: list[OptPage]) -> Iterator[Defect]:
    """Pages in no record's range, those of lines that follow each other as one."""
    start = 0
    for at in range(1, len(orphans) + 1):
        if at < len(orphans) and orphans[at].line == orphans[at - 1].line + 1 and not orphans[at].starts:
            continue
        first, last = orphans[start], orphans[at - 1]
        names = first.page_id if first is last else f"{first.page_id} to {last.page_id}"
        message = f"Line {first.line}: {names} of the .OPT are in no record of the .DAT. Ask for the record."
        yield Defect(first.line, "page_without_record", message)
        start = at


def _breaks(spans: list[Span], tied: Tied) -> Iterator[Defect]:
    """Document marks (Y) that are not where a record begins."""
    for index, pages in sorted(tied.pages.items()):
        if not pages[0].starts:
            message = f"Line {pages[0].line}: the record of {spans[index].first_text} begins here, without a Y."
            yield Defect(pages[0].line, "document_break", message)
        for page in pages[1:]:
            if page.starts and page.page_id.casefold() != pages[0].page_id.casefold():
                message = f"Line {page.line}: Y marks a new document inside {spans[index].first_text}."
                yield Defect(page.line, "document_break", message)
