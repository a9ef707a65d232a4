"""Counts by kind, with the interval in which the true rate lies."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from bench.gate.papers import Judged

Z95 = 1.959964
GROUPS = ("case", "id.", "supra", "statute", "rule", "record", "date", "Bates", "amount", "quotation", "licensed")


def wilson(hits: int, of: int) -> tuple[float, float]:
    """95 % interval of a rate (Wilson 1927), 0 to 1; (0, 1) for nothing measured."""
    if of == 0:
        return 0.0, 1.0
    rate, z2 = hits / of, Z95 * Z95
    middle = (rate + z2 / (2 * of)) / (1 + z2 / of)
    half = Z95 * sqrt(rate * (1 - rate) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def rows(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    """One row a kind, in the order of the generators, then the sums."""
    kinds: dict[str, dict[str, Any]] = {}
    for one in judged:
        row = kinds.setdefault(
            one.planted.kind, {"kind": one.planted.kind, "caught": 0, "altered": 0, "false": 0, "clean": 0}
        )
        row["altered"] += one.planted.altered is not None
        row["caught"] += one.planted.altered is not None and one.is_caught
        row["clean"] += 1
        row["false"] += bool(one.on_clean)
    listed = sorted(kinds.values(), key=lambda row: GROUPS.index(row["kind"].split(":")[0]))
    sums = {
        "ALL faults but quotations": [r for r in listed if r["altered"] and not r["kind"].startswith("quotation")],
        "ALL altered quotations": [r for r in listed if r["kind"].startswith("quotation")],
        "ALL licensed quotations": [r for r in listed if r["kind"].startswith("licensed")],
    }
    for name, members in sums.items():
        keys = ("caught", "altered", "false", "clean")
        listed.append({"kind": name, **{key: sum(m[key] for m in members) for key in keys}})
    for row in listed:
        row["caught_95"] = [round(bound, 4) for bound in wilson(row["caught"], row["altered"])]
        row["false_95"] = [round(bound, 4) for bound in wilson(row["false"], row["clean"])]
    return listed


def table(listed: Iterable[dict[str, Any]], title: str) -> Table:
    """The rows for a terminal."""
    shown = Table(title=title, box=box.ASCII)
    shown.add_column("kind")
    for heading in ("caught", "95 % interval", "false blocks on twins", "95 % interval "):
        shown.add_column(heading, justify="right")
    for row in listed:
        summed = row["kind"].startswith("ALL")
        caught = f"{row['caught']}/{row['altered']}" if row["altered"] else "-"
        interval = _percent(row["caught_95"]) if row["altered"] else ""
        false = f"{row['false']}/{row['clean']}"
        shown.add_row(
            escape(row["kind"]), caught, interval, false, _percent(row["false_95"]), style="bold" if summed else None
        )
    return shown


def _percent(bounds: list[float]) -> str:
    return f"{100 * bounds[0]:.1f} to {100 * bounds[1]:.1f}"
