"""Free decoding against slot decoding: what each makes up, on both embedded models, over the demo's sections.

    make bench        (or: .venv/bin/python bench/slots.py [MATTER])

Free mode is what most people do: the passages of a section (a few at a time) are put into the prompt as they are, with
date, author and Bates number, and the model is asked for numbered paragraphs that cite the record. In slot mode (closed
and open wording) the product's own requests are used, one sentence a point. The gate then looks up every mention in the
bundle; one that is not grounded was made up. Nothing is timed against a limit.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from lexforge.domain.draft import DraftPlan, Point, SectionBrief
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import GateReport
from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import MentionKind
from lexforge.draft.section import Assignment, names_in, request_for
from lexforge.draft.slots import SlotTable, SlotTables, own_citation, rendered
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.llm import boards, seats
from lexforge.llm.boards import SeatName, Wording
from lexforge.llm.request import Answer, FinishReason, Message, Request
from lexforge.llm.scripted import ScriptedSeat
from lexforge.llm.seats import Seat
from lexforge.plan import intake, outline
from lexforge.store.folder import Matter, find_matter

KINDS = (
    MentionKind.DATE,
    MentionKind.BATES,
    MentionKind.CITATION,
    MentionKind.QUOTATION,
    MentionKind.AMOUNT,
    MentionKind.UNCHECKED,
)

AT_ONCE = 4
"""Passages in one free prompt."""
FREE_TOKENS = 400
FREE_SYSTEM = """\
You write the numbered paragraphs of a court paper from passages of the record. Each paragraph states one fact and cites
the record by its Bates number.

Passages:
[HALL-000031] Ada Wren to Lou Marsh, March 2, 2018: The roof of the north hall has leaked since January 9, 2018.
[HALL-000077] The main beam was inspected on June 5, 2019. A crack runs along its edge. The repair will cost $4,100.

Paragraphs:
1. On March 2, 2018, Ada Wren wrote to Lou Marsh that the roof has leaked since January 9, 2018 (HALL-000031).
2. On June 5, 2019, an inspection found a crack in the main beam, and the repair will cost $4,100 (HALL-000077)."""


@dataclass
class Tally:
    """What one seat wrote in one mode: words, mentions, made-up mentions by kind, answers that ran to the limit."""

    answers: int = 0
    words: int = 0
    cut: int = 0
    mentions: int = 0
    made_up: Counter[MentionKind] = field(default_factory=Counter)
    milliseconds: float = 0.0
    tokens: int = 0

    def add(self, answer: Answer, text: str, report: GateReport) -> None:
        """Count one answer."""
        self.answers += 1
        self.words += len(text.split())
        self.cut += answer.finish_reason is FinishReason.LENGTH
        self.mentions += len(report.findings)
        self.made_up.update(finding.kind for finding in report.blocked)
        self.milliseconds += answer.completion_ms
        self.tokens += answer.completion_tokens

    def rate(self, kind: MentionKind) -> str:
        """Made-up mentions of one kind per 1,000 words, and their count."""
        return f"{1000 * self.made_up[kind] / max(1, self.words):.1f} ({self.made_up[kind]})"


def free_request(passages: list[str], seat: Seat) -> Request:
    """Paragraphs without slots: the model writes dates, numbers and cites itself."""
    return Request(
        messages=(
            Message(role="system", content=FREE_SYSTEM),
            Message(role="user", content="Passages:\n" + "\n".join(passages)),
            Message(role="user", content="Paragraphs:"),
        ),
        max_tokens=FREE_TOKENS,
        sampling=seat.sampling,
        stop=("\n\n", "Passages:"),
    )


def shown_freely(bundle: Bundle, passage_id: str) -> str:
    """The passage as it is, behind its Bates number or citation and who wrote it when."""
    source, page = bundle.source_of(passage_id), bundle.page_of(passage_id)
    place = page.bates[0] if page.bates else own_citation(source) or source.name
    who, head = source.correspondence, ""
    if who and who.author:
        head = f"{who.author} to {' and '.join(who.recipients) or 'the file'}, {who.sent}: "
    return f"[{place}] {head}" + " ".join(bundle.passage(passage_id).text.split())


class Bench:
    """One matter, read and planned once."""

    def __init__(self, matter: Matter) -> None:
        self.matter = matter
        self.bundle = ingest(matter.path, listing(matter.path))
        self.tables = SlotTables(self.bundle, matter.config.date_order)
        chooser = ScriptedSeat(SeatName.REASONER, lambda _: '{"passage": 1}')
        self.plan: DraftPlan = outline.plan(intake.read(matter.intake), self.bundle, matter.config, chooser)

    def points(self) -> list[tuple[SectionBrief, Point]]:
        """Every point of every section."""
        return [(brief, point) for brief in self.plan.sections for point in brief.points]

    def requests(self, seat: Seat, mode: str) -> Iterator[tuple[Request, SlotTable | None]]:
        """What a seat is asked in one mode; the slot table where the answer has slots."""
        if mode == "free":
            for brief in self.plan.sections:
                shown = [shown_freely(self.bundle, point.passages[0]) for point in brief.points]
                for start in range(0, len(shown), AT_ONCE):
                    yield free_request(shown[start : start + AT_ONCE], seat), None
            return
        for brief, point in self.points():
            table = self.tables.table(point.passages[0], point.fact)
            names = names_in((p.name for p in self.matter.config.parties), table)
            work = Assignment(brief=brief, point=point, table=table, names=names)
            yield request_for(work, seat, Wording(mode)), table

    def run(self, seat: Seat, mode: str) -> Tally:
        """Everything by one seat in one mode."""
        tally = Tally()
        asked = list(self.requests(seat, mode))
        for request, table in track(asked, f"{seat.name.value}, {mode}", console=Console(stderr=True)):
            answer = seat.answer(request)
            text = answer.text if table is None else rendered(answer.text.strip(), table)
            tally.add(answer, text, check(text, self.bundle, default_policy(), DateOrder.MONTH_FIRST))
            if "--show" in sys.argv:
                print(text)
        return tally


def main() -> None:
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    matter = find_matter(names[0] if names else "matter-123")
    bench = Bench(matter)
    table = Table(title=f"Made up per 1,000 words (count), {matter.name}, {len(bench.points())} points", box=box.ASCII)
    headings = ("seat", "mode", "words", "mentions", *(kind.value for kind in KINDS), "cut off", "tokens/s")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("seat", "mode") else "right")
    with seats.opened(boards.load(matter.config.boards, matter.path)) as both:
        for seat in both.values():
            for mode in ("free", *(wording.value for wording in Wording)):
                tally = bench.run(seat, mode)
                table.add_row(
                    f"{seat.name.value} ({seat.identity.label})",
                    mode,
                    str(tally.words),
                    str(tally.mentions),
                    *(tally.rate(kind) for kind in KINDS),
                    f"{tally.cut}/{tally.answers}",
                    f"{1000 * tally.tokens / tally.milliseconds:.0f}",
                )
    Console(width=200).print(table)


if __name__ == "__main__":
    main()
