"""What a court wants said of the use of AI, from what the draft itself records of who wrote each paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lexforge.domain.draft import Block, BlockKind, Draft, Section
from lexforge.domain.filing import Told
from lexforge.domain.matter import MatterConfig
from lexforge.draft.fixed import fixed_block, signed_by
from lexforge.draft.rules import AiUse, Asks, Rule, Rules

DISCLOSURE = "disclosure"


def by_models(draft: Draft) -> list[tuple[int, Block]]:
    """The paragraphs that hold a model's words, each with its number."""
    paragraphs = (block for block in draft.blocks if block.kind is BlockKind.PARAGRAPH)
    return [(number, block) for number, block in enumerate(paragraphs, 1) if block.slotted is not None]


def with_disclosures(draft: Draft, config: MatterConfig, rules: Rules) -> Draft:
    """The draft with the statements its rules ask for; unchanged when no paragraph holds a model's words."""
    written = by_models(draft)
    for rule, use in _binding(config, rules):
        if use.statement is None or not written:
            continue
        statement = _statement(rule, use, written, config)
        sections = (statement, *draft.sections) if use.first_page else (*draft.sections, statement)
        draft = draft.model_copy(update={"sections": sections})
    return draft


def _binding(config: MatterConfig, rules: Rules) -> Iterator[tuple[Rule, AiUse]]:
    for rule in rules.bound:
        if rule.ai is not None and config.document_kind in rule.ai.documents:
            yield rule, rule.ai


def _name(rule: Rule) -> str:
    """Id of the section that holds the statement, and of the statement itself."""
    return f"{DISCLOSURE}_{rule.id.replace('-', '_')}"


def _words(use: AiUse, written: Sequence[tuple[int, Block]]) -> str:
    models = " and ".join(dict.fromkeys(block.provenance.model or "not named" for _, block in written))
    numbers = [number for number, _ in written]
    parts = f"Words of it stand in paragraph{'s' if len(numbers) > 1 else ''} {listed(numbers)}."
    return (use.statement or "").format(models=models, parts=parts)


def _statement(rule: Rule, use: AiUse, written: Sequence[tuple[int, Block]], config: MatterConfig) -> Section:
    name = _name(rule)
    blocks = [
        fixed_block(f"{name}_heading", BlockKind.HEADING, use.heading or "", name),
        fixed_block(name, BlockKind.CERTIFICATE, _words(use, written), name),
    ]
    if use.review is not None:
        blocks.append(fixed_block(f"{name}_review", BlockKind.CERTIFICATE, use.review, name))
        blocks.append(fixed_block(f"{name}_signed", BlockKind.SIGNATURE, signed_by(config.counsel), name))
    return Section(id=name, heading="", blocks=tuple(blocks))


def listed(numbers: Sequence[int]) -> str:
    """Ascending numbers as a reader wants them: "1, 3 to 5 and 8"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown: list[str] = []
    for run in runs:
        shown += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def told(draft: Draft, config: MatterConfig, rules: Rules) -> Iterator[Told]:
    """A line for each rule on AI that binds the paper; a warning when its statement is no longer true of the draft."""
    written = by_models(draft)
    for rule, use in _binding(config, rules):
        stated = next((block.text for block in draft.blocks if block.id == _name(rule)), None)
        stale = stated is not None and (not written or stated != _words(use, written))
        said = f" {use.told}" if use.told else ""
        text = f"Use of AI ({rule.rule}; {rule.standing}): {_what(use, stated, stale)}{said} {rule.note or ''}".strip()
        yield Told(text=text, warns=stale or not rule.verified)


def _what(use: AiUse, stated: str | None, stale: bool) -> str:
    if use.asks is Asks.NOTHING:
        return "the rule asks for nothing in the paper."
    if stale:
        return "the statement is not what the draft records of who wrote which paragraph: correct it."
    if stated is not None:
        return "a statement was put in the paper; sign it only if it is so."
    return "nothing was put in the paper" + (
        ", because no paragraph holds a model's words." if use.asks is Asks.STATEMENT else "."
    )
