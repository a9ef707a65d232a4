"""`lexforge compare`: two runs side by side, or the reason why they must not be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from lexforge.cli.tables import TOO_FEW, figure, plain_console, plain_table
from lexforge.cli.throughput import state
from lexforge.llm.identity import Identity
from lexforge.measure.runs import read
from lexforge.measure.sides import Side, told

if TYPE_CHECKING:
    from lexforge.measure.comparison import Agreement, Comparison, PairedTest

_KEYS = click.Choice(sorted(Identity.model_fields))


@click.command("compare", epilog="Example: lexforge compare matter-123:3 again/matter-123:1 --varying runtime")
@click.argument("run_a")
@click.argument("run_b")
@click.option("--varying", multiple=True, type=_KEYS, help="What of the models is meant to differ; may be repeated.")
def command(run_a: str, run_b: str, varying: tuple[str, ...]) -> None:
    """Compare RUN_B with RUN_A, section by section, without the warm-up: exact sign test and signed-rank test.

    A run is MATTER (its latest) or MATTER:N; a side may name repetitions, with commas between. A matter never asks the
    same model the same thing twice, so a repetition is a run of `lexforge draft --ask-again`. Refused unless
    matter, models, cached shares and calls at once are alike.
    """
    from lexforge.measure.comparison import compare  # noqa: PLC0415 - a name that is wrong is told before that

    a, b = _side("A", run_a), _side("B", run_b)
    found = compare(a, b, varying)
    console = plain_console()
    for side in (a, b):
        names = ", ".join(f"{run.name}{state(run)}" for run in side.runs)
        console.print(f"{side.letter}: {escape(names)}", soft_wrap=True)
    if varying:
        console.print(f"Meant to differ: {', '.join(varying)}")
    _print_agreement(console, found)
    _print_pairs(console, found)
    _print_tests(console, found)


def _side(letter: str, written: str) -> Side:
    names = [name.strip() for name in written.split(",")]
    if not all(names):
        raise click.BadParameter(f"a name is missing in “{written}”", param_hint=f"RUN_{letter}")
    return Side(letter=letter, runs=tuple(read(name) for name in names))


def _print_agreement(console: Console, found: Comparison) -> None:
    console.print("\nEach side against itself")
    for side in found.agreements:
        console.print(f"  {side.letter}: {_agreement(side)}", soft_wrap=True)


def _agreement(side: Agreement) -> str:
    if side.runs == 1:
        return (
            "one run, so it is unknown how far it would differ from itself; a difference between the sides may be "
            "nothing more than that."
        )
    answers = (
        f"{side.alike} of {side.asked_twice} requests that were answered more than once got the same answer each time"
        if side.asked_twice
        else "no request was answered more than once"
    )
    spread = ", ".join(f"{metric.value} {value:.2f} x" for metric, value in side.spread.items())
    return f"{side.runs} runs; {answers}; largest through smallest of its runs: {spread or 'too few tokens'}."


def _print_pairs(console: Console, found: Comparison) -> None:
    same = sum(pair.same_questions for pair in found.pairs)
    console.print(f"\nPairs: {len(found.pairs)}, of which {same} asked exactly the same questions on both sides")
    console.print("Rates are of one slot; the wait is the caller's, for each token of the answer.")
    metrics = [test.metric for test in found.tests]
    table = plain_table("for", *(f"{metric.value} {what}" for metric in metrics for what in ("A", "B")))
    for pair in found.pairs:
        values = [value for metric in metrics for value in pair.values[metric]]
        table.add_row(escape(told(pair.key)), *(figure(value) for value in values))
    console.print(table)
    if any(test.too_few_tokens for test in found.tests):
        console.print(f"{TOO_FEW}: too few tokens for a value that says something")
    if found.left_out:
        names = ", ".join(told(key) for key in found.left_out)
        console.print(f"Left out, because not every run worked on it: {escape(names)}", soft_wrap=True)


def _print_tests(console: Console, found: Comparison) -> None:
    console.print("\nTests over the pairs")
    for test in found.tests:
        console.print(f"  {test.metric.value}: {_tested(test)}", soft_wrap=True)
        console.print(f"    {found.verdict(test)}", soft_wrap=True)


def _tested(test: PairedTest) -> str:
    left = f", {test.too_few_tokens} without because of too few tokens" if test.too_few_tokens else ""
    if test.median_ratio is None:
        return f"n = {test.pairs}{left}"
    text = f"n = {test.pairs}{left}, median B/A {test.median_ratio:.3f}, higher in B {test.higher} of {test.differing}"
    if test.sign_p is None or test.wilcoxon_p is None:
        return text
    how = "exact" if test.wilcoxon_exact else "normal approximation"
    return f"{text}, sign test p = {test.sign_p:.4f}, signed-rank test p = {test.wilcoxon_p:.4f} ({how})"
