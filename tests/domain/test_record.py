"""Canonical form and hashes."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lexforge.domain.evidence import Passage
from lexforge.domain.mentions import DateValue
from lexforge.domain.record import sha256_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=6), st.randoms())
def test_key_order_never_changes_a_hash(value: dict[str, object], random: object) -> None:
    keys = list(value)
    random.shuffle(keys)  # type: ignore[attr-defined]
    assert sha256_of({key: value[key] for key in keys}) == sha256_of(value)


def test_records_are_frozen_and_closed() -> None:
    passage = Passage(id="E-1:p1:¶1", page=1, start=0, end=1, text="x")
    with pytest.raises(ValidationError):
        passage.page = 2  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Passage.model_validate({**passage.model_dump(), "colour": "red"})


@pytest.mark.parametrize(
    ("value", "possible", "interval", "reason"),
    [
        (DateValue(year=2021, month=2, day=29), False, None, "2021 is no leap year"),
        (DateValue(year=2024, month=2, day=29), True, (date(2024, 2, 29), date(2024, 2, 29)), "2024 is"),
        (DateValue(month=2, day=29), True, None, "a missing year stays missing"),
        (DateValue(year=2021, month=4), True, (date(2021, 4, 1), date(2021, 4, 30)), "a month is an interval"),
        (DateValue(year=2020, quarter=3), True, (date(2020, 7, 1), date(2020, 9, 30)), "so is a quarter"),
        (DateValue(year=2020), True, (date(2020, 1, 1), date(2020, 12, 31)), "and a year"),
        (DateValue(year=2021, month=13, day=1), False, None, "no such month"),
    ],
)
def test_dates(value: DateValue, possible: bool, interval: object, reason: str) -> None:
    assert (value.is_possible, value.interval) == (possible, interval)


@pytest.mark.parametrize(("weekday", "agrees"), [(1, True), (2, False), (None, True)])
def test_weekday_is_compared_with_the_calendar(weekday: int | None, agrees: bool) -> None:
    assert DateValue(year=2021, month=5, day=4, weekday=weekday).weekday_agrees is agrees


def test_a_changed_copy_has_a_hash_of_its_own() -> None:
    first = DateValue(year=2021, month=5, day=4)
    assert first.content_sha256 == DateValue(year=2021, month=5, day=4).content_sha256
    assert first.model_copy(update={"day": 5}).content_sha256 == DateValue(year=2021, month=5, day=5).content_sha256
