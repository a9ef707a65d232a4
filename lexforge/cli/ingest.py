"""`lexforge ingest`: what a draft would rely on."""

from __future__ import annotations

from contextlib import ExitStack

import click
from rich.console import Console
from rich.markup import escape

from graphs.sources import SourceSteps
from lexforge.cli.progress import shown
from lexforge.cli.summary import print_files, print_notices
from lexforge.cli.written import write_whole
from lexforge.domain.account import Account
from lexforge.domain.evidence import Bundle, Notice
from lexforge.ingest import report, workers
from lexforge.ingest.listing import Listing
from lexforge.store import database
from lexforge.store.folder import find_matter
from lexforge.store.ledger import Ledger

REPORT = "ingest-report.html"


@click.command("ingest", epilog="Example: lexforge ingest matter-123")
@click.argument("name")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Read the files on the workers of this dask scheduler, for example tcp://10.0.0.5:8786.",
)
def command(name: str, cluster: str | None) -> None:
    """Read the sources of matter NAME, seal them into a bundle, and say how every file ended.

    Only files that have changed since the last time are read again. The whole report is left in the matter's folder as
    work/ingest-report.html. Stop it with Ctrl-C at any time: what was read is kept.
    """
    matter = find_matter(name)
    with ExitStack() as stack:
        executor = stack.enter_context(workers.cluster(cluster)) if cluster is not None else None
        db = stack.enter_context(database.opened(matter.work))
        with shown(Console(stderr=True)) as progress:
            steps = SourceSteps(matter, db, Ledger(db), progress, executor, again=True)
            listed = steps.listed()
            known = steps.unchanged(listed) if (matter.work / REPORT).is_file() else None
            account = known or Account.of(_ingested(steps, listed))
        vanished = steps.vanished(account.files)
    console = Console()
    if known is not None:
        console.print("Nothing has changed since the last time.")
    print_files(console, account)
    print_notices(console, [*vanished, *account.notices])
    console.print(f"Report: {escape(str(matter.work / REPORT))}", soft_wrap=True)
    console.print(f"Bundle {account.bundle[:16]}")


def _ingested(steps: SourceSteps, listed: Listing) -> Bundle:
    bundle = steps.ingest(listed)
    leave_report(steps, bundle)
    return bundle


def leave_report(steps: SourceSteps, bundle: Bundle) -> tuple[Notice, ...]:
    """Write the report on the sources; the files that earlier bundles had and this one has not."""
    vanished = steps.vanished(bundle.files)
    write_whole(steps.matter.work / REPORT, report.page(steps.matter.name, bundle, vanished))
    return vanished
