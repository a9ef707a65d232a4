"""What the attorney sees at the end of a run: flags first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from lexforge.attorney.gate_page import Paper, by_message, shortened, source_line, state_of, visible
from lexforge.domain.account import Account
from lexforge.domain.canaries import Canaries
from lexforge.domain.draft import BlockKind, Draft, DraftPlan
from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice
from lexforge.domain.findings import Finding, GateReport, Reason

if TYPE_CHECKING:
    # `lexforge gate` prints findings with this module and must not wait for the drafting machinery.
    from graphs.steps import Steps
    from lexforge.adversary.objections import Review
    from lexforge.attorney.packet import Packet

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
    print_files(console, Account.of(run.bundle))
    if run.bundle.notices:
        console.print(f"  {len(run.bundle.notices)} things to know of the sources: work/ingest-report.html")
    if run.bundle.own_output and steps.matter.config.own_output_waiver is not None:
        console.print(f"  Waived: {escape(steps.matter.config.own_output_waiver)}")
    _print_sections(console, run, steps)
    for statement in run.plan.unsupported:
        console.print(f"[yellow]Asked back[/]: nothing in the sources supports “{escape(statement)}”")
    print_findings(console, run.report)
    print_form(console, run.draft, steps)
    console.print("  What else belongs to the filing: filing-checklist.txt in the packet.")
    _print_throughput(console, steps)
    _print_guard(console, steps)
    seq, head = steps.ledger.head()
    console.print(f"Ledger: {steps.ledger.ran} steps run, {steps.ledger.reused} reused; entry {seq}, head {head[:16]}")
    console.print(f"Packet: {escape(str(run.packet.folder(steps.matter.work) / 'draft.docx'))}", soft_wrap=True)


def print_files(console: Console, account: Account) -> None:
    """How every file ended; those that need the attorney's eye one line each."""
    fates = Counter(file.fate for file in account.files)
    counts = ", ".join(f"{fates[fate]} {fate.value}" for fate in Fate)
    console.print(f"\n[bold]Sources[/]: {len(account.files)} files: {counts}.")
    for fate in Fate:
        told = [file for file in account.files if file.fate is fate and file.detail]
        for file in told if fate in (Fate.FAILED, Fate.QUARANTINED) else told[:MOST]:
            _print_file(console, file)
        if fate not in (Fate.FAILED, Fate.QUARANTINED) and len(told) > MOST:
            console.print(f"  and {len(told) - MOST} more {fate.value}")
    print_own_output(console, account)


MOST = 20
"""Files or notices of one sort that are printed; the report has them all."""


def print_notices(console: Console, notices: Sequence[Notice]) -> None:
    """What else the attorney must know of her sources, sort by sort."""
    from lexforge.ingest.report import grouped  # noqa: PLC0415 - `lexforge gate` must not wait for templates

    for group in grouped(notices):
        console.print(f"[yellow]{escape(group.title)}[/] ({len(group.notices)})")
        for notice in group.notices[:MOST]:
            where = f", page {notice.page}" if notice.page else f", line {notice.line}" if notice.line else ""
            console.print(f"  {escape(notice.path)}{where}: {escape(visible(notice.message))}", soft_wrap=True)
        if len(group.notices) > MOST:
            console.print(f"  and {len(group.notices) - MOST} more")


def print_own_output(console: Console, account: Account) -> None:
    """What share of the evidence was ours, and the passages that came from us in sources that are not."""
    console.print(
        f"Own output: {account.own_output_share:.0%} of the evidence files ({account.own_output}) were our own "
        f"earlier output, and {account.own_output_words:.0%} of the words in evidence."
    )
    for source in account.derived:
        console.print(
            f"  [yellow]derived[/] {escape(source.path)}: {source.passages} passages were pasted from draft "
            f"{', '.join(source.drafts)}; they prove nothing but that they were sent."
        )


def _print_file(console: Console, file: FileRecord) -> None:
    told = visible(" ".join(file.detail.split()))
    console.print(f"  [{_MARKS[file.fate]}]{file.fate.value}[/] {escape(file.path)}: {escape(told)}")


def _print_sections(console: Console, run: Run, steps: Steps) -> None:
    from graphs.steps import writer  # noqa: PLC0415 - see TYPE_CHECKING above

    blocked = blocked_blocks(run.draft, run.report)
    measured = {one.section: one for one in (steps.get(sha256, Canaries) for sha256 in run.packet.canaries)}
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
        if brief.id in measured:
            console.print(f"    the {review.seat} {measured[brief.id].told}", soft_wrap=True)
    console.print("  Objections are a model's opinions, unchecked: they block nothing and clear nothing.")


def blocked_blocks(draft: Draft, report: GateReport) -> set[str]:
    """Ids of the blocks that hold a blocked mention."""
    return {block.id for block, start, end in draft.spans() for f in report.blocked if f.start < end and start < f.end}


def print_findings(console: Console, report: GateReport, paper: Paper | None = None) -> None:
    """The gate's verdict: what is blocked first, by reason, then what passed without proof.

    With the `paper` each line says where the mention stands and what it reads.
    """
    allowed = [finding for finding in report.findings if state_of(finding) == "allowed"]
    grounded = len(report.findings) - len(report.blocked) - len(allowed)
    between = f"{len(allowed)} allowed without proof, " if allowed else ""
    verdict = "[bold green]PASSED[/]" if report.passed else "[bold red]NOT CLEARED[/]"
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(report.reasons().items()))
    console.print(
        f"\n[bold]Gate[/]: {verdict}: {grounded} mentions grounded, {between}{len(report.blocked)} blocked"
        + (f" ({reasons})." if reasons else ".")
    )
    for reason in Reason:
        same = [finding for finding in report.blocked if finding.reason is reason]
        if same:
            console.print(f"  [bold red]{reason.value}[/] ({len(same)})", highlight=False)
        for finding in same:
            _print_finding(console, finding, paper)
    _print_allowed(console, allowed, paper)
    console.print("  The gate checks mentions against your sources. It does not say whether an authority is good law.")


def _print_finding(console: Console, finding: Finding, paper: Paper | None) -> None:
    near = finding.nearest
    nearest = f" Nearest: “{shortened(near.text, 200)}” ({source_line(near)})." if near else ""
    console.print(
        f"    {_place(finding, paper)}{escape(visible(finding.message) + nearest)}",
        soft_wrap=not console.is_terminal,
        highlight=False,
    )


def _place(finding: Finding, paper: Paper | None) -> str:
    """Where the mention stands and what it reads, as markup; nothing when the paper is not at hand."""
    if paper is None:
        return ""
    excerpt = paper.excerpt(finding, 100).strip('“”"')
    return f"[bold]{paper.where(finding)}[/]{f' “{escape(excerpt)}”' if excerpt else ''}: "


def _bare(excerpt: str) -> str:
    """The excerpt without quotation marks of its own, to stand between ours."""
    return excerpt.strip('“”"')


def _print_allowed(console: Console, allowed: list[Finding], paper: Paper | None) -> None:
    """One line for each reason on record, with every place it let through."""
    if not allowed:
        return
    console.print(f"  [bold yellow]allowed without proof[/] ({len(allowed)})", highlight=False)
    for group in by_message(allowed):
        places = (
            ", ".join(f"{paper.where(f)} “{_bare(paper.excerpt(f, 60))}”" for f in group)
            if paper
            else f"{len(group)} times"
        )
        console.print(
            f"    [bold]{escape(places)}[/]: {escape(visible(group[0].message))}",
            soft_wrap=not console.is_terminal,
            highlight=False,
        )


def _print_guard(console: Console, steps: Steps) -> None:
    """What kept this run local, as the ledger has it."""
    from lexforge.store import runs  # noqa: PLC0415 - `lexforge gate` needs no store

    end = runs.ends(steps.ledger)[-1]
    hook = "connections refused unless listed" if end.hook else "CONNECTIONS NOT GUARDED"
    how = "sealed, without any network" if end.sealed else f"{hook}, not sealed"
    contacted = f"; contacted {', '.join(end.contacted)}" if end.contacted else ""
    refused = f"; REFUSED {', '.join(end.refused)}" if end.refused else ""
    console.print(f"Run {end.run}, sitting {end.number}: {how}{escape(contacted + refused)}.")


def print_form(console: Console, draft: Draft, steps: Steps) -> None:
    """What rules of court say of the paper; what wants something done stands out."""
    from lexforge.draft.filing import filing_notes  # noqa: PLC0415 - see TYPE_CHECKING above

    console.print("\n[bold]Form[/], by the rules LexForge knows; it does not say that the paper meets them:")
    for line in filing_notes(draft, steps.matter.config, steps.rules).told:
        text = escape(line.text)
        console.print(f"  [bold yellow]{text}[/]" if line.warns else f"  {text}", soft_wrap=True, highlight=False)


def _print_throughput(console: Console, steps: Steps) -> None:
    console.print("\n[bold]Seats[/], by the engines' own counters in this run:")
    for name, seat in steps.seats.items():
        done = seat.throughput
        console.print(
            f"  {name.value}: {seat.identity.label}: {done.answers} answers, "
            f"{done.prompt_tokens} prompt tokens at {done.prompt_rate:.0f}/s, "
            f"{done.completion_tokens} answer tokens at {done.completion_rate:.0f}/s"
        )
