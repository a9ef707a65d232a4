"""Productions in an evidence folder: load files found by ending and content, each tied to the files beneath it."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from lexforge.errors import UnreadableFile
from lexforge.ingest.load_file import dat, opt
from lexforge.ingest.load_file.dat import LoadFile
from lexforge.ingest.load_file.decoding import Defect, DefectLog, first_lines
from lexforge.ingest.load_file.dialect import COLUMN, THORN, dialect_of
from lexforge.ingest.load_file.documents import ProducedDocument, ProducedPage, documents_of
from lexforge.ingest.load_file.fields import Field, columns
from lexforge.ingest.load_file.opt import OptFile
from lexforge.ingest.load_file.paths import Folder

__all__ = ["ProducedDocument", "ProducedPage", "Production", "find"]

_HEAD = 65_536
_DATA = {"data", "dat", "load", "loadfile", "loadfiles", "load files", "load_files", "load file"}
_ROWS = {".dat", ".csv", ".txt", ".tsv"}
_PAGES = {".opt", ".log"}
_TELLING = {Field.LAST, Field.FAMILY_FIRST, Field.TEXT, Field.NATIVE}
_CONTENT = ("image", "img", "tif", "jpg", "pdf", "native", "text", "txt", "ocr")
_NOT_PRODUCED = {"thumbs.db", "desktop.ini", ".ds_store"}


@dataclass(frozen=True)
class Production:
    """One volume: its load files and folder, relative to the evidence folder with `/` (`.` for that folder itself).

    `defects` are those of reading its load files and paths. `unclaimed` are files that no record of it, nor of another
    production in the same folder, leads to.
    """

    name: str
    folder: str
    dat: str | None
    opt: str | None
    load_file: LoadFile | None
    opt_file: OptFile | None
    documents: tuple[ProducedDocument, ...]
    defects: tuple[Defect, ...]
    unclaimed: tuple[str, ...] = ()


class _Found(NamedTuple):
    production: Production
    folder: Folder
    images: set[str]


def find(root: Path) -> tuple[Production, ...]:
    """The productions beneath `root`, in order of their load files' paths.

    A .DAT and an .OPT of one folder belong together when they are called alike or are the only two. A load file that
    cannot be read is a production without documents whose one defect says why.
    """
    rows, pages = _load_files(root)
    return tuple(_with_unclaimed([_production(root, *pair) for pair in _paired(rows, pages)]))


def _load_files(root: Path) -> tuple[list[str], list[str]]:
    rows, pages = [], []
    for place, folders, names in os.walk(root):
        folders[:] = sorted(folder for folder in folders if not folder.casefold().startswith(_CONTENT))
        for name in names:
            path = Path(place) / name
            if path.suffix.lower() not in _ROWS | _PAGES or not path.is_file() or path.is_symlink():
                continue
            relative = path.relative_to(root).as_posix()
            if path.suffix.lower() in _ROWS and _holds_rows(path):
                rows.append(relative)
            elif path.suffix.lower() in _PAGES and _holds_pages(path):
                pages.append(relative)
    return sorted(rows), sorted(pages)


def _head(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(_HEAD)
    except OSError:
        return []
    return [line for line in first_lines(data) if line.strip()]


def _holds_rows(path: Path) -> bool:
    """A row that names the first Bates number and something else of a production; any row in a .DAT among load files.

    A spreadsheet of the evidence may number its rows as documents too.
    """
    lines = _head(path)
    if path.suffix.lower() == ".dat" and _in_data(path):
        return True
    if not lines:
        return False
    if path.suffix.lower() == ".dat" and THORN in lines[0] and COLUMN in lines[0]:
        return True
    dialect = dialect_of(lines[0], lines[1:50])
    if dialect is None or dialect.delimiter not in lines[0]:
        return False
    known = columns(tuple(name.strip(dialect.quote + " ") for name in lines[0].split(dialect.delimiter, 2000)))
    return Field.FIRST in known and not known.keys().isdisjoint(_TELLING)


def _holds_pages(path: Path) -> bool:
    lines = _head(path)
    if path.suffix.lower() == ".opt" and _in_data(path):
        return True
    return bool(lines) and opt.looks_like(lines[0]) and (path.suffix.lower() == ".opt" or ",Y," in lines[0])


def _in_data(path: Path) -> bool:
    return path.parent.name.casefold() in _DATA


def _paired(rows: list[str], pages: list[str]) -> list[tuple[str | None, str | None]]:
    """Load files by folder: first those called alike, then the one that is left of each kind; the others alone."""
    by_folder: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for kind, paths in enumerate((rows, pages)):
        for path in paths:
            by_folder[str(PurePosixPath(path).parent)][kind].append(path)
    pairs: list[tuple[str | None, str | None]] = []
    for dats, opts in by_folder.values():
        left = {PurePosixPath(path).stem.casefold(): path for path in opts}
        alike = [(path, left.pop(PurePosixPath(path).stem.casefold(), None)) for path in dats]
        alone = [path for path, other in alike if other is None]
        if len(alone) == len(left) == 1:
            other = left.popitem()[1]
            alike = [(path, mate or other) for path, mate in alike]
        pairs += alike
        pairs += [(None, path) for path in left.values()]
    return sorted(pairs, key=lambda pair: (pair[0] or pair[1] or "", pair[1] or ""))


def _production(root: Path, dat_path: str | None, opt_path: str | None) -> _Found:
    home = PurePosixPath(dat_path or opt_path or ".").parent
    in_data = home.name.casefold() in _DATA
    place = home.parent if in_data else home
    folder = Folder(root, place.as_posix(), home.as_posix())
    log, opt_log = DefectLog(dat_path or opt_path or ""), DefectLog(opt_path or "")
    load, failed = _read_rows(root, dat_path)
    pages, opt_failed = _read_pages(root, opt_path)
    documents, images = documents_of(load, pages, folder, log, opt_log)
    defects = [*failed, *opt_failed, *log.listed(), *opt_log.listed()]
    defects += [_of(dat_path, defect) for defect in (load.defects if load else ())]
    defects += [_of(opt_path, defect) for defect in (pages.defects if pages else ())]
    name = (root / place).resolve().name
    production = Production(
        name, place.as_posix(), dat_path, opt_path, load, pages, tuple(documents), tuple(sorted(set(defects)))
    )
    return _Found(production, folder, images)


def _of(path: str | None, defect: Defect) -> Defect:
    return Defect(defect.line, defect.code, defect.message, path or "")


def _read_rows(root: Path, path: str | None) -> tuple[LoadFile | None, list[Defect]]:
    try:
        return (dat.read(root / path) if path else None), []
    except UnreadableFile as error:
        return None, [Defect(0, error.code, str(error), path or "")]


def _read_pages(root: Path, path: str | None) -> tuple[OptFile | None, list[Defect]]:
    try:
        return (opt.read(root / path) if path else None), []
    except UnreadableFile as error:
        return None, [Defect(0, error.code, str(error), path or "")]


def _with_unclaimed(found: list[_Found]) -> list[Production]:
    claimed: set[str] = set()
    for production, _, images in found:
        claimed |= images | {path for path in (production.dat, production.opt) if path}
        for document in production.documents:
            claimed |= {path for path in (document.text, document.native) if path}
            claimed |= {page.text for page in document.pages if page.text}
    completed = []
    for production, folder, _ in found:
        unclaimed = [path for path in _produced(production, folder, claimed) if path not in claimed]
        claimed |= set(unclaimed)  # reported once, with the first production of the folder
        completed.append(replace(production, unclaimed=tuple(unclaimed)))
    return completed


def _produced(production: Production, folder: Folder, claimed: set[str]) -> list[str]:
    """Files in the folders that hold what was produced: those called so, and those that a record leads into."""
    prefix = "" if production.folder == "." else f"{production.folder}/"
    used = {path.removeprefix(prefix).split("/")[0] for path in claimed if path.startswith(prefix)}
    found = []
    for name in folder.files:
        top = name.split("/")[0]
        if top == name or name.rsplit("/", 1)[-1].casefold() in _NOT_PRODUCED or top.casefold() in _DATA:
            continue
        if top in used or top.casefold().startswith(_CONTENT):
            found.append(prefix + name)
    return found
