"""Spans answer as a plain loop over them would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lexforge.gate.spans import Spans

SPAN = st.tuples(st.integers(0, 40), st.integers(1, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(SPAN, max_size=12), SPAN)
def test_touch_is_overlap_with_any(spans: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    start, end = asked
    assert Spans(spans).touch(start, end) is any(s < end and start < e for s, e in spans)


@given(st.lists(SPAN, max_size=12), SPAN)
def test_holding_finds_a_span_that_holds_all_of_it(spans: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    start, end = asked
    found = Spans(spans).holding(start, end)
    holders = [span for span in spans if span[0] <= start and end <= span[1]]
    assert (found is None) is not bool(holders)
    assert found is None or sorted(spans)[found] in holders
