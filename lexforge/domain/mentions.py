"""Mentions: spans of text that can be checked, and the values they state."""

from __future__ import annotations

import calendar
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from lexforge.domain.record import Record


class MentionKind(StrEnum):
    """What a span of text claims to be."""

    CITATION = "citation"
    RECORD_CITE = "record_cite"
    DATE = "date"
    BATES = "bates"
    QUOTATION = "quotation"
    AMOUNT = "amount"
    UNCHECKED = "unchecked"


class DateValue(Record):
    """A calendar statement with the parts that were stated and no others.

    `weekday` counts from Monday = 0. A missing part stays missing; nothing is filled in from today.
    """

    kind: Literal["date"] = "date"
    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    @property
    def is_possible(self) -> bool:
        """Whether such a day can exist at all (February 30 cannot; February 29 needs a leap year)."""
        if self.month is not None and not 1 <= self.month <= 12:
            return False
        if self.day is None or self.month is None:
            return True
        year = 2000 if self.year is None else self.year
        return 1 <= year <= 9999 and 1 <= self.day <= calendar.monthrange(year, self.month)[1]

    @property
    def interval(self) -> tuple[date, date] | None:
        """First and last day, both included; None when the year is missing or the day is impossible."""
        if self.year is None or not self.is_possible:
            return None
        if self.month is None and self.quarter is not None:
            first, last = 3 * self.quarter - 2, 3 * self.quarter
        else:
            first, last = (1, 12) if self.month is None else (self.month, self.month)
        first_day, last_day = (1, calendar.monthrange(self.year, last)[1]) if self.day is None else (self.day, self.day)
        return date(self.year, first, first_day), date(self.year, last, last_day)

    @property
    def weekday_agrees(self) -> bool:
        """False only when a weekday is stated and the calendar says another one."""
        if self.weekday is None or self.year is None or self.month is None or self.day is None:
            return True
        return self.is_possible and date(self.year, self.month, self.day).weekday() == self.weekday


class BatesValue(Record):
    """Pages `first` to `last` (both included) of one production prefix; `width` digits as written.

    `folded` tells that a letter was read as a digit (O as 0, l as 1) inside the counter.
    """

    kind: Literal["bates"] = "bates"
    prefix: str
    first: int
    last: int
    width: int
    folded: bool = False

    @property
    def keys(self) -> tuple[tuple[str, int], ...]:
        """(prefix, number) of every page; empty when the range runs backwards."""
        return tuple((self.prefix, number) for number in range(self.first, self.last + 1))


class CitationForm(StrEnum):
    """Forms of legal citation (Bluebook rules 10, 12, 14, 4)."""

    CASE = "case"
    SHORT = "short"
    ID = "id"
    SUPRA = "supra"
    DOCKET = "docket"
    WESTLAW = "westlaw"
    NEUTRAL = "neutral"
    STATUTE = "statute"
    REGULATION = "regulation"
    RULE = "rule"
    CONSTITUTION = "constitution"
    SECONDARY = "secondary"


class CitationValue(Record):
    """A citation of law, in parts, each normalised only in spacing and typography.

    For a case: `name`, `volume` `reporter` `page`, `court`, `year`, `pin`. For a statute, regulation or rule:
    `reporter` is the code, `volume` the title, `section` with its `subsections` as written.
    `antecedent` is the index, among the mentions of the text, of what a short form refers to.
    """

    kind: Literal["citation"] = "citation"
    form: CitationForm
    name: str | None = None
    volume: str | None = None
    reporter: str | None = None
    page: str | None = None
    pin: str | None = None
    court: str | None = None
    year: int | None = None
    section: str | None = None
    subsections: tuple[str, ...] = ()
    docket: str | None = None
    antecedent: int | None = None
    in_parenthetical: bool = False


class RecordForm(StrEnum):
    """Forms of citation to the record (Bluebook B17)."""

    DOCKET = "docket"
    EXHIBIT = "exhibit"
    DECLARATION = "declaration"
    COMPLAINT = "complaint"
    DEPOSITION = "deposition"
    TRANSCRIPT = "transcript"
    APPENDIX = "appendix"


class RecordCiteValue(Record):
    """A citation to the record: which document, and where in it (paragraphs, or page and lines)."""

    kind: Literal["record_cite"] = "record_cite"
    form: RecordForm
    document: str
    paragraphs: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()


class QuotationValue(Record):
    """Quoted words without their marks. `attributed_to` is the name given before or after, if one was seen.

    `term` marks a defined term, (the “Agreement”): it names something and claims no source.
    """

    kind: Literal["quotation"] = "quotation"
    words: str
    closed: bool = True
    block: bool = False
    attributed_to: str | None = None
    term: bool = False


class AmountValue(Record):
    """A sum of money; `amount` as a decimal string without separators, `currency` an ISO 4217 code."""

    kind: Literal["amount"] = "amount"
    amount: str
    currency: str = "USD"


MentionValue = Annotated[
    DateValue | BatesValue | CitationValue | RecordCiteValue | QuotationValue | AmountValue,
    Field(discriminator="kind"),
]


class Mention(Record):
    """A checkable span: `text == whole[start:end]` (Python string offsets)."""

    start: int
    end: int
    kind: MentionKind
    text: str
    value: MentionValue | None = None

    def overlaps(self, start: int, end: int) -> bool:
        """Whether this span shares a character with `start:end`."""
        return self.start < end and start < self.end
