"""What a production's Bates numbers look like, learned from the stamps on its pages.

Conventions: prefix, optional separator, zero-padded counter (Acrobat 6 to 15 digits, Aspose 3 to 15), optional suffix;
prefixes may hold digits, dots, hyphens and spaces (OpenText Axcelerate, ReadySuite).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from lexforge.domain.record import Record

_SEPARATORS = re.compile(r"[-_ .]+")
_TRAILING = re.compile(r"[-_ .]+$")
_LETTERS = r"[A-Z]+(?:\d{1,3}[A-Z]+)*(?:\d{1,3}[a-z]?)?"
PREFIX = rf"(?:[A-Z]{{2,6}} )?{_LETTERS}(?:[-_.&](?:\d{{0,2}}{_LETTERS}|\d{{1,2}})| \d{{1,2}}(?= 0))*"
_READ_AS_DIGITS = str.maketrans({"0": "O", "1": "I", "5": "S", "8": "B"})
_DESIGNATION = r"(?:(?:CONFIDENTIAL|HIGHLY CONFIDENTIAL|ATTORNEYS['’]? EYES ONLY|AEO|Confidential)[^\n]{0,40}[ \t]*)?"
_STAMP = re.compile(
    rf"(?:^|(?<=\t)|(?<=[ \t]{{2}})|(?<=\|)|(?<=\| )|(?<=^ ))"
    rf"(?P<token>(?P<prefix>[A-Za-z][\w.&\-]*?(?: [A-Z]{{2,}})?)"
    rf"(?P<separator>[-_ .]{{0,2}})"
    rf"(?P<counter>\d{{3,15}}))(?:\.\d{{3,4}})?[ \t]*{_DESIGNATION}$",
    re.MULTILINE,
)
_NOT_A_PREFIX = frozenset(
    """wl fr f no nos case ecf dkt doc docs docket invoice inv po sn cve rfc iso ieee covid fed us usc cfr page pages p
    pp tel fax phone zip vin box room suite ste apt id ref rev ver version section sec para ex exhibit tab form
    rule order january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec sku isbn issn upc acct account serial model part lot file item unit
    bldg floor fl usd eur date sent line lines copyright ca tx ny""".split()
)


class BatesSeries(Record):
    """Numbers `first` to `last` (both stamped) under one prefix, `width` digits; `prefix` as on the first stamp."""

    prefix: str
    width: int
    first: int
    last: int


class BatesStamp(Record):
    """One stamp on a page: `text == page[start:end]`, and the number it shows."""

    start: int
    end: int
    text: str
    prefix: str
    number: int
    width: int


class BatesRegistry(Record):
    """The series of a production. An empty registry knows no prefix and is a valid value."""

    series: tuple[BatesSeries, ...] = ()

    @cached_property
    def by_key(self) -> dict[str, BatesSeries]:
        """Series by `prefix_key`; the longest where one prefix has several widths."""
        ordered = sorted(self.series, key=lambda item: item.last - item.first)
        return {prefix_key(item.prefix): item for item in ordered}

    @cached_property
    def by_scanned_key(self) -> dict[str, BatesSeries]:
        """Series by prefix with look-alike digits and letters made one; for stamps on pages, never for citations."""
        return {_scanned_key(item.prefix): item for item in self.by_key.values()}

    def series_of(self, prefix: str) -> BatesSeries | None:
        """The series of a prefix however it is spaced, hyphenated or cased; None when it is unknown."""
        return self.by_key.get(prefix_key(prefix))


def prefix_key(prefix: str) -> str:
    """A prefix without separators and case: "ACME-LIT", "Acme LIT" and "ACME_LIT-" are one."""
    return _SEPARATORS.sub("", prefix).upper()


def bare_prefix(prefix: str) -> str:
    """A prefix without the separator before its counter, in capitals."""
    return _TRAILING.sub("", prefix).upper()


def learn(documents: Iterable[Iterable[str]]) -> BatesRegistry:
    """The series stamped on `documents`, each an iterable of page texts in order.

    A stamp ends a line and stands apart from the text before it (line start, two spaces, a tab). A prefix is learned
    when its counter is zero-padded or five digits and more, and either two stamps or one zero-padded stamp carry it.
    """
    numbers: dict[tuple[str, int], list[int]] = defaultdict(list)
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for pages in documents:
        for page in pages:
            for found in _stamp_matches(page):
                prefix = bare_prefix(found["prefix"])
                key = _scanned_key(prefix)
                numbers[key, len(found["counter"])].append(int(found["counter"]))
                spellings[key][prefix] += 1
    series = [
        BatesSeries(prefix=spellings[key].most_common(1)[0][0], width=width, first=min(seen), last=max(seen))
        for (key, width), seen in sorted(numbers.items())
        if len(seen) > 1 or len(str(seen[0])) < width
    ]
    return BatesRegistry(series=tuple(series))


def _scanned_key(prefix: str) -> str:
    """A prefix as a scanner may have read it: ACME-L1T on one page is the ACME-LIT of the others."""
    return prefix_key(prefix).translate(_READ_AS_DIGITS)


def stamps(page_text: str, registry: BatesRegistry) -> tuple[BatesStamp, ...]:
    """Stamps of known series on a page, in order of place: the number a page bears, not numbers its text speaks of."""
    found: list[BatesStamp] = []
    for match in _stamp_matches(page_text):
        series = registry.series_of(match["prefix"]) or registry.by_scanned_key.get(_scanned_key(match["prefix"]))
        if series is None:
            continue
        found.append(
            BatesStamp(
                start=match.start("token"),
                end=match.end("token"),
                text=match["token"],
                prefix=series.prefix,
                number=int(match["counter"]),
                width=len(match["counter"]),
            )
        )
    return tuple(found)


def _stamp_matches(page: str) -> Iterator[re.Match[str]]:
    for found in _STAMP.finditer(page):
        counter, key = found["counter"], prefix_key(found["prefix"])
        letters = re.sub(r"[^A-Za-z]", "", found["prefix"])
        if len(letters) < 2 or key.lower() in _NOT_A_PREFIX or not (counter[0] == "0" or len(counter) >= 5):
            continue
        if found["separator"].startswith(" ") and counter[0] != "0" and not letters.isupper():
            continue
        yield found
