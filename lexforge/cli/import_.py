"""`lexforge import`: the attorney's edited draft comes back, is gated again, and becomes corrections."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from pathlib import Path

import click
from rich.console import Console

from graphs.steps import Steps
from lexforge.attorney.edits import align
from lexforge.cli.summary import print_findings, print_form
from lexforge.domain.corrections import Change, Operation, edited_spans, edited_text
from lexforge.domain.draft import NOT_OF_THE_RECORD, Draft, blanked
from lexforge.domain.evidence import Bundle
from lexforge.draft.filing import edited_draft
from lexforge.errors import BLOCKED_EXIT_CODE, DocumentError
from lexforge.export.corrections import corrections
from lexforge.gate.check import check
from lexforge.ingest.office.edited import read_docx
from lexforge.store import corrections as store
from lexforge.store import database
from lexforge.store.folder import find_matter


@click.command("import", epilog="Example: lexforge import draft-edited.docx --matter matter-123")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--matter", "name", required=True, help="The matter the draft belongs to.")
@click.option("--train-ok", is_flag=True, help="The client consents to these corrections being used for training.")
def command(file: Path, name: str, train_ok: bool) -> None:
    """Read back FILE, a draft.docx edited in Word or LibreOffice, and gate it again.

    Tracked changes are read as accepted. Every block, changed or not, becomes a correction; see them with `lexforge
    corrections export`. Exit code 3 when the edited text holds something that the sources do not ground.
    """
    matter = find_matter(name)
    edited = read_docx(file)
    with database.opened(matter.work) as db:
        steps = Steps(matter, db, {})
        draft = _draft(steps, edited.draft, file)
        bundle = steps.get(draft.bundle, Bundle)
        changes = align(draft, edited)
        after = check(_checked(draft, changes), bundle, steps.policy, matter.config.date_order)
        records = corrections(
            matter.name,
            draft,
            changes,
            steps.gate(draft, bundle),
            after,
            document_sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
            train_ok=train_ok,
        )
        store.keep(db, records)
    console = Console()
    counts = Counter(change.operation for change in changes)
    console.print(", ".join(f"{counts[operation]} {operation.value}" for operation in Operation))
    for change in changes:
        if change.operation is not Operation.ACCEPT_UNCHANGED:
            console.print(f"  {change.operation.value} {change.block}", markup=False)
    print_findings(console, after)
    print_form(console, edited_draft(draft, changes), steps)
    if not after.passed:
        sys.exit(BLOCKED_EXIT_CODE)


def _checked(draft: Draft, changes: tuple[Change, ...]) -> str:
    """The edited text as the gate reads it; signatures and certificates are left out only as we wrote them."""
    ours = {block.id for block in draft.blocks if block.kind in NOT_OF_THE_RECORD}
    kept = (
        (start, end)
        for change, start, end in edited_spans(changes)
        if change.block in ours and change.operation is Operation.ACCEPT_UNCHANGED
    )
    return blanked(edited_text(changes), kept)


def _draft(steps: Steps, draft_id: str | None, file: Path) -> Draft:
    """The draft a document says it came from; DocumentError when this matter never made it."""
    for output in reversed(steps.ledger.outputs("assemble")):
        if draft_id is not None and output.startswith(draft_id):
            return steps.get(output, Draft)
    what = f"draft {draft_id}, which {steps.matter.name} never made" if draft_id else "no draft of ours"
    raise DocumentError(
        f"{file.name} comes from {what}.",
        "Import the draft.docx of this matter's work/runs/ folder after editing it; keep its document properties.",
    )
