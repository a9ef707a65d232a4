"""The heads of letters, memoranda and printed emails: who wrote to whom, and when, and which words are whose."""

from __future__ import annotations

import re

from lexforge.domain.evidence import Correspondence
from lexforge.domain.record import Record

_FIELD = re.compile(r"[ \t=]*(From|To|Cc|Date|Sent|Subject|Re|Customer)(?::|[ \t]{2,}|(?<=Sent) )[ \t]*(.*)$", re.I)
_START = re.compile(r"[ \t=>]*From\b(?::|[ \t])", re.I)
_FOLLOWS = re.compile(r"[ \t=>]*(?:Sent|Date|To)\b(?::|[ \t]{2,}|(?<=Sent)[ \t])", re.I)
_QUOTED = re.compile(r"[ \t>]*(?:-+ ?(?:Original|Forwarded) Message|On .{6,80} wrote:|Original Message)", re.I)
_MAYBE = re.compile(r"^[ \t=>]*From\b|Original Message|Forwarded Message|wrote:", re.I | re.M)
"""Without any of these there is no head; most pages are not looked at line by line."""
_MAYBE_FROM = re.compile(r"\n[ \t=>]*(?i:From)\b")  # begins with one certain character, so it is found ten times faster
_LONGEST = 12
"""Lines of a head: there are nine fields."""
_FIRST_WITHIN = 1500
"""Characters at the start of a document in which its own head is looked for."""

_LETTER = r"[^\W\d_]"
NAME = re.compile(rf"(?=[^\Wa-z\d_]){_LETTER}(?:{_LETTER}|[.'’-])*(?:,? {_LETTER}(?:{_LETTER}|[.'’-])*)+")
"""A name that reads like one; what OCR has garbled is not offered as exact."""


class Head(Record):
    """A head in a text, beginning at offset `start`. What stands below it, to the next head, is this writer's."""

    start: int
    correspondence: Correspondence


def head_of(text: str) -> Correspondence | None:
    """The head of a document itself, or None when it has none."""
    first = next(iter(heads(text)), None)
    return first.correspondence if first and first.start < _FIRST_WITHIN else None


def heads(text: str) -> list[Head]:
    """All heads of a text: its own, and those of the messages it quotes; an unreadable one names nobody.

    Only lines that stand together with a `From` line count: a production's own `Date:` line above it is the date of the
    release.
    """
    if not _may_have_one(text):
        return []
    lines = text.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    found = []
    for number, line in enumerate(lines):
        if _START.match(line) and _is_head(lines, number):
            first = _first_line(lines, number)
            found.append(Head(start=offsets[first], correspondence=_read(lines, first)))
        elif _QUOTED.match(line):
            found.append(Head(start=offsets[number], correspondence=Correspondence()))
    return found


def _may_have_one(text: str) -> bool:
    """Whether a text has any of `_MAYBE`, which is looked for only where it is likely."""
    folded = text.casefold()
    likely = " message" in folded or "wrote:" in folded or _MAYBE_FROM.search(f"\n{text}") is not None
    return likely and _MAYBE.search(text) is not None


def _is_head(lines: list[str], number: int) -> bool:
    """Whether a `From` line is one of a head: a line for date or addressee stands next to it."""
    near = [line for line in lines[number + 1 : number + 5] if line.strip()][:2]
    above = lines[number - 1] if number else ""
    return any(_FOLLOWS.match(line) for line in near) or _field(above) is not None


def _first_line(lines: list[str], number: int) -> int:
    top = max(0, number - _LONGEST)
    while number > top and _field(lines[number - 1]):
        number -= 1
    return number


def _read(lines: list[str], first: int) -> Correspondence:
    fields: dict[str, str] = {}
    blanks = 0
    for line in lines[first : first + 2 * _LONGEST]:
        match = _FIELD.match(line.rstrip())
        if match and match.group(1).lower() not in fields:
            fields[match.group(1).lower()] = match.group(2).strip()
            blanks = 0
        elif line.strip() or blanks:  # a letter's head may have an empty line between its lines, not more
            break
        else:
            blanks += 1
    if "from" not in fields or len(fields) < 2:
        return Correspondence()
    return Correspondence(
        author=next(iter(_typed_names(fields["from"])), None),
        recipients=tuple(_typed_names(fields.get("to", ""))),
        sent=fields.get("sent") or fields.get("date") or None,
        subject=fields.get("subject") or fields.get("re") or None,
    )


def _field(line: str) -> str | None:
    match = _FIELD.match(line.rstrip())
    return match.group(1).lower() if match else None


def _typed_names(field: str) -> list[str]:
    """Persons in a typed line such as "Ivo Brandlestock, Senior Engineer" or "Doe, Jane; Roe, Richard"."""
    names = []
    for person in re.split(r"\s*;\s*|\s+and\s+", field):
        name, _, rest = re.split(r"\s*[<‹\[(]", person)[0].strip(" '\"").partition(",")
        # One word before the comma is a family name; more are a whole name, and a title follows.
        name = name if " " in name.strip() else f"{rest.strip()} {name}"
        if NAME.fullmatch(name.strip()):
            names.append(name.strip())
    return names
