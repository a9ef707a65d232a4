"""What no mention covers and yet has to be checked: it is looked up as it stands, or blocked as unchecked.

A reader of patterns will always miss some form. What it misses must become a block, never a pass: every section
sign, " v. ", reporter, WL, month name, quotation mark, long number and Bates-like reference is covered by a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lexforge.domain.findings import Reason
from lexforge.domain.mentions import Mention
from lexforge.gate.index import BundleIndex
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.spans import Spans
from lexforge.gate.tokens import norms_of

MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
SIGNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a section sign", re.compile(r"§+(?:\s*[\w.()\-–]*[\w)])?")),
    ("a case name", re.compile(r"(?:[A-Z][\w.'’&-]*,?\s+){0,6}(?<!\w)v\.\s+[A-Z][\w.'’&-]*(?:\s+[A-Z][\w.'’&-]*)*")),
    ("a reporter citation", re.compile(
        r"(?<![\w.])\d{1,4}\s+(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.(?:\s?2d)?|F\.(?:\s?(?:2d|3d|4th))?|F\.\s?Supp\.(?:\s?[23]d)?"
        r"|F\.\s?App[’'x]*x?\.?|B\.R\.|[A-Z][A-Za-z.]{0,9}\.?\s?(?:2d|3d|4th|5th))\s+(?:at\s+)?\d{1,5}"
    )),
    ("a reporter citation", re.compile(
        r"(?<![\w.])\d{1,4}\s+[A-Z][\w.'’ ]{0,30}?\s\d{1,6}(?:,\s*\d{1,5}(?:[-–]\d+)?)*\s*\((?:[^()\n]{0,40}\s)?\d{4}\)"
    )),
    ("a database citation", re.compile(r"\b(?:\d{4}\s+)?(?:WL|LEXIS)\b(?:\s+\d+)?")),
    ("a date", re.compile(rf"\b(?:{MONTHS})\b(?:\s+\d{{1,2}})?(?:,?\s+\d{{4}})?|\bMay\s+\d{{1,2}}\b(?:,?\s+\d{{4}})?")),
    ("a quotation mark", re.compile(r"[“”„«»\"]")),
    ("a long number", re.compile(
        r"(?<![\w$€£.,-])(?:[A-Z][A-Z0-9.&]*[-_ ]?)?[\w&-]*?\d[\d,]*\d(?:[-–.]\d+)*[A-Za-z]*(?![\w])"
    )),
)  # fmt: skip
LONG_NUMBER = re.compile(r"\d{5,}|\d{1,3}(?:,\d{3})+")
REFERENCE = re.compile(
    r"(?:(?<=[.;:]\s)|(?<=\A)|(?<=\n)|(?<=\d\.\s))(?:See|See also|Accord|Cf\.)\s+"
    r"(?P<see>[A-Z][\w-]*(?:[ -][A-Z0-9a-z]?[A-Z0-9][\w-]*){0,2}(?<=\d))(?=[.;\n]|\Z)"
    r"|\bBates(?:[ -](?:stamped|numbered|labell?ed|range|pages?))?(?:\s+Nos?\.)?\s+"
    r"(?P<bates>[A-Z][\w.-]*(?:\s+[\w-]*\d[\w-]*)?)"
    r"|\bproduced\s+(?:at|as)\s+(?P<produced>[A-Z][\w.-]*(?:\s+[\w-]*\d[\w-]*)?)",
)
WORDS_LOOKED_AT = 12


def _signs(text: str, covered: Spans) -> Iterator[tuple[int, int, str]]:
    for what, pattern in SIGNS:
        for match in pattern.finditer(text):
            if what == "a long number" and not LONG_NUMBER.search(match.group()):
                continue
            if not covered.touch(*match.span()):
                yield *match.span(), what
    for match in REFERENCE.finditer(text):
        group = match.lastgroup or "see"
        start, end = match.span(group)
        if re.search(r"\d", match[group]) and not covered.touch(start, end):
            yield start, end, "a reference"


def residue(text: str, mentions: Sequence[Mention], index: BundleIndex) -> Iterator[tuple[int, int, Outcome]]:
    """What the mentions leave uncovered: its span and what is decided of it. Spans do not overlap."""
    reached = -1
    for start, end, what in sorted(_signs(text, Spans((m.start, m.end) for m in mentions))):
        if start < reached:
            continue
        reached = end
        yield start, end, _decide(text[start:end], what, index)


def _decide(written: str, what: str, index: BundleIndex) -> Outcome:
    """Names and numbers may stand when they stand so in the bundle; signs of something unread may not."""
    if what in ("a long number", "a case name", "a date") and len(norms_of(written)) <= WORDS_LOOKED_AT:
        for held, start, end in index.find(norms_of(written)):
            support = held.support(start, end)
            return grounded(f"“{written}” stands so in {support[0].path}.", support)
    return blocked(Reason.UNCHECKED, f"Here is {what} (“{written}”) that could not be read, and so was not checked.")
