"""Who wrote to whom: names and direction must agree with the head of the email or letter that the sentence cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lexforge.domain.evidence import Correspondence
from lexforge.domain.findings import Reason, Support
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.outcome import Outcome, blocked
from lexforge.gate.tokens import norms_of

TITLE = r"(?:(?:Mr|Ms|Mrs|Dr)\.\s+)?"
NAME = rf"{TITLE}[A-Z][\w'’-]+(?:\s+(?:[A-Z]\.|[A-Z][\w'’-]+)){{0,3}}"
WRITING = r"(?:e-?mail|message|letter|memo(?:randum)?|note|notice|reply)"
THING = rf"(?:an?|the|this|that|his|her|its)\s+(?:[a-z-]+\s+){{0,3}}{WRITING}"
SENDS = r"(?:sent|e-?mailed|wrote(?:\s+to)?|forwarded|informed|told|notified|advised|replied\s+to|responded\s+to)"
PATTERNS = (
    re.compile(rf"(?P<author>{NAME})\s+{SENDS}\s+(?:{THING}\s+)?(?:to\s+)?(?P<recipient>{NAME})"),
    re.compile(rf"{WRITING}\s+from\s+(?P<author>{NAME})(?:\s+to\s+(?P<recipient>{NAME}))?"),
    re.compile(rf"(?:sent|written|e-?mailed|signed)\s+by\s+(?P<author>{NAME})(?:\s+to\s+(?P<recipient>{NAME}))?"),
    re.compile(rf"(?P<recipient>{NAME})\s+(?:received|got)\s+{THING}\s+from\s+(?P<author>{NAME})"),
    re.compile(rf"(?:sent|addressed)\s+to\s+(?P<recipient>{NAME})(?:\s+by\s+(?P<author>{NAME}))?"),
)  # fmt: skip
NOT_NAMES = frozenset((
    "mr", "ms", "mrs", "dr", "the", "plaintiff", "defendant", "plaintiffs", "defendants", "counsel", "court", "on",
    "in", "email", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "exhibit",
))  # fmt: skip


class Claim(NamedTuple):
    """`text[start:end]` of the draft gives a person a part in a document."""

    start: int
    end: int
    name: str
    is_author: bool


def claims(text: str, start: int, end: int) -> Iterator[Claim]:
    """Every such claim in one sentence of the draft."""
    seen: set[tuple[int, bool]] = set()
    for pattern in PATTERNS:
        for match in pattern.finditer(text, start, end):
            for group, is_author in (("author", True), ("recipient", False)):
                name = match[group]
                if name and _is_name(name) and (match.start(group), is_author) not in seen:
                    seen.add((match.start(group), is_author))
                    yield Claim(match.start(group), match.end(group), name, is_author)


def _words(name: str) -> list[str]:
    return [word for word in norms_of(name) if len(word) > 2 and word not in NOT_NAMES]


def _is_name(name: str) -> bool:
    return bool(_words(name))


def _fits(name: str, people: Sequence[str]) -> bool:
    """Whether a word of the name stands in the printed name or address of one of these people."""
    printed = [re.sub(r"\W", "", person.lower()) for person in people]
    return any(word.replace("'", "") in person for word in _words(name) for person in printed)


def judge(claim: Claim, sources: Sequence[SourceText]) -> Outcome | None:
    """What is wrong with a claim; None when a named document bears it out or none of them shows who wrote it."""
    heads = [(held, head) for held in sources for head in _heads(held)]
    known = [(held, head) for held, head in heads if _people(head, claim.is_author)]
    if not known or any(_fits(claim.name, _people(head, claim.is_author)) for _, head in known):
        return None
    held, head = known[0]
    part = "author" if claim.is_author else "recipient"
    printed = "; ".join(_people(head, claim.is_author))
    turned = _fits(claim.name, _people(head, not claim.is_author))
    more = " The parts are turned round." if turned else ""
    message = f"{held.source.path} names “{printed}” as {part}, not {claim.name}.{more}"
    return blocked(Reason.ROLE_MISMATCH, message, nearest=_head(held))


def _heads(held: SourceText) -> list[Correspondence]:
    """The document's own head, and those of the messages it quotes."""
    quoted = dict.fromkeys(p.correspondence for p in held.source.passages if p.correspondence is not None)
    own = held.source.correspondence
    return [*([own] if own is not None else []), *quoted]


def _people(head: Correspondence, author: bool) -> list[str]:
    if author:
        return [head.author] if head.author else []
    return [person for person in head.recipients if person.strip()]


def _head(held: SourceText) -> Support | None:
    found = held.support(0, min(200, len(held.text)))
    return found[0] if found else None
