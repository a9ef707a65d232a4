"""`lexforge throughput`: how fast the models of a run read and wrote, by the engines' own counters."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lexforge.cli.tables import TOO_FEW, figure, plain_console, plain_table
from lexforge.measure.runs import MeasuredRun, read
from lexforge.measure.throughput import FEWEST_READ, FEWEST_TIMED, Kind, Row, rows

_BELOW = f"""
in sum: all slots together, while any of them was at it; - where nothing ran together.
queue: what a caller waited over and above the engine's own time; transport is in it.
{TOO_FEW}: too few tokens for a rate. It takes {FEWEST_READ} read a call, or {FEWEST_TIMED} written, the first of each
answer not counted."""


@click.command("throughput", epilog="Example: lexforge throughput matter-123:2")
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="Print the rows for a script.")
def command(run: str, as_json: bool) -> None:
    """Show what the models did in RUN: MATTER for its latest run, or MATTER:N.

    The first call of each seat in each sitting, the warm-up, stands apart and is in no sum. Rates are of tokens that
    were really read or written: a cached prompt token is not read, and the first token of an answer comes out of
    prefill.
    """
    measured = read(run)
    found = rows(measured.calls)
    if as_json:
        click.echo(json.dumps([row.model_dump(mode="json") for row in found], indent=2))
        return
    _print(plain_console(), measured, found)


def _print(console: Console, run: MeasuredRun, found: tuple[Row, ...]) -> None:
    console.print(f"{escape(run.name)}, by the engines' own counters{escape(state(run))}", soft_wrap=True)
    for seat, label in run.labels.items():
        of_seat = [row for row in found if row.seat == seat]
        console.print(f"\n{seat}: {escape(label)}{'' if of_seat else ': not asked in this run'}", soft_wrap=True)
        if of_seat:
            console.print(_prefill(of_seat))
            console.print(_decode(of_seat))
    console.print(_BELOW, soft_wrap=True)


def state(run: MeasuredRun) -> str:
    """What has to be known of a run before its figures are read; "" for one that went through in one go."""
    found = [] if run.finished else ["unfinished"]
    if run.sittings > 1:
        found.append(f"in {run.sittings} sittings")
    return f" ({'; '.join(found)})" if found else ""


def _prefill(found: list[Row]) -> Table:
    columns = ("calls", "at once", "tokens read", "cached %", "tok/s a slot", "tok/s in sum", "queue ms / call")
    table = plain_table("prefill", *columns)
    for row in found:
        table.add_row(
            escape(_name(row)),
            str(row.calls),
            str(row.at_once),
            f"{row.prompt_tokens:,}",
            _percent(row.cached_share),
            figure(row.prefill),
            _in_sum(row, row.prefill_in_sum),
            figure(row.queue_ms / row.calls),
        )
    return table


def _decode(found: list[Row]) -> Table:
    columns = ("tokens written", "tok/s a slot", "tok/s in sum", "cut off", "drafted", "accepted %")
    table = plain_table("decode", *columns)
    for row in found:
        table.add_row(
            escape(_name(row)),
            f"{row.completion_tokens:,}",
            figure(row.decode),
            _in_sum(row, row.decode_in_sum),
            str(row.truncations),
            f"{row.drafted:,}",
            _percent(row.accepted_share),
        )
    return table


def _name(row: Row) -> str:
    what = f"{row.step} {row.section}".strip()
    return {Kind.WARM_UP: f"warm-up: {what}", Kind.SECTION: what, Kind.SEAT: "all after that"}[row.kind]


def _in_sum(row: Row, rate: float | None) -> str:
    return "-" if row.at_once < 2 else figure(rate)


def _percent(share: float | None) -> str:
    return f"{100 * share:.1f}" if share is not None else "-"
