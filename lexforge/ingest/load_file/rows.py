"""One row of a delimited load file field by field: where a field ends when its qualifiers are not as they should be."""

from __future__ import annotations

from typing import NamedTuple

from lexforge.ingest.load_file.dialect import NEWLINE, Dialect


class Flaw(NamedTuple):
    """What is wrong with a field: physical line, stable code, number of the field from 1."""

    line: int
    code: str
    column: int


class Row(NamedTuple):
    """A row: physical line on which it begins, values, flaws, and the index of the line after it."""

    line: int
    values: tuple[str, ...]
    flaws: tuple[Flaw, ...]
    after: int


class _Cell(NamedTuple):
    """A field of the text: its value, where its delimiter stands, and its flaw; `open` may go on in the next line."""

    value: str
    end: int
    flaw: str = ""


def read_row(lines: list[str], at: int, dialect: Dialect, fields: int) -> Row:
    """The row that begins with `lines[at]`; `fields` is how many it should have.

    A field without its closing qualifier ends at the next delimiter or, as the last one, before the next line that
    begins like a record. Time grows with the length of the row, whatever it holds.
    """
    first, number, text, start = at + 1, at + 1, lines[at], 0
    at += 1
    values: list[str] = []
    flaws: list[Flaw] = []
    while True:
        opened, cell = number, _cell(text, start, dialect)
        if cell.flaw == "open":
            after, closed = _continued(lines, at, dialect, fields) if len(values) < fields else (at, False)
            text, start = "\n".join([text[start:], *lines[at:after]]), 0
            number = at = after
            cell = _cell(text, 0, dialect) if closed else _cut(text, dialect)
        if cell.flaw:
            flaws.append(Flaw(opened, cell.flaw if cell.flaw != "open" else "unclosed", len(values) + 1))
        values.append(cell.value.replace(NEWLINE, "\n") if dialect.marks_newlines else cell.value)
        if cell.end >= len(text):
            return Row(first, tuple(values), tuple(flaws), at)
        start = cell.end + 1


def _cell(text: str, start: int, dialect: Dialect) -> _Cell:
    if dialect.quote and text.startswith(dialect.quote, start):
        return _enclosed(text, start, dialect)
    end = _until(text, dialect.delimiter, start)
    piece = text[start:end]
    if not dialect.quote or dialect.quote not in piece:
        return _Cell(piece, end, "unquoted" if dialect.strict and piece.strip() else "")
    if not dialect.hard and not piece.rstrip().endswith(dialect.quote):
        return _Cell(piece, end, "inner_quote")
    inside = piece[piece.find(dialect.quote) + 1 : piece.rfind(dialect.quote)]
    return _Cell(inside if piece.count(dialect.quote) > 1 else piece.replace(dialect.quote, ""), end, "stray_text")


def _enclosed(text: str, start: int, dialect: Dialect) -> _Cell:
    quote = dialect.quote
    close, next_field = _bounds(text, start + 1, dialect)
    if close >= 0:
        raw = text[start + 1 : close]
        alone = quote in raw.replace(quote * 2, "")
        return _Cell(raw.replace(quote * 2, quote), close + 1, "inner_quote" if alone else "")
    if dialect.hard:
        next_field = text.find(dialect.delimiter, start)
    end = next_field if next_field >= 0 else len(text)
    raw = text[start + 1 : end]
    if quote in raw.replace(quote * 2, ""):
        return _Cell(raw[: raw.rfind(quote)].replace(quote * 2, quote), end, "stray_text")
    return _Cell(raw.replace(quote * 2, quote), end, "unclosed" if end < len(text) else "open")


def _bounds(text: str, start: int, dialect: Dialect) -> tuple[int, int]:
    """Where a field open at `start` is closed, or else the delimiter before the next field that is enclosed; -1: none.

    A doubled quote stands for itself. Before a delimiter that no value holds, two are one inside and one that closes.
    """
    hard = dialect.hard
    for run in dialect.quotes.finditer(text, start):
        single = hard or (run.end() - run.start()) % 2
        opens = single and run.start() > start and text[run.start() - 1] == dialect.delimiter
        closes = single and (run.end() == len(text) or text[run.end()] == dialect.delimiter)
        if closes and not (hard and opens):
            return run.end() - 1, -1
        if opens:
            return -1, run.start() - 1
    return -1, -1


def _continued(lines: list[str], at: int, dialect: Dialect, fields: int) -> tuple[int, bool]:
    """The index after the lines that belong to a field left open before `lines[at]`, and whether it is closed there."""
    for index in range(at, len(lines)):
        line = lines[index]
        if dialect.begins_record(line, fields):
            return index, False
        close, next_field = _bounds(line, 0, dialect)
        if close >= 0:
            return index + 1, True
        if next_field >= 0 or (dialect.hard and dialect.delimiter in line):
            return index, False
    return len(lines), False


def _cut(text: str, dialect: Dialect) -> _Cell:
    end = _until(text, dialect.delimiter, 0)
    return _Cell(text[1:end].rstrip("\n"), end, "unclosed")


def _until(text: str, mark: str, start: int) -> int:
    end = text.find(mark, start)
    return len(text) if end < 0 else end
