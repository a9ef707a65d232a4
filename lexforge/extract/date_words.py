"""The words dates are made of: months, weekdays, ordinals and years written out."""

from __future__ import annotations

import re

MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?|Sept?"
    r"(?:ember|\.)?"
    r"|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?"
    r"|JAN(?:UARY|\.)?|FEB(?:RUARY|\.)?|MAR(?:CH|\.)?|APR(?:IL|\.)?|MAY|JUNE?\.?|JULY?\.?|AUG(?:UST|\.)?|SEPT?"
    r"(?:EMBER|\.)?"
    r"|OCT(?:OBER|\.)?|NOV(?:EMBER|\.)?|DEC(?:EMBER|\.)?)(?![A-Za-z])"
)
WEEKDAY = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY"
    r"|(?:Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\b\.?)"
)
_UNITS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS = {word: number for number, word in enumerate(_UNITS.split(), start=1)}
ORDINALS |= {f"twenty-{word}": 20 + number for word, number in list(ORDINALS.items())[:9]}
ORDINALS |= {"thirtieth": 30, "thirty-first": 31}
ORDINAL = "(?i:" + "|".join(sorted((word.replace("-", "[- ]") for word in ORDINALS), key=len, reverse=True)) + ")"

_CARDINALS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split(),
        start=1,
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_CARDINAL = "(?:" + "|".join(sorted(_CARDINALS, key=len, reverse=True)) + ")"
_TEN = "(?:" + "|".join(_TENS) + ")"
_BELOW_HUNDRED = rf"(?:{_TEN}(?:[- ]{_CARDINAL})?|{_CARDINAL})"
YEAR_WORDS = (
    rf"(?i:two thousand(?: and| ,)?(?: {_BELOW_HUNDRED})?|nineteen hundred(?: and)?(?: {_BELOW_HUNDRED})?"
    rf"|(?:nineteen|twenty)[- ](?:{_TEN}(?:[- ]{_CARDINAL})?|oh[- ]{_CARDINAL}|(?:ten|eleven|twelve|\w+teen)))"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "mon tue wed thu fri sat sun".split()


def month_number(word: str) -> int:
    """1 to 12 of a month's name or abbreviation."""
    return _MONTHS.index(word[:3].lower()) + 1


def weekday_number(word: str | None) -> int | None:
    """Monday = 0; None of None."""
    return None if word is None else _WEEKDAYS.index(word[:3].lower())


def ordinal_number(word: str) -> int:
    """31 of "thirty-first" or "31st"."""
    digits = re.match(r"\d+", word)
    return int(digits[0]) if digits else ORDINALS[word.lower().replace(" ", "-")]


def year_number(words: str) -> int:
    """2021 of "two thousand twenty-one", 1999 of "nineteen ninety-nine", 2021 of "2021"; "'21" by `two_digit_year`."""
    if words.isdigit():
        return int(words)
    if words.lstrip("'’").isdigit():
        return two_digit_year(int(words.lstrip("'’")))
    parts = re.split(r"[- ]+", words.lower().replace(",", ""))
    base = 2000 if parts[0] in ("two", "twenty") else 1900
    rest = [word for word in parts[1:] if word not in ("thousand", "hundred", "and", "oh", "")]
    return base + sum(_CARDINALS.get(word, _TENS.get(word, 0)) for word in rest)


def two_digit_year(number: int) -> int:
    """POSIX strptime %y: 69 to 99 are 1969 to 1999, 00 to 68 are 2000 to 2068."""
    return 1900 + number if number >= 69 else 2000 + number
