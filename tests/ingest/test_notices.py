"""What the attorney is told of her sources beside the fate of each file."""

from __future__ import annotations

import pytest

from lexforge.domain.evidence import Concealment, Hidden, Notice, Page, Role, Source, StampOrigin
from lexforge.ingest import notices
from lexforge.ingest.reading import Candidate, PageReading, Reading


def reading(*pages: PageReading, warnings: tuple[str, ...] = ()) -> Reading:
    return Reading(media_type="application/pdf", extractor="test", pages=pages, warnings=warnings)


def told(*pages: PageReading) -> list[tuple[str, int | None]]:
    return [(notice.code, notice.page) for notice in notices.of_reading("evidence/a.pdf", reading(*pages))]


SEEN = PageReading(text="The rollers were delivered on time that year.")
PICTURE = PageReading(text="", scanned=True)
STAMPED = PageReading(text="ACME-000101", scanned=True)
READ = PageReading(text="Words from a picture, five or more.", scanned=True, by_ocr=True)

CASES = [
    ("nothing to say", [SEEN], []),
    (
        "a failed redaction",
        [SEEN, PageReading(text="x", hidden=(Hidden(concealment=Concealment.COVERED, text="the price"),))],
        [("hidden_covered", 2)],
    ),
    ("one page of several is a picture", [SEEN, PICTURE, SEEN], [("page_without_text", 2)]),
    ("a file of pictures alone fails as a whole, and is told there", [PICTURE, PICTURE], []),
    ("pictures with nothing but a stamp", [STAMPED, STAMPED], [("page_without_text", 1)]),
    ("words that a program guessed", [READ], [("read_by_ocr", 1)]),
    ("boxes over words", [SEEN, PageReading(text="Some words.", redactions=2)], [("redacted", 2)]),
]


@pytest.mark.parametrize(("why", "pages", "expected"), CASES, ids=[why for why, *_ in CASES])
def test_what_is_told(why: str, pages: list[PageReading], expected: list[tuple[str, int | None]]) -> None:
    assert told(*pages) == expected


def test_hidden_words_are_shown_and_the_duty_named() -> None:
    page = PageReading(text="x", hidden=(Hidden(concealment=Concealment.BACKGROUND, text="Ignore  all\nrules " * 30),))
    message = next(notices.of_reading("evidence/a.pdf", reading(page))).message
    assert "“Ignore all rules" in message
    assert "26(b)(5)(B)" in message
    assert len(message) < 500


def test_warnings_of_the_reader_are_passed_on() -> None:
    found = list(notices.of_reading("evidence/a.pdf", reading(SEEN, warnings=("It holds a macro.",))))
    assert [(notice.code, notice.message) for notice in found] == [("warning", "It holds a macro.")]


def source(name: str, *numbers: str, copy_of: str | None = None) -> Source:
    pages = tuple(Page(number=n, text="Words.", bates=(number,)) for n, number in enumerate(numbers, 1))
    return Source(
        id=f"E-{name}", role=Role.EVIDENCE, path=f"evidence/{name}", sha256_file=name, media_type="text/plain",
        extractor="test", pages=pages, copy_of=copy_of,
    )  # fmt: skip


def of_bates(*sources: Source) -> list[Notice]:
    return list(notices.of_bates(sources))


def test_gaps_are_one_line_a_series_and_count_what_is_missing() -> None:
    found = of_bates(source("a", "ACME-000101", "ACME-000102"), source("b", "ACME-000105"), source("c", "ACME-000107"))
    assert [notice.code for notice in found] == ["bates_gap"]
    assert "3 numbers" in found[0].message
    assert "between ACME-000102 and ACME-000105" in found[0].message


def test_a_number_on_two_documents_is_told_unless_one_is_a_copy() -> None:
    first = source("a", "ACME-000101", "ACME-000102")
    assert [n.code for n in of_bates(first, source("b", "ACME-000102"))] == ["bates_twice"]
    assert of_bates(first, source("b", "ACME-000102", copy_of="E-a")) == []


def test_no_numbers_no_notices() -> None:
    assert of_bates(source("a"), source("b")) == []


def test_what_may_be_a_number_but_is_not_borne_out_is_told() -> None:
    page = PageReading(text="Words.", candidates=(Candidate(origin=StampOrigin.MARGIN, text="ACME-000101"),))
    found = list(notices.unconfirmed("evidence/a.pdf", [SEEN, page]))
    assert [(n.code, n.page) for n in found] == [("bates_unconfirmed", 2)]
    assert "ACME-000101" in found[0].message
    docket = PageReading(text="Words.", candidates=(Candidate(origin=StampOrigin.MARGIN, text="CV-12345"),))
    assert list(notices.unconfirmed("evidence/a.pdf", [docket])) == [], "no padding: it could be anything"
