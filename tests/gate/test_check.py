"""The gate on whole sentences of an invented matter: each row says why it must pass or be blocked."""

from __future__ import annotations

import pytest

from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Finding, GateReport, Reason
from lexforge.domain.mentions import MentionKind
from lexforge.errors import MatterError
from lexforge.gate.check import check
from lexforge.gate.policy import Action, Policy, Rule, Vouched, default_policy, read_policy
from tests.gate.invented_matter import BUNDLE, FIRST_EMAIL, SOURCES, TEALWOOD, source, without


def gate(text: str, bundle: Bundle = BUNDLE) -> GateReport:
    return check(text, bundle, default_policy())


def blocked_at(report: GateReport, text: str, words: str) -> list[Finding]:
    start = text.index(words)
    return [f for f in report.blocked if f.start < start + len(words) and start < f.end]


STANDS = [
    ("the cited opinion is in the bundle", "See Tealwood Ferry Co. v. Ormskirk Harbor Authority, 991 U.S. 412 (2031)."),
    ("reporter spacing differs", "See Tealwood Ferry Co. v. Ormskirk Harbor Authority, 991 U. S. 412 (2031)."),
    ("words of the name are abbreviated (T6)", "See Tealwood Ferry Co. v. Ormskirk Harbor Auth., 991 U.S. 412 (2031)."),
    ("a numbered paragraph exists", "See Tealwood Ferry Co. v. Ormskirk Harbor Authority, 991 U.S. 412, ¶ 4 (2031)."),
    ("cited by another document", "See Nye v. Orrin, 612 F.4th 9, 14 (7th Cir. 2033)."),
    ("the cite runs across a page mark", "See Quillfeather v. Dunmore Lines, Inc., 988 U.S. 77, 80 (2028)."),
    (
        "slip opinion by docket number, with its date, court and a page it has",
        "See Marrowgate Mills, Inc. v. Pellham Surety Company, No. 33-2207, slip op. at 3 (9th Cir. May 6, 2034).",
    ),
    ("CA9 and 9th Cir. are one court", "See Marrowgate Mills, Inc. v. Pellham Surety Co., No. 33-2207 (CA9 2034)."),
    ("short form after its full cite", "See Nye v. Orrin, 612 F.4th 9 (7th Cir. 2033). Nye, 612 F.4th at 14."),
    ("id. after a full cite", "See Nye v. Orrin, 612 F.4th 9 (7th Cir. 2033). Id. at 14."),
    ("statute with subsection", "Relief turns on 46 U.S.C. § 9912(b)."),
    ("section given only after its title was named", "Relief turns on 46 U.S.C. § 9914(a)(2)."),
    ("rule", "Dismissal is proper under Fed. R. Civ. P. 12(b)(6)."),
    ("the day in another format", "The protest was served on 9 July 2027."),
    ("month and year contain the day", "The protest was served in July 2027."),
    ("sent date in the header of the email", "The email at HARBOR-000101 was sent on Tuesday, March 9, 2032."),
    ("a range, both pages stamped", "The email was produced at HARBOR-000101–102."),
    ("spacing of the number differs", "The email was produced at HARBOR 000102."),
    ("a fact with its Bates number behind it", "The hold was lifted on April 5, 2032. HARBOR-000115."),
    ("amount in the document named", "The fee for each was $1,250.00 (HARBOR-000101)."),
    ("a paragraph of a declaration", "See Vane Decl. ¶ 3."),
    ("a number that stands so in a document", "She produced document QX-40771."),
    (
        "hardware in passing is no reference",
        "She scanned it on a PageFlow 7090 desktop. See Vane Decl. ¶ 1.",
    ),
    ("author and recipient agree", "Ada Quill sent an email to Bram Oster (HARBOR-000101)."),
    (
        "words of a case that another document quotes beside its cite",
        "“[A] late protest is no protest at all.” Ashgrove v. Tully, 77 F. Supp. 3d 101, 105 (D. Nev. 2029).",
    ),
    ("a defined term is no quotation", "Tealwood Ferry Co. v. Ormskirk Harbor Authority (“Tealwood”) controls."),
]

FAULTS = [
    ("volume", "See Nye v. Orrin, [[621 F.4th 9]] (7th Cir. 2033).", Reason.NOT_FOUND),
    ("page", "See Tealwood Ferry Co. v. Ormskirk Harbor Authority, [[991 U.S. 421]] (2031).", Reason.NOT_FOUND),
    ("name", "See [[Orrin v. Nye]], 612 F.4th 9 (7th Cir. 2033).", Reason.INCONSISTENT),
    ("name that is a part of the party's", "See [[Nye v. Orr]], 612 F.4th 9, 14 (7th Cir. 2033).", Reason.INCONSISTENT),
    ("year", "See Nye v. Orrin, 612 F.4th 9 (7th Cir. [[2032]]).", Reason.INCONSISTENT),
    ("court", "See Nye v. Orrin, 612 F.4th 9 ([[6th Cir.]] 2033).", Reason.INCONSISTENT),
    (
        "pin before the first page",
        "See Quillfeather v. Dunmore Lines, Inc., 988 U.S. 77, [[71]] (2028).",
        Reason.OUT_OF_RANGE,
    ),
    (
        "slip page beyond the last",
        "See Marrowgate Mills, Inc. v. Pellham Surety Company, No. 33-2207, slip op. at [[9]] (9th Cir. May 6, 2034).",
        Reason.OUT_OF_RANGE,
    ),
    (
        "paragraph beyond the last",
        "See Tealwood Ferry Co. v. Ormskirk Harbor Authority, 991 U.S. 412, [[¶ 12]] (2031).",
        Reason.OUT_OF_RANGE,
    ),
    ("case named in prose only", "As [[Brindle v. Sorrel Air]] held, tolling applies.", Reason.NOT_FOUND),
    ("id. first of all", "The point is settled. [[Id. at 4]].", Reason.NO_ANTECEDENT),
    ("supra without a full cite", "See [[Nye, supra, at 14]].", Reason.NO_ANTECEDENT),
    (
        "id. after a cite that is itself blocked",
        "See Moe v. Foe, 1 F.4th 2 (2d Cir. 2031). [[Id. at 3]].",
        Reason.NO_ANTECEDENT,
    ),
    ("section", "Relief turns on [[46 U.S.C. § 9921(b)]].", Reason.NOT_FOUND),
    ("subsection", "Relief turns on [[46 U.S.C. § 9912(c)]].", Reason.INCONSISTENT),
    ("title", "Relief turns on [[45 U.S.C. § 9912(b)]].", Reason.NOT_FOUND),
    ("rule", "See [[Fed. R. Civ. P. 99(z)]].", Reason.NOT_FOUND),
    ("a day that stands nowhere", "The protest was served on [[July 19, 2027]].", Reason.NOT_FOUND),
    ("no such day", "The protest was served on [[February 30, 2027]].", Reason.IMPOSSIBLE),
    ("weekday", "The email at HARBOR-000101 was sent on [[Monday, March 9, 2032]].", Reason.INCONSISTENT),
    ("a day of another document", "The email at HARBOR-000101 was sent on [[April 7, 2032]].", Reason.MISPLACED),
    (
        "a day in the email that is not the day it was sent",
        "The email at HARBOR-000101 was sent on [[March 2, 2032]].",
        Reason.MISPLACED,
    ),
    (
        "the day of argument is not that of decision",
        "The Court decided Tealwood Ferry Co. v. Ormskirk Harbor Authority on [[January 14, 2031]].",
        Reason.MISPLACED,
    ),
    ("number not stamped", "It was produced at [[HARBOR-000103]].", Reason.OUT_OF_RANGE),
    ("range runs on past the last page", "It was produced at [[HARBOR-000101–104]].", Reason.OUT_OF_RANGE),
    ("range runs backwards", "It was produced at [[HARBOR-000102–000101]].", Reason.IMPOSSIBLE),
    ("prefix", "It was produced at [[HARBOUR-000101]].", Reason.NOT_FOUND),
    (
        "on another document than the one described",
        "Document QX-40771 was produced at [[HARBOR-000115]].",
        Reason.MISPLACED,
    ),
    ("amount of another document", "The total was [[$17,500.00]] (HARBOR-000101).", Reason.MISPLACED),
    ("amount that stands nowhere", "The total was [[$17,550.00]].", Reason.NOT_FOUND),
    ("paragraph of a declaration beyond the last", "See [[Vane Decl. ¶ 9]].", Reason.OUT_OF_RANGE),
    ("declaration that is not there", "See [[Sorrel Decl. ¶ 2]].", Reason.NOT_FOUND),
    ("roles turned round", "[[Bram Oster]] sent an email to Ada Quill (HARBOR-000101).", Reason.ROLE_MISMATCH),
    ("a long number that stands nowhere", "She produced document [[QX-40717]].", Reason.UNCHECKED),
    ("a model number used as a reference", "See [[PageFlow 7090]].", None),
    (
        "a negation of the sentence before is not that of the quotation",
        "The point is not new. One finds these words: [[“a tax merely because the authority calls it one.”]]",
        Reason.WORDS_CHANGED,
    ),
    (
        "quotation_given_to_another_opinion",
        "In Tealwood Ferry Co. v. Ormskirk Harbor Authority, the Court wrote: [[“The surety shall bear the costs.”]]",
        Reason.MISPLACED,
    ),
]


@pytest.mark.parametrize(("why", "text"), STANDS, ids=[why for why, _ in STANDS])
def test_what_the_bundle_bears_out_stands(why: str, text: str) -> None:
    report = gate(text)
    assert report.passed, [(text[f.start : f.end], f.reason, f.message) for f in report.blocked]


@pytest.mark.parametrize(("why", "marked", "reason"), FAULTS, ids=[why for why, _, _ in FAULTS])
def test_a_fault_is_blocked_where_it_stands(why: str, marked: str, reason: Reason | None) -> None:
    words = marked[marked.index("[[") + 2 : marked.index("]]")]
    text = marked.replace("[[", "").replace("]]", "")
    hits = blocked_at(gate(text), text, words)
    assert hits
    assert reason is None or reason in {hit.reason for hit in hits}
    assert all(hit.message.endswith((".", "”")) for hit in hits)


def test_support_is_a_slice_of_its_page() -> None:
    text = " ".join(words for _, words in STANDS)
    pages = {(s.id, p.number): p.text for s in SOURCES for p in s.pages}
    shown = [place for f in gate(text).findings for place in (*f.support, *([f.nearest] if f.nearest else []))]
    assert shown
    assert all(pages[place.source, place.page][place.start : place.end] == place.text for place in shown)


def test_support_carries_the_bates_number_of_its_page() -> None:
    finding = gate("It was produced at HARBOR-000102.").findings[0]
    assert finding.support[0].bates == "HARBOR-000102"


def test_findings_are_sorted_and_lie_in_the_text() -> None:
    text = " ".join(words for _, words in STANDS)
    findings = gate(text).findings
    assert [f.start for f in findings] == sorted(f.start for f in findings)
    assert all(0 <= f.start < f.end <= len(text) for f in findings)


class TestWhatNeverPasses:
    def test_an_empty_bundle_grounds_nothing(self) -> None:
        report = gate("The protest was served on July 9, 2027.", Bundle())
        assert not report.passed
        assert report.findings[0].reason is Reason.EMPTY_BUNDLE

    def test_an_empty_bundle_fails_even_a_text_without_mentions(self) -> None:
        assert not gate("The motion should be granted.", Bundle()).passed

    def test_sources_without_text_ground_nothing(self) -> None:
        report = gate("The protest was served on July 9, 2027.", Bundle(sources=(source("scan", "  \n "),)))
        assert report.findings[0].reason is Reason.NO_TEXT

    def test_an_empty_policy_fails(self) -> None:
        report = check("See Vane Decl. ¶ 3.", BUNDLE, Policy(name="none"))
        assert not report.passed

    @pytest.mark.parametrize("text", ["", "  \n", "The motion should be granted in full."])
    def test_a_paper_in_which_nothing_was_checked_fails(self, text: str) -> None:
        assert not gate(text).passed

    @pytest.mark.parametrize(
        "text",
        [
            "The rule of § applies here. See Vane Decl. ¶ 3.",
            "She said that ” was meant. See Vane Decl. ¶ 3.",
            "It is reported in WL somewhere. See Vane Decl. ¶ 3.",
        ],
    )
    def test_what_no_mention_covers_is_unchecked(self, text: str) -> None:
        assert Reason.UNCHECKED in {f.reason for f in gate(text).blocked}


class TestPolicy:
    def test_allow_keeps_the_reason_and_what_was_wrong(self) -> None:
        rules = {kind: Rule(action=Action.BLOCK) for kind in MentionKind}
        rules[MentionKind.DATE] = Rule(action=Action.ALLOW, reason="stipulated dates")
        report = check("The protest was served on July 19, 2027.", BUNDLE, Policy(name="lenient", kinds=rules))
        assert report.passed
        assert report.findings[0].reason is Reason.ALLOWED
        assert "stipulated dates" in report.findings[0].message
        assert "July 19, 2027" in report.findings[0].message

    def test_a_vouched_text_passes_and_no_other(self) -> None:
        policy = default_policy().model_copy(
            update={"vouched": (Vouched(text="28 U.S.C. § 1746", reason="the statute of the oath"),)}
        )
        sworn = check("I declare under 28 U. S. C. § 1746 that this is true.", BUNDLE, policy)
        assert sworn.passed
        assert "the statute of the oath" in sworn.findings[0].message
        assert not check("I declare under 28 U.S.C. § 1747 that this is true.", BUNDLE, policy).passed

    @pytest.mark.parametrize(
        "toml",
        [
            "name = 'x'\n[kinds.date]\naction = 'allow'\n",
            "name = 'x'\n[kinds.weather]\naction = 'block'\n",
            "name = 'x'\nkind = 1\n",
            "[kinds",
        ],
        ids=["allow_without_reason", "unknown_kind", "unknown_key", "no_toml"],
    )
    def test_a_faulty_policy_file_is_refused(self, toml: str) -> None:
        with pytest.raises(MatterError, match="not a gate policy"):
            read_policy(toml, "gate.toml")

    def test_a_kind_without_a_rule_blocks(self) -> None:
        policy = Policy(name="half", kinds={MentionKind.BATES: Rule(action=Action.BLOCK)})
        assert not check("The protest was served on July 19, 2027.", BUNDLE, policy).passed


class TestRemovingEvidence:
    @pytest.mark.parametrize(("why", "marked", "reason"), FAULTS, ids=[why for why, _, _ in FAULTS])
    @pytest.mark.parametrize("left_out", SOURCES, ids=[s.name for s in SOURCES])
    def test_never_turns_a_block_into_a_pass(self, left_out: object, why: str, marked: str, reason: object) -> None:
        text = marked.replace("[[", "").replace("]]", "")
        remaining = Bundle(sources=tuple(s for s in SOURCES if s is not left_out))
        assert not gate(text, remaining).passed

    def test_without_its_document_a_true_statement_is_blocked(self) -> None:
        text = "The email at HARBOR-000101 was sent on Tuesday, March 9, 2032."
        assert not gate(text, without(FIRST_EMAIL)).passed

    def test_a_quotation_is_not_grounded_elsewhere_when_its_document_is_gone(self) -> None:
        text = "In Tealwood Ferry Co. v. Ormskirk Harbor Authority, the Court wrote: “The surety shall bear the costs.”"
        report = gate(text, without(TEALWOOD))
        assert blocked_at(report, text, "The surety shall")
