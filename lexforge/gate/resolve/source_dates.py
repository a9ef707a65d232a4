"""Every date that stands in a source, in whatever form, with the place where it stands.

Read with a light grammar of its own: sources are long, partly scanned, and here a date need only be recognised, not
told apart from every look-alike. What is read too generously in a source cannot harm a draft by itself, because a
draft's date must agree in year, month and day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import DateValue

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may",), ("june", "jun"),
            ("july", "jul"), ("august", "aug"), ("september", "sept", "sep"), ("october", "oct"), ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}  # fmt: skip
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
DAY = r"\d{1,2}(?:st|nd|rd|th|d)?(?!\d)"
# A year of a scan can run into the hour that follows it ("201112:37 PM").
YEAR = r"(?:1[5-9]|20)\d\d(?=\d{0,2}:\d\d|(?!\d))"
GAP = r"[\s,]*"
WRITTEN = re.compile(
    rf"\b(?P<before>{DAY}(?:\s*(?:,|and|&|to|[-–])\s*{DAY})*)\s*(?:day\s+)?(?:of\s+)?(?P<month1>{MONTH})"
    rf"{GAP}(?P<year1>{YEAR})"
    rf"|\b(?P<month>{MONTH})\s*(?:(?P<days>{DAY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+&\s+|\s+to\s+|\s+through\s+"
    rf"|\s*[-–]\s*){DAY})*)(?![\d:])(?:{GAP}(?:of\s+)?(?P<year>{YEAR}))?|{GAP}(?:of\s+)?(?P<month_year>{YEAR}))",
    re.I,
)
JOINED_MONTHS = re.compile(
    rf"\b(?P<first>{MONTH})\s*(?:and|to|through|or|&|[-–])\s*{MONTH}{GAP}(?:of\s+)?(?P<year>{YEAR})", re.I
)
NUMERIC = re.compile(r"(?<![\d/.-])(\d{1,4})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?=\d{0,2}:\d\d|(?![\d/]))")
NUMBER = re.compile(r"\d+")
CENTURY_TURN = 50


class Dated(NamedTuple):
    """A date at `text[start:end]` of a source."""

    value: DateValue
    start: int
    end: int


def _month(raw: str) -> int:
    return MONTHS[raw.lower().rstrip(".")]


def _days(raw: str) -> Iterator[int]:
    """Every day named; the days between two joined by a dash or "to" as well."""
    found = [(int(m.group()), m.start()) for m in NUMBER.finditer(raw)]
    for (day, at), following in zip(found, [*found[1:], (0, len(raw))], strict=True):
        yield day
        joint = raw[at : following[1]]
        if following[0] > day and re.search(r"[-–]|\bto\b|\bthrough\b", joint):
            yield from range(day + 1, following[0])


def _written(text: str) -> Iterator[Dated]:
    shared: list[tuple[int, int, int, int]] = []
    for match in WRITTEN.finditer(text):
        start, end = match.span()
        if match["month1"]:
            for day in _days(match["before"]):
                yield Dated(DateValue(year=int(match["year1"]), month=_month(match["month1"]), day=day), start, end)
            continue
        month = _month(match["month"])
        if match["month_year"]:
            yield Dated(DateValue(year=int(match["month_year"]), month=month), start, end)
            continue
        year = int(match["year"]) if match["year"] else None
        for day in _days(match["days"]):
            yield Dated(DateValue(year=year, month=month, day=day), start, end)
        # "June 1 and July 15, 2018": the year belongs to both days.
        if year is not None:
            for earlier, day, its_start, its_end in shared:
                if start - its_end <= 6 and re.fullmatch(r"[\s,]*(?:and|to|through|or|&|[-–])\s*", text[its_end:start]):
                    yield Dated(DateValue(year=year, month=earlier, day=day), its_start, end)
        shared = [(month, day, start, end) for day in _days(match["days"])] if year is None else []


def _joined_months(text: str) -> Iterator[Dated]:
    """Months before another one: in "June and July 2008" the year belongs to both."""
    for match in JOINED_MONTHS.finditer(text):
        yield Dated(DateValue(year=int(match["year"]), month=_month(match["first"])), *match.span())


def _numeric(text: str, order: DateOrder) -> Iterator[Dated]:
    for match in NUMERIC.finditer(text):
        one, two, three = int(match[1]), int(match[3]), int(match[4])
        if len(match[1]) == 4:
            year, month, day = one, two, three
        else:
            month, day = (one, two) if order is DateOrder.MONTH_FIRST else (two, one)
            year = three if len(match[4]) == 4 else three + (2000 if three < CENTURY_TURN else 1900)
        value = DateValue(year=year, month=month, day=day)
        if value.is_possible:
            yield Dated(value, *match.span())


def dates_in(text: str, order: DateOrder) -> list[Dated]:
    """All dates of a source text, in order of their places."""
    return sorted((*_written(text), *_joined_months(text), *_numeric(text, order)), key=lambda dated: dated.start)
