"""Opticon .OPT, one line a page: page id, volume, path, `Y` where a document starts, folder, box, page count.

Form as in Relativity's load file specification and Epiq's production specification: no qualifiers, so a comma in a
path can only be told by the number of fields; the count may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lexforge.errors import UnreadableFile
from lexforge.ingest.load_file.decoding import Defect, DefectLog, open_lines, shown

FIELDS = 7
_LEAST = 4


class OptPage(NamedTuple):
    """One page: `starts` where a document begins, `document_pages` how many it should have, None if not stated."""

    line: int
    page_id: str
    volume: str
    path: str
    starts: bool
    folder: str
    box: str
    document_pages: int | None


@dataclass(frozen=True)
class OptFile:
    """What an .OPT holds, in its order."""

    encoding: str
    pages: tuple[OptPage, ...]
    defects: tuple[Defect, ...]


def read(path: Path) -> OptFile:
    """Pages and every defect with its line.

    UnreadableFile: `missing`, `unreadable`, `empty`, `too_large`, `no_header` (an endless first line), `no_opt` (its
    first line is none of an .OPT). Defect codes: `field_count`, `comma_in_path`, `no_page_id`, `no_path`,
    `document_mark`, `no_document_start`, `count`, and those of the encoding.
    """
    log = DefectLog(path.name)
    lines, encoding = open_lines(path, log)
    if not looks_like(next(line for line in [*lines, ","] if line.strip())):
        raise UnreadableFile(
            "no_opt", f"{path.name} does not begin like an Opticon file.", "Ask for an .OPT with seven fields a page."
        )
    pages: list[OptPage] = []
    for number, line in enumerate(lines, 1):
        if line.strip(" \t\x1a\ufeff,"):
            page = _page(number, line, log)
            if page is None:
                continue
            if not pages and not page.starts:
                log.add(number, "no_document_start", f"Line {number}: the first page does not start a document (Y).")
            pages.append(page)
    return OptFile(encoding, tuple(pages), log.listed())


def looks_like(line: str) -> bool:
    """Whether a line has the form of a page of an .OPT."""
    parts = line.split(",", 20)
    return len(parts) >= _LEAST and bool(parts[0].strip()) and any(p.strip().upper() in ("", "Y") for p in parts[3:])


def _page(number: int, line: str, log: DefectLog) -> OptPage | None:
    parts = line.split(",", 100)
    if len(parts) > FIELDS:
        split = len(parts) - FIELDS + 3
        parts = [*parts[:2], ",".join(parts[2:split]), *parts[split:]]
        log.add(number, "comma_in_path", f"Line {number} has more than 7 fields; the surplus was taken for the path.")
    elif len(parts) < _LEAST:
        log.add(number, "field_count", f"Line {number} has {len(parts)} fields instead of 7 and was left out.")
        return None
    elif len(parts) < FIELDS - 1:  # the last field, the count, may be missing with its comma
        log.add(number, "field_count", f"Line {number} has {len(parts)} fields instead of 7.")
    parts = [part.strip(" \t\ufeff\x1a") for part in parts]
    page_id, volume, path, mark, folder, box, count = parts + [""] * (FIELDS - len(parts))
    if not page_id:
        log.add(number, "no_page_id", f"Line {number} has no page id and was left out.")
        return None
    if not path:
        log.add(number, "no_path", f"Line {number}: page {shown(page_id)} names no image.")
    if mark.upper() not in ("", "Y"):
        log.add(number, "document_mark", f"Line {number}: {shown(mark)} stands where only Y or nothing may.")
    return OptPage(number, page_id, volume, path, mark.upper() == "Y", folder, box, _count(number, count, log))


def _count(number: int, text: str, log: DefectLog) -> int | None:
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0:
        return int(text)
    log.add(number, "count", f"Line {number}: {shown(text)} is no number of pages.")
    return None
