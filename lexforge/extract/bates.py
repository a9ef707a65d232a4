"""Bates numbers in running text: known and unknown prefixes, ranges and lists, read against the production's registry.

A number is one of a production when its prefix is known; when it is zero-padded under a prefix that looks like one; or
when the sentence says it is ("Bates-stamped RX 6800"). A model, invoice, serial or docket number in passing is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lexforge.domain.mentions import BatesValue, Mention, MentionKind
from lexforge.extract.bates_registry import (
    PREFIX,
    BatesRegistry,
    BatesSeries,
    BatesStamp,
    bare_prefix,
    learn,
    prefix_key,
    stamps,
)
from lexforge.extract.fold import MASKED, Spot, fold, near

__all__ = ["BatesRegistry", "BatesSeries", "BatesStamp", "find", "learn", "scan", "stamps"]

_DIGITS_READ_AS_LETTERS = str.maketrans({"O": "0", "o": "0", "l": "1", "I": "1", "|": "1", "S": "5", "B": "8"})
_LINK = r" ?(?:[-–—]|\b(?:to|through|thru|until|and ending at)\b) ?"
_UNKNOWN = re.compile(
    rf"(?<![\w.\-/#&])(?P<prefix>{PREFIX})(?P<separator>[-_ ]?)(?<!\d)(?P<counter>0\d{{3,14}}|(?<=_)\d{{5,15}})"
    rf"(?![\w,]*\d{{3}}-\w)(?!\w)"
)
_UNKNOWN_NAME = re.compile(
    r"(?<![\w.\-/#&])(?P<prefix>[A-Z][a-z]{2,20})(?P<separator>[-_ ]?)(?P<counter>0\d{4,14})(?!\w)"
)
_SAID = re.compile(
    r"(?P<said>\b(?:Bates(?:[ -](?:[Ss]tamp(?:ed)?|[Nn]umber(?:ed)?|[Ll]abell?ed|[Rr]ange|[Pp]ages?|Begin"
    r"|BEGINNING))?(?:[ -](?:Nos?\.?|[Nn]umbers?|[Rr]ange))?(?: (?:as|at))?:? "
    r"|(?:[Pp]roduced(?: (?:by|to|in) [\w .]{1,40}?)?|[Ss]tamped|[Bb]ates-?stamped) (?:at|as|under)(?: the)? "
    r"|(?:[Cc]opy|[Dd]ocument|[Pp]age|[Mm]essage|[Ee]mail|[Ss]preadsheet|[Ff]ile) is (?:numbered|stamped|at) "
    r"|(?:^|(?<=[.;(\n] )|(?<=[.;]  )|(?<=\())(?:See|See also|Accord) (?=[\w .\-]{3,40}[.;)](?: |$|\n)))(?:Bates )?)"
    r"(?P<prefix>[a-z]?[A-Z][A-Za-z]*[ -]?(?:[a-z]?[A-Z][A-Za-z]*[ -]?){0,2}(?:[a-z]?\d{0,4}-)?|[A-Z]+\d+[-_])"
    r"(?P<counter>\d{2,15})[A-Za-z]{0,6}(?![\w:,/]|\.\d)"
)
_SAID_HINT = re.compile(r"Bates|roduced|tamped|umbered| is at |\bSee |Accord ")
_EXCLUDED_BEFORE = re.compile(
    r"(?:\b(?:[Ii]nvoice|[Ss]erial|[Mm]odel|[Pp]art|VIN|[Aa]cc(?:oun)?t\.?|[Pp]atent|[Cc]ase|ECF|Dkt\.?|Doc(?:ket"
    r"|ument|\.)?|[Pp]olicy|[Cc]laim|[Oo]rder|[Tt]icket"
    r"|[Ff]light|[Ff]orm|[Cc]heck|[Tt]racking|[Ll]icense|[Rr]oom|[Ss]uite|ZIP|[Rr]ef(?:erence)?\.?|[Pp]hone"
    r"|[Tt]el\.?|[Ff]ax|Bar|[Cc]ivil|[Ii]ndex|[Cc]ause|[Ff]ile|PO|P\.O\.|SKU|[Aa]pp(?:lication|\.)?)"
    r"(?: (?:[Nn]os?\.|[Nn]umbers?|ID|#|[Cc]ard))?[:#]? ?#?|#)$"
)
_EXCLUDED_PREFIX = frozenset(
    """wl fr no nos case ecf dkt doc docs docket invoice inv po sn cve rfc iso ieee covid fed us usc cfr page p pp tel
    fax vin box room suite ste apt id ref rev ver lexis section sec ex exhibit tab form rule order jan feb mar
    apr may jun jul aug sep sept oct nov dec january february march april june july august september october
    november december sku isbn upc acct fs f c""".split()
)
_STATE_ZIP = re.compile(
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT"
    r"|V[AT]|W[AIVY])"
)

_Start = tuple[int, int, BatesValue]


def find(text: str, registry: BatesRegistry) -> tuple[Mention, ...]:
    """Bates numbers in `text`, sorted and disjoint.

    A range is one mention from `first` to `last` (reversed as written); each further number of a list is its own.
    `prefix` is the registry's spelling where it is known, else as written without its last separator, in capitals.
    """
    folded = fold(text)
    return folded.mentions(scan(folded.text, registry))


def scan(text: str, registry: BatesRegistry) -> list[Spot]:
    """Bates numbers in a folded text whose citations are masked."""
    kept: list[Spot] = []
    known = list(_known_starts(text, registry))
    taken = [(start, end) for start, end, _ in known]
    others = [item for item in _other_starts(text) if not _crosses(taken, item[0], item[1])]
    last = 0
    for start, end, value in sorted(known + others, key=lambda item: item[0]):
        if start < last:
            continue
        spots = list(_extended(text, start, end, value))
        kept += spots
        last = spots[-1].end
    return kept


def _crosses(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect_left(taken, (end, 0)) - 1
    return at >= 0 and taken[at][1] > start


def _known_starts(text: str, registry: BatesRegistry) -> Iterator[_Start]:
    """Span and value of each first number of a known series, before ranges and lists are read."""
    if registry.series:
        for found in _known_pattern(registry).finditer(text):
            if (known := _known(found, registry)) is not None:
                yield found.start(), found.end("counter"), known


def _other_starts(text: str) -> Iterator[_Start]:
    """The same for prefixes that look like one, and for whatever the sentence calls a Bates number."""
    for pattern in (_UNKNOWN, _UNKNOWN_NAME):
        for found in pattern.finditer(text):
            if _is_plausible(text, found):
                yield found.start(), found.end(), _value(bare_prefix(found["prefix"]), found["counter"])
    for found in near(_SAID, _SAID_HINT, text, 24, 90):
        if _may_be_said(found):
            yield found.start("prefix"), found.end(), _value(bare_prefix(found["prefix"]), found["counter"])


def _value(prefix: str, counter: str, folded: bool = False) -> BatesValue:
    number = int(counter)
    return BatesValue(prefix=prefix, first=number, last=number, width=len(counter), folded=folded)


@lru_cache(maxsize=32)
def _known_pattern(registry: BatesRegistry) -> re.Pattern[str]:
    """One pattern for all known prefixes, blind to case and to separators inside and behind the prefix."""
    keys = sorted({prefix_key(item.prefix) for item in registry.series}, key=len, reverse=True)
    spelled = "|".join(r"[-_ .]?".join(re.escape(letter) for letter in key) for key in keys)
    return re.compile(
        rf"(?<![\w\-])(?P<prefix>(?i:{spelled}))(?P<separator> ?[-_. ]? ?)(?P<counter>[\dOoIl|SB]{{2,15}})(?![\w|])"
    )


def _known(found: re.Match[str], registry: BatesRegistry) -> BatesValue | None:
    series = registry.series_of(found["prefix"])
    counter = found["counter"]
    if series is None:
        return None
    if counter.isdigit():
        is_number = len(counter) >= min(3, series.width)
        return _value(series.prefix, counter) if is_number else None
    if len(counter) != series.width or not any(letter.isdigit() for letter in counter):
        return None
    return _value(series.prefix, counter.translate(_DIGITS_READ_AS_LETTERS), folded=True)


def _is_plausible(text: str, found: re.Match[str]) -> bool:
    """Whether an unknown prefix with a padded counter may be a production number."""
    prefix, counter = found["prefix"], found["counter"]
    letters = re.sub(r"[^A-Za-z]", "", prefix)
    before = text[max(0, found.start() - 24) : found.start()]
    if len(letters) < 2 or prefix_key(prefix).lower() in _EXCLUDED_PREFIX or _EXCLUDED_BEFORE.search(before):
        return False
    if prefix.split("-")[0].lower() in _EXCLUDED_PREFIX or before.endswith((MASKED, "$")):
        return False
    is_zip = len(counter) == 5 and found["separator"] == " " and _STATE_ZIP.fullmatch(prefix) is not None
    return not is_zip and not text.startswith(("/", "@"), found.end())


_NEVER_SAID = re.compile(
    r"(?i)(?:ex|exs|exhibit|dkt|ecf|doc|part|section|page|pages|rule|id|no|nos|room|trial|paragraph|footnote"
    r"|note|tab|vol|volume"
    r"|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun"
    r"|jul|aug|sept?|oct|nov|dec"
    r"|appendix|app|infra|supra|article|art|chapter|figure|table|item|schedule|annex|attachment|am|pm|title|form"
    r"|amendment)$"
)


def _may_be_said(found: re.Match[str]) -> bool:
    words = re.split(r"[ .\-]+", found["prefix"].strip(" -_."))
    return not any(_NEVER_SAID.match(word) for word in words) and MASKED not in found[0]


def _extended(text: str, start: int, end: int, value: BatesValue) -> Iterator[Spot]:
    """The number with its range, and the numbers of a list behind it."""
    end = _after_suffix(text, end)
    spelled = _spelling(value.prefix)
    again = re.compile(rf"{_LINK}(?:(?i:{spelled})[-_ .]{{0,2}})?(?P<counter>\d{{1,15}})(?![\w:/]|,\d{{3}}|-\d)")
    if (found := again.match(text, end)) is not None and len(found["counter"]) <= max(value.width, 15):
        value = value.model_copy(update={"last": _last(value, found["counter"])})
        end = _after_suffix(text, found.end())
    yield Spot(start, end, MentionKind.BATES, value)
    yield from _listed(text, end, value, spelled)


def _listed(text: str, end: int, value: BatesValue, spelled: str) -> Iterator[Spot]:
    items = re.compile(
        rf"(?P<link>, (?:and |& )?| and | & |; )(?P<token>(?P<prefix>(?i:{spelled})[-_ .]{{0,2}}|-)?"
        rf"(?P<counter>\d{{2,15}}))(?:{_LINK}(?:(?i:{spelled})[-_ .]{{0,2}})?(?P<to>\d{{1,15}}))?(?![\w:/]"
        rf"|,\d{{3}})"
    )
    before = value
    while (found := items.match(text, end)) is not None:
        first = _last(before, found["counter"])
        if found["prefix"] is None and not _reads_as_item(text, found, before, first):
            return
        value = before.model_copy(update={"first": first, "last": first, "folded": False})
        if found["to"]:
            value = value.model_copy(update={"last": _last(value, found["to"])})
        end = found.end()
        before = value
        yield Spot(found.start("token"), end, MentionKind.BATES, value)


def _reads_as_item(text: str, found: re.Match[str], before: BatesValue, first: int) -> bool:
    """A bare number continues the list only when it is near, as long, and not the start of another phrase."""
    counter = found["counter"]
    if first <= before.last or first - before.last > 5_000 or len(counter) < min(3, before.width):
        return False
    return (
        re.match(r"(?:$|[.,;)\n]| and | & | at | \(| are | is | were | show)", text[found.end() : found.end() + 7])
        is not None
    )


def _last(value: BatesValue, counter: str) -> int:
    """The number meant by the tail of a range: "125" after 000123 is 125; "25" after 000123 is 125."""
    start = str(value.first).zfill(value.width)
    return int(start[: max(0, value.width - len(counter))] + counter)


def _spelling(prefix: str) -> str:
    return r"[-_ .]?".join(re.escape(letter) for letter in prefix_key(prefix))


def _after_suffix(text: str, end: int) -> int:
    """Past ".0003" (a page within a native) or "-CONF"."""
    found = re.compile(r"\.\d{3,4}(?![\w.])|[-_](?:CONF|AEO|HC|C)\b").match(text, end)
    return end if found is None else found.end()
