"""`lexforge draft`: the main job, from the matter's folder to a packet."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import click
from rich.console import Console

from graphs import drafting
from graphs.sources import SourceSteps
from graphs.steps import Steps
from lexforge.adversary.objections import Review
from lexforge.cli.ingest import leave_report
from lexforge.cli.progress import shown
from lexforge.cli.summary import Run, print_notices, print_run
from lexforge.domain.draft import Draft, DraftPlan
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import GateReport
from lexforge.errors import BLOCKED_EXIT_CODE
from lexforge.gate.policy import default_policy
from lexforge.ingest.own_output import refuse_ours
from lexforge.llm import boards, seats
from lexforge.store import database
from lexforge.store.folder import find_matter
from lexforge.store.ledger import Ledger


@click.command("draft", epilog="Example: lexforge draft matter-123")
@click.argument("name")
def command(name: str) -> None:
    """Draft the paper of matter NAME and leave it in its work/runs/ folder.

    NAME is looked for in matters/, in $LEXFORGE_MATTERS, and as a path. Run it again after Ctrl-C or a crash: finished
    steps are in the ledger and are not done twice.
    """
    matter = find_matter(name)
    console = Console(stderr=True)
    with database.opened(matter.work) as db, ExitStack() as stack:
        with shown(console) as progress:
            # Before the models are loaded: a refusal should not take minutes.
            before = SourceSteps(matter, db, Ledger(db), progress)
            sealed = before.ingest(before.listed())
        vanished = leave_report(before, sealed)
        refuse_ours(sealed, matter.config.own_output_waiver)
        with console.status("Loading the models and checking their hashes"):
            open_seats = stack.enter_context(seats.opened(boards.load(matter.config.boards, matter.path)))
        with shown(console) as progress:
            steps = Steps(matter, db, open_seats, default_policy(), progress)
            packet, state = drafting.run(steps)
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
    if not run.report.passed:
        sys.exit(BLOCKED_EXIT_CODE)
