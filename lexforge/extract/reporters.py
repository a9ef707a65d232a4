"""Reporters and journals by eyecite's tables (Bluebook T1, T13); the only place where eyecite is imported.

eyecite runs some 150 patterns over all of a text. Here a cheap pattern finds each "number, abbreviation, number", and
only eyecite's patterns for that abbreviation are tried, only there. Nothing else of eyecite is used: its case names,
courts, years and pins lose line breaks and let the neighbour's year in (freelawproject/eyecite #297, #321).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eyecite.tokenizers import default_tokenizer

_WINDOW = 96
_SITE = re.compile(
    r"(?<![\w$.:/\-])(?<!\d,)\d{1,4}[ \-]"
    r"(?=[A-Z(][\w.,'’&() \[\]\-]{0,60}?[ .\-)\]](?:at ?(?:p\.|page)? ?|¶ ?)?(?:\d|_{2,}|[ivxlc]+\b))"
)
_LETTERS_FIRST = re.compile(
    r"\b(?P<reporter>T\.C\. (?:Memo\.|Summ\. Op\.)|Rev\. (?:Rul|Proc)\.) ?(?P<volume>(?:19|20)?\d\d)-"
    r"(?P<page>\d{1,4})\b"
)
_PLAIN_WORD = re.compile(r"[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Core:
    """Volume, reporter, page as they stand at `start:end`; `short` for "550 U.S. at 570"."""

    start: int
    end: int
    volume: str
    reporter: str
    page: str
    short: bool
    neutral: bool
    journal: bool
    plain: bool


def cores(text: str) -> Iterator[Core]:
    """Reporter citations of a folded text, in order, without overlaps.

    `plain` marks a reporter that is a mere surname (21 Taylor 281): true only if name and year stand beside it (#264).
    """
    last = 0
    sites = [*_SITE.finditer(text), *_LETTERS_FIRST.finditer(text)]
    for site in sorted(sites, key=lambda match: match.start()):
        if site.start() < last:
            continue
        found = _core(text, site.start()) if site.re is _SITE else _tax_court(site)
        if found is not None:
            last = found.end
            yield found


def _core(text: str, start: int) -> Core | None:
    window = text[start : start + _WINDOW].split("\n", 1)[0].replace("’", "'").replace("ʻ", "'")
    best: re.Match[str] | None = None
    best_extractor: Any = None
    for extractor in default_tokenizer.get_extractors(window):
        if "exact_editions" not in extractor.extra:
            continue
        match = extractor.compiled_regex.match(window)
        if match is None or not match.groupdict().get("reporter"):
            continue
        if best is None or _rank(match, extractor) > _rank(best, best_extractor):
            best, best_extractor = match, extractor
    return None if best is None else _as_core(start, best, best_extractor)


def _tax_court(site: re.Match[str]) -> Core:
    """Memorandum opinions and rulings, numbered by year (Bluebook T1.2)."""
    return Core(site.start(), site.end(), site["volume"], site["reporter"], site["page"], False, True, False, False)


def _rank(match: re.Match[str], extractor: Any) -> tuple[int, bool, str]:
    return match.end(1), bool(extractor.extra["exact_editions"]), extractor.regex


def _as_core(start: int, match: re.Match[str], extractor: Any) -> Core | None:
    editions = extractor.extra["exact_editions"] or extractor.extra["variation_editions"]
    sources = {edition.reporter.source for edition in editions}
    groups = match.groupdict()
    if sources == {"laws"} or match["reporter"] == "App.":
        return None
    kinds = {edition.reporter.cite_type for edition in editions}
    names = {edition.short_name for edition in editions}
    written = " ".join(groups["reporter"].split())
    volume = groups.get("volume") or groups.get("volume_year") or ""
    neutral = kinds == {"neutral"}
    if neutral and not re.match(r"(?:19|20)\d\d\b", match[1]):
        return None
    return Core(
        start=start + match.start(1),
        end=start + match.end(1),
        volume=volume,
        reporter=names.pop() if len(names) == 1 else _spaced(written),
        page=groups.get("page") or match[1].rsplit(" ", 1)[-1],
        short=bool(extractor.extra["short"]),
        neutral=neutral,
        journal="journals" in sources and "reporters" not in sources,
        plain=_PLAIN_WORD.fullmatch(written) is not None,
    )


def _spaced(reporter: str) -> str:
    """Reporter abbreviation with Bluebook 6.1(a) spacing: none between single capitals and ordinals."""
    return re.sub(r"(?<=\b[A-Z]\.) (?=[A-Z]\.|\d)", "", reporter)
