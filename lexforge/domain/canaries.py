"""Planted errors: how many the adversary caught, how many true paragraphs it objected to, and what that is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum

from lexforge.domain.record import Record

CAUGHT_ENOUGH = 0.5
"""Share of planted errors below which silence is weak evidence, whatever else the adversary does."""
BY_CHANCE = 0.05
"""Probability from which what was caught may as well have been caught by objecting at random."""
Z_95 = 1.959964
"""The 0.975 quantile of the normal distribution."""


class CanaryKind(StrEnum):
    """What is made false: who did it to whom, whether it was done, how much it was, what came first."""

    ROLE_SWAP = "role_swap"
    NEGATION = "negation"
    AMOUNT = "amount"
    ORDER = "order"


_PLURAL = {
    CanaryKind.ROLE_SWAP: "role swaps",
    CanaryKind.NEGATION: "negations",
    CanaryKind.AMOUNT: "amounts",
    CanaryKind.ORDER: "orders of events",
}


class Planted(Record):
    """One falsified paragraph: `sha256` of its text, which is kept nowhere, and whether it drew an objection."""

    block: str
    kind: CanaryKind
    sha256: str
    caught: bool


class Canaries(Record):
    """What one seat made of a section with planted errors.

    `objected` names the blocks that drew an objection among the `true_blocks` beside them.
    """

    section: str
    seat: str
    planted: tuple[Planted, ...]
    true_blocks: int
    objected: tuple[str, ...]

    @property
    def caught(self) -> int:
        """Planted errors that drew an objection."""
        return sum(canary.caught for canary in self.planted)

    def by_kind(self) -> dict[CanaryKind, tuple[int, int]]:
        """Kind → caught, planted; kinds that were not planted are left out."""
        found = {}
        for kind in CanaryKind:
            caught = [canary.caught for canary in self.planted if canary.kind is kind]
            if caught:
                found[kind] = (sum(caught), len(caught))
        return found

    @property
    def chance(self) -> float:
        """How likely at least so many are caught when as many objections fall on any of these paragraphs.

        The one-sided exact test of Fisher; 1 where nothing was planted or nothing true was shown.
        """
        planted, shown, drew = len(self.planted), len(self.planted) + self.true_blocks, self.caught + len(self.objected)
        ways = (
            math.comb(planted, hits) * math.comb(self.true_blocks, drew - hits)
            for hits in range(self.caught, min(planted, drew) + 1)
        )
        return sum(ways) / math.comb(shown, drew)

    @property
    def is_weak(self) -> bool:
        """Whether silence says little: under half was caught, or objections fell on true and false paragraphs alike.

        They did where `chance` is not small. With nothing planted nothing is known, which is weak as well.
        """
        return self.caught < CAUGHT_ENOUGH * len(self.planted) or self.chance >= BY_CHANCE

    @property
    def told(self) -> str:
        """The measure in one sentence, to stand behind the name of the seat."""
        if not self.planted:
            return "was shown no planted error, as no paragraph could be spared for one: its silence was not measured"
        kinds = ", ".join(f"{caught} of {all_} {_PLURAL[kind]}" for kind, (caught, all_) in self.by_kind().items())
        low, high = wilson(self.caught, len(self.planted))
        return (
            f"caught {self.caught} of {len(self.planted)} planted errors ({kinds}; 95 % interval {low:.0%} to "
            f"{high:.0%}) and objected to {len(self.objected)} of {self.true_blocks} true paragraphs: its silence is "
            f"{self._worth}"
        )

    @property
    def _worth(self) -> str:
        if not self.is_weak:
            return "some evidence, and no proof"
        if self.caught < CAUGHT_ENOUGH * len(self.planted):
            return "weak evidence"
        return f"weak evidence, as objecting at random would catch as many (probability {self.chance:.2f})"


def together(section: str, seat: str, measured: Iterable[Canaries]) -> Canaries:
    """Several measures of one seat as one, under the name `section`."""
    every = tuple(measured)
    return Canaries(
        section=section,
        seat=seat,
        planted=tuple(canary for one in every for canary in one.planted),
        true_blocks=sum(one.true_blocks for one in every),
        objected=tuple(block for one in every for block in one.objected),
    )


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """The 95 % score interval of a rate (Wilson 1927, JASA 22:209); (0, 1) without trials."""
    if not trials:
        return 0.0, 1.0
    rate, square = hits / trials, Z_95 * Z_95
    centre = (rate + square / (2 * trials)) / (1 + square / trials)
    half = Z_95 / (1 + square / trials) * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)
