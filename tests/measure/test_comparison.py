"""Paired tests with p values worked out by hand, and each side against itself first."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.measure.comparison import Comparison, Metric, PairedTest, compare
from lexforge.measure.sides import Side
from tests.measure.made import calls, run, sides


def compared(a: tuple[float, ...], b: tuple[float, ...]) -> Comparison:
    return compare(*sides(run(calls(*a)), run(calls(*b), 2)))


def decode(found: Comparison) -> PairedTest:
    return next(test for test in found.tests if test.metric is Metric.DECODE)


ONES = (1.0,) * 8
P_VALUES = [
    ((1.1, 1.2, 1.3, 1.4, 1.5, 1.6), 2 / 64, 2 / 64, True, "all six higher: both outermost of 64 orders"),
    ((0.9, 0.8, 0.7, 0.6, 0.5, 0.4), 2 / 64, 2 / 64, True, "all six lower"),
    ((0.99, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8), 18 / 256, 4 / 256, True, "the least of eight is lower"),
    ((1.1, 1.2, 1.3, 1.4, 1.5), None, None, False, "five can never be enough"),
    ((1.1, 1.2, 1.3, 1.4, 1.5, 1.0), None, None, False, "the sixth does not differ"),
]


@pytest.mark.parametrize(("b", "sign", "ranked", "exact", "reason"), P_VALUES, ids=[p[4] for p in P_VALUES])
def test_p_values(b: tuple[float, ...], sign: float | None, ranked: float | None, exact: bool, reason: str) -> None:
    test = decode(compared(ONES[: len(b)], b))
    for found, due in ((test.sign_p, sign), (test.wilcoxon_p, ranked)):
        assert found == (pytest.approx(due) if due is not None else None), reason
    assert test.wilcoxon_exact is exact


def test_ties_and_zeros_leave_the_signed_rank_test_approximate() -> None:
    tied = decode(compared(ONES[:7], (1.1, 1.1, 1.3, 1.4, 1.5, 1.6, 1.7)))
    zero = decode(compared(ONES[:7], (1.0, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7)))
    assert (tied.wilcoxon_exact, zero.wilcoxon_exact) == (False, False)
    assert (zero.pairs, zero.equal, zero.higher) == (7, 1, 6)
    assert zero.sign_p == pytest.approx(2 / 64)


def test_more_than_25_pairs_are_approximate() -> None:
    speeds = tuple(1 + n / 100 for n in range(1, 27))
    assert decode(compared((1.0,) * 26, speeds)).wilcoxon_exact is False
    assert decode(compared((1.0,) * 25, speeds[:25])).wilcoxon_exact is True


def test_the_values_of_a_pair() -> None:
    pair = compared((1.0,), (2.0,)).pairs[0]
    assert pair.values[Metric.PREFILL] == pytest.approx((2000, 4000))  # 100 tokens in 50 and in 25 ms
    assert pair.values[Metric.DECODE] == pytest.approx((1000, 2000))  # 40 tokens in 40 and in 20 ms
    assert pair.values[Metric.WAIT] == pytest.approx((100 / 41, 50 / 41))
    assert pair.same_questions


def test_the_warm_up_is_in_nothing() -> None:
    assert [pair.key[1:] for pair in compared((1, 1), (1, 1)).pairs] == [("draft", "s1"), ("draft", "s2")]


def test_other_questions_are_told() -> None:
    other = tuple(call.model_copy(update={"request": "9" * 64}) for call in calls(1))
    assert not compare(*sides(run(calls(1)), run(other, 2))).pairs[0].same_questions


def test_a_pair_with_too_few_tokens_decides_nothing() -> None:
    short = calls(*ONES[:6], completion_tokens=5)
    test = decode(compare(*sides(run(short), run(short, 2))))
    assert (test.pairs, test.too_few_tokens, test.median_ratio) == (0, 6, None)


SIX = (1.1, 1.2, 1.3, 1.4, 1.5, 1.6)
VERDICTS = [
    (SIX, "B is higher, but how far A and B would differ from itself is unknown", "one run a side"),
    (SIX[:5], "too few pairs: 5 differ, and below 6 no test can reach p < 0.05", "five pairs"),
    ((1.1, 0.91, 1.3, 0.7, 1.5, 0.6), "no difference shown", "three and three"),
    ((0.99, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8), "the two tests disagree", "0.07 and 0.016"),
]


@pytest.mark.parametrize(("b", "verdict", "reason"), VERDICTS, ids=[v[2] for v in VERDICTS])
def test_verdicts(b: tuple[float, ...], verdict: str, reason: str) -> None:
    found = compared(ONES[: len(b)], b)
    assert found.verdict(decode(found)) == verdict, reason


def test_a_difference_within_a_sides_own_spread_is_told_as_that() -> None:
    a = Side(letter="A", runs=(run(calls(*ONES[:6])), run(calls(*(2.0,) * 6), 2)))
    b = Side(letter="B", runs=(run(calls(*SIX), 3), run(calls(*SIX), 4)))
    found = compare(a, b)
    assert found.agreements[0].spread[Metric.DECODE] == pytest.approx(2)
    assert found.agreements[1].spread[Metric.DECODE] == pytest.approx(1)
    assert found.verdict(decode(found)) == "no larger than side A's runs differ among themselves (2.00 x)"


LOWER = (0.9, 0.89, 0.88, 0.87, 0.86, 0.85)
BEYOND = [
    (SIX, 1.01, "B is higher, by more than the sides' own spread"),
    (LOWER, 1.01, "B is lower, by more than the sides' own spread"),
    (LOWER, 1.5, "no larger than side A's runs differ among themselves (1.50 x)"),
]


@pytest.mark.parametrize(("speeds", "spread", "verdict"), BEYOND, ids=["higher", "lower", "lower within the spread"])
def test_a_difference_is_held_against_the_spread(speeds: tuple[float, ...], spread: float, verdict: str) -> None:
    a = Side(letter="A", runs=(run(calls(*ONES[:6])), run(calls(*(spread,) * 6), 2)))
    b = Side(letter="B", runs=(run(calls(*speeds), 3), run(calls(*speeds), 4)))
    found = compare(a, b)
    assert found.verdict(decode(found)) == verdict


def test_answers_of_a_side_that_was_asked_twice() -> None:
    first, again = calls(1, 1), calls(1, 1)
    again = (*again[:2], again[2].model_copy(update={"answer": "3" * 64}))
    a = Side(letter="A", runs=(run(first), run(again, 2)))
    side = compare(a, Side(letter="B", runs=(run(first, 3),))).agreements
    assert (side[0].runs, side[0].asked_twice, side[0].alike) == (2, 3, 2)
    assert (side[1].runs, side[1].asked_twice, side[1].spread) == (1, 0, {})


def test_two_seats_that_are_asked_the_same_are_not_one_side_twice() -> None:
    both = (*calls(1), *(c.model_copy(update={"seat": "reasoner", "fingerprint": "e" * 64}) for c in calls(1)))
    assert compare(*sides(run(both), run(both, 2))).agreements[0].asked_twice == 0


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(0.2, 5), st.floats(0.2, 5)), min_size=1, max_size=12))
def test_exchanging_the_sides_inverts_ratios_and_keeps_p(made: list[tuple[float, float]]) -> None:
    a, b = zip(*made, strict=True)
    for one, other in zip(compared(a, b).tests, compared(b, a).tests, strict=True):
        assert one.median_ratio is not None
        assert other.median_ratio is not None
        assert math.isclose(one.median_ratio * other.median_ratio, 1)
        assert (one.differing, one.higher) == (other.differing, other.differing - other.higher)
        for p, q in ((one.sign_p, other.sign_p), (one.wilcoxon_p, other.wilcoxon_p)):
            assert p == (pytest.approx(q) if q is not None else None)
