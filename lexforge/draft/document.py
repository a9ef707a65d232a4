"""Putting a document together: caption, fixed text from the document's template, drafted sections."""

from __future__ import annotations

from lexforge.domain.draft import Block, BlockKind, Caption, Draft, Provenance, Section
from lexforge.domain.matter import Counsel, DocumentKind, MatterConfig, Party, PartyRole
from lexforge.errors import MatterError
from lexforge.templating import render, template_sha256

DOCUMENTS = "documents"


def assemble(matter: str, config: MatterConfig, sections: tuple[Section, ...], bundle: str) -> Draft:
    """The whole draft. `sections` hold drafted blocks only; headings, opening and closing are added here."""
    opening = _fixed(config, "opening")
    closing = _fixed(config, "closing")
    return Draft(
        matter=matter,
        document_kind=config.document_kind.value,
        caption=caption(config),
        sections=(opening, *(_headed(section) for section in sections), closing),
        bundle=bundle,
    )


def _headed(section: Section) -> Section:
    heading = _template_block(f"{section.id}_heading", BlockKind.HEADING, section.heading, section.id)
    return section.model_copy(update={"blocks": (heading, *section.blocks)})


def _fixed(config: MatterConfig, part: str) -> Section:
    """Blocks of `documents/<kind>.<part>.j2`: one a line, written as `kind | text`; ` / ` breaks a line in a block."""
    lines = render(f"{DOCUMENTS}/{config.document_kind.value}.{part}.j2", **_values(config)).splitlines()
    blocks = []
    for number, line in enumerate(filter(str.strip, lines), 1):
        kind, _, text = line.partition(" | ")
        shown = text.strip().replace(" / ", "\n")
        blocks.append(_template_block(f"{part}_{number}", BlockKind(kind), shown, part))
    return Section(id=part, heading="", blocks=tuple(blocks))


def _template_block(block: str, kind: BlockKind, text: str, section: str) -> Block:
    provenance = Provenance(seat="template", template=template_sha256(DOCUMENTS))
    return Block(id=block, kind=kind, text=text, section=section, provenance=provenance)


def _values(config: MatterConfig) -> dict[str, object]:
    if config.document_kind is DocumentKind.DECLARATION:
        if config.declarant is None:
            raise MatterError(
                "A declaration needs a declarant.", "Add a table [declarant] with name and title to matter.toml."
            )
        return {"declarant": config.declarant}
    return {"movant": movant(config), "signature": _signature(config.counsel)}


def movant(config: MatterConfig) -> Party:
    """The party whose counsel signs: the one named in `counsel.represents`, else the first."""
    represents = config.counsel.represents.lower()
    return next((p for p in config.parties if p.name.lower() in represents), config.parties[0])


def _signature(counsel: Counsel) -> list[str]:
    lines = ["______________________________", counsel.name]
    if counsel.bar_number:
        lines.append(f"Bar No. {counsel.bar_number}")
    lines += [line for line in (counsel.firm, *counsel.address, counsel.phone, counsel.email) if line]
    return [*lines, f"Attorney for {counsel.represents}"]


def caption(config: MatterConfig) -> Caption:
    """The caption, line by line, from `matter.toml` alone."""
    court = tuple(line for line in (config.court.name, config.court.division) if line)
    counsel = config.counsel
    case_lines = [f"Case No. {config.caption.case_number}"]
    if config.caption.judge:
        case_lines.append(config.caption.judge)
    return Caption(
        court=court,
        parties=_party_lines(config.parties),
        case_lines=tuple(case_lines),
        counsel=tuple(
            line
            for line in (counsel.name, counsel.firm, *counsel.address, counsel.phone, counsel.email)
            if line is not None
        ),
        title=config.caption.title,
    )


_FIRST_SIDE = (PartyRole.PLAINTIFF, PartyRole.PETITIONER)


def _party_lines(parties: tuple[Party, ...]) -> tuple[str, ...]:
    """Names and roles of each side, with `v.` on a line of its own between them."""
    lines: list[str] = []
    for first in (True, False):
        side = [p for p in parties if (p.role in _FIRST_SIDE) is first]
        if not side:
            continue
        lines += [f"{party.name}," for party in side]
        plural = "s" if len(side) > 1 else ""
        lines.append(f"{side[0].role.value.capitalize()}{plural}{',' if first else '.'}")
        if first:
            lines.append("v.")
    return tuple(lines)
