"""Concordance .DAT and its delimited kin, read strictly: a flaw costs its own field and nothing after it.

Form (Relativity's load file specification): column 0x14, qualifier U+00FE, new line in a field U+00AE, several values
parted by `;`, first row names the fields. The csv module would move text at an inner qualifier and swallow every row
after an unclosed one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lexforge.errors import UnreadableFile
from lexforge.ingest.load_file.decoding import Defect, DefectLog, open_lines, shown
from lexforge.ingest.load_file.dialect import NEWLINE, Dialect, dialect_of
from lexforge.ingest.load_file.fields import Field, columns
from lexforge.ingest.load_file.rows import Row, read_row

MAX_CELLS = 20_000_000
MAX_FIELDS = 2_000
_NUMBERED = re.compile(r"\d{3}")
_BLANK = " \t\x1a\ufeff"  # Ctrl-Z ends a file of DOS; a byte order mark may stand where files were joined
_FLAWS = {
    "unclosed": "its closing qualifier is missing; the value was taken to the next delimiter or record.",
    "inner_quote": "a qualifier inside the value is not doubled; it was kept as a character.",
    "stray_text": "text stands outside the qualifiers and was left out.",
    "unquoted": "a value has no qualifiers though the header's names have; it was kept.",
}


class DatRecord(NamedTuple):
    """One row: the physical line on which it begins, and its values in the order of the fields."""

    line: int
    values: tuple[str, ...]


@dataclass(frozen=True)
class LoadFile:
    """What a .DAT holds. A record whose number of values is not that of `fields` is among `records` as it stands."""

    encoding: str
    fields: tuple[str, ...]
    records: tuple[DatRecord, ...]
    defects: tuple[Defect, ...]

    @cached_property
    def columns(self) -> dict[Field, int]:
        """The column of each field whose meaning is known."""
        return columns(self.fields)

    def value(self, record: DatRecord, field: Field) -> str:
        """The value of a field without outer spaces; empty where the file has no such field or the row is short."""
        column = self.columns.get(field)
        return record.values[column].strip() if column is not None and column < len(record.values) else ""


def read(path: Path) -> LoadFile:
    """Records and every defect with its line.

    UnreadableFile: `missing`, `unreadable`, `empty`, `too_large`, `no_header` (no first row of fields can be told).
    Defect codes: `unclosed`, `inner_quote`, `stray_text`, `unquoted`, `field_count`, `duplicate_field`, `no_header`,
    `nul`, `mixed_encoding`, `undecodable`, `no_byte_order_mark`, `more_defects`.
    """
    log = DefectLog(path.name)
    lines, encoding = open_lines(path, log)
    first = next(number for number, line in enumerate(lines) if line.strip() or number == len(lines) - 1)
    dialect = dialect_of(lines[first], lines[first + 1 : first + 50])
    if dialect is None or lines[first].count(dialect.delimiter) >= MAX_FIELDS:
        raise UnreadableFile(
            "no_header",
            f"The first line of {path.name} names no fields of a load file.",
            "Ask for a load file with a header row, delimited as Concordance does.",
        )
    if sum(line.count(dialect.delimiter) for line in lines) > MAX_CELLS:
        raise UnreadableFile("too_large", f"{path.name} has more than 20 million fields.", "Ask for it in volumes.")
    return _read(lines, first, dialect, encoding, log)


def _read(lines: list[str], first: int, dialect: Dialect, encoding: str, log: DefectLog) -> LoadFile:
    header = read_row(lines, first, dialect, MAX_FIELDS)
    if not columns(header.values) and any(_NUMBERED.search(name) for name in header.values):
        log.add(first + 1, "no_header", "The first row holds values, not names. Ask for a load file with a header row.")
        fields, after = tuple(f"column {n}" for n in range(1, len(header.values) + 1)), first
    else:
        fields, after = tuple(name.strip() for name in header.values), header.after
        _report(header, fields, log)
        _report_repeated(fields, first + 1, log)
    return LoadFile(encoding, fields, tuple(_records(lines, after, dialect, fields, log)), log.listed())


def _records(lines: list[str], at: int, dialect: Dialect, fields: tuple[str, ...], log: DefectLog) -> list[DatRecord]:
    """Sound rows by one split each; the others field by field."""
    quote, joint, expected = dialect.quote, dialect.joint, len(fields)
    marks_newlines, quotes, edge = dialect.marks_newlines, 2 * len(fields), len(dialect.quote)
    records: list[DatRecord] = []
    while at < len(lines):
        line = lines[at]
        if line.count(quote) == quotes if quote else True:
            text = line.replace(NEWLINE, "\n") if marks_newlines else line
            values = text[edge : len(text) - edge].split(joint)
            if len(values) == expected and line.startswith(quote) and line.endswith(quote):
                at += 1
                if quote or line.strip():
                    records.append(DatRecord(at, tuple(values)))
                continue
        if not line.strip(_BLANK):
            at += 1
            continue
        row = read_row(lines, at, dialect, expected)
        at = row.after
        if _is_row(row, line, dialect, expected):
            records.append(DatRecord(row.line, row.values))
            _report(row, fields, log)
        else:
            log.add(row.line, "stray_text", f"Line {row.line} is no record: {shown(line)}.")
    return records


def _is_row(row: Row, line: str, dialect: Dialect, expected: int) -> bool:
    return expected == 1 or len(row.values) > 1 or bool(dialect.quote and line.startswith(dialect.quote))


def _report(row: Row, fields: tuple[str, ...], log: DefectLog) -> None:
    """Each flaw of a row; a wrong number of fields only where no other flaw explains it."""
    seen: set[str] = set()
    for flaw in row.flaws:
        if flaw.code == "unquoted" and seen:  # often what follows from the flaw before it; and once a row is enough
            continue
        seen.add(flaw.code)
        name = fields[flaw.column - 1] if flaw.column <= len(fields) else f"number {flaw.column}"
        log.add(flaw.line, flaw.code, f"Line {flaw.line}, field {shown(name)}: {_FLAWS[flaw.code]}")
    if len(row.values) != len(fields) and not seen - {"unquoted"}:
        log.add(
            row.line,
            "field_count",
            f"Line {row.line} has {len(row.values)} fields where the header names {len(fields)}; "
            "its values may stand under the wrong names. Ask for the row again.",
        )


def _report_repeated(fields: tuple[str, ...], line: int, log: DefectLog) -> None:
    seen: set[str] = set()
    for name in fields:
        if name.casefold() in seen:
            log.add(
                line, "duplicate_field", f"The header names {shown(name)} twice; the first one counts for its meaning."
            )
        seen.add(name.casefold())
