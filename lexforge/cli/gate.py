"""`lexforge gate`: check any paper, an opponent's too. No model is involved, and no model library is imported."""

from __future__ import annotations

import hashlib
import io
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread, Timer

import click
from rich.console import Console
from rich.markup import escape

from lexforge.attorney.gate_page import Paper, gate_page, visible
from lexforge.cli.summary import print_findings
from lexforge.cli.written import write_whole
from lexforge.config import register_file
from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice
from lexforge.domain.findings import Finding, GateReport
from lexforge.domain.matter import DateOrder
from lexforge.errors import BLOCKED_EXIT_CODE, DocumentError, UnreadableFile
from lexforge.gate.policy import Policy, default_policy, load_policy
from lexforge.ingest import text, workers
from lexforge.ingest.bundle import ingest
from lexforge.ingest.child import Limits
from lexforge.ingest.listing import listing
from lexforge.ingest.notices import how_to_read_pictures, of_reading
from lexforge.ingest.reading import Failure
from lexforge.store.folder import Matter, find_matter

PATIENCE = 2.0
"""Seconds that the sources may take before a bar is shown."""

_SEPARATORS = {
    "application/pdf": ("page", "\f"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("paragraph", "\n\n"),
}
_PLAIN = {".txt", ".md", ".text"}
_NOT_PLAIN = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SURROGATE = re.compile("[\ud800-\udfff]")
_OUTPUT = click.Path(dir_okay=False, path_type=Path)


@click.command("gate", epilog="Example: lexforge gate opposition.pdf --matter matter-123 --html gate.html")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--sources",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder that holds evidence/ and authorities/.",
)
@click.option("--matter", help="A matter, whose sources are used.")
@click.option("--json", "json_out", type=_OUTPUT, help="Write the findings here, for another program.")
@click.option("--html", "html_out", type=_OUTPUT, help="Write the marked paper here, to read or print.")
@click.option(
    "--policy",
    "policy_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What is done with a mention that nothing grounds, as TOML; without it, everything such blocks.",
)
def command(  # noqa: PLR0913 - click hands over each option as an argument
    file: Path,
    *,
    sources: Path | None,
    matter: str | None,
    json_out: Path | None,
    html_out: Path | None,
    policy_file: Path | None,
) -> None:
    """Check every citation, date, Bates number, record cite and quotation of FILE against the sources.

    FILE is .txt, .md, .docx or .pdf. Exit code 0: everything is grounded; 3: something is blocked; 10: FILE cannot be
    read, or a report cannot be written.

    In the JSON, `start` and `end` count characters of the text as it was read: for .txt and .md the decoded text
    without a byte order mark and with every line end as one line feed; for .docx and .pdf there is also `place`, the
    paragraph or page.
    """
    if (sources is None) == (matter is None):
        raise click.UsageError("Say where the sources are: either --sources DIR or --matter NAME.")
    _refuse_same_file(file, policy_file, json_out, html_out)
    found = find_matter(matter) if matter is not None else None
    root = found.path if found else sources
    assert root is not None  # noqa: S101 - one of the two is given
    policy = load_policy(policy_file) if policy_file else default_policy()
    # The tables of reporters take as long to load as the sources to read, and that is done by other processes.
    Thread(target=import_module, args=["lexforge.gate.check"], daemon=True).start()
    paper, starts = read_paper(file)
    bundle = _bundle(root, file)
    if register_file().exists():
        from graphs.own_output import screened  # noqa: PLC0415 - there is nothing to ask of it on most machines

        bundle = screened(bundle)
    report = check_paper(paper, starts, bundle, policy, _date_order(found))
    if json_out is not None:
        write_whole(json_out, report.model_dump_json(indent=1) + "\n")
    if html_out is not None:
        write_whole(html_out, gate_page(report, paper, bundle, policy.name))
    _print(report, paper, bundle)
    if not report.passed:
        sys.exit(BLOCKED_EXIT_CODE)


def _refuse_same_file(file: Path, policy: Path | None, json_out: Path | None, html_out: Path | None) -> None:
    """Nothing that is read may be overwritten by what is written, nor one report by the other."""
    read_from = {path.resolve() for path in (file, policy) if path is not None}
    written = [path.resolve() for path in (json_out, html_out) if path is not None]
    if read_from.intersection(written) or len(set(written)) < len(written):
        raise click.UsageError("--json and --html need two files of their own, not FILE and not the policy.")


def _date_order(matter: Matter | None) -> DateOrder:
    return matter.config.date_order if matter else DateOrder.MONTH_FIRST


def read_paper(path: Path) -> tuple[Paper, list[int]]:
    """The paper, and where each of its pages (.pdf) or paragraphs (.docx) begins: none for plain text.

    DocumentError, with what to do, for anything that cannot be read.
    """
    texts, unit, separator, told = _texts(path)
    if not separator:
        return Paper(path.name, _whole("\f".join(texts)), unit), []
    parts = texts if unit == "page" else "\n\n".join(texts).split(separator)
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part) + len(separator)
    return Paper(path.name, _whole(separator.join(parts)), unit, told), starts


def _texts(path: Path) -> tuple[Sequence[str], str, str, tuple[Notice, ...]]:
    """The pages of the paper, what its places count, what stands between them, and what is to be known of it."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
        if path.suffix.lower() in _PLAIN and not head.startswith(_NOT_PLAIN):
            # Read as it is, whatever else it looks like, so that offsets are those of the file.
            return text.read(path), "line", "", ()
    except UnreadableFile as error:
        raise DocumentError(error.message, error.advice) from None
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be opened: {error.strerror}.", "Check its permissions.") from None
    outcome = workers.read_file(str(path), Limits())
    if isinstance(outcome, Failure):
        raise DocumentError(outcome.message, outcome.advice)
    if outcome.media_type not in _SEPARATORS:
        told = f"{path.name} is {outcome.media_type}, which is no paper that can be checked."
        raise DocumentError(told, "Print it to PDF, or save it as .docx or .txt.")
    if not any(page.strip() for page in outcome.texts):
        raise DocumentError(f"{path.name} has no text: it is a picture.", how_to_read_pictures())
    return outcome.texts, *_SEPARATORS[outcome.media_type], tuple(of_reading(path.name, outcome))


def _whole(words: str) -> str:
    """Half a character, as broken PDF fonts give, can be written nowhere; one stands for one, so offsets stay."""
    return _SURROGATE.sub("\ufffd", words)


def _bundle(root: Path, paper: Path) -> Bundle:
    """The sources without the paper itself, which would prove whatever it says."""
    listed = listing(root)
    with paper.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    others = listed.model_copy(update={"files": tuple(f for f in listed.files if f.sha256_file != sha256)})
    with _progress(len(others.files)) as read_one:
        bundle = ingest(root, others, progress=read_one, compare=False)
    itself = tuple(
        FileRecord(
            path=f.path, role=f.role, fate=Fate.QUARANTINED, reason="is_the_paper", sha256_file=sha256,
            detail="This is the paper that is being checked; it cannot prove itself.",
        )
        for f in listed.files
        if f.sha256_file == sha256
    )  # fmt: skip
    return bundle.model_copy(update={"files": bundle.files + itself}) if itself else bundle


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """Moves a bar that appears on stderr after `PATIENCE`; nothing where stderr is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich.progress import Progress  # noqa: PLC0415 - only for a person who watches

    bar = Progress(console=console, transient=True)
    task = bar.add_task("Reading sources", total=total)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda path: bar.update(task, advance=1, description=escape(f"Reading {visible(path)}"))
    finally:
        timer.cancel()
        timer.join()
        if bar.live.is_started:
            bar.stop()


def check_paper(paper: Paper, starts: list[int], bundle: Bundle, policy: Policy, date_order: DateOrder) -> GateReport:
    """The gate's report on a paper; each finding carries its page (.pdf) or paragraph (.docx)."""
    from lexforge.gate.check import check  # noqa: PLC0415 - imported while the sources are read

    report = check(paper.text, bundle, policy, date_order)
    if not starts:
        return report
    return report.model_copy(update={"findings": tuple(_placed(finding, starts) for finding in report.findings)})


def _placed(finding: Finding, starts: list[int]) -> Finding:
    return finding.model_copy(update={"place": bisect_right(starts, finding.start)})


def _print(report: GateReport, paper: Paper, bundle: Bundle) -> None:
    """The verdict on the terminal, then the files that could prove nothing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without § or “ gets a question mark, not a traceback
    console = Console()
    print_findings(console, report, paper)
    for notice in paper.notices:
        where = f"page {notice.page}: " if notice.page else ""
        line = escape(visible(f"{where}{notice.message}"))
        console.print(f"  [yellow]the paper[/], {line}", highlight=False, soft_wrap=not console.is_terminal)
    unused = [file for file in bundle.files if file.fate in {Fate.FAILED, Fate.QUARANTINED}]
    if unused:
        console.print(f"  {len(unused)} of {len(bundle.files)} files in the folder prove nothing:", highlight=False)
    for file in unused:
        line = escape(visible(f"{file.path}: {file.detail}"))
        console.print(f"    [yellow]{file.fate.value}[/] {line}", highlight=False, soft_wrap=not console.is_terminal)
