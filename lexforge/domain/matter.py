"""The matter as the attorney describes it in `matter.toml`."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from lexforge.domain.record import Record

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class DocumentKind(StrEnum):
    """Documents LexForge can draft."""

    DECLARATION = "declaration"
    MOTION = "motion"


class Jurisdiction(StrEnum):
    """Whose rules of form a paper follows."""

    FEDERAL = "federal"
    CALIFORNIA = "california"
    NEW_YORK = "new-york"


class SignedIn(StrEnum):
    """Where the declarant will sign: 28 U.S.C. § 1746 has a form for each."""

    UNITED_STATES = "united-states"
    ABROAD = "abroad"


class BriefKind(StrEnum):
    """What a motion's paper is, for the limits on its length."""

    OPENING = "opening"
    REPLY = "reply"
    SUMMARY_JUDGMENT = "summary-judgment"


class DateOrder(StrEnum):
    """How 4/9/2021 is read in this matter."""

    MONTH_FIRST = "mdy"
    DAY_FIRST = "dmy"


class PartyRole(StrEnum):
    """The side a party stands on in the caption."""

    PLAINTIFF = "plaintiff"
    DEFENDANT = "defendant"
    PETITIONER = "petitioner"
    RESPONDENT = "respondent"


class Court(Record):
    """The court as it is named in the caption, one line each, and whose rules it follows.

    `rules` names sets of local or part rules that LexForge has, such as `sdny`, on top of those of the jurisdiction.
    """

    name: Line
    division: Line | None = None
    jurisdiction: Jurisdiction = Jurisdiction.FEDERAL
    rules: tuple[Line, ...] = ()


class CaseCaption(Record):
    """Number and title of the case; `title` is the title of the document to be drafted."""

    case_number: Line
    title: Line
    judge: Line | None = None


class Party(Record):
    """A party; `short` is how the text calls it (`Harlow`)."""

    name: Line
    role: PartyRole
    short: Line


class Counsel(Record):
    """The attorney who signs, with what Fed. R. Civ. P. 11(a) asks of the signature block."""

    name: Line
    represents: Line
    firm: Line | None = None
    bar_number: Line | None = None
    address: tuple[Line, ...] = ()
    phone: Line | None = None
    email: Line | None = None


class Declarant(Record):
    """Who swears: `title` as in "Operations Manager of Harlow Press, Inc.".

    Without `signed_in` the oath is one that serves wherever it is signed.
    """

    name: Line
    title: Line
    signed_in: SignedIn | None = None


class MatterConfig(Record):
    """All of `matter.toml`.

    `boards` names a shipped board file or one beside `matter.toml`; without it `boards` of lexforge.toml decides.
    `canaries` are the errors planted in the shadow of a section to measure its adversary; 0 measures nothing.
    `own_output_waiver` is the attorney's reason to draft although papers of ours lie among the evidence. `dated` is the
    day whose rules of form are used; without it, the day of the run.
    """

    document_kind: DocumentKind
    court: Court
    caption: CaseCaption
    parties: Annotated[tuple[Party, ...], Field(min_length=2)]
    counsel: Counsel
    declarant: Declarant | None = None
    brief: BriefKind = BriefKind.OPENING
    dated: datetime.date | None = None
    date_order: DateOrder = DateOrder.MONTH_FIRST
    boards: Line | None = None
    repairs: Annotated[int, Field(ge=0, le=5)] = 2
    canaries: Annotated[int, Field(ge=0, le=50)] = 4
    own_output_waiver: Line | None = None
