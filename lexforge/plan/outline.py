"""The outline of each document kind, and the plan made from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from lexforge.domain.draft import DraftPlan, Point, SectionBrief, Stakes
from lexforge.domain.evidence import Bundle, Passage, Source
from lexforge.domain.matter import DocumentKind, MatterConfig
from lexforge.domain.record import Record
from lexforge.errors import BundleError
from lexforge.llm.request import Message, Request, parsed, schema_text
from lexforge.llm.seats import Seat
from lexforge.plan.intake import Intake
from lexforge.plan.retrieval import Candidate, Retriever
from lexforge.store.search import Opener, in_memory
from lexforge.templating import render

PROMPTS = "prompts/plan"
MOST = 3
"""Candidates shown to the model for one point."""
NEAR = 0.8
"""Share of the best score from which a passage supports a point about as well."""


@dataclass(frozen=True)
class _Heading:
    """A section of an outline. `pattern` says what its paragraphs are made from."""

    id: str
    heading: str
    pattern: str
    stakes: Stakes


_OUTLINES = {
    # A declaration is sworn to as a whole; its first section only identifies documents, by slots alone.
    DocumentKind.DECLARATION: (
        _Heading("s1", "The Documents", "document", Stakes.ROUTINE),
        _Heading("s2", "The Facts", "fact", Stakes.HIGH),
    ),
    DocumentKind.MOTION: (
        _Heading("s1", "Statement of Facts", "fact", Stakes.ROUTINE),
        _Heading("s2", "Argument", "law", Stakes.HIGH),
    ),
}


class Choice(Record):
    """What the model answers: the number of one passage, counted from 1."""

    passage: Annotated[int, Field(ge=1, le=MOST)]


def plan(intake: Intake, bundle: Bundle, config: MatterConfig, seat: Seat, opened: Opener = in_memory) -> DraftPlan:
    """Sections with their points; a point without support is left out and named in `unsupported`.

    `opened` says where the search index of the passages is kept. Retrieval ranks the passages; where more than one
    could support a point, the seat chooses among them.
    """
    if not bundle.sources:
        raise BundleError(
            "The bundle is empty: nothing could be grounded.", "Put the sources into evidence/ and authorities/."
        )
    evidence = Retriever(offered(bundle.evidence), page_numbers(bundle.evidence), opened, "evidence")
    law = Retriever(offered(bundle.authorities), opened=opened, name="authorities")
    facts = _supported(intake.facts, evidence, bundle, seat)
    arguments = _supported(intake.arguments, law, bundle, seat)
    points = {
        "fact": _numbered("f", facts),
        "law": _numbered("a", arguments),
        "document": _documents(facts, bundle),
    }
    used = arguments if config.document_kind is DocumentKind.MOTION else {}
    unsupported = [fact for fact in intake.facts if fact not in facts]
    if config.document_kind is DocumentKind.MOTION:
        unsupported += [argument for argument in intake.arguments if argument not in used]
    return DraftPlan(
        document_kind=config.document_kind.value,
        sections=tuple(
            SectionBrief(id=h.id, heading=h.heading, pattern=h.pattern, stakes=h.stakes, points=points[h.pattern])
            for h in _OUTLINES[config.document_kind]
            if points[h.pattern]
        ),
        unsupported=tuple(unsupported),
    )


def offered(sources: tuple[Source, ...]) -> Iterator[Passage]:
    """The passages that may reach a prompt: those that prove something, and of a copy only what is in it alone."""
    said: dict[str, set[tuple[str, ...]]] = {}
    for source in sources:
        if source.copy_of is None:
            yield from source.proving_passages
    for copy in (source for source in sources if source.copy_of is not None):
        if copy.copy_of not in said:
            said[str(copy.copy_of)] = {_words(p) for s in sources if s.id == copy.copy_of for p in s.passages}
        yield from (p for p in copy.proving_passages if _words(p) not in said[str(copy.copy_of)])


def _words(passage: Passage) -> tuple[str, ...]:
    return tuple(passage.text.lower().split())


def page_numbers(sources: tuple[Source, ...]) -> dict[str, str]:
    """Passage id → the Bates numbers of its page."""
    return {p.id: " ".join(page.bates) for source in sources for page in source.pages for p in page.passages}


def _supported(statements: tuple[str, ...], retriever: Retriever, bundle: Bundle, seat: Seat) -> dict[str, str]:
    """Statement → id of the passage that supports it, for those that have one."""
    found = {}
    for statement in statements:
        candidates = retriever.rank(statement, MOST)
        candidates = [c for c in candidates if c.score >= NEAR * candidates[0].score]
        if candidates:
            found[statement] = _chosen(statement, candidates, bundle, seat)
    return found


def _chosen(statement: str, candidates: list[Candidate], bundle: Bundle, seat: Seat) -> str:
    if len(candidates) == 1:
        return candidates[0].passage
    request = _request(statement, [bundle.passage(c.passage).text for c in candidates], seat)
    choice = parsed(seat.answer(request), request, seat.name.value, Choice)
    return candidates[min(choice.passage, len(candidates)) - 1].passage


def _request(point: str, passages: list[str], seat: Seat) -> Request:
    texts = [" ".join(text.split()) for text in passages]
    return Request(
        messages=(
            Message(role="system", content=render(f"{PROMPTS}/system.j2")),
            Message(role="user", content=render(f"{PROMPTS}/evidence.j2", passages=texts)),
            Message(role="user", content=render(f"{PROMPTS}/question.j2", point=point)),
        ),
        max_tokens=48,
        sampling=seat.sampling,
        reasoning_tokens=seat.reasoning_budget,
        shared=1,
        json_schema=schema_text(
            {
                "type": "object",
                "properties": {"passage": {"enum": list(range(1, len(texts) + 1))}},
                "required": ["passage"],
                "additionalProperties": False,
            }
        ),
    )


def _numbered(letter: str, supported: dict[str, str]) -> tuple[Point, ...]:
    return tuple(
        Point(id=f"{letter}{n}", fact=statement, passages=(passage,))
        for n, (statement, passage) in enumerate(supported.items(), 1)
    )


def _documents(facts: dict[str, str], bundle: Bundle) -> tuple[Point, ...]:
    """One point without words for each document that the facts rely on: it is identified, nothing is claimed of it."""
    first: dict[str, str] = {}
    for passage in facts.values():
        first.setdefault(bundle.source_of(passage).id, passage)
    return tuple(Point(id=f"d{n}", fact="", passages=(passage,)) for n, passage in enumerate(first.values(), 1))
