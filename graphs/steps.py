"""The steps of a run, each looked up in the ledger before it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from sqlite_utils import Database

from graphs import own_output
from graphs.fan_out import fan_out
from graphs.keys import key_of
from graphs.sources import Progress, SourceSteps, silent
from graphs.watched import Occasion, WatchedSeat
from lexforge.adversary import canaries, objections
from lexforge.adversary.canaries import Planting
from lexforge.adversary.objections import Further, Review
from lexforge.attorney.packet import Opinions, Packet, write_packet
from lexforge.domain.canaries import Canaries
from lexforge.domain.draft import Block, Draft, DraftPlan, Point, Section, SectionBrief, Stakes
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Finding, GateReport
from lexforge.domain.record import Record, sha256_of
from lexforge.domain.run import Call, Sitting
from lexforge.draft import document
from lexforge.draft import section as drafting
from lexforge.draft.filing import filing_notes
from lexforge.draft.fixed import forms_sha256
from lexforge.draft.rules import Rules, rules_for
from lexforge.draft.section import Assignment, Refusal
from lexforge.draft.slots import SlotTables
from lexforge.gate.check import check
from lexforge.gate.policy import Policy, default_policy
from lexforge.ingest.listing import Listing
from lexforge.llm.boards import SeatName
from lexforge.llm.seats import Seat, Seats
from lexforge.plan import intake, outline
from lexforge.plan.adverse import AdverseSearch
from lexforge.store import runs
from lexforge.store.folder import Matter
from lexforge.store.ledger import Ledger, StepKey
from lexforge.store.search import kept_in
from lexforge.templating import template_sha256

Artifact = TypeVar("Artifact", bound=Record)

_NO_RUN = Sitting(run=0, number=0, seats=())


@dataclass
class Steps:
    """What the steps of one run work on."""

    matter: Matter
    db: Database
    seats: Seats
    policy: Policy = field(default_factory=default_policy)
    progress: Progress = silent
    sitting: Sitting = _NO_RUN
    sources: SourceSteps = field(init=False)
    ledger: Ledger = field(init=False)
    _calls: SimpleQueue[Call] = field(init=False, default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.db)
        self.sources = SourceSteps(self.matter, self.db, self.ledger, self.progress)

    # -- the ledger ----------------------------------------------------------------------------------------------

    def _step(self, key: StepKey, kind: type[Artifact], compute: Callable[[], Artifact]) -> Artifact:
        try:
            return self.ledger.step(key, kind, compute)
        finally:
            self.keep_calls()

    def keep_calls(self) -> None:
        """Write down the answers that seats gave since the last time; only ever by the thread that has the database."""
        calls = []
        while not self._calls.empty():
            calls.append(self._calls.get())
        runs.keep_calls(self.db, calls)

    def _watched(self, seat: Seat, step: str, section: str = "") -> WatchedSeat:
        return WatchedSeat(seat, Occasion(self.sitting.run, self.sitting.number, step, section), self._calls.put)

    def _seat_key(self, step: str, seat: Seat, prompts: str, **inputs: str | int) -> StepKey:
        if self.sitting.asks_again:
            inputs["asked_in_run"] = self.sitting.run
        return key_of(step, **inputs).model_copy(
            update={
                "template": template_sha256(prompts),
                "identity": seat.identity.fingerprint,
                "sampling": seat.sampling.content_sha256,
            }
        )

    def get(self, sha256: str, kind: type[Artifact]) -> Artifact:
        """An artifact of an earlier step."""
        return self.ledger.artifact(sha256, kind)

    @property
    def rules(self) -> Rules:
        """The rules of form the paper is under today, or on the day that matter.toml gives."""
        return rules_for(self.matter.config, date.today())

    # -- the steps -----------------------------------------------------------------------------------------------

    def ingest(self, listed: Listing) -> Bundle:
        """Seal the listed files."""
        return self.sources.ingest(listed)

    def plan(self, bundle: Bundle) -> DraftPlan:
        """The plan, by the reasoner where a choice is to be made."""
        text, config, seat = self.matter.intake, self.matter.config, self.seats[SeatName.REASONER]
        self.progress("plan", 0, 1)
        key = self._seat_key(
            "plan",
            seat,
            outline.PROMPTS,
            intake=sha256_of(text.encode()),
            config=config.content_sha256,
            bundle=bundle.content_sha256,
        )
        plan = self._step(
            key,
            DraftPlan,
            lambda: outline.plan(intake.read(text), bundle, config, self._watched(seat, "plan"), kept_in(self.db)),
        )
        self.progress("plan", 1, 1)
        return plan

    def draft_section(self, brief: SectionBrief, bundle: Bundle, seat: Seat) -> Section:
        """All blocks of one section by one seat, one ledger entry a block, as many at a time as the seat has slots."""
        tables, stage = SlotTables(bundle, self.matter.config.date_order), f"draft {brief.heading} ({seat.name.value})"
        self.progress(stage, 0, len(brief.points))
        works = [self._assignment(brief, point, tables, Refusal()) for point in brief.points]
        todo = [work for work in works if self.ledger.find(self._block_key(work, seat)) is None]
        done = len(works) - len(todo)
        jobs = [partial(self._write, work, seat) for work in todo]
        for number, block in fan_out(jobs, seat.slots):
            self._step(self._block_key(todo[number], seat), Block, partial(_given, block))
            done += 1
            self.progress(stage, done, len(works))
        return self._section(brief, [self._draft_block(work, seat) for work in works])

    def _section(self, brief: SectionBrief, blocks: list[Block]) -> Section:
        section = Section(id=brief.id, heading=brief.heading, blocks=tuple(blocks))
        return self._step(key_of("section", section=section.content_sha256), Section, lambda: section)

    def _assignment(self, brief: SectionBrief, point: Point, tables: SlotTables, refusal: Refusal) -> Assignment:
        table = tables.table(point.passages[0], point.fact, refusal.texts)
        names = drafting.names_in((party.name for party in self.matter.config.parties), table)
        return Assignment(brief=brief, point=point, table=table, names=names, refusal=refusal)

    def _draft_block(self, work: Assignment, seat: Seat) -> Block:
        return self._step(self._block_key(work, seat), Block, lambda: self._write(work, seat))

    def _block_key(self, work: Assignment, seat: Seat) -> StepKey:
        return self._seat_key(
            "draft", seat, drafting.PROMPTS, assignment=work.content_sha256, wording=seat.wording.value
        )

    def _write(self, work: Assignment, seat: Seat) -> Block:
        return drafting.write_block(work, self._watched(seat, "draft", work.brief.id))

    def review(self, section: Section, brief: SectionBrief, bundle: Bundle) -> Review:
        """Objections by the seat that did not write the section."""
        seat = self.seats[writer(brief).other]
        watched = self._watched(seat, "adversary", section.id)
        key = self._seat_key(
            "adversary", seat, objections.PROMPTS, section=section.content_sha256, bundle=bundle.content_sha256
        )
        return self._step(
            key, Review, lambda: objections.review(section, bundle, watched, self._further(section, bundle))
        )

    def _further(self, section: Section, bundle: Bundle) -> Further:
        return AdverseSearch(bundle, kept_in(self.db)).of_section(section)

    def canaries(self, section: Section, brief: SectionBrief, bundle: Bundle) -> Canaries:
        """What the same seat makes of the section with planted errors, which are forgotten when it has answered."""
        seat, config = self.seats[writer(brief).other], self.matter.config
        pairs = canaries.pairs_of(section, bundle, config.parties)
        shadow = canaries.planted(section, Planting(config.canaries), pairs, config.date_order)
        inputs = {"section": section.content_sha256, "bundle": bundle.content_sha256, "shadow": shadow.sha256}
        key = self._seat_key("canaries", seat, objections.PROMPTS, **inputs)
        watched = self._watched(seat, "canaries", section.id)
        return self._step(
            key, Canaries, lambda: canaries.measured(shadow, bundle, watched, self._further(section, bundle))
        )

    def assemble(self, sections: tuple[Section, ...], bundle: Bundle) -> Draft:
        """The whole draft, with caption, opening and closing."""
        config, rules = self.matter.config, self.rules
        key = key_of(
            "assemble",
            sections=sha256_of([section.content_sha256 for section in sections]),
            config=config.content_sha256,
            bundle=bundle.content_sha256,
            documents=forms_sha256(),
            rules=sha256_of([rule.content_sha256 for rule in rules.bound]),
        )
        return self._step(
            key, Draft, lambda: document.assemble(self.matter.name, config, sections, bundle.content_sha256, rules)
        )

    def gate(self, draft: Draft, bundle: Bundle) -> GateReport:
        """The verdict on the draft; no model is asked."""
        self.progress("gate", 0, 1)
        key = key_of(
            "gate",
            text=sha256_of(draft.checked.encode()),
            bundle=bundle.content_sha256,
            policy=self.policy.content_sha256,
            date_order=self.matter.config.date_order.value,
        )
        report = self._step(
            key, GateReport, lambda: check(draft.checked, bundle, self.policy, self.matter.config.date_order)
        )
        self.progress("gate", 1, 1)
        return report

    def repair(
        self, plan: DraftPlan, sections: tuple[Section, ...], draft: Draft, report: GateReport, attempt: int
    ) -> tuple[Section, ...]:
        """The sections with every repairable block written again, by the seat that wrote it, knowing the reasons."""
        tables = SlotTables(self.get(draft.bundle, Bundle), self.matter.config.date_order)
        todo = repairable(draft, report)
        done, repaired = 0, []
        for brief, section in zip(plan.sections, sections, strict=True):
            blocks = list(section.blocks)
            for n, (point, block) in enumerate(zip(brief.points, blocks, strict=True)):
                if block.id in todo:
                    self.progress(f"repair {attempt}", done, len(todo))
                    refusal = _refusal(todo[block.id], draft.text, attempt)
                    work = self._assignment(brief, point, tables, refusal)
                    blocks[n] = self._draft_block(work, self.seats[writer(brief)])
                    done += 1
            repaired.append(self._section(brief, blocks))
        self.progress(f"repair {attempt}", done, len(todo))
        return tuple(repaired)

    def packet(self, draft: Draft, report: GateReport, opinions: Opinions) -> Packet:
        """The files the attorney receives, in `work/runs/<n>/`; the same packet again while nothing has changed."""
        notes = filing_notes(draft, self.matter.config, self.rules)
        key = key_of(
            "packet",
            draft=draft.content_sha256,
            report=report.content_sha256,
            opinions=opinions.content_sha256,
            filing=notes.content_sha256,
        )
        found = self.ledger.find(key)
        if found is not None and (packet := self.get(found, Packet)).is_whole(self.matter.work):
            self.ledger.reused += 1
            return packet
        packet = write_packet(self.matter.work, draft, report, opinions, notes)
        # Before the ledger has it: a run that is stopped in between writes the packet again, and is registered again.
        own_output.written(draft, packet, self.get(draft.bundle, Bundle), self.matter)
        self.ledger.record(key, packet)
        self.ledger.ran += 1
        return packet


def _given(block: Block) -> Block:
    return block


def writer(brief: SectionBrief) -> SeatName:
    """The seat that writes a section: what is sworn to or argued goes to the reasoner."""
    return SeatName.REASONER if brief.stakes is Stakes.HIGH else SeatName.WORKHORSE


def _refusal(findings: tuple[Finding, ...], text: str, attempt: int) -> Refusal:
    return Refusal(
        attempt=attempt,
        reasons=tuple(dict.fromkeys(f.message for f in findings)),
        texts=tuple(dict.fromkeys(text[f.start : f.end] for f in findings)),
    )


def repairable(draft: Draft, report: GateReport) -> dict[str, tuple[Finding, ...]]:
    """Block id → blocked findings in the sentence that a seat wrote; the attorney's own words are hers to mend."""
    todo = {}
    for block, _, end in draft.spans():
        if block.slotted is not None:
            start = end - len(block.text) + block.written_from
            findings = tuple(f for f in report.blocked if f.start < end and start < f.end)
            if findings:
                todo[block.id] = findings
    return todo
