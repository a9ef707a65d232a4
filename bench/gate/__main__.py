"""Plant faults in real text and count what the gate catches.

    .venv/bin/python -m bench.gate [--corpus DIR] [--most N] [--only KIND ...] [--json OUT] [--lines OUT] [--show]
                                   [--no-speed]

DIR is any folder of text; left out, it is the demo's evidence and authorities. The same folder gives the same faults in
every run. `--lines` writes the planted lines for `bench/gate/peers.py`; `--show` prints what was missed and what was
blocked without cause.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from bench.gate import altered, cases, facts, law, layout, licensed, tally
from bench.gate.material import Material, load
from bench.gate.papers import Judged, judge
from bench.gate.planted import Planted
from bench.gate.speed import measure

DEMO = Path(__file__).parents[2] / "matters" / "matter-123"
MOST = 100
WANTED = {"ALL altered quotations": ("altered", 600), "ALL licensed quotations": ("clean", 800)}


def planted(material: Material, most: int) -> tuple[Material, list[Planted]]:
    """Every kind from every generator, and the corpus laid out anew for those that need it."""
    laid_out, in_layout = layout.plant(material, most)
    every = [one for maker in (cases, law, facts, altered, licensed) for one in maker.plant(material, most)]
    return laid_out, [*every, *in_layout]


def lines(every: list[Planted], material: Material) -> dict[str, object]:
    """What the peers are given: the same lines, and every place in a reporter that the corpus cites."""
    known = sorted({" ".join(cite.key.replace(". ", ".").split()) for cite in cases.cites(material)})
    return {"known": known, "lines": [{"kind": p.kind, "clean": p.clean, "altered": p.altered} for p in every]}


def show(judged: list[Judged]) -> None:
    """What was missed, and what was blocked although it is clean."""
    for one in judged:
        if one.planted.altered is not None and not one.is_caught:
            print(f"MISSED {one.planted.kind}\n   {one.planted.altered!r}\n   {one.planted.clean!r}")
        if one.on_clean:
            print(f"FALSE {one.planted.kind}\n   {one.planted.clean!r}\n   {one.on_clean}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.gate", description="The adversarial bench of the gate.")
    parser.add_argument("--corpus", type=Path, default=DEMO)
    parser.add_argument("--most", type=int, default=MOST, help="faults of one kind")
    parser.add_argument("--only", nargs="*", default=[""], help="kinds that begin with one of these words")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--lines", type=Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--no-speed", action="store_true")
    return parser.parse_args()


def speed_line(speed: dict[str, float]) -> str:
    """The speed in one sentence."""
    if not speed:
        return "No running text to time."
    return (
        f"CPU on {speed['brief_chars'] / 1000:.0f} KB and {speed['sources']:.0f} sources: all checks"
        f" {speed['gate_s']:.3f} s, eyecite's extraction alone {speed['eyecite_s']:.3f} s, ratio {speed['ratio']:.2f};"
        f" {speed['large_chars'] / 1000:.0f} KB {speed['gate_1mb_s']:.1f} s, {speed['growth']:.1f} times as much."
    )


def main() -> None:
    asked = arguments()
    material = load(asked.corpus)
    laid_out, every = planted(material, asked.most)
    every = [one for one in every if one.kind.startswith(tuple(asked.only))]
    if asked.lines:
        asked.lines.write_text(json.dumps(lines(every, material), ensure_ascii=False), encoding="utf-8")
    judged = judge(every, material, laid_out, lambda at: print(f"\r{at}", end="", file=sys.stderr))
    print(file=sys.stderr)
    if asked.show:
        show(judged)
    listed = tally.rows(judged)
    Console(width=150).print(tally.table(listed, f"Faults planted in {len(material.documents)} documents"))
    for row in listed:
        if row["kind"] in WANTED and row[WANTED[row["kind"]][0]] < WANTED[row["kind"]][1]:
            print(
                f"{row['kind']}: this corpus yields {row[WANTED[row['kind']][0]]}, fewer than {WANTED[row['kind']][1]}."
            )
    speed = {} if asked.no_speed else measure(material)
    if not asked.no_speed:
        print(speed_line(speed))
    if asked.json:
        asked.json.write_text(json.dumps({"kinds": listed, "speed": speed}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
