"""Transcripts get places such as 34:12; what only looks like one is left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lexforge.ingest.reading import PageReading
from lexforge.ingest.transcript import PROPRIETARY, pages


def said(page: int, line: int) -> str:
    return f"{'QA'[line % 2]}.   Sack {page}-{line} was wet."


def left(page: int, lines: int = 25) -> str:
    return "\n".join(f"{line:>8}     {said(page, line)}" for line in range(1, lines + 1))


def top(page: int) -> str:
    return f"{page:>60}\n\n{left(page)}\n"


def bottom(page: int) -> str:
    return f"{left(page)}\n\n{'Orchard Reporting':<50}Page {page}"


def heading(page: int) -> str:
    return f"Page {page}\n{left(page)}"


def double_spaced(page: int) -> str:
    return f"{page}\n" + left(page).replace("\n", "\n\n")


def stamped(page: int) -> str:
    return "\n".join(f"{page:03}:{line:02} {said(page, line)}" for line in range(1, 26))


def timed(page: int) -> str:
    return f"{page:>60}\n" + "\n".join(f"{line:>2}   {said(page, line)}     10:{line:02}:15" for line in range(1, 26))


def timed_left(page: int) -> str:
    return f"{page:>60}\n" + "\n".join(f"10:{line:02}:15  {line:>2}   {said(page, line)}" for line in range(1, 26))


def empty_last_line(page: int) -> str:
    return f"{left(page, 24)}\n{25:>8}\n\n{page:>60}"


FORMS: list[tuple[str, Callable[[int], str]]] = [
    ("the number at the top right", top),
    ("the number behind the reporter's name, below", bottom),
    ("a heading", heading),
    ("double spacing", double_spaced),
    ("page and line before each line", stamped),
    ("a time behind each line", timed),
    ("a time before each line", timed_left),
    ("an empty last line", empty_last_line),
]


def named(reading: PageReading) -> dict[str, str]:
    return {place.name: reading.text[place.start : place.end] for place in reading.places}


@pytest.mark.parametrize(("why", "form"), FORMS, ids=[row[0] for row in FORMS])
@pytest.mark.parametrize("together", [False, True], ids=["page by page", "one run of lines"])
def test_a_transcript_page_by_page(why: str, form: Callable[[int], str], together: bool) -> None:
    numbers = range(22, 30)
    texts = [form(number) for number in numbers]
    found = pages(["\n".join(texts)] if together else texts)
    assert found is not None, why
    assert [page.label for page in found] == [str(number) for number in numbers]
    for number, page in zip(numbers, found, strict=True):
        assert list(named(page)) == [f"{number}:{line}" for line in range(1, 26)]
        assert said(number, 12) in named(page)[f"{number}:12"]
        assert said(number, 3) in page.text
        assert "\n\n" not in page.text[page.places[0].start : page.places[-1].end]


def test_the_numbers_are_out_of_the_words() -> None:
    found = pages([top(1), top(2)])
    assert found is not None
    assert "Sack 1-3 was wet.\nQ.   Sack 1-4 was" in found[0].text


COVER = "IN THE SUPERIOR COURT\n\nDEPOSITION OF PIA FENNICK\n\nMay 4, 2021"
INDEX = "WORD INDEX\n\nable  3:4 12:10\nbread  4:1\n  12:04 13:05\n  15:02 16:01\n  17:01 18:02\nflour  1:1"


def test_covers_and_indexes_stay_as_they_are() -> None:
    found = pages([COVER, top(2), top(3), INDEX])
    assert found is not None
    assert [page.label for page in found] == [None, "2", "3", None]
    assert (found[0].text, found[3].text) == (COVER, INDEX)
    assert not found[0].places
    assert not found[3].places


def test_an_index_behind_one_run_of_lines_has_no_places() -> None:
    found = pages(["\n".join([COVER, top(2), top(3), INDEX])])
    assert found is not None
    assert [page.label for page in found] == [None, "2", "3"]
    assert list(named(found[-1]))[-1] == "3:25"
    assert "able  3:4 12:10" in found[-1].text


def test_an_excerpt_keeps_its_own_numbers() -> None:
    found = pages([top(12), top(45), top(46), top(80)])
    assert found is not None
    assert [page.label for page in found] == ["12", "45", "46", "80"]


def test_a_lost_number_follows_from_its_neighbours() -> None:
    found = pages([top(12), left(13), top(14)])
    assert found is not None
    assert "13:7" in named(found[1])


def test_the_courts_own_header_is_no_page_number() -> None:
    header = "Case 1:21-cv-00123   Document 45-2   Filed 03/04/21   Page {} of 9"
    found = pages([f"{header.format(n)}\n{top(n + 30)}" for n in range(1, 5)])
    assert found is not None
    assert [page.label for page in found] == ["31", "32", "33", "34"]


def test_without_any_page_number_nothing_can_be_cited() -> None:
    found = pages([left(1), left(2), left(3)])
    assert found is not None
    assert not any(page.places for page in found)


def pleading(page: int) -> str:
    lines = [f"{line:>2}  The defendant breached clause {line} of the agreement." for line in range(1, 29)]
    return "\n".join([*lines, f"{page:>40}", "COMPLAINT"])


def quoting(page: int) -> str:
    lines = [f"{line:>2}  {said(page, line) if line < 4 else 'As she said.'}" for line in range(1, 29)]
    return "\n".join(lines)


def bill(page: int) -> str:
    return f"{page}\n" + "\n".join(f"{line:>2}  A section of the Act is repealed." for line in range(1, 26))


def condensed(page: int) -> str:
    lines = [f"{n:>2} Q. Was it wet?        {n:>2} A. It was so." for n in range(1, 26)]
    return "\n".join([f"Page {page}               Page {page + 1}", *lines])


def stacked(page: int) -> str:
    return f"Page {page}\n{left(page)}\nPage {page + 1}\n{left(page + 1)}"


NONE: list[tuple[str, list[str]]] = [
    ("no pages", []),
    ("prose", ["She said so.", "He did not."]),
    ("a list of ten", ["\n".join(f"{n}. Q. What?" for n in range(1, 11))] * 3),
    ("a court paper on numbered lines", [pleading(n) for n in range(1, 9)]),
    ("a brief that quotes some answers", [quoting(n) for n in range(1, 9)]),
    ("a bill, whose lines are numbered to 25", [bill(n) for n in range(1, 9)]),
    ("two pages side by side", [condensed(n) for n in range(1, 9, 2)]),
    ("two pages on one sheet", [stacked(n) for n in range(1, 9, 2)]),
    ("one page only", [top(1)]),
    ("a very long line", [" " * 500_000 + "x\n" + "1 " * 200_000]),
]


@pytest.mark.parametrize(("why", "texts"), NONE, ids=[row[0] for row in NONE])
def test_no_transcript(why: str, texts: list[str]) -> None:
    assert pages(texts) is None, why


def test_a_transcript_on_pleading_paper_is_one() -> None:
    found = pages([f"{n}\n{left(n, 28)}" for n in range(5, 9)])
    assert found is not None
    assert "6:28" in named(found[1])


@pytest.mark.parametrize("ending", [".ptx", ".ptf", ".pcf"])
def test_proprietary_formats_have_a_remedy(ending: str) -> None:
    assert "ASCII" in PROPRIETARY[ending][1]
