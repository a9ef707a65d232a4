"""Words, counted as the rule of the court counts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.draft import BlockKind
from lexforge.domain.matter import BriefKind, DocumentKind, Jurisdiction, MatterConfig
from lexforge.draft.length import count_words, told
from lexforge.draft.rules import Part, rules_for
from lexforge.store.folder import Matter
from tests.draft.written import TODAY, assembled, config_for, paragraph


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
