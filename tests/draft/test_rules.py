"""Rules of form: every file is one, what it makes passes the gate, and the right one is taken on each day."""

from __future__ import annotations

import re
from datetime import date
from itertools import product
from pathlib import Path

import docx
import pytest

from lexforge.attorney.docx.write import write_docx
from lexforge.domain.corrections import Change, Operation
from lexforge.domain.draft import BlockKind, Draft, Section
from lexforge.domain.findings import GateReport
from lexforge.domain.matter import BriefKind, DocumentKind, Jurisdiction, MatterConfig, SignedIn
from lexforge.draft import document
from lexforge.draft.ai_use import listed
from lexforge.draft.filing import edited_draft, filing_notes
from lexforge.draft.rules import FOLDER, Asks, Rule, all_rules, rules_for, sets
from lexforge.errors import MatterError
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.store.folder import Matter
from lexforge.templating import render, templates
from tests.draft.written import TODAY, assembled, config_for, paragraph
from tests.gate.invented_matter import BUNDLE

RULES = all_rules()


@pytest.fixture
def config(matter: Path) -> MatterConfig:
    return Matter(matter).config


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_every_rule_can_be_relied_on_or_says_that_it_cannot(rule: Rule) -> None:
    assert rule.source.strip()
    assert "memory" not in rule.source or not rule.verified
    assert rule.standing.startswith("NOT VERIFIED") is not rule.verified
    assert rule.checked_on.isoformat() in rule.standing or not rule.verified
    # A day that is not known must be said not to be known.
    dated = rule.oath is not None or rule.length is not None or rule.ai is not None
    assert rule.effective_from or not dated or not rule.verified or "not looked up" in (rule.note or "")
    for item in rule.checklist.items if rule.checklist else ():
        assert "memory" not in item.source or not item.verified
    assert not rule.ai or "without notice" in (rule.note or "")
    assert "complian" not in (templates() / FOLDER / f"{rule.id}.toml").read_text().lower()


def test_every_jurisdiction_has_an_oath_and_a_checklist_for_each_document(config: MatterConfig) -> None:
    for jurisdiction in Jurisdiction:
        for kind in DocumentKind:
            rules = rules_for(config_for(config, jurisdiction, kind), TODAY)
            assert [r.id for r in rules.bound if r.checklist and r.checklist.document is kind], (jurisdiction, kind)
            assert rules.oath(config)


FLAWED = [
    ("an unknown key", 'rule = "R"\n', 'rule = "R"\nrool = "R"\n', "rool"),
    ("about two things", "[oath]", "[paper]\nlines = 28\ncourt_at_line = 8\n[oath]", "one thing"),
    ("about nothing", '[oath]\nverb = "declare"\npaper = "declaration"\nlines = ["I declare."]\n', "", "one thing"),
    ("no source", 'source = "S"\n', "", "source"),
    ("nobody said whether it was read", "verified = true\n", "", "verified"),
]
SOUND = """\
jurisdiction = "federal"
rule = "R"
checked_on = 2026-12-01
source = "S"
verified = true
[oath]
verb = "declare"
paper = "declaration"
lines = ["I declare."]
"""


@pytest.mark.parametrize(("why", "old", "new", "told"), FLAWED, ids=[case[0] for case in FLAWED])
def test_a_file_that_is_no_rule_is_refused_by_its_key(
    tmp_path: Path, *, why: str, old: str, new: str, told: str
) -> None:
    (tmp_path / "flawed.toml").write_text(SOUND)
    assert [rule.id for rule in all_rules(tmp_path)] == ["flawed"]
    again = tmp_path / "again"
    again.mkdir()
    (again / "flawed.toml").write_text(SOUND.replace(old, new))
    with pytest.raises(MatterError, match=told) as caught:
        all_rules(again)
    assert "flawed.toml" in caught.value.message, why


OATHS: list[tuple[str, Jurisdiction, SignedIn | None, date, str]] = [
    ("without a place: what serves anywhere", Jurisdiction.FEDERAL, None, TODAY, "oath-federal-abroad"),
    ("abroad", Jurisdiction.FEDERAL, SignedIn.ABROAD, TODAY, "oath-federal-abroad"),
    ("at home", Jurisdiction.FEDERAL, SignedIn.UNITED_STATES, TODAY, "oath-federal-within"),
    ("California has one form for all", Jurisdiction.CALIFORNIA, SignedIn.ABROAD, TODAY, "oath-california"),
    ("New York today", Jurisdiction.NEW_YORK, None, TODAY, "oath-new-york"),
    ("on the first day of the new words", Jurisdiction.NEW_YORK, None, date(2025, 11, 21), "oath-new-york"),
    ("on the last day of the old words", Jurisdiction.NEW_YORK, None, date(2025, 11, 20), "oath-new-york-2024"),
]


@pytest.mark.parametrize(("why", "where", "signed", "on", "expected"), OATHS, ids=[case[0] for case in OATHS])
def test_the_oath(
    config: MatterConfig, *, why: str, where: Jurisdiction, signed: SignedIn | None, on: date, expected: str
) -> None:
    config = config_for(config, where, signed_in=signed)
    assert rules_for(config, on).oath(config)[0].id == expected, why
    dated = config.model_copy(update={"dated": on})
    assert rules_for(dated, date(2020, 1, 1)).oath(dated)[0].id == expected, "the matter's own day comes first"


def test_no_oath_is_made_up_for_a_day_without_one(config: MatterConfig) -> None:
    config = config_for(config, Jurisdiction.NEW_YORK)
    with pytest.raises(MatterError, match="No words of an oath"):
        assembled(config, on=date(2023, 12, 31))


WORDS: list[tuple[str, Jurisdiction, SignedIn | None, list[str]]] = [
    (
        "the words of § 1746(1)",
        Jurisdiction.FEDERAL,
        SignedIn.ABROAD,
        ["under the laws of the United States"],
    ),
    (
        "the words of § 1746(2)",
        Jurisdiction.FEDERAL,
        SignedIn.UNITED_STATES,
        ["perjury that the foregoing is true"],
    ),
    (
        "both what § 2015.5 would take one of",
        Jurisdiction.CALIFORNIA,
        None,
        ["under the laws of the State of California", "Executed on ____________________, at ____________________"],
    ),
    (
        "the words of 2025",
        Jurisdiction.NEW_YORK,
        None,
        ["I affirm this ____ day of", "except as to matters alleged on information and belief", "fine or imprisonment"],
    ),
]


@pytest.mark.parametrize(("why", "where", "signed", "words"), WORDS, ids=[case[0] for case in WORDS])
def test_the_oath_is_the_rules_own_and_undated(
    config: MatterConfig, *, why: str, where: Jurisdiction, signed: SignedIn | None, words: list[str]
) -> None:
    made = assembled(config_for(config, where, signed_in=signed))
    oath = "\n".join(block.text for block in made.blocks if block.kind is BlockKind.OATH)
    for part in words:
        assert part in oath, why
    assert not re.search(r"\d", oath), "no date before it is signed"
    assert all(b.provenance.seat == "template" for b in made.blocks if b.kind is BlockKind.OATH)
    verb = "affirm" if where is Jurisdiction.NEW_YORK else "declare"
    assert next(made.blocks).text == f"I, Pia Fennick, {verb}:"
    assert [block.text for block in made.blocks if block.kind is BlockKind.SIGNATURE][-1].endswith("\nPia Fennick")


COURTS = [*((where, ()) for where in Jurisdiction), *((where, (named,)) for named, where in sets(RULES).items())]


@pytest.mark.parametrize(("where", "named"), COURTS, ids=["-".join([where, *named]) for where, named in COURTS])
def test_nothing_that_rules_put_into_a_paper_is_blocked_or_unwritable(
    config: MatterConfig, tmp_path: Path, where: Jurisdiction, named: tuple[str, ...]
) -> None:
    days = (TODAY, TODAY, date(2025, 1, 1))
    for kind, (brief, signed, on) in product(DocumentKind, zip(BriefKind, (None, *SignedIn), days, strict=True)):
        mine = config_for(config, where, kind, brief=brief, rules=named, signed_in=signed)
        made = assembled(mine, paragraph("p1", "The opinion was decided on March 4, 2031.", slotted=True), on=on)
        report = check(made.checked, BUNDLE, default_policy())
        assert not report.blocked, [f.message for f in report.blocked]
        write_docx(made, report, tmp_path / "draft.docx", notes=filing_notes(made, mine, rules_for(mine, TODAY)))


def test_a_set_of_rules_that_is_not_known_is_refused_with_those_that_are(config: MatterConfig) -> None:
    with pytest.raises(MatterError, match="'sdny' for california"):
        rules_for(config_for(config, Jurisdiction.CALIFORNIA, rules=("sdny",)), TODAY)
    with pytest.raises(MatterError, match="edny") as caught:
        rules_for(config_for(config, Jurisdiction.FEDERAL, rules=("sdnyy",)), TODAY)
    assert "sdny" in caught.value.advice


def test_what_is_from_memory_is_marked_wherever_it_is_shown(config: MatterConfig) -> None:
    config = config_for(config, Jurisdiction.NEW_YORK, DocumentKind.MOTION, rules=("ny-county-idv",))
    notes = filing_notes(assembled(config), config, rules_for(config, TODAY))
    assert "22 NYCRR 202.6 (VERIFY: from memory)" in notes.checklist
    assert "22 NYCRR 202.8-b (read 2026-12-01 at regulations.justia.com)" in notes.checklist
    assert [line.warns for line in notes.told if "Domestic Violence" in line.text] == [True]
    assert "NOT VERIFIED" in next(line.text for line in notes.told if line.warns)


def test_the_keys_of_a_new_matter_are_ones_that_are_read(tmp_path: Path) -> None:
    shown = render("documents/matter.toml.j2", kind="declaration", sets=list(sets(RULES)))
    assert "nd-tex" in shown
    for key in ("brief", "dated", "jurisdiction", "rules", "signed_in"):
        shown = re.sub(rf"^# ({key} = )", r"\1", shown, flags=re.M)
    (tmp_path / "matter.toml").write_text(shown)
    read = Matter(tmp_path).config
    assert (read.court.rules, read.declarant and read.declarant.signed_in) == (("sdny",), SignedIn.ABROAD)
    assert read.dated == date(2026, 1, 31)


STATEMENTS: list[tuple[str, str, DocumentKind, bool, bool]] = [
    ("a brief in N.D. Tex. says it on its first page", "nd-tex", DocumentKind.MOTION, True, True),
    ("the rule speaks of briefs", "nd-tex", DocumentKind.DECLARATION, True, False),
    ("Part 2 wants every paper to say it", "kings-part-2", DocumentKind.DECLARATION, True, True),
    ("no words of a model, no statement", "kings-part-2", DocumentKind.MOTION, False, False),
    ("verified elsewhere, not in the paper", "sd-tex", DocumentKind.MOTION, True, False),
    ("no rule of the court", "sdny", DocumentKind.MOTION, True, False),
]


@pytest.mark.parametrize(("why", "named", "kind", "slotted", "expected"), STATEMENTS, ids=[c[0] for c in STATEMENTS])
def test_the_use_of_ai_is_stated_where_a_rule_asks_for_it(
    config: MatterConfig, *, why: str, named: str, kind: DocumentKind, slotted: bool, expected: bool
) -> None:
    config = config_for(config, sets(RULES)[named], kind, rules=(named,))
    made = assembled(config, paragraph("p1", slotted=slotted), paragraph("p2"), paragraph("p3", slotted=slotted))
    stated = [b for b in made.blocks if b.section.startswith("disclosure") and b.kind is BlockKind.CERTIFICATE]
    assert bool(stated) is expected, why
    if expected:
        numbers = "2 and 4" if kind is DocumentKind.DECLARATION else "1 and 3"
        assert f"Words of it stand in paragraphs {numbers}." in stated[0].text
        assert "a-model" in stated[0].text
        assert (made.sections[0].id == stated[0].section) is (named == "nd-tex")


LISTS = [([4], "4"), ([1, 2], "1 and 2"), ([1, 2, 3], "1 to 3"), ([1, 3, 4, 6, 7, 8], "1, 3, 4 and 6 to 8")]


@pytest.mark.parametrize(("numbers", "expected"), LISTS)
def test_paragraphs_are_listed_as_a_reader_wants_them(numbers: list[int], expected: str) -> None:
    assert listed(numbers) == expected


def test_a_statement_that_an_edit_made_untrue_is_told(config: MatterConfig) -> None:
    config = config_for(config, Jurisdiction.NEW_YORK, rules=("kings-part-2",))
    made, rules = assembled(config, paragraph("p1"), paragraph("p2", slotted=True)), rules_for(config, TODAY)
    kept = [Change(block=b.id, operation=Operation.ACCEPT_UNCHANGED, before=b.text, after=b.text) for b in made.blocks]
    fewer = [change for change in kept if change.block != "p1"]
    for changes, expected in ((kept, []), (fewer, [True])):
        told = filing_notes(edited_draft(made, changes), config, rules).told
        assert [line.warns for line in told if line.warns] == expected
        assert any("correct it" in line.text for line in told) is bool(expected)


def test_a_rule_that_asks_for_nothing_is_told_all_the_same(config: MatterConfig) -> None:
    config = config_for(config, Jurisdiction.NEW_YORK)
    asked = [rule.ai.asks for rule in rules_for(config, TODAY).bound if rule.ai]
    assert asked == [Asks.NOTHING]
    told = [line.text for line in filing_notes(assembled(config), config, rules_for(config, TODAY)).told]
    assert [line for line in told if "22 NYCRR Part 161" in line and "asks for nothing" in line]


def test_remarks_become_comments_and_never_repeat_the_number(config: MatterConfig, tmp_path: Path) -> None:
    number = "123-45-6789"
    made: Draft = document.assemble(
        "orchard",
        config,
        (Section(id="s1", heading="The Facts", blocks=(paragraph("p1", f"His number is {number}."),)),),
        "b" * 64,
        rules_for(config, TODAY),
    )
    notes = filing_notes(made, config, rules_for(config, TODAY))
    assert [made.text[r.start : r.end] for r in notes.remarks] == [number]
    warned = [line.text for line in notes.told if line.warns]
    assert warned == [
        "Privacy: paragraph 2: This reads as a taxpayer number: leave only the last four digits "
        "(Fed. R. Civ. P. 5.2(a))."
    ]
    assert number not in notes.checklist
    assert "Names of minors cannot be found" in notes.checklist
    write_docx(made, GateReport(findings=(), passed=False, bundle="b", policy="p"), tmp_path / "d.docx", notes=notes)
    comments = list(docx.Document(str(tmp_path / "d.docx")).comments)
    assert [(c.author, c.text) for c in comments] == [("LexForge filing rules", notes.remarks[0].message)]
