"""Intake, retrieval and the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.draft import Stakes
from lexforge.domain.evidence import Bundle, Page, Passage, Role, Source
from lexforge.domain.matter import DocumentKind
from lexforge.errors import AnswerMalformed, BundleError, MatterError
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.llm.boards import SeatName
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seats
from lexforge.plan import intake, outline
from lexforge.plan.retrieval import Retriever
from lexforge.store.folder import Matter


def test_intake_reads_bullets_under_their_headings() -> None:
    read = intake.read(
        "# Title\n\nNotes.\n- a bullet of the notes\n\n## Facts\n\n- One fact that\n  runs over.\n* Two.\n\nProse.\n\n"
        "## Argument\n- A point.\n\n## Other\n- not used\n"
    )
    assert read.facts == ("One fact that runs over.", "Two.")
    assert read.arguments == ("A point.",)


def test_intake_without_facts_is_asked_back() -> None:
    with pytest.raises(MatterError, match="## Facts"):
        intake.read("## Argument\n- A point.\n")


def passages(*texts: str) -> list[Passage]:
    return [Passage(id=str(n), page=1, start=0, end=len(t), text=t) for n, t in enumerate(texts)]


RANKED = [
    ("The roof leaked in winter.", 1, "the passage that speaks of it"),
    ("The roofs leak every winter.", 1, "endings are folded"),
    ("The insurer denied the claim.", None, "no passage speaks of it"),
    ("It was so.", None, "a point without content words"),
]


@pytest.mark.parametrize(("point", "first", "reason"), RANKED, ids=[r[2] for r in RANKED])
def test_retrieval(point: str, first: int | None, reason: str) -> None:
    found = Retriever(
        passages(
            "The rent is due on the first day of each month, in advance.",
            "In the winter the roof of the hall leaked, and water stood on the floor.",
            "Roof.",
        )
    ).rank(point, 3)
    assert (found[0].passage if found else None) == (None if first is None else str(first))


def test_a_long_passage_does_not_win_by_its_length() -> None:
    scattered = "The roof is red. " + "Nothing else is said about that. " * 5 + "It leaked oil. " + "So it goes. " * 5
    told = "The roof of the hall leaked in the winter of that year."
    ranked = Retriever(passages(scattered + "The winter was mild. ", told)).rank("The roof leaked in winter.", 2)
    assert ranked[0].passage == "1"


@pytest.fixture
def bundle(matter: Path) -> Bundle:
    return ingest(matter, listing(matter))


def test_declaration(matter: Path, bundle: Bundle, seats: Seats) -> None:
    made = outline.plan(intake.read(Matter(matter).intake), bundle, Matter(matter).config, seats[SeatName.REASONER])
    assert [(s.heading, s.stakes) for s in made.sections] == [
        ("The Documents", Stakes.ROUTINE),
        ("The Facts", Stakes.HIGH),
    ]
    assert [p.fact for p in made.sections[1].points] == [
        "Basalt delivered the flour wet and late.",
        "Orchard refused the wet flour at the dock.",
    ]
    assert made.unsupported == ()


def test_motion_argues_from_authorities(matter: Path, bundle: Bundle, seats: Seats) -> None:
    config = Matter(matter).config.model_copy(update={"document_kind": DocumentKind.MOTION})
    made = outline.plan(intake.read(Matter(matter).intake), bundle, config, seats[SeatName.REASONER])
    facts, argument = made.sections
    assert (facts.stakes, argument.stakes) == (Stakes.ROUTINE, Stakes.HIGH)
    assert argument.points[0].passages[0].startswith("A-")
    assert all(p.passages[0].startswith("E-") for p in facts.points)


def test_what_nothing_supports_is_asked_back(matter: Path, bundle: Bundle, seats: Seats) -> None:
    told = intake.Intake(facts=("Basalt delivered the flour wet and late.", "The insurer denied the claim."))
    made = outline.plan(told, bundle, Matter(matter).config, seats[SeatName.REASONER])
    assert made.unsupported == ("The insurer denied the claim.",)


def test_an_empty_bundle_plans_nothing(matter: Path, seats: Seats) -> None:
    with pytest.raises(BundleError, match="empty"):
        outline.plan(intake.Intake(facts=("A.",)), Bundle(), Matter(matter).config, seats[SeatName.REASONER])


TWICE = """\
Basalt delivered the flour wet and late on Monday, as the log says.

Basalt delivered the flour wet and late on Tuesday, as the log says.
"""


@pytest.mark.parametrize(("answer", "chosen"), [('{"passage": 1}', "¶1"), ('{"passage": 2}', "¶2")])
def test_the_seat_chooses_among_candidates(answer: str, chosen: str, matter: Path) -> None:
    (matter / "evidence" / "letter.txt").write_text(TWICE, encoding="utf-8")
    bundle = ingest(matter, listing(matter))
    seat = ScriptedSeat(SeatName.REASONER, lambda _: answer)
    told = intake.Intake(facts=("Basalt delivered the flour wet and late.",))
    made = outline.plan(told, bundle, Matter(matter).config, seat)
    assert made.sections[1].points[0].passages[0].endswith(chosen)
    assert [m.role for m in seat.requests[0].messages] == ["system", "user", "user"], "evidence before the question"


@pytest.mark.parametrize("answer", ['{"passage": 9}', '{"passage": "x"}', '{"passage": 1, "more": 2}', "[]", "{"])
def test_an_answer_out_of_form_is_never_used(answer: str, matter: Path) -> None:
    (matter / "evidence" / "letter.txt").write_text(TWICE, encoding="utf-8")
    told = intake.Intake(facts=("Basalt delivered the flour wet and late.",))
    with pytest.raises(AnswerMalformed):
        outline.plan(
            told,
            ingest(matter, listing(matter)),
            Matter(matter).config,
            ScriptedSeat(SeatName.REASONER, lambda _: answer),
        )


def produced(name: str, *texts: str, copy_of: str | None = None, number: str = "") -> Source:
    made = tuple(
        Passage(id=f"{name}:p1:¶{n}", page=1, start=0, end=len(text), text=text) for n, text in enumerate(texts, 1)
    )
    page = Page(number=1, text="\n\n".join(texts), bates=(number,) if number else (), passages=made)
    return Source(
        id=name, role=Role.EVIDENCE, path=f"evidence/{name}.txt", sha256_file=name, media_type="text/plain",
        extractor="test", pages=(page,), copy_of=copy_of,
    )  # fmt: skip


def test_of_a_copy_only_what_is_in_it_alone_reaches_a_prompt() -> None:
    first = produced("first", "The roof leaked in the winter.", "The bill was $400.")
    near = produced("near", "The roof  LEAKED in the winter.", "The bill was $4,000.", copy_of="first")
    assert [p.id for p in outline.offered((near, first))] == ["first:p1:¶1", "first:p1:¶2", "near:p1:¶2"]


def test_of_a_copy_whose_original_is_gone_everything_reaches_a_prompt() -> None:
    alone = produced("near", "The roof leaked in the winter.", copy_of="first")
    assert [p.id for p in outline.offered((alone,))] == ["near:p1:¶1"]


def test_a_page_is_found_by_the_number_it_bears() -> None:
    told = "The tenants met the owner and spoke of the heating and of the stairs at length."
    sources = [produced(f"s{n}", told.replace("owner", f"owner {n}"), number=f"ACME-{n:06}") for n in range(1, 6)]
    numbers = {p.id: s.pages[0].bates[0] for s in sources for p in s.passages}
    ranked = Retriever((p for s in sources for p in s.passages), numbers).rank("ACME-000004 says the tenants met.", 9)
    assert "s4:p1:¶1" in [candidate.passage for candidate in ranked]
