"""Planted errors in a run: measured once on the final text, the same when resumed, and gone when that is done."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from graphs import drafting
from graphs.steps import Steps
from lexforge.config import register_file
from lexforge.domain.canaries import Canaries
from lexforge.domain.draft import Draft
from lexforge.domain.record import sha256_of
from lexforge.ingest.fingerprint import shingles
from lexforge.llm.boards import SeatName
from lexforge.llm.request import Request
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats
from lexforge.store import database, register
from lexforge.store.folder import Matter
from tests.conftest import obedient

ROOT = Path(__file__).parent.parent.parent
FACTS = (
    "Basalt delivered the flour wet and late.",
    "Orchard refused the wet flour at the dock.",
    "The sacks were open and the flour was grey.",
    "The driver signed for the refusal before he left.",
)


@pytest.fixture
def db(matter: Path) -> Iterator[Database]:
    with database.opened(matter / "work") as opened:
        yield opened


@pytest.fixture
def facts(matter: Path) -> Path:
    """The matter with four facts, so that two errors can be planted among them."""
    bullets = "".join(f"- {fact}\n" for fact in FACTS)
    (matter / "intake.md").write_text(f"## Facts\n\n{bullets}", encoding="utf-8")
    return matter


def talkative(request: Request) -> str:
    """Object to every paragraph, with the paragraph's own words as the note."""
    if request.json_schema is None or "objections" not in request.json_schema:
        return obedient(request)
    shown = re.findall(r"^Paragraph (\w+): (.*)$", request.messages[-1].content, re.M)
    notes = [(name, re.sub(r"[^A-Za-z0-9 ,.;:'()-]", "", text)[:150]) for name, text in shown]
    items = [{"block": name, "kind": "contradicted", "passage": "E-1", "note": note} for name, note in notes]
    return json.dumps({"objections": items})


def seats_of(script: object) -> Seats:
    return {name: ScriptedSeat(name, script, label=name.value) for name in SeatName}  # type: ignore[arg-type]


def shadow_sentences(seats: Seats, draft: Draft) -> set[str]:
    """What any seat was shown as a paragraph that is none of the draft's."""
    shown = {
        text
        for seat in seats.values()
        if isinstance(seat, ScriptedSeat)
        for request in seat.requests
        for text in re.findall(r"^Paragraph \w+: (.*)$", request.messages[-1].content, re.M)
    }
    return shown - {block.text for block in draft.blocks}


def everything_written(matter: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of the matter and of the register, and every part of its Word documents."""
    for path in [*(matter / "work").rglob("*"), *register_file().parent.rglob("*")]:
        if path.is_file():
            yield path.name, path.read_bytes()
            if path.suffix == ".docx":
                with zipfile.ZipFile(path) as archive:
                    yield from ((f"{path.name}/{name}", archive.read(name)) for name in archive.namelist())


def test_shadow_text_is_in_no_artifact_no_file_no_register_and_no_other_prompt(facts: Path, db: Database) -> None:
    seats = seats_of(talkative)
    steps = Steps(Matter(facts), db, seats)
    _, state = drafting.run(steps)
    draft = steps.get(state["draft"], Draft)
    false = shadow_sentences(seats, draft)
    assert len(false) == 2, "two of the four facts; the one document of the other section is spared"
    true_words = {word for block in draft.blocks for word in shingles(block.text)}
    for sentence in false:
        assert not [name for name, data in everything_written(facts) if sentence.encode() in data]
        # The changed place alone, with some words about it, is not there either.
        novel = shingles(sentence) - true_words
        with register.opened() as known:
            assert novel
            assert not known.hits(novel)
    records = [steps.get(sha256, Canaries) for sha256 in state["canaries"]]
    assert {canary.sha256 for one in records for canary in one.planted} == {
        sha256_of(sentence.encode()) for sentence in false
    }
    for seat in seats.values():
        assert isinstance(seat, ScriptedSeat)
        asking = [r for r in seat.requests if any(s in m.content for s in false for m in r.messages)]
        assert all(r.json_schema and "objections" in r.json_schema for r in asking)


def test_only_the_adversary_and_the_step_that_asks_it_know_of_shadows() -> None:
    files = [*(ROOT / "lexforge").rglob("*.py"), *(ROOT / "graphs").rglob("*.py")]
    naming = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if re.search(r"Shadow|canaries\.planted", path.read_text(encoding="utf-8"))
    }
    assert naming == {"lexforge/adversary/canaries.py", "graphs/steps.py"}


def test_draft_and_verdict_are_the_same_whatever_is_planted_and_whoever_objects(facts: Path) -> None:
    found = set()
    for planted, reviewer in ((0, obedient), (4, obedient), (0, talkative), (4, talkative)):
        path = facts / "matter.toml"
        text = re.sub(r"^canaries = \d+\n", "", path.read_text(encoding="utf-8"))
        path.write_text(f"canaries = {planted}\n{text}", encoding="utf-8")
        with database.opened(facts / f"work-{planted}-{reviewer.__name__}") as db:
            steps = Steps(Matter(facts), db, seats_of(reviewer))
            packet, state = drafting.run(steps)
            folder = packet.folder(facts / "work")
            found.add(tuple((folder / name).read_bytes() for name in ("draft.txt", "gate.json")))
            assert bool(state["canaries"]) is bool(planted)
    assert len(found) == 1


def test_the_packet_tells_what_was_measured(facts: Path, db: Database) -> None:
    packet, _ = drafting.run(Steps(Matter(facts), db, seats_of(talkative)))
    told = json.loads((packet.folder(facts / "work") / "objections.json").read_text(encoding="utf-8"))["canaries"]
    assert [one["section"] for one in told] == ["s1", "s2"]
    assert "caught 2 of 2 planted errors" in told[1]["told"]
    assert "objected to 2 of 2 true paragraphs: its silence is weak evidence" in told[1]["told"]


def test_a_resumed_run_plants_the_same_and_asks_nothing_twice(facts: Path, db: Database) -> None:
    def stopping(request: Request) -> str:
        if request.json_schema and "objections" in request.json_schema and reviews.pop():
            raise KeyboardInterrupt
        return obedient(request)

    reviews = [True, False, False]  # the two reviews are answered, the shadow is not
    with pytest.raises(KeyboardInterrupt):
        drafting.run(Steps(Matter(facts), db, seats_of(stopping)))
    seats = seats_of(obedient)
    resumed = Steps(Matter(facts), db, seats)
    _, state = drafting.run(resumed)
    assert sum(len(seat.requests) for seat in seats.values() if isinstance(seat, ScriptedSeat)) == 1
    with database.opened(facts / "elsewhere") as other:
        undisturbed = Steps(Matter(facts), other, seats_of(obedient))
        assert drafting.run(undisturbed)[1]["canaries"] == state["canaries"]
