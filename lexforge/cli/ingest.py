"""`lexforge ingest`: what a draft would rely on."""

from __future__ import annotations

import click
from rich.console import Console

from lexforge.cli.progress import shown
from lexforge.cli.summary import print_files
from lexforge.ingest.bundle import listing
from lexforge.store import database
from lexforge.store.folder import find_matter


@click.command("ingest", epilog="Example: lexforge ingest matter-123")
@click.argument("name")
def command(name: str) -> None:
    """Read the sources of matter NAME, seal them into a bundle, and say how every file ended."""
    from graphs.steps import Steps  # noqa: PLC0415

    matter = find_matter(name)
    with database.opened(matter.work) as db, shown(Console(stderr=True)) as progress:
        bundle = Steps(matter, db, {}, progress=progress).ingest(listing(matter.path))
    print_files(Console(), bundle)
    Console().print(f"Bundle {bundle.content_sha256[:16]}")
