"""The morning report: what became of each of several matters that were drafted one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from lexforge.cli.summary import Run
from lexforge.cli.written import write_whole
from lexforge.errors import BLOCKED_EXIT_CODE, INTERRUPTED_EXIT_CODE, LexForgeError
from lexforge.store.folder import Matter

_NOT_BEGUN = "not begun: a matter before it stopped everything. Run the same command again."


class Morning:
    """Collects how matters ended; every one of them is in the report, also those that were not begun."""

    def __init__(self, matters: Sequence[Matter], file: Path | None = None) -> None:
        self._told = {matter.name: _NOT_BEGUN for matter in matters}
        self._file = file
        self.exit_code = 0

    def drafted(self, matter: Matter, run: Run) -> None:
        """A packet was left, cleared or not."""
        verdict = "passed the gate" if run.report.passed else f"NOT CLEARED: {len(run.report.blocked)} mentions blocked"
        asked = f"; {len(run.plan.unsupported)} facts asked back" if run.plan.unsupported else ""
        self._told[matter.name] = f"drafted, {verdict}{asked}: {run.packet.folder(matter.work) / 'draft.docx'}"
        if not run.report.passed:
            self.exit_code = self.exit_code or BLOCKED_EXIT_CODE

    def failed(self, matter: Matter, error: LexForgeError | KeyboardInterrupt) -> None:
        """The matter could not be drafted; the next one may be."""
        if isinstance(error, LexForgeError):
            self._told[matter.name] = f"not drafted: {error}"
            self.exit_code = error.exit_code
        else:
            self._told[matter.name] = "stopped with Ctrl-C; finished steps are kept."
            self.exit_code = INTERRUPTED_EXIT_CODE

    def stopped(self, matter: Matter, error: LexForgeError) -> None:
        """A seat was gone; nothing goes on without it."""
        self._told[matter.name] = f"stopped: {error}"
        self.exit_code = error.exit_code

    def tell(self) -> None:
        """Print the report, and write it where it was asked for."""
        lines = [f"{name}: {told}" for name, told in self._told.items()]
        click.echo("\nMorning report")
        for line in lines:
            click.echo(f"  {line}")
        if self._file is not None:
            write_whole(self._file, "\n".join(lines) + "\n")
