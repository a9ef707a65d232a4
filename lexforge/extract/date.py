"""Dates by a grammar of their own: the parts that are stated and no others, one mention for each date.

No peer measured keeps a missing year missing or refuses February 30; a gate needs both. Citations, record cites, Bates
numbers and money are masked first; years of Acts, case numbers and telephone numbers are masked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import DateValue, Mention, MentionKind
from lexforge.extract.date_words import (
    MONTH,
    ORDINAL,
    WEEKDAY,
    YEAR_WORDS,
    month_number,
    ordinal_number,
    two_digit_year,
    weekday_number,
    year_number,
)
from lexforge.extract.fold import Spot, fold, mask, near
from lexforge.extract.statute import acts

_YEAR = rf"(?:(?:1[6-9]|20|21)\d\d(?!\d)(?!,\d{{3}})|(?:1[6-9]|20)\d\d(?=\d{{1,2}}:\d\d)|['’]\d\d\b|{YEAR_WORDS})"
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th|d)?(?![\w:%]|,\d|\.\d|/))"
_SPELLED = rf"(?:\d{{1,2}}(?:st|nd|rd|th|d)|{ORDINAL})"
_JOIN = r"(?: ?[-–—] ?|,? (?:and|or|to|through|thru|until|till|&) (?:on )?|, )"
_WD = rf"(?:(?P<weekday>{WEEKDAY}),? (?:the )?)?"
_MORE_DAY = rf"(?:{WEEKDAY},? )?\d{{1,2}}(?:st|nd|rd|th)?(?![\w:./]|,\d| [ap]\.?m)"
_MONTH_DAY = re.compile(
    rf"(?<![\w'’-]){_WD}(?P<month>{MONTH}) ?(?P<day>{_DAY}|(?:the )?{_SPELLED})"
    rf"(?:(?P<more>(?:{_JOIN}{_MORE_DAY})*)(?:,? ?|,? of |,? in the year )(?P<year>{_YEAR})|"
    rf"(?P<until> ?[-–—] ?{_MORE_DAY}))?"
    r"(?![\w-]*-\d)"
)
_DAY_MONTH = re.compile(
    rf"(?<![\w.,$/:-])(?P<first>(?:\d{{1,2}}(?:st|nd|rd|th)?{_JOIN})*){_WD}(?:(?:[Tt]he |this )?"
    rf"(?P<spelled>{_SPELLED})(?: day)?(?: of|,)?|(?P<day>\d{{1,2}}))[ -]?(?P<month>{MONTH})"
    rf"(?:(?:,? ?|-|,? of |,? in the year )(?P<year>{_YEAR}))?(?!\w)"
)
_OTHER_DAY = re.compile(rf"(?:(?P<weekday>{WEEKDAY}),? )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?")
_MONTH_YEAR = re.compile(rf"(?<![\w'’-])(?P<month>{MONTH})(?:,? (?:of )?|-)(?P<year>{_YEAR})")
_MONTH_ONLY = re.compile(rf"(?<![\w'’-])(?P<month>{MONTH})(?={_JOIN})")
_NUMERIC = re.compile(
    rf"(?<![\w.,$/:-]){_WD}(?P<a>\d{{1,2}})(?P<sep>[/.-])(?P<b>\d{{1,2}})(?P=sep)(?P<year>\d{{4}}|(?<=[/-])\d{{2}})"
    rf"(?![\w/]|-\d|\.\d)"
)
_GLUED = re.compile(r"(?<![\w.,$/:-])(?P<a>\d{1,2})(?P<sep>/)(?P<b>\d{1,2})/(?P<year>(?:19|20)\d\d)(?=\d{1,2}:\d\d)")
_ISO = re.compile(
    r"(?<![\w.,$/:-])(?P<year>(?:1[6-9]|20)\d\d)(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?=T\d\d"
    r"|[^\w/-]|-(?!\d)|$)"
)
_QUARTER = re.compile(
    r"\b(?:Q(?P<q>[1-4])(?: of)?,?|(?P<word>[Ff]irst|[Ss]econd|[Tt]hird|[Ff]ourth) (?:fiscal )?quarter(?: of)?"
    r"(?: fiscal(?: year)?)?,?|(?P<n>[1-4])Q) ?(?P<year>(?:19|20)\d\d|['’]?\d\d)\b"
)
_FISCAL = re.compile(r"\b(?:FY|[Ff]iscal [Yy]ear|[Ff]iscal) ?(?P<year>(?:19|20)\d\d|['’]\d\d)\b")
_YEAR_CUE = re.compile(
    r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Bb]efore|[Aa]fter|[Dd]uring|[Ee]arly|[Ll]ate|[Mm]id|[Tt]hroughout|[Ff]rom"
    r"|[Bb]etween|[Yy]ears?"
    r"|[Tt]hrough|(?:[Ss]pring|[Ss]ummer|[Ff]all|[Aa]utumn|[Ww]inter|year|end|beginning|middle|half|start)(?: of)?"
    r"|[Aa]s of"
    r"|[Ii]n or (?:about|around))[ -]$"
)
_BARE_YEAR = re.compile(
    r"(?<=[a-z][ -])(?P<year>(?:1[6-9]|20)\d\d)(?![\w%/$]|[.,:]\d|-\d{3}|[-–]\w*[A-Za-z]"
    r"| [A-Z][a-z]+ (?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Lane)\b)"
)
_NEXT_YEAR = re.compile(
    r"(?: ?[-–—] ?|,? (?:and|or|to|through|until) |, )(?P<year>(?:1[6-9]|20)\d\d)(?![\w%/$]|[.,:]\d|[-–]\w)"
)
_NO_DATE = re.compile(
    r"(?<![\w.])(?:\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}\b|1-\d{3}-[\w-]{7,9}\b|\d:\d\d-[a-z]{2}-\d+[\w-]*"
    r"|\d{2,4}-[A-Za-z]{1,4}-\d{3,}[\w-]*"
    r"|\d{5}-\d{4}\b|\d+(?:\.\d+){3,}\b)|\b(?:Nos?\. ?[\d:][\w:-]+(?:, \d[\w:-]+)*|[A-Z]-\d{4}-\d+\b)"
)
_MONTH_HINT = re.compile(
    "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
)
_NUMERIC_HINT = re.compile(r"\d[/.-]\d{1,2}[/.-]\d\d")
_QUARTER_HINT = re.compile(r"Q ?\d|Q[1-4]|quarter")
_LINKED = re.compile(rf"^{_JOIN}(?:again on )?$|^,? and again on $|^ and ending (?:on )?$|^ and ending on or about $")
_RANGE_WORD = re.compile(r"[-–—]|to|through|thru|until|till")


@dataclass(frozen=True, slots=True)
class _Atom:
    """One date in the folded text; `month_only` waits for a year from the date it is joined to."""

    start: int
    end: int
    value: DateValue
    month_only: bool = False


def find(text: str, date_order: DateOrder) -> tuple[Mention, ...]:
    """Dates in `text`, sorted and disjoint. Missing parts are None; an impossible day is a mention all the same.

    "March 3-5, 2021" gives "March 3" and "5, 2021", each with month and year. "June 1 and July 15, 2018" gives both the
    year, unless the first would then follow the second. Two-digit years follow POSIX (69 is 1969).
    """
    folded = fold(text)
    return folded.mentions(scan(folded.text, date_order))


def scan(text: str, date_order: DateOrder) -> list[Spot]:
    """Dates in a folded text whose citations, Bates numbers and amounts are masked."""
    hidden = [Spot(start, end, MentionKind.UNCHECKED, None) for start, end in acts(text)]
    hidden += [Spot(*found.span(), MentionKind.UNCHECKED, None) for found in _NO_DATE.finditer(text)]
    atoms = _atoms(mask(text, hidden), date_order)
    dated = [atom for atom in _distributed(text, atoms) if not atom.month_only]
    return [Spot(atom.start, atom.end, MentionKind.DATE, atom.value) for atom in dated]


def _atoms(text: str, order: DateOrder) -> list[_Atom]:
    """Non-overlapping dates, the longer of two that start together, the earlier of two that cross."""
    found: list[_Atom] = []
    readers: tuple[tuple[re.Pattern[str], re.Pattern[str] | None, Callable[[re.Match[str]], Iterator[_Atom]]], ...] = (
        (_DAY_MONTH, _MONTH_HINT, _day_month),
        (_MONTH_DAY, _MONTH_HINT, _month_day),
        (_MONTH_YEAR, _MONTH_HINT, _month_year),
        (_MONTH_ONLY, _MONTH_HINT, _month_only),
        (_ISO, None, _iso),
        (_NUMERIC, _NUMERIC_HINT, lambda match: _numeric(match, order)),
        (_GLUED, _NUMERIC_HINT, lambda match: _numeric(match, order)),
        (_QUARTER, _QUARTER_HINT, _quarter),
        (_FISCAL, None, _year),
        (_BARE_YEAR, None, _bare_years),
    )
    for pattern, trigger, read in readers:
        for match in pattern.finditer(text) if trigger is None else near(pattern, trigger, text, 80, 80):
            found += read(match)
    kept: list[_Atom] = []
    for atom in sorted(found, key=lambda item: (item.start, item.month_only, -item.end)):
        if not kept or atom.start >= kept[-1].end:
            kept.append(atom)
    return kept


def _month_day(match: re.Match[str]) -> Iterator[_Atom]:
    year, month = _year_of(match["year"]), month_number(match["month"])
    day = ordinal_number(match["day"].removeprefix("the "))
    more = "more" if match["more"] else "until"
    others = list(_OTHER_DAY.finditer(match[more] or ""))
    value = DateValue(year=year, month=month, day=day, weekday=weekday_number(match["weekday"]))
    yield _Atom(match.start(), match.end("day" if others else "year" if year is not None else "day"), value)
    for other in others:
        start, end = match.start(more) + other.start(), match.start(more) + other.end()
        if other is others[-1] and year is not None:
            end = match.end("year")
        part = DateValue(year=year, month=month, day=int(other["day"]), weekday=weekday_number(other["weekday"]))
        yield _Atom(start, end, part)


def _day_month(match: re.Match[str]) -> Iterator[_Atom]:
    year, month = _year_of(match["year"]), month_number(match["month"])
    if year is None and match["month"] in ("May", "Mar", "Jan", "MAY") and match["day"]:
        return
    day = ordinal_number(match["spelled"]) if match["spelled"] else int(match["day"])
    for other in re.finditer(r"\d{1,2}(?:st|nd|rd|th)?", match["first"]):
        start = match.start("first") + other.start()
        yield _Atom(start, start + len(other[0]), DateValue(year=year, month=month, day=ordinal_number(other[0])))
    start = match.end("first")
    for article in ("the ", "The ", "this "):
        if match["weekday"] is None and match[0][start - match.start() :].startswith(article):
            start += len(article)
    end = match.end("year") if year is not None else match.end("month")
    yield _Atom(start, end, DateValue(year=year, month=month, day=day, weekday=weekday_number(match["weekday"])))


def _numeric(match: re.Match[str], order: DateOrder) -> Iterator[_Atom]:
    first, second = int(match["a"]), int(match["b"])
    if match["sep"] == "." and len(match["year"]) != 4:
        return
    month, day = (first, second) if order is DateOrder.MONTH_FIRST else (second, first)
    if month > 12 >= day:
        month, day = day, month  # only one reading exists
    year = int(match["year"]) if len(match["year"]) == 4 else two_digit_year(int(match["year"]))
    weekday = weekday_number(match.groupdict().get("weekday"))
    yield _Atom(match.start(), match.end("year"), DateValue(year=year, month=month, day=day, weekday=weekday))


def _iso(match: re.Match[str]) -> Iterator[_Atom]:
    value = DateValue(year=int(match["year"]), month=int(match["month"]), day=int(match["day"]))
    yield _Atom(match.start(), match.end("day"), value)


def _month_year(match: re.Match[str]) -> Iterator[_Atom]:
    value = DateValue(year=_year_of(match["year"]), month=month_number(match["month"]))
    yield _Atom(match.start(), match.end("year"), value)


def _month_only(match: re.Match[str]) -> Iterator[_Atom]:
    yield _Atom(match.start(), match.end("month"), DateValue(month=month_number(match["month"])), month_only=True)


def _quarter(match: re.Match[str]) -> Iterator[_Atom]:
    word = match["word"]
    quarter = int(match["q"] or match["n"] or 0) or ordinal_number(word)
    written = match["year"]
    year = int(written) if len(written) == 4 else two_digit_year(int(written.lstrip("'’")))
    yield _Atom(match.start(), match.end(), DateValue(year=year, quarter=quarter))


def _year(match: re.Match[str]) -> Iterator[_Atom]:
    yield _Atom(match.start(), match.end(), DateValue(year=_year_of(match["year"])))


def _bare_years(match: re.Match[str]) -> Iterator[_Atom]:
    if not _YEAR_CUE.search(match.string, max(0, match.start() - 16), match.start()):
        return
    yield _Atom(match.start("year"), match.end("year"), DateValue(year=int(match["year"])))
    at = match.end("year")
    while (more := _NEXT_YEAR.match(match.string, at)) is not None:
        yield _Atom(more.start("year"), more.end("year"), DateValue(year=int(more["year"])))
        at = more.end("year")


def _year_of(written: str | None) -> int | None:
    return None if written is None else year_number(written.strip())


def _distributed(text: str, atoms: list[_Atom]) -> list[_Atom]:
    """Dates joined to a later one take its year, which is stated once for all of them."""
    done = list(atoms)
    for index in range(len(done) - 2, -1, -1):
        atom, after = done[index], done[index + 1]
        year = after.value.year
        if atom.value.year is not None or year is None or after.value.month is None:
            continue
        between = text[atom.end : after.start]
        if len(between) > 24 or not _LINKED.match(between):
            continue
        if _order(atom.value) > _order(after.value):
            # "December 30 through January 2, 2021" begins in the year before; "and" leaves it open.
            if not _RANGE_WORD.search(between):
                continue
            year -= 1
        done[index] = replace(atom, value=atom.value.model_copy(update={"year": year}), month_only=False)
    return done


def _order(value: DateValue) -> tuple[int, int]:
    return value.month or 0, value.day or 0
