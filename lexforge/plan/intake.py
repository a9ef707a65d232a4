"""Reading `intake.md`: the attorney's facts and arguments, one bullet each."""

from __future__ import annotations

import re

from lexforge.domain.record import Record
from lexforge.errors import MatterError

_HEADING = re.compile(r"^##\s+(.+?)\s*$")
_BULLET = re.compile(r"^\s*[-*]\s+(.+)$")


class Intake(Record):
    """What the document must say, in the attorney's words; `arguments` may be empty."""

    facts: tuple[str, ...]
    arguments: tuple[str, ...] = ()


def read(text: str) -> Intake:
    """Bullets under `## Facts` and `## Argument`; a bullet may run over several lines. MatterError without facts."""
    found: dict[str, list[str]] = {}
    heading, in_bullet = "", False
    for line in text.splitlines():
        if match := _HEADING.match(line):
            heading, in_bullet = match.group(1).lower(), False
        elif match := _BULLET.match(line):
            found.setdefault(heading, []).append(match.group(1).strip())
            in_bullet = True
        elif not line.strip():
            in_bullet = False
        elif in_bullet:
            found[heading][-1] += " " + line.strip()
    facts = found.get("facts", [])
    if not facts:
        raise MatterError(
            "intake.md states no facts.", "Write each fact as a bullet (`- …`) under the heading `## Facts`."
        )
    return Intake(facts=tuple(facts), arguments=tuple(found.get("argument", []) + found.get("arguments", [])))
