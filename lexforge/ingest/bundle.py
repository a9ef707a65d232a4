"""The folder to a bundle: list, read, tell apart, number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from lexforge.domain.evidence import Bundle, Fate, FileRecord, Page, Role, Source
from lexforge.domain.record import Record
from lexforge.errors import BundleError, UnreadableFile
from lexforge.extract.bates_registry import BatesRegistry, learn, stamps
from lexforge.ingest import own_output
from lexforge.ingest.passages import attributed, page_with_passages, source_id
from lexforge.ingest.readers import read
from lexforge.ingest.reading import Reading

FOLDERS = {Role.EVIDENCE: "evidence", Role.AUTHORITY: "authorities"}


class Listed(Record):
    """A file found in the folder, before it is read. `sha256_file` is None when it cannot be opened."""

    path: str
    role: Role
    sha256_file: str | None


class Listing(Record):
    """What lies in a matter's folder: the input that decides whether ingest must run again."""

    files: tuple[Listed, ...]


def listing(root: Path) -> Listing:
    """All files under `evidence/` and `authorities/`, sorted; BundleError when there is neither folder."""
    if not any((root / folder).is_dir() for folder in FOLDERS.values()):
        raise BundleError(
            f"{root} has no evidence/ and no authorities/ folder.", "Put the sources there, or name the right folder."
        )
    own_output.keep_apart(root, FOLDERS)
    files = []
    for role, folder in FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                files.append(Listed(path=path.relative_to(root).as_posix(), role=role, sha256_file=_sha256(path)))
    return Listing(files=tuple(files))


def _sha256(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def ingest(
    root: Path,
    listed: Listing,
    known: frozenset[str] = frozenset(),
    progress: Callable[[str], None] = lambda _: None,
    admitted: Mapping[str, str] = MappingProxyType({}),
) -> Bundle:
    """Read every listed file; every file gets a fate.

    `known` are hashes of files that LexForge wrote, `admitted` those of papers admitted as procedural record, with the
    reason. What only its words give away is set apart afterwards (`own_output.set_apart`).
    """
    files: list[FileRecord] = []
    readings: list[tuple[Listed, Reading]] = []
    seen: dict[str, str] = {}
    for file in listed.files:
        progress(file.path)
        record, reading = _judge(root, file, seen, known, admitted)
        files.append(record)
        if reading is not None:
            readings.append((file, reading))
    return Bundle(sources=_sources(readings), files=tuple(files))


def _judge(
    root: Path, file: Listed, seen: dict[str, str], known: frozenset[str], admitted: Mapping[str, str]
) -> tuple[FileRecord, Reading | None]:
    try:
        reading = read(root / file.path)
    except UnreadableFile as error:
        return _record(file, Fate.FAILED, error.code, str(error)), None
    sha256 = file.sha256_file or ""
    words = sum(len(page.split()) for page in reading.texts)
    read_as = _record(file, Fate.INGESTED, "misnamed" if reading.note else "read", reading.note, words)
    ours = own_output.quarantined(read_as, reading, known, admitted)
    if ours is not None:
        return ours, None
    if sha256 in seen:
        told = f"{Path(file.path).name} is byte for byte the same as {seen[sha256]}, which stands for both."
        return _record(file, Fate.DUPLICATE, "same_bytes", told), None
    seen[sha256] = file.path
    return read_as.model_copy(update={"source": source_id(file.role, sha256)}), reading


def _record(file: Listed, fate: Fate, reason: str, detail: str, words: int = 0) -> FileRecord:
    return FileRecord(
        path=file.path,
        role=file.role,
        fate=fate,
        reason=reason,
        detail=detail,
        sha256_file=file.sha256_file,
        words=words,
    )


def _sources(readings: Iterable[tuple[Listed, Reading]]) -> tuple[Source, ...]:
    """Number the pages once all of them are known: what a Bates number is here depends on the whole production."""
    readings = list(readings)
    registry = learn(reading.texts for file, reading in readings if file.role is Role.EVIDENCE)
    return tuple(_source(file, reading, registry) for file, reading in readings)


def _source(file: Listed, reading: Reading, registry: BatesRegistry) -> Source:
    name = source_id(file.role, file.sha256_file or "")
    return Source(
        id=name,
        role=file.role,
        path=file.path,
        sha256_file=file.sha256_file or "",
        media_type=reading.media_type,
        extractor=reading.extractor,
        pages=attributed(tuple(_page(name, n, text, file.role, registry) for n, text in enumerate(reading.texts, 1))),
        correspondence=reading.correspondence,
    )


def _page(source: str, number: int, text: str, role: Role, registry: BatesRegistry) -> Page:
    stamped = tuple(stamp.text for stamp in stamps(text, registry)) if role is Role.EVIDENCE else ()
    return page_with_passages(source, number, text, stamped)
