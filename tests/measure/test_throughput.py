"""Rows of a run, with figures worked out by hand."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexforge.domain.run import Call
from lexforge.measure.throughput import Kind, Row, rows
from lexforge.measure.together import at_once, busy_ms
from tests.measure.made import call

# Reads from 2400 to 3400 and from 3000 to 4000 ms, writes from 3400 to 5000 and from 4000 to 5400 ms.
TOGETHER = (
    call(0, step="plan", section="", wall_ms=1000, completion_tokens=3),
    call(2000, wall_ms=3000, prompt_tokens=200, prompt_ms=1000, completion_tokens=41, completion_ms=1600),
    call(
        2000,
        wall_ms=3400,
        prompt_tokens=100,
        cached_tokens=300,
        prompt_ms=1000,
        completion_tokens=21,
        completion_ms=1400,
        drafted=8,
        accepted=6,
        truncated=True,
    ),
)


def section(calls: tuple[Call, ...]) -> Row:
    return next(row for row in rows(calls) if row.kind is Kind.SECTION)


FIGURES = [
    ("calls", 2, "the warm-up is not in it"),
    ("at_once", 2, "both waited from 2000 to 5000"),
    ("prompt_tokens", 300, "what was cached was not read"),
    ("cached_share", 0.5, "300 of 600"),
    ("prefill", 150.0, "300 tokens in 2 s of slots"),
    ("prefill_in_sum", 187.5, "300 tokens in the 1.6 s from 2400 to 4000"),
    ("decode", 20.0, "40 + 20 tokens in 3 s of slots: the first of each answer came out of prefill"),
    ("decode_in_sum", 30.0, "60 tokens in the 2 s from 3400 to 5400"),
    ("queue_ms", 1400.0, "400 and 1000"),
    ("truncations", 1, "the second"),
    ("accepted_share", 0.75, "6 of 8"),
]


@pytest.mark.parametrize(("field", "value", "reason"), FIGURES, ids=[f[0] for f in FIGURES])
def test_figures_of_two_slots_that_run_together(field: str, value: float, reason: str) -> None:
    assert getattr(section(TOGETHER), field) == pytest.approx(value), reason


def test_the_warm_up_stands_apart() -> None:
    found = rows(TOGETHER)
    assert [(row.kind, row.step, row.section, row.calls) for row in found] == [
        (Kind.WARM_UP, "plan", "", 1),
        (Kind.SECTION, "draft", "s1", 2),
        (Kind.SEAT, "", "", 2),
    ]


def test_each_seat_has_a_warm_up_and_a_sum_of_its_own() -> None:
    of_seat = [call(at, seat=seat) for at, seat in ((0, "reasoner"), (1, "workhorse"), (2, "reasoner"))]
    assert [(row.seat, row.kind) for row in rows(of_seat)] == [
        ("reasoner", Kind.WARM_UP),
        ("reasoner", Kind.SECTION),
        ("reasoner", Kind.SEAT),
        ("workhorse", Kind.WARM_UP),
    ]


RATES = [
    ({"prompt_tokens": 63}, "prefill", None, "a step of few tokens costs as much as one of many"),
    ({"prompt_tokens": 64}, "prefill", 1280.0, "64 in 50 ms"),
    ({"prompt_ms": 0.0}, "prefill", None, "nothing was timed"),
    ({"completion_tokens": 32}, "decode", None, "31 were timed"),
    ({"completion_tokens": 33}, "decode", 800.0, "32 in 40 ms"),
    ({"completion_tokens": 0}, "decode", None, "no token at all"),
    ({"prompt_tokens": 0, "cached_tokens": 0}, "cached_share", None, "no prompt at all"),
    ({}, "decode_in_sum", None, "nothing ran together"),
    ({}, "accepted_share", None, "nothing was drafted ahead"),
]


@pytest.mark.parametrize(("figures", "field", "value", "reason"), RATES, ids=[r[3] for r in RATES])
def test_no_rate_without_enough_tokens(figures: dict[str, float], field: str, value: float | None, reason: str) -> None:
    row = section((call(0), call(1000, **figures)))
    assert getattr(row, field) == (pytest.approx(value) if value is not None else None), reason


def test_many_short_prompts_do_not_make_a_prefill_rate() -> None:
    assert section(tuple(call(1000 * n, prompt_tokens=10) for n in range(20))).prefill is None


SPANS = [
    ([], 0, 0.0, "nothing"),
    ([(0, 10)], 1, 10.0, "one"),
    ([(0, 10), (10, 20)], 1, 20.0, "they only touch"),
    ([(0, 10), (5, 20)], 2, 20.0, "they overlap"),
    ([(0, 30), (5, 10), (8, 20)], 3, 30.0, "two within one"),
    ([(0, 10), (20, 30)], 1, 20.0, "a pause is not counted"),
    ([(5, 5)], 1, 0.0, "no time at all"),
]


@pytest.mark.parametrize(("spans", "most", "busy", "reason"), SPANS, ids=[s[3] for s in SPANS])
def test_spans(spans: list[tuple[float, float]], most: int, busy: float, reason: str) -> None:
    assert (at_once(spans), busy_ms(spans)) == (most, busy), reason


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.sampled_from(["s1", "s2"]), st.integers(0, 500))),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_calls_changes_nothing(made: list[tuple[int, str, str, int]], shuffler: random.Random) -> None:
    of_run = [call(at, seat=seat, section=name, prompt_tokens=read) for at, seat, name, read in made]
    shuffled = list(of_run)
    shuffler.shuffle(shuffled)
    assert rows(shuffled) == rows(of_run)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 20))))
def test_spans_are_never_busier_than_their_sum(made: list[tuple[int, int]]) -> None:
    spans = [(float(at), float(at + length)) for at, length in made]
    total = sum(end - start for start, end in spans)
    assert busy_ms(spans) <= total <= busy_ms(spans) * max(1, at_once(spans))
