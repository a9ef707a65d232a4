"""`lexforge new`: scaffold a matter's folder."""

from __future__ import annotations

from pathlib import Path

import click

from lexforge.draft.rules import all_rules, sets
from lexforge.errors import MatterError
from lexforge.templating import render

_README = {
    "evidence": "Put the productions, emails, letters and scans of this matter here.",
    "authorities": "Put the text of every opinion and statute the paper may cite here.",
}


@click.command("new", epilog="Example: lexforge new smith-v-jones")
@click.argument("name")
@click.option("--kind", type=click.Choice(["declaration", "motion"]), default="declaration", show_default=True)
def command(name: str, kind: str) -> None:
    """Make a folder for a new matter: matters/NAME with matter.toml, intake.md, evidence/ and authorities/."""
    folder = Path(name) if len(Path(name).parts) > 1 else Path("matters") / name
    if folder.exists():
        raise MatterError(f"{folder} exists already.", "Choose another name; nothing was changed.")
    for part in _README:
        (folder / part).mkdir(parents=True)
    explained = render("documents/matter.toml.j2", kind=kind, sets=list(sets(all_rules())))
    (folder / "matter.toml").write_text(explained + "\n", encoding="utf-8")
    (folder / "intake.md").write_text(render("documents/intake.md.j2") + "\n", encoding="utf-8")
    click.echo(f"{folder} is ready.")
    for part, what in _README.items():
        click.echo(f"  {folder / part}/  {what}")
    click.echo(f"  {folder / 'matter.toml'}  Court, caption, parties, counsel: every key is explained in the file.")
    click.echo(f"  {folder / 'intake.md'}  The facts the paper must state.")
    click.echo(f"Then run: lexforge draft {name}")
