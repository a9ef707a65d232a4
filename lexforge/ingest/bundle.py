"""The folder to a bundle: read every file, number the pages, tell copies apart, give every file its fate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice, Page, Role, Source
from lexforge.ingest import notices, own_output
from lexforge.ingest.bates import Document, Numbers, number_all
from lexforge.ingest.folder import Found, Means, read_folder
from lexforge.ingest.listing import Listing
from lexforge.ingest.passages import attributed, page_with_passages
from lexforge.ingest.reading import Failure, PageReading, Reading

_DRAWN = ("application/pdf", "image/")


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
    found = read_folder(root, listed, progress, means or Means())
    judged = list(_judged(found, known, admitted))
    kept = [one for record, one in judged if record.source is not None and record.fate is Fate.INGESTED]
    sources = _sources(kept)
    told = [*_notices(found, sources), *notices.of_bates(sources)]
    if compare:
        from lexforge.ingest.copies import told as copies  # noqa: PLC0415 - numpy, which `lexforge gate` need not wait for

        alike = copies.found_among(sources, {one.id: one.outcome for one in kept if isinstance(one.outcome, Reading)})
        sources, told = copies.marked(sources, alike), [*told, *copies.notices(alike)]
    return Bundle(sources=sources, files=tuple(record for record, _ in judged), notices=tuple(told))


def _notices(found: Iterable[Found], sources: Sequence[Source]) -> Iterator[Notice]:
    """What each file shows by itself."""
    stamped = {source.path for source in sources if any(page.bates for page in source.pages)}
    for one in found:
        if isinstance(one.outcome, Reading):
            yield from notices.of_reading(one.path, one.outcome)
            if one.role is Role.EVIDENCE and one.path not in stamped:
                yield from notices.unconfirmed(one.path, one.outcome.pages)


def _judged(
    found: Iterable[Found], known: frozenset[str], admitted: Mapping[str, str]
) -> Iterator[tuple[FileRecord, Found]]:
    """Each file with its fate; what lies inside a file that was set apart is set apart with it."""
    seen: dict[str, str] = {}
    apart: dict[str, FileRecord] = {}
    for one in found:
        above = apart.get(one.parent or "")
        record = _inside(one, above) if above is not None else _judge(one, seen, known, admitted)
        if record.fate is Fate.QUARANTINED:
            apart[one.path] = record
        yield record, one


def _inside(one: Found, above: FileRecord) -> FileRecord:
    """A file inside one that was set apart."""
    told = f"{one.name} lies inside {above.path}, and is set apart with it."
    return _record(one, Fate.QUARANTINED, above.reason, told)


def _judge(one: Found, seen: dict[str, str], known: frozenset[str], admitted: Mapping[str, str]) -> FileRecord:
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
        told = f"{one.name} is byte for byte the same as {seen[sha256]}, which stands for both."
        same = _record(one, Fate.DUPLICATE, "same_bytes", told)
        return same.model_copy(update={"source": one.id})
    seen[sha256] = one.path
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
        told = f"{one.name} has no text. If it holds pictures, save it as PDF and run OCR."
    return _record(one, Fate.FAILED, "no_text", told)


def _record(one: Found, fate: Fate, reason: str, detail: str, words: int = 0) -> FileRecord:
    return FileRecord(
        path=one.path,
        role=one.role,
        fate=fate,
        reason=reason,
        detail=detail,
        sha256_file=one.sha256_file,
        words=words,
    )


def _sources(kept: Sequence[Found]) -> tuple[Source, ...]:
    """Number the pages once all of them are known: what a Bates number is here depends on the whole production."""
    evidence = [one for one in kept if one.role is Role.EVIDENCE]
    numbers = dict(zip((one.path for one in evidence), number_all([_document(one) for one in evidence]), strict=True))
    by_path = {one.path: one.id for one in kept}
    return tuple(_source(one, numbers.get(one.path), by_path.get(one.parent or "")) for one in kept)


def _document(one: Found) -> Document:
    assert isinstance(one.outcome, Reading)  # noqa: S101 - failures are no sources
    return Document(
        name=PurePosixPath(one.name).stem,
        pages=one.outcome.pages,
        drawn=one.outcome.media_type.startswith(_DRAWN),
    )


def _source(one: Found, numbers: Sequence[Numbers] | None, family: str | None) -> Source:
    reading = one.outcome
    assert isinstance(reading, Reading)  # noqa: S101 - failures are no sources
    stamped = numbers or [((), None)] * len(reading.pages)
    pages = (_page(one.id, n, *both) for n, both in enumerate(zip(reading.pages, stamped, strict=True), 1))
    return Source(
        id=one.id,
        role=one.role,
        path=one.path,
        sha256_file=one.sha256_file or "",
        media_type=reading.media_type,
        extractor=reading.extractor,
        pages=attributed(tuple(pages)),
        correspondence=reading.correspondence,
        family=family,
    )


def _page(source: str, number: int, page: PageReading, numbers: Numbers) -> Page:
    bates, stamped_by = numbers
    bare = Page(
        number=number,
        text=page.text,
        bates=bates,
        stamped_by=stamped_by,
        label=page.label,
        places=page.places,
        designation=page.designation,
        redactions=page.redactions,
        hidden=page.hidden,
        scanned=page.scanned,
        by_ocr=page.by_ocr,
    )
    return page_with_passages(source, bare)
