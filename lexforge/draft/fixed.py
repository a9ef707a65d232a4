"""Blocks that no model wrote: the words of templates and of rules."""

from __future__ import annotations

from lexforge.domain.draft import Block, BlockKind, Provenance
from lexforge.domain.matter import Counsel
from lexforge.domain.record import sha256_of
from lexforge.draft.rules import rules_sha256
from lexforge.templating import template_sha256

DOCUMENTS = "documents"


def forms_sha256() -> str:
    """Hash over all document templates and all rules."""
    return sha256_of([template_sha256(DOCUMENTS), rules_sha256()])


def fixed_block(block: str, kind: BlockKind, text: str, section: str) -> Block:
    """A block of fixed words; its provenance names the templates and rules they are from."""
    provenance = Provenance(seat="template", template=forms_sha256())
    return Block(id=block, kind=kind, text=text, section=section, provenance=provenance)


def signed_by(counsel: Counsel) -> str:
    """Lines for counsel to date and sign what is certified apart from the paper itself."""
    return f"Dated: ____________________\n\n______________________________\n{counsel.name}"
