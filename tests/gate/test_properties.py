"""What must hold for any draft made of true sentences, whatever is planted in it or taken from the bundle."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Finding, GateReport
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.gate.resolve.quoted import Part, pieces_of
from lexforge.gate.tokens import norms_of, words_of
from tests.gate.invented_matter import BUNDLE, SOURCES

TRUE = (
    "The authority adopted a schedule on June 2, 2027 (see Vane Decl. ¶ 2).",
    "The email produced at HARBOR-000101 was sent on Tuesday, March 9, 2032.",
    "It counts 14 vessels and a fee of $1,250.00 (HARBOR-000101).",
    "See Nye v. Orrin, 612 F.4th 9, 14 (7th Cir. 2033).",
    "In Tealwood Ferry Co. v. Ormskirk Harbor Authority, the Court wrote: “The statute, 46 U.S.C. § 9912(b), must"
    " be read as a whole.”",
    "Dismissal is proper under Fed. R. Civ. P. 12(b)(6).",
    "The reply says that “[t]he hold was lifted on April 5, 2032.” HARBOR-000115.",
)
FALSE = (
    "The authority adopted a schedule on June 20, 2027 (see Vane Decl. ¶ 2).",
    "The email produced at HARBOR-000101 was sent on March 10, 2032.",
    "It was produced at HARBOR-000201.",
    "See Nye v. Orrin, 612 F.4th 90, 94 (7th Cir. 2033).",
    "In Tealwood Ferry Co. v. Ormskirk Harbor Authority, the Court wrote: “The statute must not be read as a whole.”",
    "The sum was $1,205.00 (HARBOR-000101).",
    "Relief turns on 46 U.S.C. § 9921(b).",
)
QUIET = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def gate(text: str, bundle: Bundle = BUNDLE) -> GateReport:
    return check(text, bundle, default_policy())


def numbered(sentences: list[str]) -> str:
    return "\n\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1))


def blocks_within(report: GateReport, start: int, end: int) -> list[Finding]:
    return [f for f in report.blocked if f.start < end and start < f.end]


@QUIET
@given(st.lists(st.sampled_from(TRUE), min_size=1, max_size=6))
def test_true_sentences_pass_in_any_order(sentences: list[str]) -> None:
    report = gate(numbered(sentences))
    assert report.passed, [f.message for f in report.blocked]


@QUIET
@given(st.lists(st.sampled_from(TRUE), max_size=5), st.sampled_from(FALSE), st.integers(0, 5))
def test_a_planted_fault_is_blocked_where_it_stands_and_nowhere_else(true: list[str], fault: str, at: int) -> None:
    sentences = [*true[:at], fault, *true[at:]]
    text = numbered(sentences)
    start = text.index(fault)
    report = gate(text)
    assert blocks_within(report, start, start + len(fault))
    assert len(blocks_within(report, start, start + len(fault))) == len(report.blocked)


@QUIET
@given(
    st.lists(st.sampled_from(TRUE + FALSE), min_size=1, max_size=5),
    st.sets(st.sampled_from(range(len(SOURCES))), min_size=1),
)
def test_taking_sources_away_never_clears_a_paragraph(sentences: list[str], gone: set[int]) -> None:
    text = numbered(sentences)
    fewer = gate(text, Bundle(sources=tuple(s for at, s in enumerate(SOURCES) if at not in gone)))
    start = 0
    for number, sentence in enumerate(sentences, start=1):
        end = start + len(f"{number}. {sentence}")
        if blocks_within(gate(text), start, end):
            assert not fewer.passed
            assert blocks_within(fewer, start, end)
        start = end + 2


@QUIET
@given(st.text(max_size=300))
def test_any_text_is_judged_without_an_error(text: str) -> None:
    report = gate(text)
    assert all(0 <= f.start <= f.end <= len(text) for f in report.findings)
    assert report.passed is (bool(report.findings) and not report.blocked)


@QUIET
@given(st.text(max_size=200))
def test_words_are_slices_in_order(text: str) -> None:
    words = words_of(text)
    assert [w.start for w in words] == sorted(w.start for w in words)
    assert all(norms_of(text[w.start : w.end]) for w in words)


@QUIET
@given(st.text(max_size=120))
def test_the_pieces_of_a_quotation_never_begin_or_end_with_an_ellipsis(words: str) -> None:
    pieces = pieces_of(words)
    assert not pieces or Part.GAP not in (pieces[0].part, pieces[-1].part)
