"""Properties of all extractors together."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import Mention, MentionKind
from lexforge.extract.bates import BatesRegistry, BatesSeries, learn, stamps
from lexforge.extract.fold import fold
from lexforge.extract.mentions import find_mentions

REGISTRY = BatesRegistry(series=(BatesSeries(prefix="QUILL", width=6, first=1, last=900),))
# Pieces that extractors react to, joined at random: the worst neighbours a sentence can have.
PIECES = st.sampled_from(
    [
        *"Vane v. Roe|, |12 F.4th 34|at 5|(2d Cir. 2021)|Id. |supra|March 3|2021|-| through |QUILL_000012".split("|"),
        *"QUILL_OOO0l2|§ 12(b)|\n|\n\n|“|”|(|)|Ex. A|¶¶ 3-5|Decl.|$5 million|No. 12-cv-34|Rule 9|1.|See |; |.".split(
            "|"
        ),
        *"-10-|4/9/2021|Q3 2020|third of|28 U.S.C. |\t|   |Dkt. 4|Tr. 5:6|ACME 0001|Fed. R. Civ. P. |\x0c".split("|"),
        *(" ", "é", "'", "’", "[", "]", '"', "2021 WL 5", "—"),
    ]
)
PLANTED = st.sampled_from(
    [
        ("March 3, 2021", MentionKind.DATE),
        ("Vane v. Roe, 12 F.4th 34 (2d Cir. 2021)", MentionKind.CITATION),
        ("28 U.S.C. § 1746", MentionKind.CITATION),
        ("QUILL_000012", MentionKind.BATES),
        ("OSTER_000012", MentionKind.BATES),
        ("Quill Decl. ¶ 12", MentionKind.RECORD_CITE),
        ("Dkt. 45 at 3", MentionKind.RECORD_CITE),
        ("“the lamp is lit”", MentionKind.QUOTATION),
        ("$31,100", MentionKind.AMOUNT),
    ]
)
WORDS = st.lists(st.sampled_from("lamp wick night keeper was lit and then the old harbor".split()), max_size=30).map(
    " ".join
)


def mentions(text: str) -> tuple[Mention, ...]:
    return find_mentions(text, REGISTRY, DateOrder.MONTH_FIRST)


def check(text: str) -> None:
    found = mentions(text)
    assert all(text[m.start : m.end] == m.text and m.text for m in found)
    assert list(found) == sorted(found, key=lambda m: (m.start, m.end))
    for group in (
        [m for m in found if m.kind is MentionKind.QUOTATION],
        [m for m in found if m.kind is not MentionKind.QUOTATION],
    ):
        assert all(before.end <= after.start for before, after in pairwise(group))
    for index, mention in enumerate(found):
        antecedent = getattr(mention.value, "antecedent", None)
        assert antecedent is None or 0 <= antecedent < index


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_slices_order_and_disjointness(text: str) -> None:
    check(text)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    check(text)


@settings(max_examples=80, deadline=None)
@given(WORDS, PLANTED, WORDS)
def test_planted_mention_is_found_at_its_place(before: str, planted: tuple[str, MentionKind], after: str) -> None:
    text, kind = planted
    whole = f"{before} {text} {after}."
    start = len(before) + 1
    assert any(m.kind is kind and m.start <= start and start + len(text) <= m.end for m in mentions(whole))


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "Bc", " ", "  ", "\n", "\n\n", "\t", "\n  -12-\n", "\x0c", "é", "\u00a0"]), max_size=60
    ).map("".join)
)
def test_folding_round_trip(whole: str) -> None:
    folded = fold(whole)
    for offset, letter in enumerate(folded.text):
        if not letter.isspace():
            assert whole[folded.whole_offset(offset)] == letter
    offsets = [folded.whole_offset(offset) for offset in range(len(folded.text))]
    assert offsets == sorted(set(offsets))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 899),
    st.integers(4, 8),
    st.sampled_from(["QUILL", "VANE-CONF", "OST", "QC.V"]),
    st.sampled_from(["", "_", "-"]),
)
def test_a_learned_stamp_is_read_back(number: int, width: int, prefix: str, separator: str) -> None:
    page = f"An invented page\n\n      {prefix}{separator}{number:0{width}d}\n"
    registry = learn([[page, page]])
    assert [stamp.number for stamp in stamps(page, registry)] == [number]
    (mention,) = find_mentions(f"See {prefix}{separator}{number:0{width}d}.", registry, DateOrder.MONTH_FIRST)
    assert mention.kind is MentionKind.BATES


def test_cost_grows_with_length_only() -> None:
    text = "See Vane v. Roe, 12 F.4th 34 (2d Cir. 2021); id. at 5. On March 3, 2021, he wrote “lit.” QUILL_000012. "
    assert len(mentions(text * 50)) == 50 * len(mentions(text))
