"""The folder to a bundle: read every file, number the pages, tell copies apart, give every file its fate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice, Page, Role, Source
from lexforge.ingest import bates, notices, own_output
from lexforge.ingest.bates import Numbers, number_all
from lexforge.ingest.folder import Found, Means
from lexforge.ingest.listing import Listed, Listing
from lexforge.ingest.passages import attributed, passages_of
from lexforge.ingest.production import contents as produced
from lexforge.ingest.production.contents import Contents
from lexforge.ingest.production.document import Assembled, Document
from lexforge.ingest.reading import Failure, PageReading, Reading

_DRAWN = ("application/pdf", "image/")
_UNREAD = Reading(media_type="", extractor="", pages=())
_OF_USED_TEXT = {"page_without_text", "read_by_ocr"}
"""What need not be told of a file whose text is not used."""


def ingest(  # noqa: PLR0913 - what one run of it depends on
    root: Path,
    listed: Listing,
    known: frozenset[str] = frozenset(),
    progress: Callable[[str], None] = lambda _: None,
    admitted: Mapping[str, str] = MappingProxyType({}),
    *,
    means: Means | None = None,
    compare: bool = True,
) -> Bundle:
    """Read every listed file; every file, and every file inside one, gets a fate.

    `known` are hashes of files that LexForge wrote, `admitted` those of papers admitted as procedural record, with the
    reason. What only its words give away is set apart afterwards (`own_output.set_apart`). The same files give the same
    bundle by any `means`. Without `compare` nothing is said of copies, which takes time and matters to prompts only.
    """
    contents = produced.read(root, listed, progress, means or Means())
    judged = list(_judged(contents, known, admitted))
    kept = [one for _, one in judged if one is not None]
    sources = _sources(kept, contents.documents)
    told = [*_notices(contents, sources), *contents.notices, *produced.of_bates(sources, contents.documents)]
    if compare:
        from lexforge.ingest.copies import told as copies  # noqa: PLC0415 - numpy, which `lexforge gate` need not wait for

        alike = copies.found_among(sources, {one.id: one.outcome for one in kept if isinstance(one.outcome, Reading)})
        sources, told = copies.marked(sources, alike), [*told, *copies.notices(alike)]
    return Bundle(sources=sources, files=tuple(record for record, _ in judged), notices=tuple(told))


def _notices(contents: Contents, sources: Sequence[Source]) -> Iterator[Notice]:
    """What each file, and each produced document as a whole, shows by itself."""
    unstamped = {s.path for s in sources if s.role is Role.EVIDENCE and not any(page.bates for page in s.pages)}
    documents = {document.source.path: document.source for document in contents.documents if document.source}
    parts = {part.path: document for document in contents.documents for part in document.parts}
    for file in contents.found:
        one = documents.get(file.path, file)
        if not isinstance(one, Found) or not isinstance(one.outcome, Reading):
            continue
        part = parts.get(one.path)
        told = notices.of_reading(one.path, one.outcome)
        if one is file and part is not None:  # its text is not used, or stands in the document as a whole
            of_file = one.path not in part.read_from
            yield from (notice for notice in told if of_file and notice.code not in _OF_USED_TEXT)
            continue
        yield from told
        if one.path in unstamped and not isinstance(one, Assembled):
            yield from notices.unconfirmed(one.path, one.outcome.pages)


def _judged(
    contents: Contents, known: frozenset[str], admitted: Mapping[str, str]
) -> Iterator[tuple[FileRecord, Found | None]]:
    """Each file with its fate, and with the source that it or its document becomes under its path.

    Produced documents come first, so that a copy of one of their files gives way to the numbered original. What lies
    inside a file that was set apart is set apart with it.
    """
    seen: dict[str, tuple[str, str]] = {}
    records = {record.path: record for record in contents.load_files}
    kept: dict[str, Found] = {}
    for document in contents.documents:
        found = list(_judge_document(document, seen, known, admitted))
        records |= {record.path: record for record in found}
        if document.source is not None and any(record.reason == "part_of_document" for record in found):
            kept.setdefault(document.source.path, document.source)
    apart: dict[str, FileRecord] = {}
    for one in contents.found:
        record = records.get(one.path)
        if record is None:
            assert isinstance(one, Found)  # noqa: S101 - what was not read belongs to a load file
            above = apart.get(one.parent or "")
            record = _inside(one, above) if above is not None else _judge(one, seen, known, admitted)
            if record.fate is Fate.INGESTED and record.source is not None:
                kept[one.path] = one
        if record.fate is Fate.QUARANTINED:
            apart[one.path] = record
        yield record, kept.get(one.path)


def _judge_document(
    document: Document, seen: dict[str, tuple[str, str]], known: frozenset[str], admitted: Mapping[str, str]
) -> Iterator[FileRecord]:
    """The fate of each of its files; if one is our own output, all of them are set apart."""
    ours = next((record for part in document.parts if (record := _ours(part, known, admitted)) is not None), None)
    if ours is not None:
        told = f"Part of {document.name}, to which {ours.path} belongs, and is set apart with it."
        for part in document.parts:
            record = ours if part.path == ours.path else _record(part, Fate.QUARANTINED, ours.reason, told)
            yield record.model_copy(update={"words": _words(part, document)})
        return
    source = document.source
    whole = seen.get(source.key) if source is not None else None
    for part in document.parts:
        if isinstance(part, Found) and (source is None or _failed(part, document)):
            yield _judge(part, seen, known, admitted)
        elif source is None or whole is None:
            told = f"Part of {document.name}."
            record = _record(part, Fate.INGESTED, "part_of_document", told, _words(part, document))
            yield record.model_copy(update={"source": source.id if source else None})
        else:
            told = f"Part of {document.name}, which {whole[0]} stands for: the same numbers, and the same files."
            yield _record(part, Fate.DUPLICATE, "same_document", told).model_copy(update={"source": whole[1]})
    if source is not None and whole is None:
        seen[source.key] = source.path, source.id
        for part in document.parts:
            seen.setdefault(part.sha256_file or part.path, (part.path, source.id))


def _ours(part: Found | Listed, known: frozenset[str], admitted: Mapping[str, str]) -> FileRecord | None:
    """The record of a part that LexForge wrote, or that is no evidence."""
    read = part.outcome if isinstance(part, Found) and isinstance(part.outcome, Reading) else _UNREAD
    return own_output.quarantined(_record(part, Fate.INGESTED, "read", ""), read, known, admitted)


def _failed(part: Found, document: Document) -> bool:
    """Whether it could not be read; an empty text is that of an empty page."""
    return isinstance(part.outcome, Failure) and part.path not in document.read_from


def _words(part: Found | Listed, document: Document) -> int:
    """Words that the document has from this file."""
    if part.path not in document.read_from or not isinstance(part, Found) or not isinstance(part.outcome, Reading):
        return 0
    return sum(len(page.split()) for page in part.outcome.texts)


def _inside(one: Found, above: FileRecord) -> FileRecord:
    """A file inside one that was set apart."""
    told = f"{one.name} lies inside {above.path}, and is set apart with it."
    return _record(one, Fate.QUARANTINED, above.reason, told)


def _judge(
    one: Found, seen: dict[str, tuple[str, str]], known: frozenset[str], admitted: Mapping[str, str]
) -> FileRecord:
    reading = one.outcome
    if isinstance(reading, Failure):
        return _record(one, Fate.FAILED, reading.code, f"{reading.message} {reading.advice}".strip())
    sha256 = one.sha256_file or ""
    words = sum(len(page.split()) for page in reading.texts)
    read_as = _record(one, Fate.INGESTED, "misnamed" if reading.note else "read", reading.note, words)
    ours = own_output.quarantined(read_as, reading, known, admitted)
    if ours is not None:
        return ours
    if not any(text.strip() for text in reading.texts):
        return _without_text(one, reading)
    if sha256 in seen:
        first, source = seen[sha256]
        told = f"{one.name} is byte for byte the same as {first}, which stands for both."
        same = _record(one, Fate.DUPLICATE, "same_bytes", told)
        return same.model_copy(update={"source": source})
    seen[sha256] = one.path, one.id
    return read_as.model_copy(update={"source": one.id})


def _without_text(one: Found, reading: Reading) -> FileRecord:
    """A container is taken in by its members; anything else without a word cannot prove a thing."""
    if reading.members:
        told = f"It holds {len(reading.members)} files, each listed by itself."
        return _record(one, Fate.INGESTED, "container", told)
    pages = len(reading.pages)
    if any(page.scanned for page in reading.pages):
        told = f"{one.name} has no text on its {pages} page(s): it is a picture. {notices.how_to_read_pictures()}"
    else:
        told = f"{one.name} has no text. If you see words in it, print it to a new PDF and run OCR over that."
    return _record(one, Fate.FAILED, "no_text", told)


def _record(one: Found | Listed, fate: Fate, reason: str, detail: str, words: int = 0) -> FileRecord:
    return FileRecord(
        path=one.path,
        role=one.role,
        fate=fate,
        reason=reason,
        detail=detail,
        sha256_file=one.sha256_file,
        words=words,
    )


def _sources(kept: Sequence[Found], documents: Iterable[Document]) -> tuple[Source, ...]:
    """Number the pages once all of them are known: what a Bates number is here depends on the whole production."""
    evidence = [one for one in kept if one.role is Role.EVIDENCE]
    numbers = dict(zip((one.path for one in evidence), number_all([_document(one) for one in evidence]), strict=True))
    ids = {one.path: one.id for one in kept}
    for document in documents:
        if document.source is not None and ids.get(document.source.path) == document.source.id:
            ids |= dict.fromkeys((part.path for part in document.parts), document.source.id)
    return tuple(_source(one, numbers.get(one.path), ids.get(one.parent or "")) for one in kept)


def _document(one: Found) -> bates.Document:
    assert isinstance(one.outcome, Reading)  # noqa: S101 - failures are no sources
    return bates.Document(
        name=PurePosixPath(one.name).stem,
        pages=one.outcome.pages,
        drawn=one.outcome.media_type.startswith(_DRAWN),
        produced=dict(enumerate(one.numbers)) if isinstance(one, Assembled) and any(one.numbers) else {},
    )


def _source(one: Found, numbers: Sequence[Numbers] | None, family: str | None) -> Source:
    reading = one.outcome
    assert isinstance(reading, Reading)  # noqa: S101 - failures are no sources
    stamped = numbers or [((), None)] * len(reading.pages)
    pages = tuple(_page(one.id, n, *both) for n, both in enumerate(zip(reading.pages, stamped, strict=True), 1))
    quoting = isinstance(one, Assembled) and one.quoting
    return Source(
        id=one.id,
        role=one.role,
        path=one.path,
        sha256_file=one.sha256_file or "",
        media_type=reading.media_type,
        extractor=reading.extractor,
        pages=attributed(pages, own_head=not quoting),
        correspondence=reading.correspondence,
        family=family,
    )


def _page(source: str, number: int, page: PageReading, numbers: Numbers) -> Page:
    bates, stamped_by = numbers
    return Page(
        number=number,
        text=page.text,
        bates=bates,
        stamped_by=stamped_by if bates else None,
        passages=passages_of(source, number, page.text, bates, page.places),
        label=page.label,
        places=page.places,
        designation=page.designation,
        redactions=page.redactions,
        hidden=page.hidden,
        scanned=page.scanned,
        by_ocr=page.by_ocr,
    )
