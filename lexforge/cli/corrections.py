"""`lexforge corrections`: the attorney's edits as data."""

from __future__ import annotations

from pathlib import Path

import click

from lexforge.export.corrections import to_jsonl
from lexforge.store import corrections as store
from lexforge.store import database
from lexforge.store.folder import find_matter


@click.group("corrections")
def command() -> None:
    """The attorney's edits, kept with everything that had led to them."""


@command.command("export", epilog="Example: lexforge corrections export --matter matter-123 --out corrections.jsonl")
@click.option("--matter", "name", required=True, help="The matter whose corrections are wanted.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file, not to the terminal.")
def export(name: str, out: Path | None) -> None:
    """Write one JSON line for each block of each imported document, changed or not.

    They hold the client's words: `train_ok` is false unless you said otherwise when importing.
    """
    with database.opened(find_matter(name).work) as db:
        records = store.all_of(db)
    lines = to_jsonl(records)
    if out is None:
        click.echo(lines, nl=False)
        return
    out.write_text(lines, encoding="utf-8")
    consented = sum(record.train_ok for record in records)
    click.echo(f"{len(records)} corrections written to {out}; {consented} may be used for training.")
