"""Rules of form as data: `templates/documents/rules/*.toml`, one file a rule, and which of them a paper is under.

Each rule says where it was read and when, and whether it was read at all or is from memory: `standing` is shown with
whatever comes from the rule, so that nobody relies on it unawares.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from lexforge.config import read_toml
from lexforge.domain.filing import Private
from lexforge.domain.matter import BriefKind, DocumentKind, Jurisdiction, Line, MatterConfig, SignedIn
from lexforge.domain.record import Record, sha256_of
from lexforge.errors import MatterError
from lexforge.templating import templates

FOLDER = "documents/rules"

Wording = Annotated[str, Field(min_length=1, max_length=2000)]


class Part(StrEnum):
    """What a rule may leave out when it counts words or pages."""

    CAPTION = "caption"
    INDEX = "index"
    TABLE_OF_CONTENTS = "table-of-contents"
    TABLE_OF_AUTHORITIES = "table-of-authorities"
    SIGNATURE_BLOCK = "signature-block"
    CERTIFICATE = "certificate"
    NOTICE_OF_MOTION = "notice-of-motion"
    EXHIBITS = "exhibits"
    DECLARATIONS = "declarations"
    ATTACHMENTS = "attachments"
    PROOF_OF_SERVICE = "proof-of-service"


class Oath(Record):
    """The words that are sworn to, one block a line; `signed_in` is None for words that serve anywhere.

    `verb` and `paper` are how the paper calls the act and itself: declare, declaration.
    """

    verb: Line
    paper: Line
    lines: Annotated[tuple[Wording, ...], Field(min_length=1)]
    signed_in: SignedIn | None = None


class Limit(Record):
    """The most words or pages of one kind of paper."""

    document: DocumentKind
    briefs: tuple[BriefKind, ...]
    words: Annotated[int, Field(gt=0)] | None = None
    pages: Annotated[int, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.words is None) is (self.pages is None):
            message = "a limit is in words or in pages"
            raise ValueError(message)
        return self


class Length(Record):
    """Limits, what does not count towards them, and the certificate the rule wants (`{words}`, `{limit}`)."""

    excludes: tuple[Part, ...]
    limits: Annotated[tuple[Limit, ...], Field(min_length=1)]
    certificate: Wording | None = None

    def limit(self, config: MatterConfig) -> Limit | None:
        """The limit for the paper of this matter, if there is one."""
        fitting = (n for n in self.limits if n.document is config.document_kind and config.brief in n.briefs)
        return next(fitting, None)


class Item(Record):
    """One thing to do or to file; with `courts`, only under these sets of rules."""

    text: Wording
    rule: Line
    source: Line
    verified: bool
    courts: tuple[Line, ...] = ()


class Checklist(Record):
    """What belongs to a filing of one kind of document."""

    document: DocumentKind
    items: Annotated[tuple[Item, ...], Field(min_length=1)]


class Asks(StrEnum):
    """What a court wants said of the use of AI: in the paper, somewhere else, or nothing."""

    STATEMENT = "statement"
    ELSEWHERE = "elsewhere"
    NOTHING = "nothing"


class AiUse(Record):
    """A rule on the use of AI. `statement` has places for `{models}` and `{parts}`.

    `review` is the signer's own certification, `told` what the attorney must know besides.
    """

    asks: Asks
    documents: tuple[DocumentKind, ...]
    heading: Wording | None = None
    first_page: bool = False
    statement: Wording | None = None
    review: Wording | None = None
    told: Wording | None = None

    @model_validator(mode="after")
    def _statement_given(self) -> Self:
        if (self.asks is Asks.STATEMENT) is (self.statement is None or self.heading is None):
            message = "`asks` and `statement` with `heading` contradict each other"
            raise ValueError(message)
        return self


class Privacy(Record):
    """What must not be in a public filing, and what is to be done with it."""

    remedies: dict[Private, Line]


class Paper(Record):
    """Pleading paper: numbered lines a page, and the line at which the court's title stands on the first."""

    lines: Annotated[int, Field(gt=0, le=60)]
    court_at_line: Annotated[int, Field(gt=0)]


class Rule(Record):
    """One rule. `effective_until` is the last day it held; a date that was not looked up is left out, as `note` says.

    With `court` it is local and only binds a matter that names the set.
    """

    id: str = ""
    jurisdiction: Jurisdiction
    court: Line | None = None
    rule: Line
    effective_from: datetime.date | None = None
    effective_until: datetime.date | None = None
    checked_on: datetime.date
    source: Line
    verified: bool
    note: Line | None = None
    oath: Oath | None = None
    length: Length | None = None
    checklist: Checklist | None = None
    ai: AiUse | None = None
    privacy: Privacy | None = None
    paper: Paper | None = None

    @model_validator(mode="after")
    def _about_one_thing(self) -> Self:
        about = (self.oath, self.length, self.checklist, self.ai, self.privacy, self.paper)
        if sum(thing is not None for thing in about) != 1:
            message = "a rule is about one thing: oath, length, checklist, ai, privacy or paper"
            raise ValueError(message)
        return self

    def binds(self, config: MatterConfig, on: datetime.date) -> bool:
        """Whether a paper of this matter is under the rule on that day."""
        court = config.court
        return (
            self.jurisdiction is court.jurisdiction
            and (self.court is None or self.court in court.rules)
            and (self.effective_from is None or self.effective_from <= on)
            and (self.effective_until is None or on <= self.effective_until)
        )

    @property
    def standing(self) -> str:
        """Where and when the rule was read, for whoever relies on it."""
        if not self.verified:
            return f"NOT VERIFIED: {self.source}; read the rule at the court before relying on it"
        return f"read {self.checked_on.isoformat()} at {self.source}"


class Rules(Record):
    """The rules one paper is under on one day."""

    on: datetime.date
    bound: tuple[Rule, ...]

    def oath(self, config: MatterConfig) -> tuple[Rule, Oath]:
        """The oath for this declarant; MatterError when none is known for the day."""
        signed_in = (config.declarant.signed_in if config.declarant else None) or SignedIn.ABROAD
        for rule in self.bound:
            if rule.oath is not None and rule.oath.signed_in in (None, signed_in):
                return rule, rule.oath
        raise MatterError(
            f"No words of an oath are known for {config.court.jurisdiction.value} on {self.on.isoformat()}.",
            "Correct `dated` or `jurisdiction` in matter.toml.",
        )


@cache
def all_rules(folder: Path | None = None) -> tuple[Rule, ...]:
    """Every rule, by id (its file's name); MatterError names a file that is not a rule, and the wrong key in it."""
    files = sorted((folder or templates() / FOLDER).glob("*.toml"))
    return tuple(read_toml(file, Rule).model_copy(update={"id": file.stem}) for file in files)


def sets(rules: Iterable[Rule]) -> dict[str, Jurisdiction]:
    """The sets of local rules a matter may name, each with its jurisdiction."""
    named = {rule.court: rule.jurisdiction for rule in rules if rule.court is not None}
    for rule in rules:
        items = rule.checklist.items if rule.checklist is not None else ()
        named |= {court: rule.jurisdiction for item in items for court in item.courts}
    return dict(sorted(named.items()))


def rules_for(config: MatterConfig, today: datetime.date) -> Rules:
    """The rules for the paper of this matter; MatterError when it names a set that is not known."""
    on, known = config.dated or today, sets(all_rules())
    for named in config.court.rules:
        if known.get(named) is not config.court.jurisdiction:
            ours = ", ".join(name for name, where in known.items() if where is config.court.jurisdiction)
            raise MatterError(
                f"LexForge has no rules {named!r} for {config.court.jurisdiction.value}.",
                f"Correct `rules` under [court] in matter.toml; it has: {ours or 'none'}.",
            )
    return Rules(on=on, bound=tuple(rule for rule in all_rules() if rule.binds(config, on)))


def rules_sha256() -> str:
    """Hash over all rules, for the provenance of what is made from them."""
    return sha256_of([rule.content_sha256 for rule in all_rules()])
