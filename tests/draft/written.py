"""Drafts put together under a court's rules, for the tests of those rules."""

from __future__ import annotations

from datetime import date

from lexforge.domain.draft import Block, BlockKind, Draft, Provenance, Section
from lexforge.domain.matter import BriefKind, DocumentKind, Jurisdiction, MatterConfig, SignedIn
from lexforge.draft import document
from lexforge.draft.rules import rules_for

TODAY = date(2026, 12, 1)


def config_for(
    config: MatterConfig,
    jurisdiction: Jurisdiction,
    kind: DocumentKind = DocumentKind.DECLARATION,
    *,
    brief: BriefKind = BriefKind.OPENING,
    rules: tuple[str, ...] = (),
    signed_in: SignedIn | None = None,
) -> MatterConfig:
    """The matter in another court."""
    assert config.declarant is not None
    return config.model_copy(
        update={
            "document_kind": kind,
            "brief": brief,
            "court": config.court.model_copy(update={"jurisdiction": jurisdiction, "rules": rules}),
            "declarant": config.declarant.model_copy(update={"signed_in": signed_in}),
        }
    )


def paragraph(id_: str, text: str = "Orchard refused the flour.", *, slotted: bool = False) -> Block:
    """A paragraph, of a model's words or of the attorney's."""
    return Block(
        id=id_,
        kind=BlockKind.PARAGRAPH,
        text=text,
        section="s1",
        slotted=text if slotted else None,
        provenance=Provenance(seat="workhorse" if slotted else "attorney", model="a-model" if slotted else None),
    )


def assembled(config: MatterConfig, *blocks: Block, on: date = TODAY) -> Draft:
    """A paper of one section."""
    section = Section(id="s1", heading="The Facts", blocks=blocks)
    return document.assemble("orchard", config, (section,), "b" * 64, rules_for(config, on))
