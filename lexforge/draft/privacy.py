"""Personal numbers and dates that must not stand in a public filing (Fed. R. Civ. P. 5.2 and its like), by pattern.

No model is asked. A number is only told where its form or the words beside it say what it is: Bates, docket and
telephone numbers are no account numbers. Who is a minor no pattern can know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexforge.domain.draft import BlockKind, Draft
from lexforge.domain.filing import Private, Remark, Told
from lexforge.domain.matter import DateOrder, MatterConfig
from lexforge.domain.mentions import DateValue
from lexforge.draft.rules import Rules
from lexforge.extract import date

Found = tuple[int, int, Private]
"""Start and end of what was found in a text, and what it is."""

MINORS = "Names of minors cannot be found by a pattern: look for them yourself, and leave only initials."

_HYPHEN = "[-\u2010\u2011\u2013]"
_DASHED = re.compile(
    rf"(?<![\w.-])(?!000|666)\d{{3}}(?P<h>{_HYPHEN})(?!00)\d{{2}}(?P=h)(?!0000)\d{{4}}(?![\w-])"
)  # ssa.gov: no area 000 or 666, no group 00, no serial 0000; a first 9 is a taxpayer number of the IRS
_OTHER_NUMBER = re.compile(
    r"\b(?:case|docket|index|claim|policy|invoice|order|part|serial|model|tracking|catalog(?:ue)?|patent)"
    r"\s+(?:nos?\.|numbers?|#)?\s*\Z",
    re.IGNORECASE,
)
_TAXPAYER = re.compile(
    r"(?:\bsocial[- ]security\b|\bSSN\b|\btaxpayer\b|\btax(?:payer)?[ -]+I\.?D\b|\bI?TIN\b|\bEIN\b"
    r"|\bemployer identification\b)[^\d\n;]{0,40}?"
    r"(?P<number>(?<![\w-])(?:\d{9}|\d{2}-\d{7}|\d{3}[ .-]\d{2}[ .-]\d{4})(?![\w-]))",
    re.IGNORECASE,
)
_BIRTH = re.compile(
    r"\b(?:born\b(?![- ](?:of|out|from|by|digital)\b)|dates?\s+of\s+birth|birth[- ]?dates?|birthday|d\.?o\.?b\b)",
    re.IGNORECASE,
)
_BEFORE_BIRTH, _AFTER_BIRTH = 60, 25
_DIGITS = r"(?<![\w$-])\d(?:[ -]?\d){4,33}(?![\w,.-]*\d)"
_ACCOUNT = re.compile(
    r"(?:\b(?P<kind>[a-z-]+)\s+)?\b(?:accounts?|accts?\b\.?|cards?)\b"
    r"(?P<named>[^\d.;\n]{0,40}?(?:\bnumber(?:s|ed)?|\bnos?\b\.?|\#))?"
    rf"(?:\s+(?:is|was|are|were))?[\s:(,]*(?P<number>{_DIGITS})",
    re.IGNORECASE,
)
_LISTED = re.compile(rf"(?:,|;|,? and|,? or)\s+(?P<number>{_DIGITS})")
_NAMES_OTHER = re.compile(
    r"phone|fax|mobile|cell|e-?mail|zip|case|docket|bates|invoice|claim|page|policy|order|exhibit|check", re.IGNORECASE
)
_FINANCIAL = frozenset(
    "bank banking checking savings credit debit brokerage deposit escrow trust loan investment retirement ira "
    "money-market visa mastercard securities custodial".split()
)
_NOT_FINANCIAL = frozenset(
    "customer user utility client patient email e-mail member membership loyalty gift business index library time "
    "identification id report into on".split()
)
_CARD = re.compile(r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d){9,15}(?![\w-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")


def find_private(text: str, order: DateOrder = DateOrder.MONTH_FIRST) -> list[Found]:
    """What reads as private in `text`, by place; spans do not overlap."""
    found = [*_taxpayer_numbers(text), *_birth_dates(text, order), *_account_numbers(text)]
    kept: list[Found] = []
    for item in sorted(found, key=lambda f: (f[0], -f[1])):
        if not kept or item[0] >= kept[-1][1]:
            kept.append(item)
    return kept


def _taxpayer_numbers(text: str) -> Iterator[Found]:
    for match in _DASHED.finditer(text):
        if not _OTHER_NUMBER.search(text, max(0, match.start() - 40), match.start()):
            yield *match.span(), Private.TAXPAYER_NUMBER
    for match in _TAXPAYER.finditer(text):
        yield *match.span("number"), Private.TAXPAYER_NUMBER


def _birth_dates(text: str, order: DateOrder) -> Iterator[Found]:
    dates = [m for m in date.find(text, order) if isinstance(m.value, DateValue) and m.value.month is not None]
    for cue in _BIRTH.finditer(text):
        after = next((m for m in dates if m.start >= cue.end()), None)
        if after and after.start - cue.end() <= _BEFORE_BIRTH and not _ends(text[cue.end() : after.start]):
            yield after.start, after.end, Private.BIRTH_DATE
            continue
        before = next((m for m in reversed(dates) if m.end <= cue.start()), None)
        named = not cue.group().lower().startswith("born")
        if before and named and cue.start() - before.end <= _AFTER_BIRTH and not _ends(text[before.end : cue.start()]):
            yield before.start, before.end, Private.BIRTH_DATE


def _ends(between: str) -> bool:
    return re.search(r"[.;]\s|\n", between) is not None


def _account_numbers(text: str) -> Iterator[Found]:
    for match in _ACCOUNT.finditer(text):
        kind = (match["kind"] or "").lower()
        named = match["named"] or ""
        if (kind in _FINANCIAL or (named and kind not in _NOT_FINANCIAL)) and not _NAMES_OTHER.search(named):
            listed: re.Match[str] | None = match
            while listed is not None:
                yield *listed.span("number"), Private.ACCOUNT_NUMBER
                listed = _LISTED.match(text, listed.end())
    for match in _CARD.finditer(text):
        if _luhn(re.sub(r"\D", "", match.group())):
            yield *match.span(), Private.ACCOUNT_NUMBER
    for match in _IBAN.finditer(text):
        if _mod_97(match.group().replace(" ", "")):
            yield *match.span(), Private.ACCOUNT_NUMBER


def _luhn(digits: str) -> bool:
    """The check digit of payment cards (ISO/IEC 7812-1)."""
    doubled = (int(d) * (2 if place % 2 else 1) for place, d in enumerate(reversed(digits)))
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def _mod_97(iban: str) -> bool:
    """The check digits of an international bank account number (ISO 13616)."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def remarks(draft: Draft, config: MatterConfig, rules: Rules) -> tuple[Remark, ...]:
    """What the rules want redacted in the draft's text, with the rule and what to do; the value is not repeated."""
    found = find_private(draft.text, config.date_order)
    return tuple(
        Remark(start=start, end=end, message=f"This reads as a {kind.value.replace('-', ' ')}: {remedy} ({rule.rule}).")
        for rule in rules.bound
        for start, end, kind in found
        if rule.privacy is not None and (remedy := rule.privacy.remedies.get(kind)) is not None
    )


def told(draft: Draft, config: MatterConfig, rules: Rules) -> Iterator[Told]:
    """A line for each finding, a line for the caption, and what was not looked for."""
    for remark in remarks(draft, config, rules):
        yield Told(text=f"Privacy: {place(draft, remark.start)}: {remark.message}", warns=True)
    caption = draft.caption
    lines = (*caption.counsel, *caption.court, *caption.parties, *caption.case_lines, caption.title)
    kinds = {kind for line in lines for _, _, kind in find_private(line, config.date_order)}
    for kind in sorted(kinds):
        yield Told(text=f"Privacy: the caption has what reads as a {kind.value.replace('-', ' ')}.", warns=True)
    yield Told(text=f"Privacy: {MINORS}")


def place(draft: Draft, offset: int) -> str:
    """Where `draft.text[offset]` stands, as a reader of the paper counts."""
    number = 0
    for block, _, end in draft.spans():
        number += block.kind is BlockKind.PARAGRAPH
        if offset < end:
            return f"paragraph {number}" if block.kind is BlockKind.PARAGRAPH else f"the {block.kind.value} {block.id}"
    return "the end"
