"""Planted errors: what a seat's silence is worth, measured on a shadow of the section that leads nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from lexforge.adversary.amounts import another_amount
from lexforge.adversary.edits import Change, Prose, changed
from lexforge.adversary.negation import negated
from lexforge.adversary.objections import attackable, opinions
from lexforge.adversary.swaps import Pair, exchanged_order, exchanged_roles
from lexforge.domain.canaries import Canaries, CanaryKind, Planted
from lexforge.domain.draft import Section
from lexforge.domain.evidence import Bundle, Correspondence
from lexforge.domain.matter import DateOrder, Party
from lexforge.domain.record import sha256_of
from lexforge.llm.seats import Seat


@dataclass(frozen=True)
class Falsified:
    """A text made false: `changes` are all that was done to the true one."""

    kind: CanaryKind
    text: str
    changes: tuple[Change, ...]


def falsified(text: str, kind: CanaryKind, pairs: Sequence[Pair], order: DateOrder) -> Falsified | None:
    """The text with one error of this kind, always the same one; None where it has no place for it."""
    prose = Prose(text, order)
    if kind is CanaryKind.ROLE_SWAP:
        changes = exchanged_roles(prose, pairs)
    elif kind is CanaryKind.NEGATION:
        changes = negated(prose, [name for pair in pairs for names in pair for name in names])
    elif kind is CanaryKind.AMOUNT:
        changes = another_amount(prose)
    else:
        changes = exchanged_order(prose)
    return Falsified(kind=kind, text=changed(text, changes), changes=changes) if changes else None


class _NeverLeaves:
    """No artifact, no copy, no picture of it in a message: shadow text can only be asked about."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("shadow text never leaves the process that asks about it")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


@dataclass(frozen=True, repr=False, slots=True)
class ShadowBlock(_NeverLeaves):
    """A paragraph as the adversary is shown it; true when `planted` is None."""

    id: str
    text: str
    sources: tuple[str, ...]
    planted: CanaryKind | None = None


@dataclass(frozen=True, repr=False, slots=True)
class ShadowSection(_NeverLeaves):
    """The paragraphs of a section, some of them falsified.

    Deliberately no `Record`: the ledger, the packet and the draft take records, sections and blocks, and this is none.
    """

    id: str
    blocks: tuple[ShadowBlock, ...]

    @property
    def is_planted(self) -> bool:
        """Whether there is anything to ask about."""
        return any(block.planted for block in self.blocks)

    @property
    def sha256(self) -> str:
        """Hash of all that is shown: what decides the seat's answer, for the key of the step."""
        return sha256_of([[block.id, block.text, block.planted] for block in self.blocks])


def pairs_of(section: Section, bundle: Bundle, parties: Iterable[Party]) -> dict[str, tuple[Pair, ...]]:
    """Block id → who can be exchanged in it: author and recipients of what it relies on, and the parties."""
    sides = [(party.short, party.name) for party in parties]
    opposed = tuple((one, other) for n, one in enumerate(sides) for other in sides[n + 1 :])
    return {block.id: (*_correspondents(block.sources, bundle), *opposed) for block in section.blocks}


def _correspondents(sources: tuple[str, ...], bundle: Bundle) -> Iterable[Pair]:
    for name in sources:
        who = bundle.passage(name).correspondence or bundle.source_of(name).correspondence or Correspondence()
        if who.author and who.recipients:
            yield (who.author,), (" and ".join(who.recipients),)
            yield from (((who.author,), (recipient,)) for recipient in who.recipients)


@dataclass(frozen=True)
class Planting:
    """How many errors at most; another `variant` has them elsewhere, and the blocks named in `spared` stay true."""

    most: int
    variant: int = 0
    spared: frozenset[str] = frozenset()


def planted(
    section: Section, planting: Planting, pairs: Mapping[str, Sequence[Pair]], order: DateOrder
) -> ShadowSection:
    """The section's shadow with errors in half of its paragraphs at most, the kinds as even as can be.

    The hash of the section decides where: a resumed run plants the same, and no place in the section is preferred.
    """
    blocks = attackable(section)
    seed = [section.content_sha256, planting.variant]
    offers = {
        block.id: {
            kind: found
            for kind in CanaryKind
            if (found := falsified(block.text, kind, pairs.get(block.id, ()), order)) is not None
        }
        for block in blocks
        if block.id not in planting.spared
    }
    chosen = _chosen(offers, min(planting.most, len(blocks) // 2), seed)
    return ShadowSection(
        id=section.id,
        blocks=tuple(
            ShadowBlock(block.id, chosen[block.id].text, block.sources, chosen[block.id].kind)
            if block.id in chosen
            else ShadowBlock(block.id, block.text, block.sources)
            for block in blocks
        ),
    )


def _chosen(
    offers: Mapping[str, Mapping[CanaryKind, Falsified]], count: int, seed: list[object]
) -> dict[str, Falsified]:
    """Block id → its error: always of a kind planted least so far, the rest by the seed."""
    chosen: dict[str, Falsified] = {}
    while len(chosen) < count:
        used = Counter(one.kind for one in chosen.values())
        left = [
            (used[kind], sha256_of([*seed, kind]), sha256_of([*seed, block]), block, kind)
            for block, found in offers.items()
            if block not in chosen
            for kind in found
        ]
        if not left:
            break
        *_, block, kind = min(left)
        chosen[block] = offers[block][kind]
    return chosen


def measured(shadow: ShadowSection, bundle: Bundle, seat: Seat, further: Mapping[str, tuple[str, ...]]) -> Canaries:
    """What the seat makes of the shadow, asked as for a review; of its words nothing is kept.

    A planted error is caught by any objection to its paragraph, since what a small model says of it is no measure.
    """
    objections, _ = opinions(shadow.blocks, bundle, seat, further) if shadow.is_planted else ((), 0)
    objected = {objection.block for objection in objections}
    true_blocks = [block.id for block in shadow.blocks if block.planted is None] if shadow.is_planted else []
    return Canaries(
        section=shadow.id,
        seat=seat.name.value,
        planted=tuple(
            Planted(
                block=block.id, kind=block.planted, sha256=sha256_of(block.text.encode()), caught=block.id in objected
            )
            for block in shadow.blocks
            if block.planted is not None
        ),
        true_blocks=len(true_blocks),
        objected=tuple(name for name in true_blocks if name in objected),
    )
