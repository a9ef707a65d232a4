"""What the attorney is told of a draft's form before she files it; none of it decides anything at the gate."""

from __future__ import annotations

from enum import StrEnum

from lexforge.domain.record import Record


class Private(StrEnum):
    """What rules of court want redacted and a pattern can find; the name of a minor is not among it."""

    TAXPAYER_NUMBER = "taxpayer-number"
    BIRTH_DATE = "birth-date"
    ACCOUNT_NUMBER = "account-number"


class Remark(Record):
    """Something to look at in `draft.text[start:end]`; it becomes a comment in Word."""

    start: int
    end: int
    message: str


class Told(Record):
    """A line for the summary; one that `warns` wants something done."""

    text: str
    warns: bool = False


class FilingNotes(Record):
    """Remarks on places of the text, lines for the summary, and the checklist of the filing.

    `numbered_lines` is how many lines a page of pleading paper has, None for plain paper; on the first page the court
    stands at `court_at_line`.
    """

    remarks: tuple[Remark, ...] = ()
    told: tuple[Told, ...] = ()
    checklist: str = ""
    numbered_lines: int | None = None
    court_at_line: int = 1
