"""The adversary: what it is shown, and what of its answer is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lexforge.adversary.objections import AT_ONCE, review
from lexforge.domain.draft import Block, BlockKind, Provenance, Section
from lexforge.domain.evidence import Bundle
from lexforge.errors import AnswerMalformed, AnswerTruncated
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.llm.boards import SeatName
from lexforge.llm.request import FinishReason
from lexforge.llm.scripted import ScriptedSeat


@pytest.fixture
def bundle(matter: Path) -> Bundle:
    return ingest(matter, listing(matter))


def section(bundle: Bundle, count: int = 1) -> Section:
    passage = next(p.id for s in bundle.evidence for p in s.passages if "wet and late" in p.text)
    blocks = tuple(
        Block(
            id=f"f{n}",
            kind=BlockKind.PARAGRAPH,
            text="Basalt delivered the flour wet.",
            section="s1",
            sources=(passage,),
            provenance=Provenance(seat="workhorse"),
        )
        for n in range(1, count + 1)
    )
    return Section(id="s1", heading="Facts", blocks=blocks)


def reply(*notes: str, block: str = "f1") -> str:
    items = [{"block": block, "kind": "overstated", "passage": "E-1", "note": note} for note in notes]
    return json.dumps({"objections": items})


def test_objections_name_block_and_passage(bundle: Bundle) -> None:
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply("The flour was grey, which is not said."))
    found = review(section(bundle), bundle, seat)
    assert [(o.block, o.kind.value, o.seat) for o in found.objections] == [("f1", "overstated", "reasoner")]
    assert bundle.passage(found.objections[0].passage).text.startswith("Basalt delivered")


def test_an_objection_that_speaks_of_something_else_is_counted_and_dropped(bundle: Bundle) -> None:
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply("The passage says nothing about lost stock."))
    found = review(section(bundle), bundle, seat)
    assert (found.objections, found.idle) == ((), 1)


def test_many_blocks_are_shown_a_few_at_a_time(bundle: Bundle) -> None:
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply())
    assert review(section(bundle, AT_ONCE + 1), bundle, seat).asked == AT_ONCE + 1
    assert len(seat.requests) == 2


def test_half_an_answer_is_never_read(bundle: Bundle) -> None:
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply("The flour")[:-3], finish_reason=FinishReason.LENGTH)
    with pytest.raises(AnswerTruncated):
        review(section(bundle), bundle, seat)


@pytest.mark.parametrize("answer", ['{"objections": [{"block": "f1"}]}', '{"objections": "none"}', "none", ""])
def test_an_answer_out_of_form_is_refused(answer: str, bundle: Bundle) -> None:
    with pytest.raises(AnswerMalformed):
        review(section(bundle), bundle, ScriptedSeat(SeatName.REASONER, lambda _: answer))


def test_a_block_that_was_not_shown_cannot_be_objected_to(bundle: Bundle) -> None:
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply("The flour was grey.", block="f99"))
    with pytest.raises(AnswerMalformed):
        review(section(bundle), bundle, seat)


def test_a_passage_is_shown_with_who_wrote_it_to_whom_and_when(bundle: Bundle) -> None:
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply())
    review(section(bundle), bundle, seat)
    assert (
        "Passage E-1: (Rufus Brine to Pia Fennick, May 4, 2021) Basalt delivered"
        in seat.requests[0].messages[1].content
    )


def test_further_passages_stand_apart_and_can_be_objected_with(bundle: Bundle) -> None:
    other = next(p.id for s in bundle.evidence for p in s.passages if "refused the wet flour" in p.text)
    answer = json.dumps(
        {"objections": [{"block": "f1", "kind": "contradicted", "passage": "E-2", "note": "The flour was refused."}]}
    )
    seat = ScriptedSeat(SeatName.REASONER, lambda _: answer)
    true = section(bundle)
    found = review(true, bundle, seat, {"f1": (true.blocks[0].sources[0], other)})
    relied, _, further = seat.requests[0].messages[1].content.partition("Further passages")
    assert "Passage E-2: (Rufus Brine to Pia Fennick, May 4, 2021) Orchard refused" in further
    assert further.count("Passage ") == 1, "what the paragraph relies on is not shown twice"
    assert "E-2" not in relied
    assert found.objections[0].passage == other


@pytest.mark.parametrize(("context", "shown"), [(4096, True), (800, False)])
def test_further_passages_are_shown_only_where_the_context_has_room(context: int, shown: bool, bundle: Bundle) -> None:
    other = next(p.id for s in bundle.evidence for p in s.passages if "refused the wet flour" in p.text)
    seat = ScriptedSeat(SeatName.REASONER, lambda _: reply())
    seat.identity = seat.identity.model_copy(update={"context": context})
    review(section(bundle), bundle, seat, {"f1": (other,)})
    assert ("refused the wet flour" in seat.requests[0].messages[1].content) is shown
