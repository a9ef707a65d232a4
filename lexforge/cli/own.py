"""`lexforge own`: which papers are ours."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import click

from lexforge.config import register_file
from lexforge.domain.evidence import Bundle
from lexforge.domain.record import sha256_of
from lexforge.errors import UnreadableFile
from lexforge.ingest.bundle import ingest
from lexforge.ingest.fingerprint import novel
from lexforge.ingest.listing import listing
from lexforge.ingest.readers import read
from lexforge.store import database, register
from lexforge.store.folder import find_matter
from lexforge.store.ledger import Ledger
from lexforge.store.register import Entry, Status

_QUOTED = re.compile('“[^”]{20,}”|"[^"]{20,}"')


@click.group("own")
def command() -> None:
    """The register of papers that we wrote ourselves, which are never evidence."""


@command.command("list")
def list_() -> None:
    """List what is registered on this machine, for all matters. It holds hashes only, no names and no words."""
    with register.opened() as known:
        known.verify()
        for entry in known.entries():
            click.echo(f"{entry.at[:10]}  {entry.status.value:8}  {entry.draft}  {len(entry.files)} files")
    click.echo(f"Register: {register_file()}")


@command.command("adopt", epilog="Example: lexforge own adopt ~/briefs --matter matter-123")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--matter", "names", multiple=True, help="A matter whose sources these papers quote; may be repeated.")
def adopt(folder: Path, names: tuple[str, ...]) -> None:
    """Register all papers below FOLDER that were written before LexForge.

    Name the matters they belong to: what a paper quotes from their sources, or in quotation marks, is not counted as
    its own words. Quotations from documents that LexForge has never seen cannot be told apart unless they are marked.
    """
    quoted = [_texts(ingest(m.path, listing(m.path))) for m in map(find_matter, names)]
    sources = [text for texts in quoted for text in texts]
    count = 0
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")):
        try:
            pages = read(path).texts
        except UnreadableFile as error:
            click.echo(f"left out: {error}", err=True)
            continue
        sha256 = _sha256(path)
        entry = Entry(draft=sha256[:16], status=Status.ADOPTED, files=(sha256,))
        prints = novel(_QUOTED.sub(" ¶ ", "\n".join(pages)), sources)
        with register.opened() as known:
            count += known.add(entry, prints)
    click.echo(f"{count} papers registered. None of them will pass as evidence again.")


def _texts(bundle: Bundle) -> list[str]:
    return ["\n".join(page.text for page in source.pages) for source in bundle.sources]


@command.command("admit", epilog='Example: lexforge own admit brief.pdf --matter matter-123 --reason "ECF No. 41"')
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--matter", "name", required=True, help="The matter in whose evidence/ folder it may lie.")
@click.option("--reason", required=True, help="Why, for example the docket number it was filed under.")
def admit(file: Path, name: str, reason: str) -> None:
    """Admit FILE, a paper of ours that was filed, as procedural record of a matter.

    It may then lie in evidence/ and is listed, but it still proves nothing.
    """
    from graphs.sources import SourceSteps  # noqa: PLC0415 - the other commands of this group need no machine

    if not reason.strip():
        raise click.UsageError("--reason must say why.")
    matter, sha256 = find_matter(name), _sha256(file)
    with database.opened(matter.work) as db:
        SourceSteps(matter, db, Ledger(db)).admit(sha256, reason.strip())
    entry = Entry(
        draft=sha256[:16],
        status=Status.ADMITTED,
        matter=sha256_of(matter.name.encode()),
        files=(sha256,),
        reason=sha256_of(reason.strip().encode()),
    )
    with register.opened() as known:
        known.add(entry)
    click.echo(f"{file.name} is procedural record of {matter.name}; it proves nothing.")


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
