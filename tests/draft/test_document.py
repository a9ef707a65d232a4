"""Blocks and whole documents."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lexforge.domain.draft import BlockKind, Draft, Section
from lexforge.domain.matter import DocumentKind, MatterConfig
from lexforge.draft import document
from lexforge.draft.rules import rules_for
from lexforge.errors import MatterError
from lexforge.store.folder import Matter

TODAY = date(2026, 12, 1)


@pytest.fixture
def config(matter: Path) -> MatterConfig:
    return Matter(matter).config


def draft(config: MatterConfig) -> Draft:
    return document.assemble(
        "orchard", config, (Section(id="s1", heading="The Facts", blocks=()),), "b" * 64, rules_for(config, TODAY)
    )


def test_declaration_says_the_oath_and_leaves_the_date_open(config: MatterConfig) -> None:
    blocks = list(draft(config).blocks)
    oath = [b.text for b in blocks if b.kind is BlockKind.OATH]
    assert oath[0] == (
        "I declare under penalty of perjury under the laws of the United States of America that the foregoing is true "
        "and correct."
    )
    assert oath[1].startswith("Executed on ____")
    assert blocks[0].text == "I, Pia Fennick, declare:"


def test_declaration_needs_a_declarant(config: MatterConfig) -> None:
    with pytest.raises(MatterError, match=r"\[declarant\]"):
        draft(config.model_copy(update={"declarant": None}))


def test_motion_is_signed_by_counsel_and_the_signature_is_not_checked(config: MatterConfig) -> None:
    made = draft(config.model_copy(update={"document_kind": DocumentKind.MOTION}))
    assert "Bar No. 00000" in made.text
    assert "Bar No. 00000" not in made.checked
    assert len(made.text) == len(made.checked)


def test_spans_are_slices_of_the_text(config: MatterConfig) -> None:
    made = draft(config)
    for block, start, end in made.spans():
        assert made.text[start:end].endswith(block.text)


def test_paragraphs_are_numbered_through(config: MatterConfig) -> None:
    numbered = [shown for block, shown in draft(config).numbered() if block.kind is BlockKind.PARAGRAPH]
    assert [shown.split(".")[0] for shown in numbered] == [str(n) for n in range(1, len(numbered) + 1)]


def test_caption_sets_the_sides_against_each_other(config: MatterConfig) -> None:
    assert document.caption(config).parties == (
        "Orchard Mills, Inc.,",
        "Plaintiff,",
        "v.",
        "Basalt Freight Co.,",
        "Defendant.",
    )
