"""What a court wants said of the use of AI, from what the draft itself records of who wrote each paragraph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

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


def _statement(rule: Rule, use: AiUse, written: Sequence[tuple[int, Block]], config: MatterConfig) -> Section:
    name = f"{DISCLOSURE}_{rule.id.replace('-', '_')}"
    models = " and ".join(dict.fromkeys(block.provenance.model or "not named" for _, block in written))
    numbers = [number for number, _ in written]
    parts = f"Words of it stand in paragraph{'s' if len(numbers) > 1 else ''} {_ranges(numbers)}."
    blocks = [
        fixed_block(f"{name}_heading", BlockKind.HEADING, use.heading or "", name),
        fixed_block(name, BlockKind.CERTIFICATE, (use.statement or "").format(models=models, parts=parts), name),
    ]
    if use.review is not None:
        blocks.append(fixed_block(f"{name}_review", BlockKind.CERTIFICATE, use.review, name))
        blocks.append(fixed_block(f"{name}_signed", BlockKind.SIGNATURE, signed_by(config.counsel), name))
    return Section(id=name, heading="", blocks=tuple(blocks))


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers as a reader wants them: "1, 3 to 5 and 8"."""
    starts = [numbers[0], *(b for a, b in pairwise(numbers) if b != a + 1)]
    ends = [*(a for a, b in pairwise(numbers) if b != a + 1), numbers[-1]]
    shown = [_range(first, last) for first, last in zip(starts, ends, strict=True)]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _range(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first} and {last}" if last == first + 1 else f"{first} to {last}"


def told(draft: Draft, config: MatterConfig, rules: Rules) -> Iterator[Told]:
    """A line for each rule on AI that binds the paper."""
    for rule, use in _binding(config, rules):
        what = (
            "the rule asks for nothing in the paper." if use.asks is Asks.NOTHING else "nothing was put in the paper."
        )
        if use.asks is Asks.STATEMENT:
            what = "a statement was put in the paper; sign it only if it is so."
            if not by_models(draft):
                what = "no paragraph holds a model's words, and no statement was put in the paper."
        said = f" {use.told}" if use.told else ""
        text = f"Use of AI ({rule.rule}; {rule.standing}): {what}{said} {rule.note or ''}".strip()
        yield Told(text=text, warns=not rule.verified)
