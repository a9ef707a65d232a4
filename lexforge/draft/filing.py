"""What the attorney must know of a draft's form before she files it: the rules it was made under, and a checklist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import fill

from lexforge.domain.corrections import Change
from lexforge.domain.draft import OWN_MARK, Block, BlockKind, Draft, Provenance, Section
from lexforge.domain.filing import FilingNotes, Told
from lexforge.domain.matter import DocumentKind, MatterConfig
from lexforge.draft import ai_use, length, privacy
from lexforge.draft.rules import Item, Rule, Rules

WIDTH = 110

HEAD = """\
FILING CHECKLIST – {title}

For the attorney, not for filing. The list says what LexForge knows of the rules and where it was read; it does not say
that this paper meets them. Rules and orders change without notice: read each at the court before you file.
"""


def filing_notes(draft: Draft, config: MatterConfig, rules: Rules) -> FilingNotes:
    """All there is to tell of this draft under these rules."""
    paper = next((rule.paper for rule in rules.bound if rule.paper is not None), None)
    told = (
        *_oath(config, rules),
        *length.told(draft, config, rules),
        *privacy.told(draft, config, rules),
        *ai_use.told(draft, config, rules),
    )
    return FilingNotes(
        remarks=privacy.remarks(draft, config, rules),
        told=told,
        checklist=_checklist(draft, config, rules, told),
        numbered_lines=paper.lines if paper else None,
        court_at_line=paper.court_at_line if paper else 1,
    )


def _oath(config: MatterConfig, rules: Rules) -> Iterator[Told]:
    if config.document_kind is DocumentKind.DECLARATION:
        rule, _ = rules.oath(config)
        text = f"Oath: the form of {rule.rule}; {rule.standing}." + (f" {rule.note}" if rule.note else "")
        yield Told(text=text, warns=not rule.verified)


def _checklist(draft: Draft, config: MatterConfig, rules: Rules, told: tuple[Told, ...]) -> str:
    parts = [HEAD.format(title=draft.caption.title), "TO DO AND TO FILE"]
    for rule in rules.bound:
        if rule.checklist is not None and rule.checklist.document is config.document_kind:
            parts += [_item(item, rule) for item in rule.checklist.items if _concerns(item, config)]
    parts += ["", "THIS DRAFT", *(_bullet(line.text) for line in told), "", "RULES USED"]
    parts += [_bullet(_rule(rule)) for rule in rules.bound if rule.checklist is None]
    return "\n".join(parts) + f"\n\n[{OWN_MARK}:{draft.id}]\n"


def _concerns(item: Item, config: MatterConfig) -> bool:
    return not item.courts or not set(item.courts).isdisjoint(config.court.rules)


def _item(item: Item, rule: Rule) -> str:
    checked = f"read {rule.checked_on.isoformat()} at {item.source}" if item.verified else f"VERIFY: {item.source}"
    text = fill(item.text, WIDTH, initial_indent="  [ ]  ", subsequent_indent="       ")
    return f"{text}\n         {item.rule} ({checked})"


def _bullet(text: str) -> str:
    return fill(text, WIDTH, initial_indent="  -  ", subsequent_indent="     ", break_on_hyphens=False)


def _rule(rule: Rule) -> str:
    since = f", in force since {rule.effective_from.isoformat()}" if rule.effective_from else ""
    until = f" until {rule.effective_until.isoformat()}" if rule.effective_until else ""
    return f"{rule.rule}{since}{until}: {rule.standing}" + (f". {rule.note}" if rule.note else "")


def edited_draft(draft: Draft, changes: Iterable[Change]) -> Draft:
    """The draft as the attorney left it, to be looked at again; what she put in is of the kind it stands under."""
    blocks = {block.id: block for block in draft.blocks}
    kept: list[Block] = []
    for change in changes:
        if change.after is None:
            continue
        block = blocks.get(change.block)
        if block is None:
            before = blocks.get(change.follows or "")
            kind = BlockKind.PARAGRAPH if before and before.kind is BlockKind.PARAGRAPH else BlockKind.TEXT
            section, by = before.section if before else "opening", Provenance(seat="attorney")
            block = Block(id=change.block, kind=kind, text="", section=section, provenance=by)
        kept.append(block.model_copy(update={"text": change.after}))
    return draft.model_copy(update={"sections": (Section(id="edited", heading="", blocks=tuple(kept)),)})
