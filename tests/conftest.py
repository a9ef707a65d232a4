"""What several tests need: a small fictional matter, and seats that answer by rule."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lexforge.domain.record import canonical_json
from lexforge.llm.boards import SeatName
from lexforge.llm.request import Request
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats

DEMO = Path(__file__).parent.parent / "matters" / "matter-123"

MATTER_TOML = """\
document_kind = "declaration"
[court]
name = "United States District Court for the District of Aldersea"
[caption]
case_number = "2:99-cv-00001"
title = "Declaration of Pia Fennick"
[[parties]]
name = "Orchard Mills, Inc."
role = "plaintiff"
short = "Orchard"
[[parties]]
name = "Basalt Freight Co."
role = "defendant"
short = "Basalt"
[counsel]
name = "Una Tallow"
represents = "Plaintiff Orchard Mills, Inc."
bar_number = "00000"
[declarant]
name = "Pia Fennick"
title = "Custodian of Records of Orchard Mills, Inc."
"""

INTAKE = """\
# Intake

## Facts

- Basalt delivered the flour wet and late.
- Orchard refused the wet flour at the dock.

## Argument

- A buyer may refuse goods that are not as promised.
"""

LETTER = """\
From: Rufus Brine
To: Pia Fennick
Date: May 4, 2021

Basalt delivered the flour wet and late on May 3, 2021. The sacks were open and the flour was grey.

Orchard refused the wet flour at the dock. The driver signed for the refusal and left.

BASALT-000017
"""

OPINION = """\
Fictional authority, written for a test; nothing in it is law.

Tansy Grain Co. v. Ferris Carting, Inc., 1203 F.3d 41 (14th Cir. 2018)

A buyer may refuse goods that are not as promised. The refusal must come within a reasonable time.
"""


@pytest.fixture(scope="session", autouse=True)
def _no_register_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the user's own data directory, fixtures of whole modules included."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def _register(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with an empty register: the same fictional words serve many of them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    """A small matter: one letter with a Bates number, one opinion, a declaration to draft."""
    folder = tmp_path / "orchard"
    for part, name, text in (("evidence", "letter.txt", LETTER), ("authorities", "tansy.txt", OPINION)):
        (folder / part).mkdir(parents=True)
        (folder / part / name).write_text(text, encoding="utf-8")
    (folder / "matter.toml").write_text(MATTER_TOML, encoding="utf-8")
    (folder / "intake.md").write_text(INTAKE, encoding="utf-8")
    return folder


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """A copy of the tracked demo matter, without anything generated."""
    return Path(shutil.copytree(DEMO, tmp_path / "matter-123", ignore=shutil.ignore_patterns("work")))


Script = Callable[[Request], str]


def obedient(request: Request) -> str:
    """Answer as the grammar or the schema of the request allows: the first choice everywhere."""
    if request.json_schema is not None:
        properties = json.loads(request.json_schema)["properties"]
        return canonical_json({"passage": 1} if "passage" in properties else {"objections": []})
    return first_sentence(request.grammar or "")


def first_sentence(grammar: str) -> str:
    """The shortest sentence of a closed grammar: its first frame, its first run or quotation, its end."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    if rules["root"].startswith('"'):
        return str(json.loads(rules["root"]))
    frame, body = rules["root"].removeprefix("frame ( ").removesuffix(" )").split(" | ")[-1], ""
    for part in re.findall(r'"(?:[^"\\]|\\.)*"|\w+', frame):
        body += str(json.loads(part if part.startswith('"') else rules[part].split(" | ")[0]))
    return str(json.loads(rules["frame"].split(" | ")[0])) + body


@pytest.fixture
def seats() -> Seats:
    """Two scripted seats that keep to every grammar and schema; their identities differ."""
    return {name: ScriptedSeat(name, obedient, label=name.value) for name in SeatName}
