"""Asking for objections, by JSON schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Annotated, Protocol

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
FURTHER_TOKENS = 800
"""Room in a request for passages beside those that its paragraphs rely on, where the context has it."""

Further = Mapping[str, tuple[str, ...]]
"""Block id → ids of passages, the likeliest to contradict it first."""
NOTHING_FURTHER: Further = MappingProxyType({})


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


class Shown(Protocol):
    """A paragraph as a model is shown it: a block of the draft, or one of a shadow that never becomes one."""

    @property
    def id(self) -> str:
        """What an objection names it by."""

    @property
    def text(self) -> str:
        """Its words."""

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the passages it relies on."""


def attackable(section: Section) -> list[Block]:
    """The blocks that claim something of the record."""
    return [b for b in section.blocks if b.kind is BlockKind.PARAGRAPH and b.sources]


def review(section: Section, bundle: Bundle, seat: Seat, further: Further = NOTHING_FURTHER) -> Review:
    """Objections to the drafted blocks of a section; AnswerTruncated when the reply was cut off.

    `further` are passages beside those a block relies on that may contradict it, by block id.
    """
    blocks = attackable(section)
    kept, idle = opinions(blocks, bundle, seat, further)
    return Review(section=section.id, seat=seat.name.value, asked=len(blocks), objections=kept, idle=idle)


def opinions(
    blocks: Sequence[Shown], bundle: Bundle, seat: Seat, further: Further = NOTHING_FURTHER
) -> tuple[tuple[Objection, ...], int]:
    """Objections to these blocks that speak of them, and the number of those that do not."""
    found: list[Objection] = []
    for start in range(0, len(blocks), AT_ONCE):
        found += _asked(blocks[start : start + AT_ONCE], bundle, seat, further)
    texts = {block.id: block.text for block in blocks}
    kept = tuple(o for o in found if _speaks_of(o, texts[o.block] + bundle.passage(o.passage).text))
    return kept, len(found) - len(kept)


def _speaks_of(objection: Objection, text: str) -> bool:
    """Whether the note is about this text at all: small models repeat the worked example of the prompt."""
    return bool((set(content_words(objection.note)) - _EMPTY) & set(content_words(text)))


def _asked(blocks: Sequence[Shown], bundle: Bundle, seat: Seat, further: Further) -> list[Objection]:
    relied = list(dict.fromkeys(name for block in blocks for name in block.sources))
    system, question = render(f"{PROMPTS}/system.j2"), render(f"{PROMPTS}/question.j2", blocks=blocks)
    used = sum(map(_tokens, (system, question, *(shown_passage(name, bundle) for name in relied))))
    room = seat.identity.context - seat.reasoning_budget - MAX_TOKENS - used
    others = _fitting(_in_turn([further.get(b.id, ()) for b in blocks]), relied, bundle, min(room, FURTHER_TOKENS))
    # Short names: a passage id is a string of hex digits, which costs tokens and means nothing to a model.
    short = {f"E-{n}": name for n, name in enumerate([*relied, *others], 1)}
    texts = [{"id": key, "text": shown_passage(name, bundle)} for key, name in short.items()]
    evidence = render(f"{PROMPTS}/evidence.j2", passages=texts[: len(relied)], further=texts[len(relied) :])
    request = Request(
        messages=(
            Message(role="system", content=system),
            Message(role="user", content=evidence),
            Message(role="user", content=question),
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


def shown_passage(name: str, bundle: Bundle) -> str:
    """A passage as the prompt has it: who wrote it to whom and when, where that is known, then its words."""
    passage, source = bundle.passage(name), bundle.source_of(name)
    who = passage.correspondence if passage.correspondence is not None else source.correspondence
    words = " ".join(passage.text.split())
    if who is None or not who.author:
        return words
    to = f" to {' and '.join(who.recipients)}" if who.recipients else ""
    return f"({who.author}{to}{f', {who.sent}' if who.sent else ''}) {words}"


def _tokens(text: str) -> int:
    """Tokens at most, for prose: measured vocabularies have four characters and more to a token."""
    return len(text) // 3 + 8


def _in_turn(lists: list[tuple[str, ...]]) -> list[str]:
    """The first of each list, then the second of each."""
    return [name for row in zip_longest(*lists) for name in row if name is not None]


def _fitting(names: list[str], relied: list[str], bundle: Bundle, room: int) -> list[str]:
    """The names for whose passages there is room, without those shown already."""
    kept: list[str] = []
    for name in names:
        cost = _tokens(shown_passage(name, bundle))
        if name not in relied and name not in kept and cost <= room:
            kept.append(name)
            room -= cost
    return kept


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
