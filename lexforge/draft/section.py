"""Writing one block: the attorney's own sentence, then the sentence that shows where the record supports it."""

from __future__ import annotations

from collections.abc import Iterable

from lexforge.domain.draft import Block, BlockKind, Point, Provenance, SectionBrief
from lexforge.domain.record import Record, sha256_of
from lexforge.draft.grammar import sentence_grammar
from lexforge.draft.slots import SlotTable, rendered
from lexforge.llm.boards import Wording
from lexforge.llm.request import Message, Request, whole
from lexforge.llm.seats import Seat
from lexforge.templating import render, template_sha256

PROMPTS = "prompts/draft"
MAX_TOKENS = 320
"""Room for 80 words and a dozen slots; the grammar ends a sentence long before."""


class Refusal(Record):
    """Why an earlier attempt was blocked: the gate's sentences, and the exact texts it could not ground."""

    attempt: int = 0
    reasons: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


class Assignment(Record):
    """Everything a block is written from."""

    brief: SectionBrief
    point: Point
    table: SlotTable
    names: tuple[str, ...]
    refusal: Refusal = Refusal()


def request_for(work: Assignment, seat: Seat, wording: Wording | None = None) -> Request:
    """The request for one sentence, in the seat's own wording unless another is given."""
    grammar = sentence_grammar(work.table, work.brief, work.point.fact, wording or seat.wording, work.names)
    passage = render(f"{PROMPTS}/evidence.j2", passage=shown_passage(work.table))
    question = render(f"{PROMPTS}/question.j2", point=work.point.fact, reasons=work.refusal.reasons)
    return Request(
        messages=(
            Message(role="system", content=render(f"{PROMPTS}/system.j2")),
            Message(role="user", content=passage),
            Message(role="user", content=question),
        ),
        max_tokens=MAX_TOKENS,
        sampling=seat.sampling,
        grammar=grammar,
        stop=("\n",),
        shared=1,
    )


def shown_passage(table: SlotTable) -> str:
    """The passage as a prompt shows it: slots in the text, then what may be quoted, then who wrote it to whom when."""
    parts = [table.slotted]
    quotations = [slot for slot in table.slots if slot.key.startswith("Q")]
    parts += [f"Verbatim: ⟦{slot.key}⟧ is {slot.text}" for slot in quotations]
    own = {role: f"⟦{key}⟧" for role, key in table.own.items()}
    if "author" in own:
        to = f" to {own['recipient']}" if "recipient" in own else ""
        on = f" on {own['date']}" if "date" in own else ""
        parts.append(f"It is {own['author']} who writes this{to}{on}.")
    return " ".join(parts)


def write_block(work: Assignment, seat: Seat) -> Block:
    """One block by one seat; AnswerTruncated or AnswerMalformed when the answer is not a whole sentence."""
    request = request_for(work, seat)
    sentence = whole(seat.answer(request), request, seat.name.value).strip()
    support = rendered(sentence, work.table)
    lead = f"{work.point.fact} " if work.point.fact else ""
    return Block(
        id=work.point.id,
        kind=BlockKind.PARAGRAPH,
        text=lead + support,
        written_from=len(lead),
        section=work.brief.id,
        sources=(work.table.passage,),
        slotted=sentence,
        provenance=Provenance(
            seat=seat.name.value,
            model=seat.identity.label,
            identity=seat.identity.fingerprint,
            template=template_sha256(PROMPTS),
            request=request.content_sha256,
            answer=sha256_of(sentence.encode()),
            attempt=work.refusal.attempt,
        ),
    )


def names_in(parties: Iterable[str], table: SlotTable) -> tuple[str, ...]:
    """Words that keep their capital letter in a passage: the parties' own, where the passage has them."""
    words = {word.strip(",.") for party in parties for word in party.split()}
    return tuple(sorted(word for word in words if word in table.slotted))
