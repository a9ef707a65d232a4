"""Putting a document together: caption, fixed text from the document's template, drafted sections."""

from __future__ import annotations

from lexforge.domain.draft import BlockKind, Caption, Draft, Section
from lexforge.domain.matter import Counsel, DocumentKind, Jurisdiction, MatterConfig, Party, PartyRole
from lexforge.draft.ai_use import with_disclosures
from lexforge.draft.fixed import DOCUMENTS, fixed_block
from lexforge.draft.length import with_certificates
from lexforge.draft.rules import Rules
from lexforge.errors import MatterError
from lexforge.templating import render


def assemble(matter: str, config: MatterConfig, sections: tuple[Section, ...], bundle: str, rules: Rules) -> Draft:
    """The whole draft under `rules`. `sections` hold drafted blocks only; what has a fixed form is added here.

    That is: headings, opening, closing with the oath, and what the court wants said of AI and of the length.
    """
    values = _values(config, rules)
    opening, closing = _fixed(config, "opening", values), _fixed(config, "closing", values)
    draft = Draft(
        matter=matter,
        document_kind=config.document_kind.value,
        caption=caption(config),
        sections=(opening, *(_headed(section) for section in sections), closing),
        bundle=bundle,
    )
    return with_certificates(with_disclosures(draft, config, rules), config, rules)


def _headed(section: Section) -> Section:
    heading = fixed_block(f"{section.id}_heading", BlockKind.HEADING, section.heading, section.id)
    return section.model_copy(update={"blocks": (heading, *section.blocks)})


def _fixed(config: MatterConfig, part: str, values: dict[str, object]) -> Section:
    """Blocks of `documents/<kind>.<part>.j2`: one a line, written as `kind | text`; ` / ` breaks a line in a block."""
    lines = render(f"{DOCUMENTS}/{config.document_kind.value}.{part}.j2", **values).splitlines()
    blocks = []
    for number, line in enumerate(filter(str.strip, lines), 1):
        kind, _, text = line.partition(" | ")
        shown = text.strip().replace(" / ", "\n")
        blocks.append(fixed_block(f"{part}_{number}", BlockKind(kind), shown, part))
    return Section(id=part, heading="", blocks=tuple(blocks))


def _values(config: MatterConfig, rules: Rules) -> dict[str, object]:
    if config.document_kind is DocumentKind.DECLARATION:
        if config.declarant is None:
            raise MatterError(
                "A declaration needs a declarant.", "Add a table [declarant] with name and title to matter.toml."
            )
        return {"declarant": config.declarant, "oath": rules.oath(config)[1]}
    return {"movant": movant(config), "signature": _signature(config.counsel)}


def movant(config: MatterConfig) -> Party:
    """The party whose counsel signs: the one named in `counsel.represents`, else the first."""
    represents = config.counsel.represents.lower()
    return next((p for p in config.parties if p.name.lower() in represents), config.parties[0])


def _signature(counsel: Counsel) -> list[str]:
    return ["______________________________", *_counsel_with_bar_number(counsel)]


def _counsel_with_bar_number(counsel: Counsel) -> list[str]:
    bar = f"Bar No. {counsel.bar_number}" if counsel.bar_number else None
    lines = (counsel.name, bar, counsel.firm, *counsel.address, counsel.phone, counsel.email)
    return [*(line for line in lines if line), f"Attorney for {counsel.represents}"]


def caption(config: MatterConfig) -> Caption:
    """The caption, line by line, from `matter.toml` alone."""
    court = tuple(line for line in (config.court.name, config.court.division) if line)
    counsel = config.counsel
    lines = [line for line in (counsel.name, counsel.firm, *counsel.address, counsel.phone, counsel.email) if line]
    if config.court.jurisdiction is Jurisdiction.CALIFORNIA:  # rule 2.111(1) wants both on the first page
        lines = _counsel_with_bar_number(counsel)
    case_lines = [f"Case No. {config.caption.case_number}"]
    if config.caption.judge:
        case_lines.append(config.caption.judge)
    return Caption(
        court=court,
        parties=_party_lines(config.parties),
        case_lines=tuple(case_lines),
        counsel=tuple(lines),
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
