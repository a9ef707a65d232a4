"""`lexforge draft`: the main job, from a matter's folder to its packet; several matters one after the other."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from graphs import drafting
from graphs.sources import SourceSteps
from graphs.steps import Steps
from lexforge import sealed
from lexforge.adversary.objections import Review
from lexforge.cli.ingest import leave_report
from lexforge.cli.morning import Morning
from lexforge.cli.progress import shown
from lexforge.cli.summary import Run, print_notices, print_run
from lexforge.domain.draft import Draft, DraftPlan
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import GateReport
from lexforge.errors import BLOCKED_EXIT_CODE, LexForgeError, SeatUnavailable, StoreError
from lexforge.gate.policy import default_policy
from lexforge.ingest.own_output import refuse_ours
from lexforge.llm import boards, seats
from lexforge.local_only import parse_endpoint
from lexforge.store import database
from lexforge.store.folder import Matter, find_matter
from lexforge.store.ledger import Ledger

_OF_ONE_MATTER = {"other_model", "context_too_small"}
"""What a seat cannot do for one matter (its unfinished run, its long passages) says nothing of the next one."""


@click.command("draft", epilog="Example: lexforge draft matter-123")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--sealed", "seal", is_flag=True, help="Run without any network: in a namespace of its own (Linux).")
@click.option("--new-run", is_flag=True, help="Give an unfinished run up that was begun with another model.")
@click.option("--ask-again", is_flag=True, help="Take no answer from earlier runs; for `lexforge compare`.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Also write the morning report here.")
def command(names: tuple[str, ...], seal: bool, report: Path | None, **options: bool) -> None:
    """Draft the paper of each matter NAME and leave it in its work/runs/ folder.

    NAME is looked for in matters/, in $LEXFORGE_MATTERS, and as a path. Run it again after Ctrl-C or a crash: finished
    steps are in the ledger and are not done twice. Of several matters one that cannot be drafted is told in the report
    at the end and the next one is begun; a seat that is gone stops everything, because nothing may be done without it.
    """
    if seal:
        sealed.enter()
    matters = [find_matter(name) for name in names]
    if len(matters) == 1 and report is None:
        sys.exit(0 if _draft(matters[0], seal, **options).report.passed else BLOCKED_EXIT_CODE)
    morning = Morning(matters, report)
    for matter in matters:
        try:
            morning.drafted(matter, _draft(matter, seal, **options))
        except SeatUnavailable as error:
            if error.code in _OF_ONE_MATTER:
                morning.failed(matter, error)
                continue
            morning.stopped(matter, error)
            break
        except (LexForgeError, KeyboardInterrupt) as error:
            morning.failed(matter, error)
            if isinstance(error, KeyboardInterrupt | StoreError):
                break
    morning.tell()
    sys.exit(morning.exit_code)


def _draft(matter: Matter, seal: bool, new_run: bool, ask_again: bool) -> Run:
    """One matter from its folder to its packet, told on the terminal."""
    console, board_file = Console(stderr=True), boards.load(matter.config.boards, matter.path)
    if seal:
        sealed.require_unix(parse_endpoint(seat.endpoint) for seat in board_file.seats.values() if seat.endpoint)
    with database.opened(matter.work) as db, ExitStack() as stack:
        with shown(console) as progress:
            # Before the models are loaded: a refusal should not take minutes.
            before = SourceSteps(matter, db, Ledger(db), progress)
            bundle = before.ingest(before.listed())
        vanished = leave_report(before, bundle)
        refuse_ours(bundle, matter.config.own_output_waiver)
        with shown(console) as progress:
            progress("load the models, check their hashes", 0, 1)
            open_seats = stack.enter_context(seats.opened(board_file, progress.waiting))
            progress("load the models, check their hashes", 1, 1)
            steps = Steps(matter, db, open_seats, default_policy(), progress)
            packet, state = drafting.run(steps, new_run, ask_again)
        run = Run(
            packet=packet,
            bundle=steps.get(state["bundle"], Bundle),
            plan=steps.get(state["plan"], DraftPlan),
            draft=steps.get(state["draft"], Draft),
            report=steps.get(state["report"], GateReport),
            reviews=tuple(steps.get(sha256, Review) for sha256 in state["reviews"]),
        )
        print_notices(Console(), vanished)
        print_run(Console(), run, steps)
    return run
