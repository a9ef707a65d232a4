"""Asking for objections, by JSON schema."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from lexforge.domain.draft import Block, BlockKind, Section
from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Objection, ObjectionKind
from lexforge.domain.record import Record
from lexforge.errors import AnswerMalformed
from lexforge.extract.content_words import content_words
from lexforge.llm.request import Message, Request, parsed, schema_text
from lexforge.llm.seats import Seat
from lexforge.templating import render

PROMPTS = "prompts/adversary"
LONGEST_NOTE = 160
_EMPTY = frozenset(content_words("the passage paragraph speaks says states and nothing about objection record"))
AT_ONCE = 4
"""Paragraphs put before the adversary in one request: a small context holds them with their passages."""
MAX_TOKENS = 96 * AT_ONCE + 64


class _Item(Record):
    """One objection as the model states it, before it is known to name a block that was shown."""

    block: str
    kind: ObjectionKind
    passage: str
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE)]


class _Reply(Record):
    objections: Annotated[tuple[_Item, ...], Field(max_length=AT_ONCE)]


class Review(Record):
    """What one seat said of one section: `asked` counts the blocks it was shown, `idle` the objections not kept.

    An objection is idle when its note shares no content word with the paragraph and the passage it speaks of.
    """

    section: str
    seat: str
    asked: int
    objections: tuple[Objection, ...]
    idle: int = 0


def review(section: Section, bundle: Bundle, seat: Seat) -> Review:
    """Objections to the drafted blocks of a section; AnswerTruncated when the reply was cut off."""
    blocks = [b for b in section.blocks if b.kind is BlockKind.PARAGRAPH and b.sources]
    found: list[Objection] = []
    for start in range(0, len(blocks), AT_ONCE):
        found += _asked(blocks[start : start + AT_ONCE], bundle, seat)
    texts = {block.id: block.text for block in blocks}
    kept = tuple(o for o in found if _speaks_of(o, texts[o.block] + bundle.passage(o.passage).text))
    return Review(
        section=section.id, seat=seat.name.value, asked=len(blocks), objections=kept, idle=len(found) - len(kept)
    )


def _speaks_of(objection: Objection, text: str) -> bool:
    """Whether the note is about this text at all: small models repeat the worked example of the prompt."""
    return bool((set(content_words(objection.note)) - _EMPTY) & set(content_words(text)))


def _asked(blocks: list[Block], bundle: Bundle, seat: Seat) -> list[Objection]:
    passages = list(dict.fromkeys(name for block in blocks for name in block.sources))
    # Short names: a passage id is a string of hex digits, which costs tokens and means nothing to a model.
    short = {f"E-{n}": name for n, name in enumerate(passages, 1)}
    texts = [{"id": key, "text": " ".join(bundle.passage(name).text.split())} for key, name in short.items()]
    request = Request(
        messages=(
            Message(role="system", content=render(f"{PROMPTS}/system.j2")),
            Message(role="user", content=render(f"{PROMPTS}/evidence.j2", passages=texts)),
            Message(role="user", content=render(f"{PROMPTS}/question.j2", blocks=blocks)),
        ),
        max_tokens=MAX_TOKENS,
        sampling=seat.sampling,
        reasoning_tokens=seat.reasoning_budget,
        json_schema=_schema([block.id for block in blocks], list(short)),
        shared=1,
    )
    reply = parsed(seat.answer(request), request, seat.name.value, _Reply)
    shown = {block.id for block in blocks}
    if not all(item.block in shown and item.passage in short for item in reply.objections):
        raise AnswerMalformed(
            f"The {seat.name.value} objected to something it was not shown.",
            "The engine did not honour the JSON schema; run `lexforge doctor`.",
        )
    objections = (
        Objection(block=item.block, kind=item.kind, passage=short[item.passage], note=item.note, seat=seat.name.value)
        for item in reply.objections
    )
    return list({(o.block, o.kind): o for o in objections}.values())


def _schema(blocks: list[str], passages: list[str]) -> str:
    item = {
        "type": "object",
        "properties": {
            "block": {"enum": blocks},
            "kind": {"enum": [kind.value for kind in ObjectionKind]},
            "passage": {"enum": passages},
            # A pattern and not a length alone: a plain JSON string may hold control characters here, and then does
            # not parse (llama-cpp-python 0.3.36).
            "note": {"type": "string", "pattern": f"^[A-Za-z][A-Za-z0-9 ,.;:'()-]{{9,{LONGEST_NOTE - 1}}}$"},
        },
        "required": ["block", "kind", "passage", "note"],
        "additionalProperties": False,
    }
    return schema_text(
        {
            "type": "object",
            "properties": {"objections": {"type": "array", "items": item, "maxItems": AT_ONCE}},
            "required": ["objections"],
            "additionalProperties": False,
        }
    )
