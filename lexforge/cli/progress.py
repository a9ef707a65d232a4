"""Progress on anything that takes longer than a moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


class Shown:
    """Moves the bars: called with a stage, what is done of it and its total."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._wait: TaskID | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        """One more step of a stage is done."""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)

    def waiting(self, told: str) -> None:
        """Say what is being waited for, or with "" that the waiting is over; may be called from any thread."""
        if told and self._wait is None:
            self._wait = self._bars.add_task(told, total=None)
            self._bars.console.print(told)
        elif told and self._wait is not None:
            self._bars.update(self._wait, description=told)
        elif self._wait is not None:
            self._bars.remove_task(self._wait)
            self._wait = None


@contextmanager
def shown(console: Console) -> Iterator[Shown]:
    """A bar for each stage."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bars:
        yield Shown(bars)
