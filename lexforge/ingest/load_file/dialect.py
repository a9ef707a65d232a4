"""How a delimited load file is written: which character parts its fields and which one encloses them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from lexforge.ingest.load_file.fields import field_of

THORN = "\u00fe"
COLUMN = "\x14"
NEWLINE = "\u00ae"
_DELIMITERS = f"{COLUMN}\u00b6{NEWLINE}|^\t;,"
_SAMPLE = 65_536


@dataclass(frozen=True)
class Dialect:
    """`delimiter` parts fields, `quote` (may be empty) encloses them; `strict` where the header encloses every name."""

    delimiter: str
    quote: str
    strict: bool = False

    @property
    def hard(self) -> bool:
        """Whether the delimiter is one that no value holds; then it parts fields even where a quote is missing."""
        return self.delimiter in (COLUMN, "\u00b6", NEWLINE)

    @property
    def joint(self) -> str:
        """What stands between two enclosed values."""
        return self.quote + self.delimiter + self.quote

    @property
    def marks_newlines(self) -> bool:
        """Whether the registered sign stands for a new line in a value (Concordance's own form)."""
        return self.delimiter == COLUMN and self.quote == THORN

    @cached_property
    def quotes(self) -> re.Pattern[str]:
        """Quotes side by side."""
        return re.compile(f"{re.escape(self.quote)}+")

    def begins_record(self, line: str, fields: int) -> bool:
        """Whether a line looks like the first of a record and not like the rest of a field above it."""
        if line.startswith(self.quote):
            return line[1:2] != self.delimiter and (fields == 1 or self.quote + self.delimiter in line[1:])
        return fields > 1 and line.count(self.delimiter) == fields - 1 and not self._closes_first(line)

    def _closes_first(self, line: str) -> bool:
        return line.partition(self.delimiter)[0].endswith(self.quote)


def dialect_of(header: str, following: list[str]) -> Dialect | None:
    """The dialect that a header row shows; `following` are lines to look at where it encloses nothing. None: no row."""
    for quote in (THORN, '"'):
        if header.startswith(quote):
            after = header[header.find(quote, 1) + 1 :][:1]
            if header.count(quote) == 2 and not after:
                return Dialect(COLUMN, quote, strict=True)
            if header.count(quote) > 1 and after and after in _DELIMITERS:
                return Dialect(after, quote, strict=header.count(after + quote) == header.count(after))
    delimiter = _most_telling(header)
    if delimiter is None:
        return None
    sample = "\n".join([header, *following])[:_SAMPLE]
    for quote in (THORN, '"'):
        if quote + delimiter + quote in sample:
            return Dialect(delimiter, quote)
    return Dialect(delimiter, {COLUMN: THORN, ",": '"'}.get(delimiter, ""))


def _most_telling(header: str) -> str | None:
    """The delimiter under which most names are known; without any, the one that only load files use."""
    known = {mark: _known(header, mark) for mark in _DELIMITERS if mark in header}
    best = max(known, key=lambda mark: (known[mark], -_DELIMITERS.index(mark)), default=None)
    if best is not None and known[best]:
        return best
    if COLUMN in header:
        return COLUMN
    return COLUMN if field_of(header) and len(header) < 100 else None


def _known(header: str, mark: str) -> int:
    return sum(field_of(name) is not None for name in header.split(mark, 2000)[:2000])
