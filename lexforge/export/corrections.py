"""The attorney's edits as data: one record a block, changed or not, with everything that had led to it."""

from __future__ import annotations

from collections.abc import Iterable

from lexforge.domain.corrections import Change, Correction, edited_spans
from lexforge.domain.draft import Draft
from lexforge.domain.findings import Finding, GateReport
from lexforge.domain.record import canonical_json
from lexforge.errors import DocumentError

# Some readers of lines (Python's own `splitlines` among them) end a line at these as well.
_LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}


def corrections(  # noqa: PLR0913 - a correction has as many roots
    matter: str,
    draft: Draft,
    changes: Iterable[Change],
    report_before: GateReport,
    report_after: GateReport,
    *,
    document_sha256: str,
    train_ok: bool,
) -> tuple[Correction, ...]:
    """One correction for each change, in the same order.

    `report_before` is the gate's on `draft.text`, `report_after` its on `edited_text(changes)`. The findings of a
    correction are those that touch its block, cut to it, with offsets into `before` and `after`. `train_ok` is the
    attorney's consent, never a default. An inserted block has no sources and no provenance. Raises DocumentError when
    a change names a block that the draft does not have, or a report is on another text.
    """
    changes = tuple(changes)
    blocks = {block.id: block for block in draft.blocks}
    before = {block.id: (end - len(block.text), end) for block, _, end in draft.spans()}
    after = {change.block: (start, end) for change, start, end in edited_spans(changes)}
    _check([c.block for c in changes if c.before is not None and c.block not in blocks], draft)
    _fits(report_before, len(draft.text))
    _fits(report_after, max((end for _, end in after.values()), default=0))
    return tuple(
        Correction(
            matter=matter,
            draft=draft.id,
            block=change.block,
            operation=change.operation,
            before=change.before,
            after=change.after,
            sources=blocks[change.block].sources if change.block in blocks else (),
            findings_before=_cut(report_before, before.get(change.block)),
            findings_after=_cut(report_after, after.get(change.block)),
            provenance=blocks[change.block].provenance if change.block in blocks else None,
            document_sha256=document_sha256,
            train_ok=train_ok,
        )
        for change in changes
    )


def to_jsonl(records: Iterable[Correction]) -> str:
    """One line of canonical JSON for each correction, each ended by a line feed; empty for none."""
    return "".join(f"{_one_line(canonical_json(record.model_dump(mode='json')))}\n" for record in records)


def _cut(report: GateReport, span: tuple[int, int] | None) -> tuple[Finding, ...]:
    """The findings that share a character with `span`, with offsets from its start and nothing outside it."""
    if span is None:
        return ()
    start, end = span
    return tuple(
        finding.model_copy(update={"start": max(finding.start, start) - start, "end": min(finding.end, end) - start})
        for finding in report.findings
        if finding.start < end and start < finding.end
    )


def _check(unknown: list[str], draft: Draft) -> None:
    if unknown:
        raise DocumentError(
            f"Draft {draft.id} has no block {unknown[0]}.",
            "Import the edited document again for the draft it came from.",
        )


def _fits(report: GateReport, length: int) -> None:
    if any(finding.end > length for finding in report.findings):
        raise DocumentError(
            "A gate report is on another text than these edits.", "Run the gate on the edited text again."
        )


def _one_line(text: str) -> str:
    for character, escape in _LINE_ENDS.items():
        text = text.replace(character, escape)
    return text
