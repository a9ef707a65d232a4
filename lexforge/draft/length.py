"""How long a draft is by the rule's own way of counting, and the certificate that says so."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lexforge.domain.draft import CERTIFICATE_SECTIONS, Block, BlockKind, Draft, Section
from lexforge.domain.filing import Told
from lexforge.domain.matter import Counsel, MatterConfig
from lexforge.draft.fixed import fixed_block, signed_by
from lexforge.draft.rules import Length, Limit, Part, Rule, Rules


def count_words(draft: Draft, excludes: Collection[Part]) -> int:
    """Words of the draft without the parts in `excludes`.

    A word is what stands between white space, as word processors count; the running numbers of paragraphs are none,
    because Word sets them itself. Headings, the oath and statements on the use of AI count.
    """
    caption = draft.caption
    lines = (*caption.counsel, *caption.court, *caption.parties, *caption.case_lines, caption.title)
    counted = [block.text for block in draft.blocks if _part(block) not in excludes]
    if Part.CAPTION not in excludes:
        counted += lines
    return sum(len(text.split()) for text in counted)


def _part(block: Block) -> Part | None:
    if block.kind is BlockKind.SIGNATURE:
        return Part.SIGNATURE_BLOCK
    return Part.CERTIFICATE if block.section.startswith(CERTIFICATE_SECTIONS) else None


def limits(config: MatterConfig, rules: Rules) -> Iterator[tuple[Rule, Length, Limit]]:
    """The limits this paper is under."""
    for rule in rules.bound:
        limit = rule.length.limit(config) if rule.length is not None else None
        if rule.length is not None and limit is not None:
            yield rule, rule.length, limit


def with_certificates(draft: Draft, config: MatterConfig, rules: Rules) -> Draft:
    """The draft with the certificates of length its rules want; none for a paper that is too long.

    None either from a rule that nobody has read: counsel would certify what may not be so.
    """
    for rule, length, limit in limits(config, rules):
        if limit.words is None or length.certificate is None or not rule.verified:
            continue
        # The certificate may itself count, so it is set first; a number is one word whatever it is.
        certified = _certified(draft, rule, _statement(length.certificate, 0, limit.words), config.counsel)
        words = count_words(certified, length.excludes)
        if words <= limit.words:
            draft = _certified(draft, rule, _statement(length.certificate, words, limit.words), config.counsel)
    return draft


def _statement(wording: str, words: int, limit: int) -> str:
    return wording.format(words=f"{words:,}", limit=f"{limit:,}")


def _name(rule: Rule) -> str:
    """Id of the section that holds the certificate, and of its statement."""
    return f"{CERTIFICATE_SECTIONS}_{rule.id.replace('-', '_')}"


def _certified(draft: Draft, rule: Rule, text: str, counsel: Counsel) -> Draft:
    name = _name(rule)
    blocks = (
        fixed_block(f"{name}_heading", BlockKind.HEADING, "Certificate of Compliance", name),
        fixed_block(name, BlockKind.CERTIFICATE, text, name),
        fixed_block(f"{name}_signed", BlockKind.SIGNATURE, signed_by(counsel), name),
    )
    return draft.model_copy(update={"sections": (*draft.sections, Section(id=name, heading="", blocks=blocks))})


def told(draft: Draft, config: MatterConfig, rules: Rules) -> Iterator[Told]:
    """A line for each limit; a warning when the paper is over it, or its certificate gives another number."""
    for rule, length, limit in limits(config, rules):
        without = ", ".join(part.value.replace("-", " ") for part in length.excludes)
        if limit.words is None:
            text = f"Length: at most {limit.pages} pages ({rule.rule}), without {without}. Count the pages in Word."
            yield Told(text=text)
            continue
        words = count_words(draft, length.excludes)
        over = words - limit.words
        verdict = f"OVER THE LIMIT by {over:,} words, and so without a certificate: " if over > 0 else ""
        standing = "" if rule.verified else f" {rule.standing}."
        text = f"Length: {verdict}{words:,} words of {limit.words:,} ({rule.rule}), without {without}.{standing}"
        yield Told(text=text, warns=over > 0 or not rule.verified)
        certificate = next((block.text for block in draft.blocks if block.id == _name(rule)), None)
        if certificate is not None and f"{words:,} words" not in certificate:
            text = f"Length: the certificate of compliance does not say {words:,} words ({rule.rule}): correct it."
            yield Told(text=text, warns=True)
