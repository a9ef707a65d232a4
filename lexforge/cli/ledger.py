"""`lexforge ledger`: whether the record of what was done is intact."""

from __future__ import annotations

import click

from lexforge.store import database
from lexforge.store.folder import find_matter
from lexforge.store.ledger import Ledger


@click.group("ledger")
def command() -> None:
    """The append-only record of every step."""


@command.command("verify", epilog="Example: lexforge ledger verify matter-123")
@click.argument("name")
def verify(name: str) -> None:
    """Recompute the hash chain of matter NAME and every artifact in it; exit code 8 when anything was changed."""
    with database.opened(find_matter(name).work) as db:
        ledger = Ledger(db)
        entries = ledger.verify()
        steps = ", ".join(f"{count} {step}" for step, count in ledger.steps().items())
        _, head = ledger.head()
    click.echo(f"{entries} entries verify ({steps or 'none yet'}); head {head}")
