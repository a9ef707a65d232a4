"""`lexforge gate`: check any paper, an opponent's too. No model is involved, and no model library is imported."""

from __future__ import annotations

import sys
from bisect import bisect_right
from pathlib import Path

import click
from rich.console import Console

from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Finding, GateReport
from lexforge.domain.matter import DateOrder
from lexforge.errors import BLOCKED_EXIT_CODE
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.ingest.bundle import ingest, listing
from lexforge.ingest.reading import Reading, read
from lexforge.store.folder import Matter, find_matter


@click.command("gate", epilog="Example: lexforge gate opposition.pdf --matter matter-123 --json gate.json")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--sources",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder that holds evidence/ and authorities/.",
)
@click.option("--matter", help="A matter, whose sources are used.")
@click.option("--json", "out", type=click.Path(dir_okay=False, path_type=Path), help="Write the findings here.")
def command(file: Path, sources: Path | None, matter: str | None, out: Path | None) -> None:
    """Check every citation, date, Bates number, record cite and quotation of FILE against the sources.

    FILE is .txt, .md, .docx or .pdf. Exit code 0: everything is grounded; 3: something is blocked.
    """
    if (sources is None) == (matter is None):
        raise click.UsageError("Say where the sources are: either --sources DIR or --matter NAME.")
    found = find_matter(matter) if matter is not None else None
    root = found.path if found else sources
    assert root is not None  # noqa: S101 - one of the two is given
    report = check_file(file, ingest(root, listing(root)), _date_order(found))
    if out is not None:
        out.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")
    from lexforge.cli.summary import print_findings  # noqa: PLC0415 - rich tables are not needed to fail early

    print_findings(Console(), report)
    if not report.passed:
        sys.exit(BLOCKED_EXIT_CODE)


def _date_order(matter: Matter | None) -> DateOrder:
    return matter.config.date_order if matter else DateOrder.MONTH_FIRST


def check_file(path: Path, bundle: Bundle, date_order: DateOrder) -> GateReport:
    """The gate's report on a file; each finding carries its page (.pdf) or paragraph (.docx)."""
    reading = read(path)
    text, starts = _text_and_places(reading)
    report = check(text, bundle, default_policy(), date_order)
    if not starts:
        return report
    placed = tuple(_placed(finding, starts) for finding in report.findings)
    return report.model_copy(update={"findings": placed})


def _text_and_places(reading: Reading) -> tuple[str, list[int]]:
    """The text as one string, and where each page or paragraph of it begins (nothing for plain text)."""
    if reading.media_type == "text/plain":
        return "\f".join(reading.pages), []
    separator = "\f" if reading.media_type == "application/pdf" else "\n\n"
    parts = reading.pages if separator == "\f" else reading.pages[0].split("\n\n")
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part) + len(separator)
    return separator.join(parts), starts


def _placed(finding: Finding, starts: list[int]) -> Finding:
    return finding.model_copy(update={"place": bisect_right(starts, finding.start)})
