"""Whether a date field of a load file is a date, in the forms that vendors write; which day it is, is not decided."""

from __future__ import annotations

import re
from datetime import date
from itertools import permutations

_TIME = (
    r"(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,7})?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r"(?: ?(?:Z|\(?[A-Z]{2,5}\)?|(?:UTC|GMT)? ?[+-]\d{1,2}:?\d{2}(?: \([A-Z]{2,5}\))?))?)?"
)
_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?"
_NUMERIC = re.compile(rf"{_WEEKDAY}(\d{{1,4}})([-/.])(\d{{1,2}})\2(\d{{1,4}}){_TIME}")
_SOLID = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[T ]?\d{4}(?:\d{2})?Z?)?")
_NAMED = re.compile(
    rf"{_WEEKDAY}(?:(?P<a>\d{{1,2}})[ -](?P<m>[A-Za-z]{{3,9}})\.?[ ,-]+|(?P<n>[A-Za-z]{{3,9}})\.? (?P<b>\d{{1,2}}),? )"
    rf"(?P<year>\d{{4}}|\d{{2}}){_TIME}"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def is_date(text: str) -> bool:
    """True for a day that exists in some order of day, month and year; a time and zone may follow it."""
    text = text.strip()
    if len(text) > 80:
        return False
    if found := _NUMERIC.fullmatch(text):
        parts = found[1], found[3], found[4]
        return any(len(order[0]) in (2, 4) and _exists(*map(int, order)) for order in permutations(parts))
    if found := _SOLID.fullmatch(text):
        return _exists(int(found[1]), int(found[2]), int(found[3]))
    if found := _NAMED.fullmatch(text):
        month = (found["m"] or found["n"])[:3].lower()
        day = int(found["a"] or found["b"])
        return month in _MONTHS and _exists(int(found["year"]), _MONTHS.index(month) + 1, day)
    return False


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year if year > 99 else 2000 + year, month, day)
    except ValueError:
        return False
    return True
