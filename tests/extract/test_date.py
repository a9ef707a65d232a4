"""Dates: what is stated, and nothing else."""

import pytest

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import DateValue
from lexforge.extract import date
from lexforge.extract.bates import BatesRegistry
from lexforge.extract.mentions import find_mentions

US = DateOrder.MONTH_FIRST


def dates(text: str, order: DateOrder = US) -> list[tuple[str, DateValue]]:
    found = date.find(text, order)
    assert all(text[m.start : m.end] == m.text for m in found)
    return [(m.text, m.value) for m in found if isinstance(m.value, DateValue)]


def day(year: int | None, month: int, number: int, weekday: int | None = None) -> DateValue:
    return DateValue(year=year, month=month, day=number, weekday=weekday)


ONE = [
    ("plain", "signed March 3, 2021, and", "March 3, 2021", day(2021, 3, 3)),
    ("abbreviated", "DATED: Sept. 9, 2019", "Sept. 9, 2019", day(2019, 9, 9)),
    ("weekday is captured", "on Wednesday, March 3, 2021", "Wednesday, March 3, 2021", day(2021, 3, 3, 2)),
    ("RFC 5322", "Wed, 03 Mar 2021 16:15", "Wed, 03 Mar 2021", day(2021, 3, 3, 2)),
    ("day first", "On 3 March 2021 the", "3 March 2021", day(2021, 3, 3)),
    ("day of", "this 14th day of June 2022.", "14th day of June 2022", day(2022, 6, 14)),
    ("written out", "the third of March, 2021, he", "third of March, 2021", day(2021, 3, 3)),
    (
        "written out with the year",
        "the twenty-first day of May, two thousand nineteen",
        "twenty-first day of May, two thousand nineteen",
        day(2019, 5, 21),
    ),
    ("written out without a year", "on the third of March he", "third of March", day(None, 3, 3)),
    ("missing year stays missing", "On August 5th, she", "August 5th", day(None, 8, 5)),
    ("apostrophe year", "(Mar. 3, '21)", "Mar. 3, '21", day(2021, 3, 3)),
    ("line break", "March\n3,\n2021", "March\n3,\n2021", day(2021, 3, 3)),
    (
        "OCR glued the time to the year",
        "Sent: Monday, August 22, 201112:37 PM",
        "Monday, August 22, 2011",
        day(2011, 8, 22, 0),
    ),
    ("ISO", "log 2021-03-03 14:22:10", "2021-03-03", day(2021, 3, 3)),
    ("impossible day is still a mention", "on February 29, 2021,", "February 29, 2021", day(2021, 2, 29)),
    ("month", "hired in March 2021.", "March 2021", DateValue(year=2021, month=3)),
    ("quarter", "fell in Q3 2020.", "Q3 2020", DateValue(year=2020, quarter=3)),
    ("quarter in words", "the second quarter of 2021", "second quarter of 2021", DateValue(year=2021, quarter=2)),
    ("fiscal year", "As of FY2019, it", "FY2019", DateValue(year=2019)),
    ("bare year behind a preposition", "since 2015.", "2015", DateValue(year=2015)),
]


@pytest.mark.parametrize("row", ONE, ids=[row[0] for row in ONE])
def test_one_date(row: tuple[str, str, str, DateValue]) -> None:
    _, text, span, value = row
    assert dates(text) == [(span, value)]


def test_numeric_order_follows_the_matter() -> None:
    assert dates("on 4/9/2021")[0][1] == day(2021, 4, 9)
    assert dates("on 4/9/2021", DateOrder.DAY_FIRST)[0][1] == day(2021, 9, 4)
    assert dates("on 25/12/2020")[0][1] == day(2020, 12, 25), "only one reading exists"
    assert not dates("on 13/13/2020")[0][1].is_possible


MANY = [
    ("range in a month", "lasted March 3-5, 2021.", [("March 3", day(2021, 3, 3)), ("5, 2021", day(2021, 3, 5))]),
    (
        "list in a month",
        "on March 3, 4, and 5, 2021",
        [("March 3", day(2021, 3, 3)), ("4", day(2021, 3, 4)), ("5, 2021", day(2021, 3, 5))],
    ),
    (
        "year is distributed",
        "Between June 1 and July 15, 2018, she",
        [("June 1", day(2018, 6, 1)), ("July 15, 2018", day(2018, 7, 15))],
    ),
    (
        "a range over new year begins a year before",
        "from December 30 through January 2, 2021",
        [("December 30", day(2020, 12, 30)), ("January 2, 2021", day(2021, 1, 2))],
    ),
    (
        "an unordered pair leaves the year open",
        "on November 3 and March 5, 2021",
        [("November 3", day(None, 11, 3)), ("March 5, 2021", day(2021, 3, 5))],
    ),
    (
        "months share a year",
        "between January and March 2020",
        [("January", DateValue(year=2020, month=1)), ("March 2020", DateValue(year=2020, month=3))],
    ),
    ("years", "in 2019 and 2020.", [("2019", DateValue(year=2019)), ("2020", DateValue(year=2020))]),
]


@pytest.mark.parametrize("row", MANY, ids=[row[0] for row in MANY])
def test_several_dates(row: tuple[str, str, list[tuple[str, DateValue]]]) -> None:
    _, text, want = row
    assert dates(text) == want


TRAPS = [
    ("year of a decision", "Quill v. Brindle, 91 F.4th 610, 615 (2d Cir. 2019)."),
    ("decision date of a WL cite", "Quill v. Brindle, 2025 WL 459, at *1 (W.D. Wash. Feb. 11, 2025)."),
    ("year of an Act", "the Lanterns Act of 1964 forbids it"),
    ("section", "42 U.S.C. § 1983 and Cal. Civ. Code § 2021"),
    ("docket", "Case No. 2:21-cv-01983-ABC, ECF No. 12-3 at 5"),
    ("Bates", "QUILL_0002019-0002021 are invoices"),
    ("telephone", "Call (212) 555-2019 or 1-800-555-1999"),
    ("verb and bare month", "She may march in May or in the fall."),
    ("model and money", "The RTX 2080 sold for $2,019.00."),
    ("address", "He is 45 and lives at 1999 Broadway, Suite 2020."),
    ("testimony", "Quill Dep. 27:1-3; Tr. 45:12-46:3."),
    ("ordinals without a month", "The second and third causes of action fail."),
    ("rule", "Fed. R. Civ. P. 12(b)(6) and Rule 9(b)"),
]


@pytest.mark.parametrize(("reason", "text"), TRAPS, ids=[row[0] for row in TRAPS])
def test_no_date(reason: str, text: str) -> None:
    found = find_mentions(text, BatesRegistry(), US)
    assert [m.text for m in found if m.kind.value == "date"] == [], reason
