"""What the attorney sees at the end of a run: flags first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from graphs.steps import Steps, writer
from lexforge.adversary.objections import Review
from lexforge.attorney.packet import Packet
from lexforge.domain.draft import BlockKind, Draft, DraftPlan
from lexforge.domain.evidence import Bundle, Fate, FileRecord
from lexforge.domain.findings import Finding, GateReport

_MARKS = {Fate.INGESTED: "green", Fate.DUPLICATE: "cyan", Fate.QUARANTINED: "yellow", Fate.FAILED: "red"}


@dataclass(frozen=True)
class Run:
    """A finished run, as the summary shows it."""

    packet: Packet
    bundle: Bundle
    plan: DraftPlan
    draft: Draft
    report: GateReport
    reviews: tuple[Review, ...]


def print_run(console: Console, run: Run, steps: Steps) -> None:
    """The whole summary of a run."""
    print_files(console, run.bundle)
    _print_sections(console, run)
    for statement in run.plan.unsupported:
        console.print(f"[yellow]Asked back[/]: nothing in the sources supports “{escape(statement)}”")
    print_findings(console, run.report)
    _print_throughput(console, steps)
    seq, head = steps.ledger.head()
    console.print(f"Ledger: {steps.ledger.ran} steps run, {steps.ledger.reused} reused; entry {seq}, head {head[:16]}")
    console.print(f"Packet: {escape(str(run.packet.folder(steps.matter.work) / 'draft.docx'))}", soft_wrap=True)


def print_files(console: Console, bundle: Bundle) -> None:
    """How every file ended; those that need the attorney's eye one line each."""
    fates = Counter(file.fate for file in bundle.files)
    counts = ", ".join(f"{fates[fate]} {fate.value}" for fate in Fate)
    console.print(f"\n[bold]Sources[/]: {len(bundle.files)} files: {counts}.")
    for file in bundle.files:
        if file.detail:
            _print_file(console, file)
    ours = len([f for f in bundle.with_fate(Fate.QUARANTINED) if f.path.startswith("evidence/")])
    console.print(
        f"Own output: {bundle.own_output_share:.0%} of the evidence files ({ours}) were our own earlier output."
    )


def _print_file(console: Console, file: FileRecord) -> None:
    console.print(f"  [{_MARKS[file.fate]}]{file.fate.value}[/] {escape(file.path)}: {escape(file.detail)}")


def _print_sections(console: Console, run: Run) -> None:
    blocked = blocked_blocks(run.draft, run.report)
    console.print(f"\n[bold]Draft[/] {run.draft.id}: {run.draft.document_kind} in {len(run.plan.sections)} sections.")
    for brief, review in zip(run.plan.sections, run.reviews, strict=True):
        blocks = [b.id for b in run.draft.blocks if b.section == brief.id and b.kind is BlockKind.PARAGRAPH]
        bad = len(blocked.intersection(blocks))
        console.print(
            f"  {escape(brief.heading)} ({brief.stakes.value} stakes), written by the {writer(brief).value}: "
            f"{len(blocks)} paragraphs, {len(blocks) - bad} grounded, {bad} blocked"
        )
        idle = f", {review.idle} more that spoke of something else were dropped" if review.idle else ""
        console.print(f"    attacked by the {review.seat}: {len(review.objections)} objections{idle}")
        for objection in review.objections:
            console.print(f"      {escape(objection.block)} {objection.kind.value}: {escape(objection.note)}")
    console.print("  Objections are a model's opinions, unchecked: they block nothing and clear nothing.")


def blocked_blocks(draft: Draft, report: GateReport) -> set[str]:
    """Ids of the blocks that hold a blocked mention."""
    return {block.id for block, start, end in draft.spans() for f in report.blocked if f.start < end and start < f.end}


def print_findings(console: Console, report: GateReport) -> None:
    """The gate's verdict: blocks first, one line each."""
    grounded = len(report.findings) - len(report.blocked)
    verdict = "[bold green]PASSED[/]" if report.passed else "[bold red]NOT CLEARED[/]"
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(report.reasons().items()))
    console.print(
        f"\n[bold]Gate[/]: {verdict}: {grounded} mentions grounded, {len(report.blocked)} blocked"
        + (f" ({reasons})." if reasons else ".")
    )
    for finding in report.blocked:
        _print_finding(console, finding)
    console.print("  The gate checks mentions against your sources. It does not say whether an authority is good law.")


def _print_finding(console: Console, finding: Finding) -> None:
    nearest = f" Nearest: “{finding.nearest.text}” ({finding.nearest.path})." if finding.nearest else ""
    console.print(f"  [red]{finding.reason.value}[/] {escape(finding.message + nearest)}")


def _print_throughput(console: Console, steps: Steps) -> None:
    console.print("\n[bold]Seats[/], by the engines' own counters in this run:")
    for name, seat in steps.seats.items():
        done = seat.throughput
        console.print(
            f"  {name.value}: {seat.identity.label}: {done.answers} answers, "
            f"{done.prompt_tokens} prompt tokens at {done.prompt_rate:.0f}/s, "
            f"{done.completion_tokens} answer tokens at {done.completion_rate:.0f}/s"
        )
