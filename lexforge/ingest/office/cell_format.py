"""A cell of a spreadsheet as a person sees it: its value in its number format (ECMA-376 part 1, section 18.8.31).

Dates are written with the name of the month, whatever the order of the format: `March 4, 2019` can be read in one way
only. A part that the format does not show is not written, so that nobody quotes a day that is not on the sheet.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

Value = str | int | float | bool | datetime | date | time | timedelta

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|_.|\*.', re.S)
_CLOCK = re.compile(r"\[?h+\]?(?::?m{1,2})?(?::?s{1,2}(?:\.0+)?)?|m{1,2}:s{1,2}(?:\.0+)?|\bs{1,2}\b|am/pm|a/p", re.I)
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+")
_CONDITION = re.compile(r"\[[<>=]")
_MOST_DECIMALS = 30
_KEPT = {"0": "\ue000", "#": "\ue001", "?": "\ue002", ",": "\ue003", ".": "\ue004", "%": "\ue005", "/": "\ue006"}
_RESTORED = {ord(kept): sign for sign, kept in _KEPT.items()}


def shown(value: Value, number_format: str) -> str:
    """The words of one cell on one line; empty where its format shows nothing. Never raises."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format or "General")
    if isinstance(value, datetime | date):
        return _date(value, number_format)
    if isinstance(value, time):
        return f"{value:%H:%M}" + (f":{value:%S}" if value.second else "")
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        sign, seconds = "-" * (seconds < 0), abs(seconds)
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")
    return "" if number_format == ";;;" else " ".join(value.split())


def _date(value: date, number_format: str) -> str:
    bare = _LITERAL.sub("", number_format.split(";", maxsplit=1)[0]).lower()
    clock = _CLOCK.search(bare)
    bare = _CLOCK.sub("", bare)
    days = max((len(run) for run in re.findall("d+", bare)), default=0)
    day = re.search(r"(?<!d)d{1,2}(?!d)", bare) is not None
    month, year = "m" in bare, "y" in bare or "e" in bare
    if not (day or month or year or clock or days):
        day = month = year = True
    text = " ".join([_MONTHS[value.month - 1]] * month + [str(value.day)] * day)
    if year:
        text += f"{', ' if day and month else ' ' if text else ''}{value.year}"
    if days > 2:
        text = f"{_DAYS[value.weekday()]}{', ' if text else ''}{text}"
    if clock and isinstance(value, datetime):
        text += f"{' ' if text else ''}{value:%H:%M}" + (f":{value:%S}" if value.second else "")
    return text


def _number(value: float, number_format: str) -> str:
    try:
        number = Decimal(repr(value))
    except InvalidOperation:
        return _general(value)
    if not number.is_finite() or _CONDITION.search(number_format):
        return _general(value)
    sections = _sections(number_format)
    at = 1 if number < 0 and len(sections) > 1 else 2 if number == 0 and len(sections) > 2 else 0
    section = sections[at]
    if "general" in section.lower():
        return re.sub("general", _general(abs(value) if at else value), section, flags=re.I).strip()
    text = _filled(section, abs(number))
    if text is None:
        return _general(value)
    signed = number < 0 and at == 0 and any(sign in "123456789" for sign in text)
    text = ("-" if signed else "") + text.translate(_RESTORED)
    return " ".join(text.replace("$(", "($").split())  # one way to write a negative amount


def _general(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else format(value, ".15g")


@lru_cache(maxsize=1024)
def _sections(number_format: str) -> tuple[str, ...]:
    """The formats for positive, negative, zero and text; signs that they print as they are do not read as digits."""
    folded = _LITERAL.sub(lambda found: _literal(found[1] or found[2] or found[3] or ""), number_format)
    return tuple(part.replace("\ue007", ";") for part in folded.split(";"))


def _literal(text: str) -> str:
    return "".join({**_KEPT, ";": "\ue007"}.get(sign, sign) for sign in text)


def _filled(section: str, number: Decimal) -> str | None:
    """The section with `number` in the place of its digits; None for fractions, powers of ten and text."""
    if "/" in section or re.search(r"[0#]E[+-]", section) or section.strip() == "@":
        return None
    digits = _DIGITS.search(section)
    if digits is None:
        return section
    pattern = digits[0]
    number *= 100 ** section.count("%")
    whole, _, fraction = pattern.partition(".")
    number /= 1000 ** (len(whole) - len(whole.rstrip(",")) if not fraction else 0)
    if len(fraction) > _MOST_DECIMALS or number.adjusted() > _MOST_DECIMALS:
        return None
    text = f"{number.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP):f}"
    left, _, right = text.partition(".")
    optional = len(fraction) - len(fraction.rstrip("#?"))
    right = right[: len(right) - optional] + right[len(right) - optional :].rstrip("0") if optional else right
    wanted = whole.count("0")
    left = "" if left == "0" and not wanted else left.zfill(wanted)
    if "," in whole.rstrip(","):
        left = f"{int(left or 0):,}" if left else ""
    filled = left + ("." + right if right else "")
    return section[: digits.start()] + filled + _DIGITS.sub("", section[digits.end() :])
