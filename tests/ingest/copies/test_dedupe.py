"""Which documents are copies of which, and which of them another one stands for."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.domain.evidence import Correspondence
from lexforge.ingest.copies.dedupe import Copies, Kind, Text, copies
from tests.ingest.copies.truth_set import edited, prose, similarity

RNG = random.Random(21)  # noqa: S311


def text(count: int) -> str:
    return " ".join(prose(RNG, count))


LETTER, OTHER, STRANGE, REPLY = text(300), text(300), text(200), text(80)
NEARLY = " ".join(edited(RNG, LETTER.split(), 0.02))
NOTE = "thank you, received with thanks"
NUMBERS = " ".join(str(n) for n in range(1000, 1400))
SLIP = "This document was produced in native format and is withheld from this image set."
HEAD = Correspondence(author="Pia Fennick", recipients=("Una Tallow",), sent="May 4, 2021 16:12", subject="Flour")
LATER = HEAD.model_copy(update={"sent": "May 5, 2021 09:00"})
REDACTED = " ".join(LETTER.split()[:140] + LETTER.split()[160:])


def links(found: Copies) -> set[tuple[str, str, Kind]]:
    return {(one.id, one.of, one.kind) for one in (*(m for g in found.groups for m in g.members), *found.related)}


def of(*texts: Text) -> set[tuple[str, str, Kind]]:
    return links(copies(texts))


PAIRS: list[tuple[Text, Text, Kind | None, bool, str]] = [
    (Text("a", LETTER, "1"), Text("b", LETTER, "1"), Kind.SAME_BYTES, True, "one file saved twice"),
    (Text("a", "", "1"), Text("b", "", "1"), Kind.SAME_BYTES, True, "a picture without text, saved twice"),
    (Text("a", LETTER), Text("b", LETTER.upper().replace(" ", "\n")), Kind.SAME_TEXT, True, "Word and its PDF"),
    (Text("a", LETTER), Text("b", NEARLY), Kind.NEAR, False, "a few words changed: may be the ones that matter"),
    (Text("a", LETTER), Text("b", OTHER), None, False, "strangers"),
    (Text("a", NOTE), Text("b", NOTE), None, False, "the same thanks, twice"),
    (Text("a", NUMBERS), Text("b", NUMBERS), None, False, "numbers alone say nothing about what they count"),
    (Text("a", SLIP), Text("b", SLIP), None, False, "slip sheets of two documents"),
    (Text("a", ""), Text("b", ""), None, False, "two scans without text"),
    (
        Text("a", LETTER, bates=("ACME-1",)),
        Text("b", LETTER, bates=("ACME-9",)),
        Kind.VERSION,
        False,
        "produced twice: someone will cite the other number",
    ),
    (
        Text("a", LETTER, "1", bates=("ACME-1",)),
        Text("b", LETTER, "1", bates=("ACME-9",)),
        Kind.VERSION,
        False,
        "the same bytes under two numbers of a load file",
    ),
    (Text("a", LETTER, bates=("A-1",)), Text("b", LETTER), Kind.SAME_TEXT, True, "the client's own copy has no number"),
    (Text("a", LETTER), Text("b", LETTER, redactions=2), Kind.VERSION, False, "one text, boxes on one of them"),
    (Text("a", LETTER), Text("b", REDACTED, redactions=1), Kind.VERSION, False, "words are gone under a box"),
    (Text("a", REPLY), Text("b", f"{OTHER} {REPLY}"), Kind.CONTAINED, False, "quoted whole; it has its own readers"),
    (
        Text("a", LETTER, correspondence=HEAD),
        Text("b", LETTER, correspondence=LATER),
        Kind.NEAR,
        False,
        "one reminder sent on two days",
    ),
    (
        Text("a", NOTE, message_id="<1@x>", correspondence=HEAD),
        Text("b", NOTE, message_id="<2@PMZL01>", correspondence=HEAD),
        Kind.SAME_MESSAGE,
        True,
        "an export has invented an id; head, time and words agree",
    ),
    (
        Text("a", NOTE, message_id="<1@x>"),
        Text("b", NOTE, message_id="1@x"),
        Kind.SAME_MESSAGE,
        True,
        "one id and the same words",
    ),
    (
        Text("a", LETTER, message_id="<1@x>"),
        Text("b", OTHER, message_id="<1@x>"),
        Kind.VERSION,
        False,
        "one id, other content",
    ),
    (
        Text("a", LETTER, message_id="<1@x>"),
        Text("b", f"{LETTER} scanned for viruses by our gateway", message_id="<1@x>"),
        Kind.VERSION,
        False,
        "one id, changed on its way",
    ),
    (
        Text("a", LETTER, attachments=("plan.pdf",)),
        Text("b", LETTER, attachments=("other.pdf",)),
        Kind.NEAR,
        False,
        "one cover mail for two attachments",
    ),
]


@pytest.mark.parametrize(("one", "other", "kind", "represented", "why"), PAIRS, ids=[why for *_, why in PAIRS])
def test_pairs(one: Text, other: Text, kind: Kind | None, represented: bool, why: str) -> None:
    found = copies([one, other])
    pairs = {
        frozenset((one.id, one.of)): one.kind for one in (*(m for g in found.groups for m in g.members), *found.related)
    }
    assert pairs == ({frozenset("ab"): kind} if kind else {}), why
    assert found.represented == (frozenset("b") if represented else frozenset()), why
    assert copies([other, one]) == found


REPRESENTATIVES = [
    ([Text("a", LETTER, "1"), Text("b", LETTER, "1", bates=("ACME-2",))], "b", "a numbered one before one without"),
    (
        [Text("a", LETTER, bates=("ACME-10",)), Text("b", LETTER, bates=("ACME-9",))],
        "b",
        "numbers by value and not by letter",
    ),
    (
        [Text("a", LETTER, bates=("BETA-1",)), Text("b", LETTER, bates=("ACME 00009", "ACME 00010"))],
        "b",
        "prefixes in order",
    ),
    (
        [Text("a", LETTER, "1", parent="m"), Text("m", REPLY, "3"), Text("z", LETTER, "1")],
        "z",
        "a document of its own before an attachment",
    ),
    ([Text("z", LETTER, "1"), Text("a", LETTER, "2")], "a", "then the order of paths"),
    ([Text("a", LETTER, bates=("?",)), Text("b", LETTER, bates=("7" * 6000,))], "a", "no number, a monstrous number"),
]


@pytest.mark.parametrize(("texts", "expected", "why"), REPRESENTATIVES, ids=[why for *_, why in REPRESENTATIVES])
def test_who_represents_a_group(texts: list[Text], expected: str, why: str) -> None:
    (group,) = copies(texts).groups
    assert group.representative == expected, why


def family(name: str, letter: str, plan: str, bytes_of: str = "") -> list[Text]:
    return [Text(name, letter, bytes_of and f"{bytes_of}1"), Text(f"{name}/plan", plan, plan[:9], parent=name)]


FAMILIES = [
    ([*family("m", LETTER, OTHER), *family("n", LETTER, OTHER)], {"n", "n/plan"}, "a whole family twice"),
    ([*family("m", LETTER, OTHER), *family("n", REPLY, OTHER)], set(), "one attachment on two mails"),
    ([*family("m", LETTER, OTHER), Text("z", OTHER, OTHER[:9])], set(), "an attachment that also lies in the folder"),
    ([*family("m", LETTER, OTHER), *family("n", LETTER, REPLY)], set(), "the same mail with another attachment"),
    ([*family("m", LETTER, OTHER), Text("n", LETTER)], set(), "the same mail without its attachment"),
    ([Text("a", OTHER, "1"), Text("b", OTHER, "1", parent="lost")], set(), "an attachment whose mail is not there"),
    ([Text("a", OTHER, "1", parent="b"), Text("b", OTHER, "1", parent="a")], set(), "a family that begins nowhere"),
    (
        [
            *family("m", LETTER, OTHER),
            Text("m/plan/deep", NUMBERS, "d", parent="m/plan"),
            *family("n", LETTER, OTHER),
            Text("n/plan/deep", NUMBERS, "d", parent="n/plan"),
        ],
        {"n", "n/plan", "n/plan/deep"},
        "an attachment of an attachment goes with the mail",
    ),
]


@pytest.mark.parametrize(("texts", "expected", "why"), FAMILIES, ids=[why for *_, why in FAMILIES])
def test_families_stay_whole(texts: list[Text], expected: set[str], why: str) -> None:
    assert copies(texts).represented == expected, why


def test_an_attachment_is_told_as_a_copy_although_nothing_stands_for_it() -> None:
    found = of(*family("m", LETTER, OTHER), *family("n", REPLY, OTHER))
    assert ("n/plan", "m/plan", Kind.SAME_BYTES) in found


def test_the_same_version_twice_is_a_copy_of_it() -> None:
    found = copies(
        [
            Text("a", LETTER, bates=("ACME-1",)),
            Text("b", LETTER, bates=("ACME-9",)),
            Text("c", LETTER, bates=("ACME-9",)),
            Text("d", NEARLY),
        ]
    )
    assert links(found) == {("b", "a", Kind.VERSION), ("c", "b", Kind.SAME_TEXT), ("d", "a", Kind.NEAR)}
    assert found.represented == {"c"}
    assert [group.representative for group in found.groups] == ["a"]


def test_the_same_text_under_the_same_number_is_found_whatever_its_bytes() -> None:
    first, second, third = (
        Text("a", LETTER, "1", bates=("ACME-1",)),
        Text("b", LETTER, "2", bates=("ACME-2",)),
        Text("c", LETTER, "1", bates=("ACME-2",)),
    )
    assert of(first, second, third) == {("b", "a", Kind.VERSION), ("c", "b", Kind.SAME_TEXT)}


def test_a_copy_of_a_near_duplicate_belongs_to_its_group() -> None:
    found = copies([Text("a", LETTER), Text("b", NEARLY), Text("c", NEARLY)])
    assert links(found) == {("b", "a", Kind.NEAR), ("c", "b", Kind.SAME_TEXT)}
    assert len(found.groups) == 1


def test_similarities_are_those_of_the_words() -> None:
    (group,) = copies([Text("a", LETTER), Text("b", NEARLY)]).groups
    assert group.members[0].similarity == pytest.approx(similarity(LETTER, NEARLY))


def test_nothing() -> None:
    assert copies([]) == Copies()
    assert copies([Text("a", LETTER)]) == Copies()


POOL = [LETTER, NEARLY, REDACTED, OTHER, f"{OTHER} {REPLY}", f"{REPLY} {LETTER}", REPLY, NOTE, NUMBERS, SLIP, ""]


@st.composite
def folders(draw: st.DrawFn) -> list[Text]:
    found: list[Text] = []
    for name in draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)):
        found.append(
            Text(
                id=name,
                text=draw(st.sampled_from(POOL)),
                sha256_file=draw(st.sampled_from(["", "1", "2"])),
                message_id=draw(st.sampled_from([None, "<1@x>", "<2@x>"])),
                correspondence=draw(st.sampled_from([None, HEAD, LATER])),
                bates=draw(st.sampled_from([(), ("ACME-1",), ("ACME-2",)])),
                redactions=draw(st.sampled_from([0, 0, 1])),
                parent=draw(st.sampled_from([None, None, "a", "b"])),
            )
        )
    return found


@settings(max_examples=60, deadline=None)
@given(folders(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(texts: list[Text], rng: random.Random) -> None:
    shuffled = list(texts)
    rng.shuffle(shuffled)
    assert copies(shuffled) == copies(texts)


@settings(max_examples=60, deadline=None)
@given(folders(), st.sampled_from(["0", "zz"]), st.sampled_from([(), ("AAA-1",)]))
def test_an_unrelated_document_changes_nothing(texts: list[Text], name: str, bates: tuple[str, ...]) -> None:
    stranger = Text(id=name, text=STRANGE, sha256_file="9", bates=bates)
    assert copies([*texts, stranger]) == copies(texts)


@settings(max_examples=60, deadline=None)
@given(folders())
def test_every_group_keeps_its_first_and_no_attachment_goes_alone(texts: list[Text]) -> None:
    found = copies(texts)
    by_id = {one.id: one for one in texts}
    assert not {group.representative for group in found.groups} & found.represented
    everyone = [one.id for group in found.groups for one in group.members]
    assert len(everyone) == len(set(everyone)), "no document is in two groups"
    for name in found.represented:
        above = by_id[name].parent
        assert above is None or above in found.represented
