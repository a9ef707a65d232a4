"""Words, counted as the rule of the court counts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.corrections import Change, Operation
from lexforge.domain.draft import BlockKind
from lexforge.domain.matter import BriefKind, DocumentKind, Jurisdiction, MatterConfig
from lexforge.draft.filing import edited_draft, filing_notes
from lexforge.draft.length import count_words, told
from lexforge.draft.rules import Part, rules_for
from lexforge.store.folder import Matter
from tests.draft.written import TODAY, assembled, config_for, paragraph


def change(block: str, before: str | None, after: str | None, follows: str | None = None) -> Change:
    operation = Operation.INSERT if before is None else Operation.DELETE if after is None else Operation.REPLACE
    return Change(block=block, operation=operation, before=before, after=after, follows=follows)


@pytest.fixture
def config(matter: Path) -> MatterConfig:
    return Matter(matter).config


def motion(config: MatterConfig, words: int, *, brief: BriefKind = BriefKind.OPENING, new_york: bool = False) -> str:
    """Certificates of a motion whose body holds so many words."""
    where, rules = (Jurisdiction.NEW_YORK, ()) if new_york else (Jurisdiction.FEDERAL, ("sdny",))
    mine = config_for(config, where, DocumentKind.MOTION, brief=brief, rules=rules)
    bare = count_words(assembled(mine), {Part.CAPTION, Part.SIGNATURE_BLOCK, Part.CERTIFICATE})
    made = assembled(mine, paragraph("p1", " ".join(["flour"] * (words - bare))))
    return "\n".join(block.text for block in made.blocks if block.kind is BlockKind.CERTIFICATE)


CASES: list[tuple[str, int, BriefKind, str]] = [
    ("the exact count is stated", 1_234, BriefKind.OPENING, "contains 1,234 words"),
    ("just within", 8_750, BriefKind.OPENING, "contains 8,750 words"),
    ("one word over: nobody is made to certify it", 8_751, BriefKind.OPENING, ""),
    ("a reply has its own limit", 3_501, BriefKind.REPLY, ""),
    ("a reply within it", 3_500, BriefKind.REPLY, "limit of 3,500 words"),
    ("summary judgment has the limit of every motion", 8_750, BriefKind.SUMMARY_JUDGMENT, "limit of 8,750 words"),
]


@pytest.mark.parametrize(("why", "words", "brief", "expected"), CASES, ids=[case[0] for case in CASES])
def test_the_certificate(config: MatterConfig, why: str, words: int, brief: BriefKind, expected: str) -> None:
    certificate = motion(config, words, brief=brief)
    assert expected in certificate, why
    assert bool(expected) is bool(certificate), why


def test_what_a_rule_does_not_leave_out_counts(config: MatterConfig) -> None:
    """New York's list has no certificates on it: title and text of the certificate are words like any other."""
    certificate = motion(config, 100, new_york=True)
    counted = len(certificate.split()) + len("Certificate of Compliance".split())
    assert f"contains {100 + counted} words" in certificate


def test_nobody_certifies_by_a_rule_that_was_not_read(config: MatterConfig) -> None:
    mine = config_for(config, Jurisdiction.FEDERAL, DocumentKind.MOTION, rules=("cd-cal",))
    made = assembled(mine, paragraph("p1", "One two three."))
    assert not [block for block in made.blocks if block.kind is BlockKind.CERTIFICATE]
    (line,) = told(made, mine, rules_for(mine, TODAY))
    assert line.warns
    assert "words of 7,000" in line.text
    assert "NOT VERIFIED: from memory" in line.text


PARTS: list[tuple[str, set[Part], str]] = [
    ("everything", set(), "everything"),
    ("without the caption", {Part.CAPTION}, "caption"),
    ("without signatures", {Part.SIGNATURE_BLOCK}, "signature"),
    ("without what the draft does not have", {Part.TABLE_OF_AUTHORITIES, Part.EXHIBITS}, "nothing"),
]


@pytest.mark.parametrize(("why", "excludes", "what"), PARTS, ids=[case[0] for case in PARTS])
def test_each_part_is_left_out_as_a_whole(config: MatterConfig, why: str, excludes: set[Part], what: str) -> None:
    made = assembled(config, paragraph("p1", "One two three."))
    caption = made.caption
    words = {
        "caption": " ".join((*caption.counsel, *caption.court, *caption.parties, *caption.case_lines, caption.title)),
        "signature": " ".join(b.text for b in made.blocks if b.kind is BlockKind.SIGNATURE),
    }
    every = count_words(made, set())
    assert every == len(" ".join(b.text for b in made.blocks).split()) + len(words["caption"].split())
    assert every - count_words(made, excludes) == len(words.get(what, "").split()), why


def test_paragraph_numbers_are_no_words(config: MatterConfig) -> None:
    before, after = assembled(config), assembled(config, paragraph("p1", "One two three."))
    assert count_words(after, set()) - count_words(before, set()) == 3


def test_too_long_is_a_warning_and_pages_are_left_to_word(config: MatterConfig) -> None:
    mine = config_for(config, Jurisdiction.FEDERAL, DocumentKind.MOTION, rules=("edny",))
    long = assembled(mine, paragraph("p1", " ".join(["flour"] * 9_000)))
    (line,) = told(long, mine, rules_for(mine, TODAY))
    assert line.warns
    assert "OVER THE LIMIT by" in line.text
    assert "E.D.N.Y. Local Civil Rule 7.1(c)" in line.text
    mine = config_for(config, Jurisdiction.CALIFORNIA, DocumentKind.MOTION, brief=BriefKind.SUMMARY_JUDGMENT)
    (line,) = told(long, mine, rules_for(mine, TODAY))
    assert "at most 20 pages" in line.text
    mine = config_for(config, Jurisdiction.NEW_YORK)
    assert not list(told(assembled(mine), mine, rules_for(mine, TODAY))), "no limit for evidence since July 2025"


def test_a_certificate_that_an_edit_made_untrue_is_told(config: MatterConfig) -> None:
    mine = config_for(config, Jurisdiction.FEDERAL, DocumentKind.MOTION, rules=("sdny",))
    made, rules = assembled(mine, paragraph("p1", "One two three."), paragraph("p2", "Four.")), rules_for(mine, TODAY)
    as_it_was = [change(block.id, block.text, block.text) for block in made.blocks]
    assert not [line for line in told(edited_draft(made, as_it_was), mine, rules) if line.warns]
    for why, edit in (
        ("a word struck", change("p1", "One two three.", "One two.")),
        ("a paragraph struck", change("p1", "One two three.", None)),
    ):
        changes = [edit if c.block == edit.block else c for c in as_it_was]
        words = count_words(edited_draft(made, changes), {Part.CAPTION, Part.SIGNATURE_BLOCK, Part.CERTIFICATE})
        warned = [line.text for line in told(edited_draft(made, changes), mine, rules) if line.warns]
        assert len(warned) == 1, why
        assert f"does not say {words} words" in warned[0], why


def test_what_the_attorney_put_in_counts_and_is_searched(config: MatterConfig) -> None:
    made, rules = assembled(config, paragraph("p1", "One two three.")), rules_for(config, TODAY)
    changes = [change(block.id, block.text, block.text) for block in made.blocks]
    at = 1 + next(n for n, c in enumerate(changes) if c.block == "p1")
    changes.insert(at, change("p1+1", None, "His number is 123-45-6789.", follows="p1"))
    edited = edited_draft(made, changes)
    assert count_words(edited, set()) == count_words(made, set()) + 4
    warned = [line.text for line in filing_notes(edited, config, rules).told if line.warns]
    assert [text.split(":")[1] for text in warned] == [" paragraph 3"]
