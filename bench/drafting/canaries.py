"""Planted errors: how many each seat catches, and how many true paragraphs it objects to.

    .venv/bin/python -m bench.drafting.canaries [--matter DIR] [--rounds N] [--json FILE]

Each section is written as the product writes it, by the seat that its stakes name. Then each seat is the adversary of
every section, its own as well, so that both are measured on the same paragraphs. A round is two shadows of a section:
half of the paragraphs are false in the first, others in the second, so that what a seat always says of a paragraph
counts for nothing. A planted error is caught by any objection that speaks of its paragraph. An objection to a true
paragraph is called false although a lawyer might share it: the gate has seen the paragraph, no lawyer has. `chance` is
how likely a seat that objects at random catches as many. Nothing is timed against a limit.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from graphs.steps import writer
from lexforge.adversary.canaries import Planting, ShadowSection, falsified, measured, pairs_of, planted
from lexforge.domain.canaries import Canaries, CanaryKind, together, wilson
from lexforge.domain.draft import Section, SectionBrief
from lexforge.draft.section import Assignment, names_in, write_block
from lexforge.draft.slots import SlotTables
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.llm import boards, seats
from lexforge.llm.boards import SeatName
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seat, Seats
from lexforge.plan import intake, outline
from lexforge.plan.adverse import AdverseSearch
from lexforge.store.folder import Matter, find_matter

ROUNDS = 2


@dataclass
class Row:
    """What one seat made of all sections in all rounds.

    `only_false` paragraphs drew an objection when they were false and none when they were true, `only_true` the
    other way round: a seat that reads nothing has as many of the one as of the other.
    """

    seat: str
    found: list[Canaries] = field(default_factory=list)
    only_false: int = 0
    only_true: int = 0
    seconds: float = 0.0

    def add(self, one: Canaries, other: Canaries) -> None:
        """Count two shadows of a section, each true where the other is false."""
        self.found += [one, other]
        for false, true in ((one, other), (other, one)):
            for canary in false.planted if true.planted else ():
                self.only_false += canary.caught and canary.block not in true.objected
                self.only_true += not canary.caught and canary.block in true.objected

    @property
    def sum(self) -> Canaries:
        """Everything as one measure."""
        return together("all", self.seat, self.found)

    def cells(self) -> Iterator[str]:
        """As the table shows it."""
        yield self.seat
        found, kinds = self.sum, self.sum.by_kind()
        yield from (f"{kinds[kind][0]}/{kinds[kind][1]}" if kind in kinds else "none" for kind in CanaryKind)
        yield _rate(found.caught, len(found.planted))
        yield _rate(len(found.objected), found.true_blocks)
        yield f"{self.only_false} : {self.only_true}"
        yield f"{found.chance:.2f}"
        yield f"{self.seconds:.0f}"


def _rate(hits: int, of: int) -> str:
    low, high = wilson(hits, of)
    return f"{hits}/{of} ({low:.0%} to {high:.0%})"


class Bench:
    """One matter, read, planned and written once."""

    def __init__(self, matter: Matter, both: Seats) -> None:
        self.matter, self.config = matter, matter.config
        self.bundle = ingest(matter.path, listing(matter.path))
        chooser = ScriptedSeat(SeatName.REASONER, lambda _: '{"passage": 1}')
        plan = outline.plan(intake.read(matter.intake), self.bundle, self.config, chooser)
        self.sections = [self._written(brief, both[writer(brief)]) for brief in plan.sections]
        search = AdverseSearch(self.bundle)
        self.further = {section.id: search.of_section(section) for section in self.sections}

    def _written(self, brief: SectionBrief, seat: Seat) -> Section:
        tables, blocks = SlotTables(self.bundle, self.config.date_order), []
        for point in _told(brief.points, f"{seat.name.value} writes {brief.heading}"):
            table = tables.table(point.passages[0], point.fact)
            names = names_in((party.name for party in self.config.parties), table)
            blocks.append(write_block(Assignment(brief=brief, point=point, table=table, names=names), seat))
        return Section(id=brief.id, heading=brief.heading, blocks=tuple(blocks))

    @property
    def paragraphs(self) -> int:
        """How many there are to falsify."""
        return sum(len(section.blocks) for section in self.sections)

    def offers(self) -> Counter[CanaryKind]:
        """How many paragraphs have a place for each kind of error."""
        found: Counter[CanaryKind] = Counter()
        for section in self.sections:
            pairs = pairs_of(section, self.bundle, self.config.parties)
            for block in section.blocks:
                found.update(k for k in CanaryKind if falsified(block.text, k, pairs[block.id], self.config.date_order))
        return found

    def _shadows(self, rounds: int) -> Iterator[tuple[ShadowSection, ShadowSection]]:
        """Two shadows of each section in each round: what is false in the first is true in the second."""
        for section in self.sections:
            pairs = pairs_of(section, self.bundle, self.config.parties)
            for n in range(rounds):
                first = planted(section, Planting(len(section.blocks), n), pairs, self.config.date_order)
                spared = frozenset(block.id for block in first.blocks if block.planted)
                yield first, planted(section, Planting(len(section.blocks), n, spared), pairs, self.config.date_order)

    def run(self, seat: Seat, rounds: int) -> Row:
        """All rounds of one seat."""
        row, start = Row(f"{seat.name.value} ({seat.identity.label})"), time.perf_counter()
        # A model without chance answers the same question alike: it counts once.
        work = {(one.sha256, other.sha256): (one, other) for one, other in self._shadows(rounds)}
        for both in _told(list(work.values()), f"{seat.name.value} reviews"):
            row.add(*(measured(shadow, self.bundle, seat, self.further[shadow.id]) for shadow in both))
        row.seconds = time.perf_counter() - start
        return row


def _told(work: Any, what: str) -> Any:
    return track(work, what, console=Console(stderr=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matter", default="matter-123", help="name or folder of the matter")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="pairs of shadows of each section")
    parser.add_argument("--json", type=Path, help="also write the counts here")
    asked = parser.parse_args()
    matter = find_matter(asked.matter)
    with seats.opened(boards.load(matter.config.boards, matter.path)) as both:
        bench = Bench(matter, both)
        rows = [bench.run(seat, asked.rounds) for seat in both.values()]
    offers = ", ".join(f"{kind.value} {count}" for kind, count in sorted(bench.offers().items()))
    table = Table(title=f"{matter.name}: {bench.paragraphs} paragraphs, {asked.rounds} rounds", box=box.ASCII)
    headings = (
        "seat",
        *(kind.value for kind in CanaryKind),
        "caught",
        "true, objected to",
        "only false : only true",
        "chance",
        "s",
    )
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "seat" else "right")
    for row in rows:
        table.add_row(*row.cells())
    Console(width=200).print(table)
    print(f"Paragraphs with a place for it: {offers}.")
    if asked.json:
        counts = [{"seconds": row.seconds, **row.sum.model_dump(mode="json")} for row in rows]
        asked.json.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
