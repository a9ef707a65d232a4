"""Findings of the gate and objections of the adversary."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum

from lexforge.domain.mentions import MentionKind
from lexforge.domain.record import Record


class Verdict(StrEnum):
    """The gate knows two answers."""

    GROUNDED = "grounded"
    BLOCKED = "blocked"


class Reason(StrEnum):
    """Stable codes; `message` in a finding says the same to a lawyer."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    INCONSISTENT = "inconsistent"
    MISPLACED = "misplaced"
    IMPOSSIBLE = "impossible"
    OUT_OF_RANGE = "out_of_range"
    NO_ANTECEDENT = "no_antecedent"
    WORDS_CHANGED = "words_changed"
    ROLE_MISMATCH = "role_mismatch"
    NO_TEXT = "no_text"
    EMPTY_BUNDLE = "empty_bundle"
    UNCHECKED = "unchecked"
    ALLOWED = "allowed"


class Support(Record):
    """A place in the bundle. `text == page.text[start:end]`; `bates` is the number stamped on that page.

    `place` is what a reader finds it by when the page does not say, such as `34:12` or `Payments!A2:F2`.
    """

    source: str
    path: str
    page: int
    start: int
    end: int
    text: str
    bates: str | None = None
    place: str | None = None

    @property
    def at(self) -> str:
        """How a reader finds it in its document: its place, else its page."""
        return self.place or f"page {self.page}"

    @property
    def where(self) -> str:
        """The same with the document: `evidence/letter.txt, page 2 (ACME-000017)`."""
        return f"{self.path}, {self.at}" + (f" ({self.bates})" if self.bates else "")


class Finding(Record):
    """The verdict on one mention; `start` and `end` are offsets into the text that was checked.

    `place` is the page of a .pdf or the paragraph of a .docx, counted from 1; None for plain text.
    """

    start: int
    end: int
    kind: MentionKind
    verdict: Verdict
    reason: Reason
    message: str
    support: tuple[Support, ...] = ()
    nearest: Support | None = None
    place: int | None = None

    @property
    def is_blocked(self) -> bool:
        """Whether this mention may not leave the house."""
        return self.verdict is Verdict.BLOCKED


class GateReport(Record):
    """All findings on one text against one bundle. `passed` is never true for an empty bundle."""

    findings: tuple[Finding, ...]
    passed: bool
    bundle: str
    policy: str

    @property
    def blocked(self) -> tuple[Finding, ...]:
        """The findings that stop the paper."""
        return tuple(f for f in self.findings if f.is_blocked)

    def reasons(self) -> Counter[str]:
        """How often each reason blocked."""
        return Counter(f.reason.value for f in self.blocked)


class ObjectionKind(StrEnum):
    """What the adversary may say of a paragraph."""

    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    OVERSTATED = "overstated"
    MISATTRIBUTED = "misattributed"
    MISSING_ADVERSE_FACT = "missing_adverse_fact"


class Objection(Record):
    """An opinion of the other seat on one block; it informs the attorney and never clears a finding."""

    block: str
    kind: ObjectionKind
    passage: str
    note: str
    seat: str
