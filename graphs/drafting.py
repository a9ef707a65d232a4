"""The drafting machine: ingest, plan, draft each section on its seat, adversary, gate, repair, packet."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph

from graphs.runs import recorded
from graphs.state import DraftingState
from graphs.steps import Steps, repairable, writer
from lexforge.adversary.objections import Review
from lexforge.attorney.packet import Opinions, Packet
from lexforge.domain.canaries import Canaries
from lexforge.domain.draft import Draft, DraftPlan, Section
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import GateReport
from lexforge.errors import LexForgeError
from lexforge.llm.boards import SeatName

MOST_NODES = 10_000
"""LangGraph stops a run after this many nodes; sections and repairs are bounded long before."""


class DraftingNodes:
    """The nodes. Each loads what its hashes name, does one step, and returns new hashes."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def _bundle(self, state: DraftingState) -> Bundle:
        return self._steps.get(state["bundle"], Bundle)

    def _plan(self, state: DraftingState) -> DraftPlan:
        return self._steps.get(state["plan"], DraftPlan)

    def _sections(self, state: DraftingState) -> tuple[Section, ...]:
        return tuple(self._steps.get(sha256, Section) for sha256 in state["sections"])

    def _reviews(self, state: DraftingState) -> tuple[Review, ...]:
        return tuple(self._steps.get(sha256, Review) for sha256 in state["reviews"])

    def ingest(self, state: DraftingState) -> DraftingState:
        """Seal the bundle."""
        bundle = self._steps.ingest(self._steps.sources.listed())
        return {"bundle": bundle.content_sha256}

    def plan(self, state: DraftingState) -> DraftingState:
        """Plan the document."""
        plan = self._steps.plan(self._bundle(state))
        return {"plan": plan.content_sha256, "next_section": 0, "sections": [], "attempt": 0}

    def route(self, state: DraftingState) -> Literal["workhorse", "reasoner", "adversary"]:
        """Send the next section to its seat; when all are written, to the adversary."""
        briefs, number = self._plan(state).sections, state["next_section"]
        if number == len(briefs):
            return "adversary"
        return "reasoner" if writer(briefs[number]) is SeatName.REASONER else "workhorse"

    def workhorse(self, state: DraftingState) -> DraftingState:
        """Write the next section on the workhorse."""
        return self._write(state, SeatName.WORKHORSE)

    def reasoner(self, state: DraftingState) -> DraftingState:
        """Write the next section on the reasoner."""
        return self._write(state, SeatName.REASONER)

    def _write(self, state: DraftingState, seat: SeatName) -> DraftingState:
        brief = self._plan(state).sections[state["next_section"]]
        section = self._steps.draft_section(brief, self._bundle(state), self._steps.seats[seat])
        return {
            "sections": [*state["sections"], section.content_sha256],
            "next_section": state["next_section"] + 1,
        }

    def adversary(self, state: DraftingState) -> DraftingState:
        """Have each section attacked by the seat that did not write it."""
        briefs, bundle, found = self._plan(state).sections, self._bundle(state), []
        for done, (brief, section) in enumerate(zip(briefs, self._sections(state), strict=True)):
            self._steps.progress("adversary", done, len(briefs))
            found.append(self._steps.review(section, brief, bundle).content_sha256)
        self._steps.progress("adversary", len(briefs), len(briefs))
        return {"reviews": found}

    def gate(self, state: DraftingState) -> DraftingState:
        """Let the gate decide."""
        draft = self._steps.assemble(self._sections(state), self._bundle(state))
        report = self._steps.gate(draft, self._bundle(state))
        return {
            "draft": draft.content_sha256,
            "report": report.content_sha256,
            "repairable": len(repairable(draft, report)),
        }

    def decide(self, state: DraftingState) -> Literal["repair", "canaries"]:
        """Repair while something can be repaired and an attempt is left."""
        left = state["attempt"] < self._steps.matter.config.repairs
        return "repair" if left and state["repairable"] else "canaries"

    def repair(self, state: DraftingState) -> DraftingState:
        """Write the blocked paragraphs again."""
        attempt = state["attempt"] + 1
        sections = self._steps.repair(
            self._plan(state),
            self._sections(state),
            self._steps.get(state["draft"], Draft),
            self._steps.get(state["report"], GateReport),
            attempt,
        )
        return {"sections": [section.content_sha256 for section in sections], "attempt": attempt}

    def canaries(self, state: DraftingState) -> DraftingState:
        """Measure each adversary on planted errors: once, on the final text, when the gate has spoken."""
        if not self._steps.matter.config.canaries:
            return {"canaries": []}
        briefs, bundle, found = self._plan(state).sections, self._bundle(state), []
        for done, (brief, section) in enumerate(zip(briefs, self._sections(state), strict=True)):
            self._steps.progress("canaries", done, len(briefs))
            found.append(self._steps.canaries(section, brief, bundle).content_sha256)
        self._steps.progress("canaries", len(briefs), len(briefs))
        return {"canaries": found}

    def packet(self, state: DraftingState) -> DraftingState:
        """Write what the attorney receives."""
        opinions = Opinions(
            objections=tuple(objection for review in self._reviews(state) for objection in review.objections),
            unsupported=self._plan(state).unsupported,
            canaries=tuple(self._steps.get(sha256, Canaries) for sha256 in state["canaries"]),
        )
        draft, report = self._steps.get(state["draft"], Draft), self._steps.get(state["report"], GateReport)
        packet = self._steps.packet(draft, report, opinions)
        return {"packet": packet.content_sha256}


def machine(steps: Steps) -> Any:
    """The compiled graph. Resuming needs no checkpoint: a new run finds its finished steps in the ledger."""
    nodes = DraftingNodes(steps)
    graph = StateGraph(DraftingState)
    for name in ("ingest", "plan", "workhorse", "reasoner", "adversary", "gate", "repair", "canaries", "packet"):
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "ingest")
    graph.add_edge("ingest", "plan")
    for name in ("plan", "workhorse", "reasoner"):
        graph.add_conditional_edges(name, nodes.route)
    graph.add_edge("adversary", "gate")
    graph.add_conditional_edges("gate", nodes.decide)
    graph.add_edge("repair", "adversary")
    graph.add_edge("canaries", "packet")
    graph.add_edge("packet", END)
    return graph.compile()


def run(steps: Steps, give_up_unfinished: bool = False, asks_again: bool = False) -> tuple[Packet, DraftingState]:
    """Draft the matter from intake to packet; the packet and the final state."""
    with recorded(steps, give_up_unfinished, asks_again):
        state: DraftingState = machine(steps).invoke({}, {"recursion_limit": MOST_NODES})
    if "packet" not in state:
        raise LexForgeError("The drafting machine ended without a packet.", "This is a defect; please report it.")
    return steps.get(state["packet"], Packet), state
