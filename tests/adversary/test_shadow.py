"""The measure of an adversary: what is planted where, what is counted, and what is told of it."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from lexforge.adversary.canaries import Planting, ShadowSection, measured, pairs_of, planted
from lexforge.domain.canaries import Canaries, CanaryKind, Planted, together, wilson
from lexforge.domain.draft import Block, BlockKind, Provenance, Section
from lexforge.domain.evidence import Bundle
from lexforge.domain.matter import DateOrder, Party, PartyRole
from lexforge.domain.record import Record
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.llm.boards import SeatName
from lexforge.llm.request import Request
from lexforge.llm.scripted import ScriptedSeat
from lexforge.store import database
from lexforge.store.ledger import Ledger, StepKey

TEXTS = (
    "On May 4, 2021, Rufus Brine wrote to Pia Fennick that it was wet.",
    "The flour was delivered wet.",
    "The delay was five days.",
    "The sacks were closed before delivery.",
    "The driver could not wait.",
    "Orchard refused the wet flour at the dock.",
)
PARTIES = (
    Party(name="Orchard Mills, Inc.", role=PartyRole.PLAINTIFF, short="Orchard"),
    Party(name="Basalt Freight Co.", role=PartyRole.DEFENDANT, short="Basalt"),
)


@pytest.fixture
def bundle(matter: Path) -> Bundle:
    return ingest(matter, listing(matter))


def section(bundle: Bundle, texts: tuple[str, ...] = TEXTS) -> Section:
    passage = next(p.id for s in bundle.evidence for p in s.passages if "wet and late" in p.text)
    blocks = tuple(
        Block(
            id=f"f{n}",
            kind=BlockKind.PARAGRAPH,
            text=text,
            section="s1",
            sources=(passage,),
            provenance=Provenance(seat="workhorse"),
        )
        for n, text in enumerate(texts, 1)
    )
    return Section(id="s1", heading="Facts", blocks=blocks)


def shadow_of(bundle: Bundle, most: int, variant: int = 0, texts: tuple[str, ...] = TEXTS) -> ShadowSection:
    true = section(bundle, texts)
    return planted(true, Planting(most, variant), pairs_of(true, bundle, PARTIES), DateOrder.MONTH_FIRST)


def objecting(to: Callable[[str], bool]) -> ScriptedSeat:
    """A seat that objects to the paragraphs whose shown text this is true of."""

    def answer(request: Request) -> str:
        shown = re.findall(r"^Paragraph (\w+): (.*)$", request.messages[-1].content, re.M)
        items = [
            {"block": name, "kind": "contradicted", "passage": "E-1", "note": f"The passage is against it: {text[:60]}"}
            for name, text in shown
            if to(text)
        ]
        return json.dumps({"objections": items})

    return ScriptedSeat(SeatName.REASONER, answer)


def test_the_same_section_always_gets_the_same_errors_and_another_variant_others(bundle: Bundle) -> None:
    assert shadow_of(bundle, 3).sha256 == shadow_of(bundle, 3).sha256
    assert len({shadow_of(bundle, 3, variant).sha256 for variant in range(6)}) > 1


@pytest.mark.parametrize(
    ("most", "count", "texts", "why"),
    [
        (2, 2, TEXTS, "as many as asked for"),
        (50, 3, TEXTS, "half at most: what is true must be seen as well"),
        (4, 0, TEXTS[:1], "one paragraph can be either, so nothing is planted"),
        (4, 0, ("It rained.", "It snowed."), "no place for an error"),
        (4, 1, ("It rained.", "It was wet."), "one place"),
    ],
)
def test_how_many_are_planted(most: int, count: int, texts: tuple[str, ...], why: str, bundle: Bundle) -> None:
    shadow = shadow_of(bundle, most, texts=texts)
    changed = [block.id for block, text in zip(shadow.blocks, texts, strict=True) if block.text != text]
    assert [block.id for block in shadow.blocks if block.planted] == changed, "what is marked is what was changed"
    assert len(changed) == count, why


def test_kinds_are_mixed_and_no_place_is_preferred(bundle: Bundle) -> None:
    shadows = [shadow_of(bundle, 3, variant) for variant in range(40)]
    kinds = [Counter(block.planted for block in shadow.blocks if block.planted) for shadow in shadows]
    assert set().union(*kinds) == set(CanaryKind)
    assert sum(max(found.values()) == 1 for found in kinds) > len(kinds) / 2, (
        "a kind comes twice only where none is left"
    )
    assert len({shadow.sha256 for shadow in shadows}) > 10
    assert {block.id for shadow in shadows for block in shadow.blocks if block.planted} == {
        f"f{n}" for n in range(1, 7)
    }


REVIEWERS: list[tuple[str, Callable[[str], bool], int, int]] = [
    ("one that knows the truth", lambda text: text not in TEXTS, 3, 0),
    ("one that has it the wrong way round", lambda text: text in TEXTS, 0, 3),
    ("one that always objects", lambda _: True, 3, 3),
    ("one that is silent", lambda _: False, 0, 0),
]


@pytest.mark.parametrize(("who", "to", "caught", "objected"), REVIEWERS, ids=[r[0] for r in REVIEWERS])
def test_what_is_counted(who: str, to: Callable[[str], bool], caught: int, objected: int, bundle: Bundle) -> None:
    found = measured(shadow_of(bundle, 3), bundle, objecting(to), {})
    assert (found.caught, len(found.planted), len(found.objected), found.true_blocks) == (caught, 3, objected, 3), who


def test_what_is_spared_stays_true(bundle: Bundle) -> None:
    true = section(bundle)
    pairs = pairs_of(true, bundle, PARTIES)
    first = frozenset(block.id for block in shadow_of(bundle, 3).blocks if block.planted)
    second = planted(true, Planting(3, spared=first), pairs, DateOrder.MONTH_FIRST)
    assert {block.id for block in second.blocks if block.planted} == {f"f{n}" for n in range(1, 7)} - first


def test_an_idle_objection_catches_nothing(bundle: Bundle) -> None:
    note = {"kind": "overstated", "passage": "E-1", "note": "The passage says nothing about lost stock."}
    shadow = shadow_of(bundle, 3)

    def answer(request: Request) -> str:
        shown = re.findall(r"^Paragraph (\w+): ", request.messages[-1].content, re.M)
        return json.dumps({"objections": [{"block": name, **note} for name in shown]})

    assert measured(shadow, bundle, ScriptedSeat(SeatName.REASONER, answer), {}).caught == 0


def test_nobody_is_asked_where_nothing_is_planted(bundle: Bundle) -> None:
    seat = objecting(lambda _: True)
    found = measured(shadow_of(bundle, 4, texts=TEXTS[:1]), bundle, seat, {})
    assert (found.planted, found.true_blocks, seat.requests) == ((), 0, [])
    assert "not measured" in found.told


def test_the_record_holds_no_word_of_the_shadow(bundle: Bundle) -> None:
    shadow = shadow_of(bundle, 3)
    body = measured(shadow, bundle, objecting(lambda _: True), {}).model_dump_json()
    for block in shadow.blocks:
        assert block.text not in body
    strings = set(re.findall(r'"(\w+)"', body)) - set(Canaries.model_fields) - set(Planted.model_fields)
    assert all(
        re.fullmatch(r"[0-9a-f]{64}|f\d|s1|reasoner", word) or word in {kind.value for kind in CanaryKind}
        for word in strings
    )


def test_shadow_text_cannot_become_an_artifact_or_leave_the_process(bundle: Bundle, tmp_path: Path) -> None:
    shadow = shadow_of(bundle, 3)
    assert not isinstance(shadow, Record)
    with database.opened(tmp_path) as db, pytest.raises(AttributeError):
        Ledger(db).record(StepKey(step="section", inputs={}), shadow)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="validation error"):
        Section(id="s1", heading="Facts", blocks=shadow.blocks)  # type: ignore[arg-type]
    for leaving in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="never leaves"):
            leaving(shadow)
    shown = repr(shadow) + repr(shadow.blocks)
    assert not any(word in shown for block in shadow.blocks for word in re.findall(r"[a-z]{5,}", block.text))


def canaries(caught: int, count: int, objected: int, true_blocks: int) -> Canaries:
    kinds = list(CanaryKind)
    return Canaries(
        section="s1",
        seat="reasoner",
        planted=tuple(
            Planted(block=f"f{n}", kind=kinds[n % 4], sha256="0" * 64, caught=n < caught) for n in range(count)
        ),
        true_blocks=true_blocks,
        objected=tuple(f"t{n}" for n in range(objected)),
    )


WORTH = [
    ((2, 8, 0, 90), True, "under half caught, however seldom it objects to what is true"),
    ((4, 8, 0, 8), False, "half caught, no false objection"),
    ((4, 8, 1, 9), True, "half caught, and by chance one time in nine"),
    ((8, 8, 9, 9), True, "it objects to everything"),
    ((6, 8, 9, 12), True, "to true ones as often as to false ones"),
    ((6, 8, 3, 12), False, "three times as often to false ones"),
    ((2, 2, 0, 2), True, "all caught, and too few to tell it from chance"),
    ((0, 0, 0, 0), True, "nothing was measured"),
    ((2, 2, 0, 0), True, "nothing true was shown"),
]


@pytest.mark.parametrize(("counts", "weak", "why"), WORTH, ids=[w[2] for w in WORTH])
def test_what_silence_is_worth(counts: tuple[int, int, int, int], weak: bool, why: str) -> None:
    assert canaries(*counts).is_weak is weak, why


def test_what_is_told() -> None:
    assert canaries(2, 8, 1, 9).told == (
        "caught 2 of 8 planted errors (1 of 2 role swaps, 1 of 2 negations, 0 of 2 amounts, 0 of 2 orders of events; "
        "95 % interval 7% to 59%) and objected to 1 of 9 true paragraphs: its silence is weak evidence"
    )
    assert canaries(2, 2, 0, 2).told.endswith(
        "its silence is weak evidence, as objecting at random would catch as many (probability 0.17)"
    )
    assert canaries(8, 8, 0, 9).told.endswith("its silence is some evidence, and no proof")


# Fisher's exact test by hand: 4 of 4 against 0 of 4 is one way in 70; 4 of 8 against 1 of 9 is 686 ways in 6,188.
@pytest.mark.parametrize(
    ("counts", "chance"), [((4, 4, 0, 4), 1 / 70), ((4, 8, 1, 9), 686 / 6188), ((0, 4, 2, 4), 1), ((0, 0, 0, 0), 1)]
)
def test_the_chance(counts: tuple[int, int, int, int], chance: float) -> None:
    assert canaries(*counts).chance == pytest.approx(chance)


def test_measures_add_up() -> None:
    both = together("all", "reasoner", (canaries(2, 8, 1, 9), canaries(1, 4, 0, 4)))
    assert (both.caught, len(both.planted), len(both.objected), both.true_blocks) == (3, 12, 1, 13)
    assert sum(of for _, of in both.by_kind().values()) == 12


# Wilson's formula by hand for 2 of 8, and its ends.
@pytest.mark.parametrize(("hits", "trials", "low", "high"), [(2, 8, 0.0715, 0.5907), (0, 0, 0, 1), (5, 5, 0.5655, 1)])
def test_the_interval(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-4)
