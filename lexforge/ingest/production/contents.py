"""A matter's files read as its load files say: each produced document is one source, and its files are parts of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lexforge.domain.evidence import Fate, FileRecord, Notice, Role, Source
from lexforge.ingest import notices
from lexforge.ingest.folder import Found, Means, read_folder
from lexforge.ingest.listing import FOLDERS, Listed, Listing, shown
from lexforge.ingest.load_file.decoding import Defect
from lexforge.ingest.load_file.documents import ProducedDocument
from lexforge.ingest.load_file.numbers import number_of
from lexforge.ingest.load_file.production import Production, find
from lexforge.ingest.load_file.quality import check
from lexforge.ingest.production.document import Document, Record, assembled, with_inside
from lexforge.ingest.production.text import text_of


@dataclass(frozen=True)
class Contents:
    """What a matter's folder holds: every file in the order of the list, and what the load files make of them.

    A file in `found` that is only `Listed` was not read: it is a load file, or part of a document.
    """

    found: tuple[Found | Listed, ...]
    documents: tuple[Document, ...] = ()
    load_files: tuple[FileRecord, ...] = ()
    notices: tuple[Notice, ...] = ()


def read(root: Path, listed: Listing, progress: Callable[[str], None], means: Means) -> Contents:
    """Read every listed file; page images only of documents that have no text otherwise, for OCR takes long."""
    evidence = root / FOLDERS[Role.EVIDENCE]
    by_path = {file.path: file for file in listed.files if file.role is Role.EVIDENCE}
    productions, records, told = _records(find(evidence), by_path)
    if not productions:
        return Contents(tuple(read_folder(root, listed, progress, means)))
    told += [_notice(defect) for one in productions for defect in check(one, evidence)]
    load_files = [
        _record(one, by_path[path]) for one in productions for path in sorted(_load_files(one) & set(by_path))
    ]
    groups: dict[str, list[Found]] = {}
    for files in _in_turn(listed, records, {file.path for file in load_files}, groups):
        for one in read_folder(root, files, progress, means):
            if one.parent is None:
                groups[one.path] = group = []
            group.append(one)
    for file in listed.files:
        if file.path not in groups:
            progress(file.path)
    documents = tuple(assembled(records, by_path, groups))
    told += [notice for document in documents for notice in document.notices]
    inside: dict[str, list[Found]] = defaultdict(list)
    for record in records:
        inside[record.load_file] += [record.inside] if record.inside else []
    found: list[Found | Listed] = []
    for file in listed.files:
        found += [*groups.get(file.path, [file]), *inside[file.path]]
    return Contents(tuple(found), documents, tuple(load_files), tuple(told))


def _in_turn(
    listed: Listing, records: Sequence[Record], load_files: set[str], groups: Mapping[str, Sequence[Found]]
) -> Iterator[Listing]:
    """First all files but load files and page images, then the images of what has no text by then, as in `groups`."""
    images = {path for record in records for path in record.images}
    images -= {path for record in records for path in record.texts_and_native}
    yield _only(listed, lambda path: path not in images and path not in load_files)
    without = [record for record in records if text_of(record.document, record.outcomes(groups)) is None]
    wanted = {path for record in without for path in record.images if path in images}
    if wanted:
        yield _only(listed, wanted.__contains__)


def _only(listed: Listing, chosen: Callable[[str], bool]) -> Listing:
    return Listing(files=tuple(file for file in listed.files if chosen(file.path)))


def _path(inside: str) -> str:
    """A path of the production as it is listed."""
    return shown(Path(FOLDERS[Role.EVIDENCE], inside))


def _load_files(production: Production) -> set[str]:
    return {_path(path) for path in (production.dat, production.opt) if path is not None}


class _Owners:
    """Which document a file belongs to: the first one that leads to it."""

    def __init__(self, listed: Mapping[str, Listed], load_files: set[str]) -> None:
        self._listed = listed
        self._owners = dict.fromkeys(load_files, "a load file")
        self.refused: dict[str, tuple[str, int]] = {}

    def given(self, document: ProducedDocument) -> ProducedDocument:
        """The document with those of its files that are listed and no one else's, their paths as they are listed."""
        mine: set[str] = set()

        def own(path: str | None) -> str | None:
            name = _path(path) if path is not None else ""
            if name not in self._listed:
                return None
            if name not in mine and name in self._owners:
                self.refused.setdefault(name, (self._owners[name], document.line))
                return None
            mine.add(name)
            self._owners[name] = document.first
            return name

        pages = tuple(replace(page, image=own(page.image), text=own(page.text)) for page in document.pages)
        return replace(document, text=own(document.text), native=own(document.native), pages=pages)


def _records(
    found: Sequence[Production], by_path: Mapping[str, Listed]
) -> tuple[list[Production], list[Record], list[Notice]]:
    """The productions, all their records with the files of each, and what must be told of files that several name.

    A table that leads to no file that is not another's already may be a privilege log: it stays a file to be read.
    """
    owners = _Owners(by_path, {path for one in found for path in _load_files(one)})
    productions, records, told = list[Production](), list[Record](), list[Notice]()
    for production in sorted(found, key=_is_table):
        owners.refused = {}
        load_file = _path(production.dat or production.opt or "")
        own = [with_inside(Record(owners.given(document), load_file)) for document in production.documents]
        none_here = _load_files(production).isdisjoint(by_path)
        if none_here or (_is_table(production) and not any(record.inside or record.files for record in own)):
            continue
        productions.append(production)
        records += own
        told += _shared(load_file, owners.refused)
    return productions, records, told


def _is_table(production: Production) -> bool:
    """Whether its only load file is no .DAT or .OPT, which hold nothing but records."""
    return all(not path.lower().endswith((".dat", ".opt")) for path in _load_files(production))


def _shared(load_file: str, refused: Mapping[str, tuple[str, int]]) -> Iterator[Notice]:
    if not refused:
        return
    name, (owner, line) = next(iter(refused.items()))
    message = f"Line {line} leads to {name}, which belongs to {owner} already and was left there."
    message += f" The same is so for {len(refused) - 1} other files." if len(refused) > 1 else ""
    yield Notice(path=load_file, code="load_file_shared", message=message, line=line)


def _record(production: Production, file: Listed) -> FileRecord:
    """The fate of a load file."""
    name = file.path.rsplit("/", 1)[-1]
    is_dat = production.dat is not None and _path(production.dat) == file.path
    fate, reason = Fate.INGESTED, "load_file"
    detail = f"{name} lists {len(production.documents)} documents of {production.name}."
    if (production.load_file if is_dat else production.opt_file) is None:
        failed = next(defect for defect in production.defects if _path(defect.file) == file.path and not defect.line)
        fate, reason, detail = Fate.FAILED, failed.code, failed.message
    return FileRecord(
        path=file.path, role=file.role, fate=fate, reason=reason, detail=detail, sha256_file=file.sha256_file
    )


def _notice(defect: Defect) -> Notice:
    return Notice(path=_path(defect.file), code=f"load_{defect.code}", message=defect.message, line=defect.line or None)


def of_bates(sources: Sequence[Source], documents: Sequence[Document]) -> Iterator[Notice]:
    """Gaps and repeated numbers of all sources, without gaps of a series that one load file reports on alone."""
    volumes = {one.source.id: one.load_file for one in documents if one.source is not None}
    holders: dict[tuple[str, int], set[str | None]] = defaultdict(set)
    series: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for source in sources if volumes else ():
        for number in (number_of(text) for page in source.pages for text in page.bates):
            if number is not None:
                holders[number.key].add(volumes.get(source.id))
                series[source.path].add(number.key)
    for notice in notices.of_bates(sources):
        told = (holders[key] for key in series[notice.path])
        if notice.code != "bates_gap" or not volumes or any(len(ones) > 1 or None in ones for ones in told):
            yield notice
