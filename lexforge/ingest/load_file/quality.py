"""The quality report on a production: what its numbers, families, dates and files do not bear out, line by line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lexforge.ingest.load_file import file_checks, page_checks
from lexforge.ingest.load_file.dat import LoadFile
from lexforge.ingest.load_file.dates import is_date
from lexforge.ingest.load_file.decoding import Defect, printable, shown
from lexforge.ingest.load_file.documents import Span, Tied, spans_of, spans_of_pages, tie
from lexforge.ingest.load_file.fields import Field
from lexforge.ingest.load_file.numbers import BatesNumber, number_of
from lexforge.ingest.load_file.production import Production

MAX_OF_A_KIND = 1_000
_DATES = (Field.DATE_SENT, Field.DATE_RECEIVED, Field.DATE_CREATED, Field.DATE_MODIFIED)


def check(production: Production, root: Path) -> tuple[Defect, ...]:
    """Every defect, by load file, line and code; `root` is the evidence folder in which the production was found.

    Codes besides those of reading: `no_bates_field`, `no_bates`, `bad_bates`, `bates_gap`, `bates_overlap`,
    `bates_duplicate`, `prefix_change`, `width_change`, `range_prefix`, `end_before_begin`, `family_range`,
    `parent_missing`, `bad_date`, `volume_name`; of pages `page_count`, `bad_page_count`, `pages_missing`,
    `page_duplicate`, `opt_page_count`, `document_break`, `page_without_record`, `record_without_pages`; of files
    `file_missing`, `path_case`, `path_absolute`, `path_parent`, `path_device`, `path_invalid`, `path_symlink`,
    `record_without_files`, `file_without_record`, `hash_mismatch`, `bad_hash`, `text_empty`, `native_missing`,
    `file_unreadable`. Of one kind in one file, `MAX_OF_A_KIND` are listed and the rest counted.
    """
    load, opt = production.load_file, production.opt_file
    spans = spans_of(load) if load else spans_of_pages(opt) if opt else []
    tied = tie(spans, opt) if opt else Tied({}, [])
    source = production.dat or production.opt or ""
    if load and Field.FIRST not in load.columns:
        found = [Defect(1, "no_bates_field", f"No field of {source} is a first Bates number. Ask which one is.")]
    else:
        found = list(_numbers(spans)) + list(_sequences(spans, tied)) + list(_series(spans))
        if load:
            found += [*_families(load, spans), *_dates(load)]
            found += page_checks.of_records(load, spans, tied, opt, production.documents)
    found += file_checks.of_documents(production, root)
    found = [replace(defect, file=source) for defect in found]
    if opt:
        found += [replace(defect, file=production.opt or "") for defect in page_checks.of_pages(opt, spans, tied, load)]
    found += [*_volumes(production), *production.defects]
    found = [replace(defect, message=printable(defect.message)) for defect in found]
    return _listed(sorted(set(found), key=lambda defect: (defect.file, defect.line, defect.code, defect.message)))


def _listed(found: list[Defect]) -> tuple[Defect, ...]:
    seen: Counter[tuple[str, str]] = Counter()
    listed = []
    for defect in found:
        seen[defect.file, defect.code] += 1
        if seen[defect.file, defect.code] <= MAX_OF_A_KIND:
            listed.append(defect)
    more = [(file, code, n - MAX_OF_A_KIND) for (file, code), n in sorted(seen.items()) if n > MAX_OF_A_KIND]
    return (*listed, *(Defect(0, code, f"{n} more of this kind are not listed.", file) for file, code, n in more))


def _numbers(spans: list[Span]) -> Iterator[Defect]:
    """Numbers that are none, and ranges that are none."""
    for span in spans:
        if not span.first_text:
            yield Defect(span.line, "no_bates", f"Line {span.line} has no first Bates number.")
        elif span.first is None or span.last is None:
            wrong = span.first_text if span.first is None else span.last_text
            yield Defect(span.line, "bad_bates", f"Line {span.line}: {shown(wrong)} is no Bates number.")
        elif span.first.key != span.last.key and not span.first.may_reach(span.last):
            yield Defect(
                span.line,
                "range_prefix",
                f"Line {span.line} begins at {span.first} and ends at {span.last}, which is another series.",
            )
        elif span.last.place < span.first.place:
            yield Defect(
                span.line,
                "end_before_begin",
                f"Line {span.line} ends at {span.last}, before it begins at {span.first}.",
            )


def _high(first: BatesNumber, index: int, span: Span, tied: Tied) -> int:
    """The last counter that a document takes up: its end, or where that is not stated the last of its pages."""
    if span.last is None or not span.stated:
        numbers = [number_of(page.page_id) for page in tied.pages.get(index, ())]
        return max([first.counter, *(n.counter for n in numbers if n is not None and n.key == first.key)])
    return max(first.counter, span.last.counter)


def _sequences(spans: list[Span], tied: Tied) -> Iterator[Defect]:
    """Gaps, overlaps and repeated numbers in each series of one prefix and width."""
    series: dict[tuple[str, int], list[tuple[int, int, int, BatesNumber]]] = defaultdict(list)
    for index, span in enumerate(spans):
        if span.first is not None:
            series[span.first.key].append((span.first.counter, span.line, index, span.first))
    firsts: dict[tuple[object, ...], int] = {}
    for members in series.values():
        high, holder = None, 0
        for counter, line, index, number in sorted(members, key=lambda member: member[:3]):
            known = firsts.setdefault((number.key, counter, number.suffix), line)
            if known != line:
                yield Defect(line, "bates_duplicate", f"Line {line}: {number} was given to line {known} before.")
            elif high is not None and counter > high + 1:
                yield Defect(line, "bates_gap", _gap(number, high + 1, counter - 1))
            elif high is not None and counter <= high and not number.suffix:
                yield Defect(
                    line, "bates_overlap", f"Line {line} begins at {number}, inside the range of line {holder}."
                )
            top = _high(number, index, spans[index], tied)
            if high is None or top >= high:
                high, holder = top, line


def _gap(number: BatesNumber, first: int, last: int) -> str:
    count = last - first + 1
    named = [str(replace(number, counter=counter, suffix="")) for counter in (first, last)]
    what = f"{named[0]} is" if count == 1 else f"{named[0]} to {named[1]} ({count} numbers) are"
    return f"{what} in no record. Ask for them, or for their entries in the privilege log."


def _series(spans: list[Span]) -> Iterator[Defect]:
    """Where a prefix or a width appears that the production did not begin with."""
    widths: dict[str, set[int]] = {}
    for span in spans:
        if span.first is None:
            continue
        (prefix, width), number = span.first.key, span.first
        if prefix not in widths:
            if widths:
                yield Defect(
                    span.line,
                    "prefix_change",
                    f"Line {span.line}: the prefix changes to {shown(number.prefix)} at {number}.",
                )
            widths[prefix] = {width}
        elif width not in widths[prefix]:
            if len(str(number.counter)) < width or width - 1 not in widths[prefix]:  # 9999 may be followed by 10000
                yield Defect(
                    span.line, "width_change", f"Line {span.line}: {number} has {width} digits, unlike those before it."
                )
            widths[prefix].add(width)


def _families(load: LoadFile, spans: list[Span]) -> Iterator[Defect]:
    firsts = {span.first_text.casefold() for span in spans}
    for record, span in zip(load.records, spans, strict=True):
        begin, end = load.value(record, Field.FAMILY_FIRST), load.value(record, Field.FAMILY_LAST)
        parent = load.value(record, Field.PARENT) or begin
        if begin and end and span.first is not None and not _contains(begin, end, span):
            yield Defect(
                span.line,
                "family_range",
                f"Line {span.line}: the family {shown(begin)} to {shown(end)} does not hold {shown(span.first_text)}.",
            )
        elif parent and parent.casefold() not in firsts:
            yield Defect(
                span.line,
                "parent_missing",
                f"Line {span.line}: the parent {shown(parent)} is no record here. Ask for it, or for its volume.",
            )


def _contains(begin: str, end: str, span: Span) -> bool:
    first, last = number_of(begin), number_of(end)
    own, own_last = span.first, span.last
    if first is None or last is None or own is None or not first.key[0] == last.key[0] == own.key[0]:
        return False
    top = own_last if own_last is not None and span.stated else own
    return first.place <= own.place and (top.place <= last.place or own.counter == top.counter == last.counter)


def _dates(load: LoadFile) -> Iterator[Defect]:
    for record in load.records:
        for field in _DATES:
            value = load.value(record, field)
            if value and not is_date(value):
                yield Defect(
                    record.line, "bad_date", f"Line {record.line}: {shown(value)} in {_name(load, field)} is no date."
                )


def _name(load: LoadFile, field: Field) -> str:
    return load.fields[load.columns[field]]


def _volumes(production: Production) -> Iterator[Defect]:
    """A volume that is called otherwise than its folder; only where the folder is one of a volume."""
    load, opt = production.load_file, production.opt_file
    if production.folder == "." or not production.name[-1:].isdigit():
        return
    named: list[tuple[str, int, str]] = (
        [(page.volume, page.line, production.opt or "") for page in opt.pages] if opt else []
    )
    if load:
        named += [(load.value(record, Field.VOLUME), record.line, production.dat or "") for record in load.records]
    seen = set()
    for volume, line, file in named:
        if volume and volume.casefold() != production.name.casefold() and (volume, file) not in seen:
            seen.add((volume, file))
            message = f"Line {line} names the volume {shown(volume)}; its folder is {shown(production.name)}."
            yield Defect(line, "volume_name", message, file)
