"""Case names, courts, dates of sources and furniture: small tables."""

from __future__ import annotations

import pytest

from lexforge.domain.matter import DateOrder
from lexforge.gate.furniture import furniture_spans
from lexforge.gate.resolve.cited import comparable
from lexforge.gate.resolve.courts import court_key, is_court_of
from lexforge.gate.resolve.names import stands_at
from lexforge.gate.resolve.source_dates import dates_in

SAME = [
    ("abbreviated by T6", "Nat'l Ferry Ass'n v. Orrin", "National Ferry Association v. Orrin"),
    ("cut off with a full stop", "Tealwood Ins. Co. v. Orrin", "Tealwood Insurance Company v. Orrin"),
    ("business words carry no identity", "Tealwood v. Orrin, Inc.", "Tealwood Co. v. Orrin"),
    ("initials", "EPE v. Orrin", "Eastern Pilot Exchange v. Orrin"),
    ("spaced initials", "R. H. Orrin v. Nye", "R.H. Orrin v. Nye"),
    ("vs. and v.", "Nye vs. Orrin", "Nye v. Orrin"),
]
DIFFERENT = [
    ("parties turned round", "Orrin v. Nye", "Nye v. Orrin"),
    ("one party is another", "Nye v. Orrin", "Nye v. Quill"),
    ("a whole word is no abbreviation of a longer one", "Nye v. Orr", "Nye v. Orrin"),
    ("a first word of a longer name", "Nye v. State", "Nye v. State Farm"),
    ("one letter more", "Nye v. Orrins", "Nye v. Orrin"),
    ("only one party", "Nye", "Nye v. Orrin"),
]


@pytest.mark.parametrize(("why", "one", "other"), SAME, ids=[row[0] for row in SAME])
def test_these_are_one_name(why: str, one: str, other: str) -> None:
    there = comparable(other)
    assert stands_at(comparable(one), there, 0) == len(there)


@pytest.mark.parametrize(("why", "one", "other"), DIFFERENT, ids=[row[0] for row in DIFFERENT])
def test_these_are_two(why: str, one: str, other: str) -> None:
    there = comparable(other)
    assert stands_at(comparable(one), there, 0) != len(there)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("CA9", "9th Cir.", True),
        ("CADC", "D.C. Cir.", True),
        ("CA Fed.", "Fed. Cir.", True),
        ("S. D. N. Y.", "S.D.N.Y.", True),
        ("CA9", "6th Cir.", False),
        ("D. Mass.", "D. Me.", False),
    ],
)
def test_courts_compare_by_key(one: str, other: str, same: bool) -> None:
    assert (court_key(one) == court_key(other)) is same


@pytest.mark.parametrize(
    ("court", "head", "same"),
    [
        ("9th Cir.", "united states court of appeals for the ninth circuit", True),
        ("8th Cir.", "united states court of appeals for the ninth circuit", False),
        ("D.R.I.", "united states district court for the district of rhode island", True),
        ("S.D.N.Y.", "united states district court southern district of new york", True),
        ("N.D.N.Y.", "united states district court southern district of new york", False),
    ],
)
def test_an_opinion_shows_its_court(court: str, head: str, same: bool) -> None:
    assert is_court_of(court, head.split()) is same


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Argued Dec. 5, 6, 2033.", [(2033, 12, 5), (2033, 12, 6)]),
        ("from March 3-5, 2031", [(2031, 3, 3), (2031, 3, 4), (2031, 3, 5)]),
        ("June 1 and July 15, 2028", [(None, 6, 1), (2028, 6, 1), (2028, 7, 15)]),
        ("Monday, August 22, 203112:37 PM", [(2031, 8, 22)]),
        ("the 3rd day of March, 2031", [(2031, 3, 3)]),
        ("9/20/31 and 2031-04-03", [(2031, 9, 20), (2031, 4, 3)]),
        ("On June 17,\n  2031.313 The", [(2031, 6, 17)]),
        ("in February of 2028", [(2028, 2, None)]),
        ("between June and September 2028", [(2028, 6, None), (2028, 9, None)]),
        ("You may 5 times", [(None, 5, 5)]),
        ("a ratio of 3/4 to 5", []),
    ],
)
def test_dates_of_sources(text: str, days: list[tuple[int | None, int | None, int | None]]) -> None:
    found = [(d.value.year, d.value.month, d.value.day) for d in dates_in(text, DateOrder.MONTH_FIRST)]
    assert found == days


def test_furniture_is_what_returns_and_page_numbers() -> None:
    pages = [
        f"Case 1:31-cv-9 Document 4 Page {n}\n\nWords of page {n} that differ: {'x' * n}.\n\n- {n} -\n" for n in (1, 2)
    ]
    shown = [
        [page[start:end].strip() for start, end in spans]
        for page, spans in zip(pages, furniture_spans(pages), strict=True)
    ]
    assert shown[0] == ["Case 1:31-cv-9 Document 4 Page 1", "- 1 -"]
