"""Tables of figures: the same on a terminal and in a file, without colours."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

TOO_FEW = "too few"
"""Stands where a rate would be of too few tokens to mean anything; whoever prints it says so below."""


def plain_console() -> Console:
    """A console that colours nothing."""
    return Console(highlight=False, no_color=True)


def plain_table(first: str, *others: str) -> Table:
    """A table whose first column says what a row is of; the others hold figures."""
    table = Table(box=box.SIMPLE_HEAD, header_style="none", padding=0)
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", overflow="fold")
    return table


def figure(value: float | None) -> str:
    """A rate or a time, with as many digits as anybody reads."""
    if value is None:
        return TOO_FEW
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"
