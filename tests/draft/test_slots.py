"""Slot tables, grammars and rendering: what must be exact is never written by a model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_cpp.llama_grammar import LlamaGrammar

from lexforge.domain.draft import SectionBrief, SlotKind, Stakes
from lexforge.domain.evidence import Bundle
from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import MentionKind
from lexforge.draft.grammar import sentence_grammar
from lexforge.draft.slots import SIGN, Slot, SlotTable, SlotTables, folded, rendered
from lexforge.errors import AnswerMalformed
from lexforge.extract.bates_registry import BatesRegistry, BatesSeries
from lexforge.extract.mentions import find_mentions
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.llm.boards import Wording
from tests.conftest import first_sentence


@pytest.fixture
def bundle(matter: Path) -> Bundle:
    return ingest(matter, listing(matter))


def table_of(bundle: Bundle, words: str, refused: tuple[str, ...] = ()) -> SlotTable:
    passage = next(p.id for s in bundle.sources for p in s.passages if words in p.text)
    return SlotTables(bundle, DateOrder.MONTH_FIRST).table(passage, words, refused)


def test_a_passage_of_a_letter(bundle: Bundle) -> None:
    table = table_of(bundle, "delivered the flour")
    assert {role: table.text_of(key) for role, key in table.own.items()} == {
        "date": "May 4, 2021",
        "author": "Rufus Brine",
        "recipient": "Pia Fennick",
        "bates": "BASALT-000017",
    }
    assert "⟦D2⟧" in table.slotted
    assert table.text_of("D2") == "May 3, 2021"
    assert not re.search(r"\d", SIGN.sub("", table.slotted))
    assert "“The sacks were open and the flour was grey.”" in [table.text_of(k) for k in table.keys(SlotKind.QUOTATION)]


def test_an_authority_offers_its_own_citation(bundle: Bundle) -> None:
    table = table_of(bundle, "may refuse goods")
    assert table.text_of(table.own["citation"]) == (
        "Tansy Grain Co. v. Ferris Carting, Inc., 1203 F.3d 41 (14th Cir. 2018)"
    )


def test_what_the_gate_refused_is_not_offered_again(bundle: Bundle) -> None:
    table = table_of(
        bundle, "delivered the flour", refused=("May 3, 2021", "“The sacks were open and the flour was grey.”")
    )
    assert "May 3, 2021" not in [slot.text for slot in table.slots]
    assert "The sacks" not in str([table.text_of(k) for k in table.keys(SlotKind.QUOTATION)])
    assert "May 3" not in table.slotted


@pytest.mark.parametrize(
    ("text", "expected", "reason"),
    [
        ("a govern-\nment", "a government", "a word divided at the line end"),
        ("al-\nJuwali", "al-Juwali", "a name keeps its hyphen"),
        ("still-to-be-\ncompleted", "still-to-be-completed", "so does a compound"),
        ("one\n  two\tthree", "one two three", "white space"),
    ],
)
def test_folding(text: str, expected: str, reason: str) -> None:
    assert folded(text) == expected


def brief(pattern: str) -> SectionBrief:
    return SectionBrief(id="s1", heading="Facts", pattern=pattern, stakes=Stakes.HIGH, points=())


@pytest.mark.parametrize("wording", Wording)
@pytest.mark.parametrize(
    ("pattern", "words"), [("fact", "delivered the"), ("document", "delivered the"), ("law", "may refuse")]
)
def test_grammars_compile(wording: Wording, pattern: str, words: str, bundle: Bundle) -> None:
    grammar = sentence_grammar(table_of(bundle, words), brief(pattern), words, wording, ["Basalt"])
    assert LlamaGrammar.from_string(grammar, verbose=False)


@pytest.mark.parametrize("wording", Wording)
@pytest.mark.parametrize("pattern", ["fact", "document", "law"])
def test_no_digit_quotation_mark_or_section_sign_outside_a_slot(wording: Wording, pattern: str, bundle: Bundle) -> None:
    table = table_of(bundle, "delivered the")
    grammar = sentence_grammar(table, brief(pattern), "The flour was wet.", wording, ["Basalt"])
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', grammar)
    for literal in literals:
        assert not re.search(r"[\d“”\"§]", SIGN.sub("", literal)), literal
    classes = re.findall(r"\[[^\]]*\]", grammar.replace("⟦", "").replace("⟧", ""))
    assert set(classes) <= {"[a-z]", "[a-z'-]"}
    assert {sign for literal in literals for sign in SIGN.findall(literal)} <= {slot.key for slot in table.slots}
    assert not re.search(r"[*+]|,\}", re.sub(r'"[^"]*"', "", grammar)), "every repetition is bounded"


def test_a_passage_in_the_first_person_is_quoted_and_never_reported(matter: Path) -> None:
    (matter / "evidence" / "diary.txt").write_text(
        "From: Rufus Brine\nTo: Pia Fennick\n\nI saw our flour lying in the wet yard.\n", encoding="utf-8"
    )
    table = table_of(ingest(matter, listing(matter)), "lying in the wet")
    grammar = sentence_grammar(table, brief("fact"), "The flour lay in the yard.", Wording.CLOSED, [])
    assert "quotation" in grammar
    assert "run ::=" not in grammar


def test_a_passage_that_cannot_be_put_into_words_is_pointed_to(matter: Path) -> None:
    (matter / "evidence" / "table.txt").write_text("Weights: 12 14 99 sacks and 17 more of 23\n\nACME-000005\n")
    table = table_of(ingest(matter, listing(matter)), "sacks and")
    assert first_sentence(sentence_grammar(table, brief("fact"), "x", Wording.CLOSED, [])) == "See ⟦B1⟧."


def test_roles_cannot_be_turned_round(bundle: Bundle) -> None:
    table = table_of(bundle, "delivered the flour")
    for opening in re.findall(
        r'"([^"]*)"', sentence_grammar(table, brief("fact"), "x", Wording.CLOSED, []).split("\n")[1]
    ):
        assert opening.index("⟦A1⟧") < opening.index("⟦R1⟧")


QUOTED = SlotTable(
    passage="E-1:p1:¶1",
    slotted="⟦Q1⟧",
    slots=(
        Slot(key="Q1", kind=SlotKind.QUOTATION, text="“It was wet.”", passage="E-1:p1:¶1"),
        Slot(key="B1", kind=SlotKind.BATES, text="ACME-000005", passage="E-1:p1:¶1"),
    ),
    own={},
)


@pytest.mark.parametrize(
    ("sentence", "expected", "reason"),
    [
        ("He wrote: ⟦Q1⟧ (⟦B1⟧).", "He wrote: “It was wet” (ACME-000005).", "the sentence goes on"),
        ("He wrote: ⟦Q1⟧.", "He wrote: “It was wet”.", "one full stop"),
        ("He wrote: ⟦Q1⟧", "He wrote: “It was wet.”", "the quotation ends it"),
    ],
)
def test_rendering(sentence: str, expected: str, reason: str) -> None:
    assert rendered(sentence, QUOTED) == expected


@pytest.mark.parametrize("sentence", ["It was ⟦B2⟧.", "It was ⟦Z1⟧.", "It was ⟦B1.", "It was B1⟧."])
def test_a_slot_that_is_not_in_the_table_is_an_error(sentence: str) -> None:
    with pytest.raises(AnswerMalformed):
        rendered(sentence, QUOTED)


@given(
    st.dates(min_value=__import__("datetime").date(1950, 1, 1), max_value=__import__("datetime").date(2049, 12, 31)),
    st.integers(1, 99_999),
)
def test_rendering_then_extracting_returns_what_went_in(day: object, number: int) -> None:
    registry = BatesRegistry(series=(BatesSeries(prefix="ACME", width=6, first=1, last=99_999),))
    shown = day.strftime("%B %-d, %Y")  # type: ignore[attr-defined]
    table = SlotTable(
        passage="E-1:p1:¶1",
        slotted="",
        slots=(
            Slot(key="D1", kind=SlotKind.DATE, text=shown, passage="E-1:p1:¶1"),
            Slot(key="B1", kind=SlotKind.BATES, text=f"ACME-{number:06}", passage="E-1:p1:¶1"),
        ),
        own={},
    )
    text = rendered("On ⟦D1⟧ the flour came (⟦B1⟧).", table)
    found = {m.kind: m.text for m in find_mentions(text, registry, DateOrder.MONTH_FIRST)}
    assert found == {MentionKind.DATE: shown, MentionKind.BATES: f"ACME-{number:06}"}
