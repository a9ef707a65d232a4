"""Statutes, regulations, rules and constitutions: title, code, section and subsection must stand in the bundle."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexforge.domain.findings import Reason, Support
from lexforge.domain.mentions import CitationForm, CitationValue
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.tokens import Stream, norms_of

SUBSECTIONS = re.compile(r"\s?((?:\(\s?[0-9A-Za-z]{1,5}\s?\))+)")
MORE_SUBSECTIONS = re.compile(r"\s*(?:,|and|or|,\s*and|to|through|[-–])\s*((?:\(\s?[0-9A-Za-z]{1,5}\s?\))+)")
ONE = re.compile(r"\(\s?([0-9A-Za-z]{1,5})\s?\)")
LISTED = r"\s*(?:[\w.()\-–]+\s*(?:,|and|or|&|through|to|,\s*and)\s*)*\Z"
SIGN_BEFORE = re.compile(r"(?:§+|[Ss]ections?|[Ss]ecs?\.|[Rr]ules?|[Rr]\.)" + LISTED)
RULE_BEFORE = re.compile(r"(?:[Rr]ules?|P\.|Proc\.|Procedure|Evid\.|Evidence|R\.)" + LISTED)
BACK = 120
ANNOTATED = frozenset(("usc", "usca", "uscs"))
SIGNS = frozenset(("§", "s", "ss", "sec", "secs", "section", "sections"))

RULE_BOOKS = {
    "Fed. R. Civ. P.": (("civ", "p"), ("civil", "procedure")),
    "Fed. R. Crim. P.": (("crim", "p"), ("criminal", "procedure")),
    "Fed. R. App. P.": (("app", "p"), ("appellate", "procedure")),
    "Fed. R. Bankr. P.": (("bankr", "p"), ("bankruptcy", "procedure")),
    "Fed. R. Evid.": (("r", "evid"), ("rules", "of", "evidence"), ("rule", "of", "evidence")),
}


@dataclass(frozen=True)
class Section:
    """A section that stands in a source, with each string of subsections given for it there."""

    held: SourceText
    start: int
    end: int
    subsections: tuple[tuple[str, ...], ...]

    @property
    def support(self) -> tuple[Support, ...]:
        """The place, as evidence."""
        return self.held.support(self.start, self.end)

    def covers(self, wanted: tuple[str, ...]) -> bool:
        """Whether the subsection stands there, or a part of it that is further down."""
        return not wanted or any(found[: len(wanted)] == wanted for found in self.subsections)


def _subsections(text: str, end: int) -> tuple[int, tuple[tuple[str, ...], ...]]:
    """Subsections that follow a section number at `end`: "(a)(4)", "(c) and (d)" counted from the first one's level."""
    first = SUBSECTIONS.match(text, end)
    if first is None:
        return end, ()
    found = [tuple(ONE.findall(first.group(1)))]
    at = first.end()
    while more := MORE_SUBSECTIONS.match(text, at):
        steps = tuple(ONE.findall(more.group(1)))
        found += [steps, (*found[0][:-1], *steps)]
        at = more.end()
    return at, tuple(found)


def _codes(code: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The ways in which a code can be printed: spaced or closed up, official or annotated."""
    joined = "".join(code)
    forms = {code, (joined,)}
    if joined in ANNOTATED:
        forms |= {("u", "s", "c"), ("u", "s", "c", "a"), ("u", "s", "c", "s"), ("usc",), ("usca",), ("uscs",)}
    return forms


def _title_before(stream: Stream, place: int, title: tuple[str, ...]) -> bool:
    """Whether the last title and code named before `place` are these ("28 U. S. C. §1441, §1447(c)")."""
    last: tuple[int, str] | None = None
    for code in _codes(title[1:]):
        ends = stream.positions.get(code[-1], [])
        for at in reversed(ends[: bisect.bisect_left(ends, place)]):
            before = at - len(code)
            if before >= 0 and tuple(stream.norms[before + 1 : at + 1]) == code and stream.norms[before].isdigit():
                last = max(last or (at, ""), (at, stream.norms[before]))
                break
    return last is not None and last[1] == title[0]


def sections(held: SourceText, title: tuple[str, ...], section: str) -> Iterator[Section]:
    """Every place where a section of this title and code stands in a source; of any code when `title` is empty."""
    stream = held.full
    wanted = norms_of(section)
    for first in stream.find(wanted):
        start, end = stream.span(first, first + len(wanted) - 1)
        signed = SIGN_BEFORE.search(stream.text[max(0, start - BACK) : start]) is not None
        if not signed and not (title and _stands_right_before(stream, first, title)):
            continue
        if not title or _title_before(stream, first, title):
            stop, found = _subsections(stream.text, end)
            yield Section(held, start, stop, found)


def _stands_right_before(stream: Stream, first: int, title: tuple[str, ...]) -> bool:
    near = list(stream.norms[max(0, first - len(title) - 1) : first])
    if near and near[-1] in SIGNS:
        near.pop()
    return any("".join(near).endswith(title[0] + "".join(code)) for code in _codes(title[1:]))


def rules(held: SourceText, book: str | None, number: str) -> Iterator[Section]:
    """Every place where a rule of this book stands in a source; a bare "Rule 9" needs the book named in it."""
    stream = held.full
    known = RULE_BOOKS.get(book or "", ())
    if known and not any(any(True for _ in stream.find(words)) for words in known):
        return
    wanted = norms_of(number)
    for first in stream.find(wanted):
        start, end = stream.span(first, first + len(wanted) - 1)
        if RULE_BEFORE.search(stream.text[max(0, start - BACK) : start]):
            stop, found = _subsections(stream.text, end)
            yield Section(held, start, stop, found)


def _candidates(value: CitationValue, sources: Sequence[SourceText]) -> Iterator[Section]:
    section = value.section or ""
    code = norms_of(value.reporter or "")
    for held in sources:
        if value.form is CitationForm.RULE:
            yield from rules(held, value.reporter, section)
        elif value.volume is not None and code:
            yield from sections(held, (*norms_of(value.volume), *code), section)
        elif value.form is CitationForm.STATUTE and not code:
            yield from sections(held, (), section)


def resolve_law(value: CitationValue, text: str, sources: Sequence[SourceText]) -> Outcome:
    """Look up a statute, regulation, rule, constitution or secondary work; `text` is the citation as written."""
    wanted = tuple(value.subsections)
    near: Section | None = None
    for found in _candidates(value, sources):
        if found.covers(wanted):
            return grounded(f"“{text}” stands in {found.support[0].path}.", found.support)
        near = near or found
    literal = _literal(text, sources)
    if literal:
        return grounded(f"“{text}” stands in {literal[0].path}.", literal)
    if near is not None:
        place = near.support[0]
        return blocked(
            Reason.INCONSISTENT,
            f"{place.path} has section {value.section}, but not the subsection {''.join(f'({p})' for p in wanted)}.",
            nearest=place,
        )
    return blocked(Reason.NOT_FOUND, f"“{text}” stands in no document of the bundle.")


def _literal(text: str, sources: Sequence[SourceText]) -> tuple[Support, ...]:
    """The citation word for word, for forms that have no parts."""
    wanted = norms_of(text)
    if len(wanted) < 2:
        return ()
    for held in sources:
        for first in held.full.find(wanted):
            _, end = held.full.span(first, first + len(wanted) - 1)
            # "§ 1447" in a draft must not be found in "§ 14470" (words) nor "Rule 12" in "Rule 12.1" (parts).
            if not re.match(r"[.\-–]\w", held.text[end : end + 2]):
                return held.support(*held.full.span(first, first + len(wanted) - 1))
    return ()
