"""Planted errors: each change makes the text false and touches nothing else, and where none can, none is made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexforge.adversary.canaries import falsified
from lexforge.adversary.edits import Change, changed
from lexforge.adversary.swaps import Pair
from lexforge.domain.canaries import CanaryKind
from lexforge.domain.matter import DateOrder

PAIRS: tuple[Pair, ...] = (
    (("Rufus Brine",), ("Pia Fennick",)),
    (("Orchard", "Orchard Mills, Inc."), ("Basalt", "Basalt Freight Co.")),
)
ROLE, NOT, AMOUNT, ORDER = CanaryKind.ROLE_SWAP, CanaryKind.NEGATION, CanaryKind.AMOUNT, CanaryKind.ORDER

FALSIFIED = [
    (
        ROLE,
        "On May 4, 2021, Rufus Brine wrote to Pia Fennick.",
        "On May 4, 2021, Pia Fennick wrote to Rufus Brine.",
        "frame",
    ),
    (ROLE, "Rufus Brine informed Pia Fennick of it.", "Pia Fennick informed Rufus Brine of it.", "the other frame"),
    (
        ROLE,
        "The letter from Pia Fennick to Rufus Brine is grey.",
        "The letter from Rufus Brine to Pia Fennick is grey.",
        "from, to",
    ),
    (ROLE, "Orchard's clerk demanded that Basalt pay.", "Basalt's clerk demanded that Orchard pay.", "possessive"),
    (ROLE, "Basalt Freight Co. owed Orchard $40.", "Orchard owed Basalt Freight Co. $40.", "the longest name is meant"),
    (ROLE, "Orchard was paid by Basalt.", "Basalt was paid by Orchard.", "passive"),
    (
        ROLE,
        "Orchard and Basalt met. Orchard paid Basalt.",
        "Orchard and Basalt met. Basalt paid Orchard.",
        "second sentence",
    ),
    (NOT, "The driver could not deliver.", "The driver could deliver.", "taken out"),
    (NOT, "The driver cannot deliver.", "The driver can deliver.", "joined"),
    (NOT, "The flour was delivered wet.", "The flour was not delivered wet.", "passive"),
    (NOT, "The sacks would burst.", "The sacks would not burst.", "modal"),
    (NOT, "The driver can carry the sacks.", "The driver cannot carry the sacks.", "joined again"),
    (NOT, "The carrier has lost the sacks.", "The carrier has not lost the sacks.", "perfect"),
    (NOT, "Basalt refused the flour.", "Basalt did not refuse the flour.", "past tense of a named subject"),
    (NOT, "The property was wet.", "The property was not wet.", "a word that ends as twenty does"),
    (NOT, "Most sacks were open.", "Most sacks were not open.", "most and not most exclude each other"),
    (AMOUNT, "The loss was $4,100.", "The loss was $7,100.", "sum"),
    (AMOUNT, "The loss was $1.2 million.", "The loss was $4.2 million.", "scale"),
    (AMOUNT, "The loss was $9,100.", "The loss was $19,100.", "nine has no digit above it"),
    (AMOUNT, "It took up to 9 days.", "It took up to 6 days.", "a most becomes less"),
    (AMOUNT, "It took 24 months.", "It took 54 months.", "figures"),
    (AMOUNT, "It took twenty-four months.", "It took fifty-four months.", "words"),
    (AMOUNT, "Seven of the twelve sacks burst.", "Seven of the fifteen sacks burst.", "the number before the things"),
    (AMOUNT, "A 12-month term applies.", "A 42-month term applies.", "hyphen"),
    (
        AMOUNT,
        "It took at least 4 days.",
        "It took at least 7 days.",
        "more: at least one would follow from at least four",
    ),
    (AMOUNT, "It took no more than 5 days.", "It took no more than 2 days.", "less: the same the other way"),
    (AMOUNT, "It took not less than 4 days.", "It took not less than 7 days.", "a lower bound that holds an upper one"),
    (
        ORDER,
        "It left on May 3, 2021, and arrived on June 9, 2021.",
        "It left on June 9, 2021, and arrived on May 3, 2021.",
        "dates",
    ),
    (ORDER, "Before delivery, the flour was dry.", "After delivery, the flour was dry.", "capital"),
    (ORDER, "The rain came after the sacks were open.", "The rain came before the sacks were open.", "conjunction"),
    (ORDER, "It came before May 3, 2021.", "It came after May 3, 2021.", "date"),
]

LEFT_ALONE = [
    (ROLE, "Rufus Brine and Pia Fennick wrote to the court.", "both did it"),
    (ROLE, "The letters to Rufus Brine and to Pia Fennick are grey.", "both got it"),
    (ROLE, "Rufus Brine met with Pia Fennick to talk.", "whoever met, the other did too"),
    (ROLE, "The share owed to Orchard is equal to what Basalt has.", "equal both ways"),
    (ROLE, "Both Orchard, to be sure, and Basalt signed.", "both"),
    (
        ROLE,
        "Orchard paid rent to the city and Basalt paid rent to the city.",
        "a clause each, and the clauses may be alike",
    ),
    (ROLE, "Rufus Brine wrote to Una Tallow.", "one name only"),
    (ROLE, "Orchard wrote to Basalt Street 5.", "a street is no party"),
    (ROLE, "The letter says “Orchard paid Basalt”.", "a quotation: the gate's"),
    (ROLE, "Did Orchard write to Basalt?", "a question states nothing"),
    (NOT, "Some sacks were open.", "some others were not, and both are true"),
    (NOT, "A driver can carry the sacks.", "another driver cannot"),
    (NOT, "Two sacks were open.", "others were not"),
    (NOT, "Basalt may refuse.", "may and may not go together"),
    (NOT, "She asked whether the sacks were not open.", "whether leaves it open either way"),
    (NOT, "He was not only late.", "only: he was late either way"),
    (NOT, "The unit had the old bracket.", "no auxiliary"),
    (NOT, "Basalt refused some sacks.", "it took others, and both are true"),
    (NOT, "The goods refused by Basalt were few.", "few"),
    (NOT, "The letter says “the flour was wet”.", "a quotation"),
    (AMOUNT, "It was in Exhibit 4, Rule 56, page 3.", "references"),
    (AMOUNT, "The letter of 2021 states it.", "a year"),
    (AMOUNT, "It was one of the sacks.", "one is no amount here"),
    (AMOUNT, "It did not take more than 4 days.", "a denied bound turns round"),
    (AMOUNT, "He could not carry nine sacks.", "who cannot carry nine cannot carry twelve"),
    (AMOUNT, "He failed to come within ten days.", "nor within seven, then"),
    (NOT, "The two of them were wet.", "a number"),
    (AMOUNT, "It was later than 4 days.", "a comparison may hold for both"),
    (AMOUNT, "The letter says “it cost $4,100”.", "a quotation"),
    (AMOUNT, "The loss was $900.", "three digits have no room for a fourth, and less would follow from more"),
    (AMOUNT, "It took eighteen days.", "the last word of the list"),
    (AMOUNT, "See BASALT-000017.", "a Bates number"),
    (ORDER, "It lasted from May 3, 2021 to June 9, 2021.", "a range"),
    (ORDER, "It rained on May 3, 2021 and June 9, 2021.", "a list: it rained on both"),
    (ORDER, "It rained on May 3 and then it stopped on June 9, 2021.", "a date that takes its year from the other"),
    (ORDER, "It rained on May 3, 2021, and the flour was wet on May 3, 2021.", "one day"),
    (ORDER, "The motion is before the Court.", "place, not time"),
    (ORDER, "She appeared before Judge Tallow.", "place again"),
    (ORDER, "It rained before and after delivery.", "both"),
    (ORDER, "The flour was wet as before.", "a set phrase"),
    (ORDER, "After all, it rained.", "a set phrase"),
    (ORDER, "The mill is named after its founder.", "a set phrase"),
    (ORDER, "The afternoon was wet thereafter.", "parts of words"),
]


@pytest.mark.parametrize(("kind", "text", "false", "why"), FALSIFIED, ids=[f"{f[0].value} {f[3]}" for f in FALSIFIED])
def test_falsified(kind: CanaryKind, text: str, false: str, why: str) -> None:
    found = falsified(text, kind, PAIRS, DateOrder.MONTH_FIRST)
    assert (found and found.text) == false, why


@pytest.mark.parametrize(("kind", "text", "why"), LEFT_ALONE, ids=[f"{f[0].value} {f[2]}" for f in LEFT_ALONE])
def test_left_alone(kind: CanaryKind, text: str, why: str) -> None:
    assert falsified(text, kind, PAIRS, DateOrder.MONTH_FIRST) is None, why


PIECES = st.lists(
    st.sampled_from(
        "Orchard|Basalt Freight Co.|Rufus Brine|Pia Fennick|wrote to|paid|was|were not|could|delivered|before|after|the"
        "|sacks|$4,100|12 months|seven|May 3, 2021|on June 9, 2021|some|and|,|.|“it was not wet”|(BASALT-000017)"
        "|whether|not|than|at least".split("|")
    ),
    max_size=25,
)


@given(PIECES, st.sampled_from(CanaryKind))
def test_a_falsified_text_differs_in_the_changes_and_nowhere_else(pieces: list[str], kind: CanaryKind) -> None:
    text = " ".join(pieces)
    found = falsified(text, kind, PAIRS, DateOrder.MONTH_FIRST)
    if found is None:
        return
    assert found.text != text
    assert found.text == changed(text, found.changes)
    assert all(text[change.start : change.end] == change.before != change.after for change in found.changes)
    undoing, moved = [], 0
    for start, end, before, after in sorted(found.changes):
        undoing.append(Change(start + moved, start + moved + len(after), after, before))
        moved += len(after) - (end - start)
    assert changed(found.text, undoing) == text
    quoted = [part for part in ("“it was not wet”", "BASALT-000017") if part in text]
    assert all(found.text.count(part) == text.count(part) for part in quoted)


@given(st.text(alphabet="abcdefgh ijklm.,“”;\n", max_size=80), st.sampled_from([ROLE, AMOUNT]))
def test_text_without_a_place_for_it_is_left_alone(text: str, kind: CanaryKind) -> None:
    assert falsified(text, kind, PAIRS, DateOrder.MONTH_FIRST) is None
