"""Passages beside those that a paragraph relies on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.draft import Block, BlockKind, Provenance, Section
from lexforge.domain.evidence import Bundle
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.plan.adverse import MOST, AdverseSearch

SAID = "Basalt delivered the flour wet and late."
OTHER_ACCOUNTS = """\
From: Otto Cray
To: Pia Fennick
Date: May 9, 2021

Basalt delivered the flour dry and before noon, and no sack was open when the driver came to the dock.

The weather in the hills was fair all week, and nobody at the mill had anything to complain about at all.
"""


@pytest.fixture
def bundle(matter: Path) -> Bundle:
    (matter / "evidence" / "answer.txt").write_text(OTHER_ACCOUNTS, encoding="utf-8")
    return ingest(matter, listing(matter))


def block(bundle: Bundle, said: str, words: str, behind: str = "") -> Block:
    source = next(p.id for s in bundle.sources for p in s.passages if words in p.text)
    return Block(
        id="f1",
        kind=BlockKind.PARAGRAPH,
        text=said + behind,
        section="s1",
        sources=(source,),
        written_from=len(said) if behind else 0,
        provenance=Provenance(seat="workhorse"),
    )


def found(bundle: Bundle, shown: Block) -> list[str]:
    names = AdverseSearch(bundle).of_section(Section(id="s1", heading="Facts", blocks=(shown,)))
    return [bundle.passage(name).text for name in names[shown.id]]


def test_another_account_of_the_same_event_is_found_and_the_support_is_not(bundle: Bundle) -> None:
    texts = found(bundle, block(bundle, SAID, "wet and late"))
    assert any("dry and before noon" in text for text in texts)
    assert not any("wet and late" in text or "weather" in text for text in texts)
    assert len(texts) <= MOST


def test_what_is_searched_for_is_what_the_attorney_says(bundle: Bundle) -> None:
    behind = " The record speaks of weather and hills and the mill and the week and of nobody to complain."
    assert found(bundle, block(bundle, SAID, "wet and late", behind)) == found(
        bundle, block(bundle, SAID, "wet and late")
    )


def test_law_is_met_with_law(bundle: Bundle) -> None:
    texts = found(bundle, block(bundle, "A buyer may refuse wet flour within a reasonable time.", "A buyer may refuse"))
    assert not any("flour" in text for text in texts)
