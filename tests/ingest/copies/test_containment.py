"""What stands within something longer, and what only looks so."""

from __future__ import annotations

import random

import pytest

from lexforge.ingest.copies.containment import BLOCK, CONTAINED, inside
from lexforge.ingest.copies.minhash import runs_of
from tests.ingest.copies.truth_set import edited, prose

RNG = random.Random(11)  # noqa: S311
MAIL = prose(RNG, 200)
OTHER = prose(RNG, 200)
REPLY = prose(RNG, 60)
NOTE = prose(RNG, 24)
DISCLAIMER = prose(RNG, 120)

PAIRS = [
    ([MAIL, REPLY + MAIL], [(0, 1)], "a mail quoted whole in the answer"),
    ([REPLY + MAIL, MAIL], [(1, 0)], "whatever the order"),
    ([MAIL, REPLY + edited(RNG, MAIL, 0.02)], [(0, 1)], "quoted with a few words changed"),
    ([NOTE, OTHER + NOTE + MAIL], [(0, 1)], "a short note within a long mail"),
    ([MAIL, OTHER], [], "strangers"),
    ([MAIL[:12], MAIL], [], "a line of 12 words stands anywhere"),
    ([MAIL, MAIL], [(1, 0)], "of two alike the first counts as the longer"),
    ([MAIL[:150] + OTHER[:10], REPLY + MAIL], [(0, 1)], "nearly all of it"),
]


@pytest.mark.parametrize(("documents", "expected", "why"), PAIRS, ids=[why for *_, why in PAIRS])
def test_contained(documents: list[list[str]], expected: list[tuple[int, int]], why: str) -> None:
    found = inside(runs_of(documents), list(range(len(documents))))
    assert [(one.inner, one.outer) for one in found if one.share >= CONTAINED] == expected, why


def test_a_shared_block_is_less_than_contained() -> None:
    (found,) = inside(runs_of([MAIL[:80] + REPLY, OTHER + MAIL[:80]]), [0, 1])
    assert (found.inner, found.outer) == (0, 1)
    assert BLOCK <= found.share < CONTAINED


def test_the_share_is_that_of_the_runs() -> None:
    (found,) = inside(runs_of([MAIL[:104] + REPLY[:50], MAIL + OTHER]), [0, 1])
    assert found.share == pytest.approx(100 / 150)


def test_a_disclaimer_is_not_a_shared_block() -> None:
    """Two thirds of every mail is the firm's disclaimer: as a plain share, each would be within each."""
    mails = [[*prose(RNG, 60), *DISCLAIMER] for _ in range(200)]
    assert inside(runs_of(mails), list(range(200))) == []


def test_a_mail_is_found_under_a_disclaimer() -> None:
    mails = [[*prose(RNG, 60), *DISCLAIMER] for _ in range(200)]
    answer = [*REPLY, *mails[7][:60], *DISCLAIMER]
    found = inside(runs_of([*mails, answer]), list(range(201)))
    assert [(one.inner, one.outer) for one in found] == [(7, 200)]
    assert found[0].share > 0.95


def test_a_long_thread_is_found_although_its_runs_are_many() -> None:
    """The first mail stands in each of forty later ones; what is quoted often does not stop being found."""
    thread = [prose(RNG, 80)]
    for _ in range(40):
        thread.append([*prose(RNG, 40), *thread[-1]])
    found = inside(runs_of(thread), list(range(41)))
    best = {one.inner: one.share for one in reversed(found)}
    assert set(best) == set(range(40))
    assert min(best.values()) > 0.95
    assert (0, 40) in {(one.inner, one.outer) for one in found}, "the last mail of a thread holds all of it"


def test_a_blank_form_among_a_thousand_filled_ones() -> None:
    form = prose(RNG, 200)
    filled = [[*form, *prose(RNG, 30)] for _ in range(1000)]
    found = inside(runs_of([form, *filled]), list(range(1001)))
    assert {one.inner for one in found if one.share >= CONTAINED} == {0}


def test_only_the_chosen_are_looked_at() -> None:
    runs = runs_of([MAIL, REPLY + MAIL, OTHER])
    assert inside(runs, [0, 2]) == []
    assert inside(runs, []) == []
    assert inside(runs_of([]), []) == []


def test_work_is_done_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [MAIL[n : n + 60] for n in range(0, 100, 10)] + [REPLY + MAIL, OTHER + MAIL]
    whole = inside(runs_of(documents), list(range(12)))
    monkeypatch.setattr("lexforge.ingest.copies.containment._PAIRS_A_BLOCK", 3)
    assert inside(runs_of(documents), list(range(12))) == whole
