"""What the bench of planted errors counts of two shadows, each true where the other is false."""

from __future__ import annotations

import pytest

from bench.drafting.canaries import Row
from lexforge.domain.canaries import Canaries, CanaryKind, Planted


def measure(planted: dict[str, bool], true_blocks: int, *objected: str) -> Canaries:
    return Canaries(
        section="s1",
        seat="reasoner",
        planted=tuple(
            Planted(block=block, kind=CanaryKind.NEGATION, sha256="0" * 64, caught=caught)
            for block, caught in planted.items()
        ),
        true_blocks=true_blocks,
        objected=objected,
    )


@pytest.mark.parametrize(
    ("one", "other", "counts", "why"),
    [
        (measure({"f1": True}, 1), measure({"f2": True}, 1), (2, 0), "each only when false"),
        (measure({"f1": True}, 1, "f2"), measure({"f2": True}, 1, "f1"), (0, 0), "both always: that tells nothing"),
        (measure({"f1": False}, 1, "f2"), measure({"f2": False}, 1, "f1"), (0, 2), "each only when true"),
        (measure({"f1": True}, 1), measure({}, 0), (0, 0), "the other shadow was never asked about"),
    ],
)
def test_only_a_paragraph_that_was_seen_both_ways_tells_anything(
    one: Canaries, other: Canaries, counts: tuple[int, int], why: str
) -> None:
    row = Row("reasoner")
    row.add(one, other)
    assert (row.only_false, row.only_true) == counts, why
