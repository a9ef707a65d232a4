"""Bates numbers are decided by the surest sign, need a sequence where the sign is weak, and are never guessed."""

from __future__ import annotations

import pytest

from lexforge.domain.evidence import StampOrigin
from lexforge.ingest.bates import Document, number_all
from lexforge.ingest.reading import Candidate, PageReading

MARGIN, OCR, ARTIFACT, NOTE = StampOrigin.MARGIN, StampOrigin.OCR, StampOrigin.ARTIFACT, StampOrigin.ANNOTATION


def drawn(*pages: list[tuple[StampOrigin, str]], name: str = "scan", text: str = "Body text.") -> Document:
    """A PDF whose pages show these candidates."""
    found = (tuple(Candidate(origin=origin, text=shown) for origin, shown in page) for page in pages)
    return Document(name, [PageReading(text=text, candidates=candidates) for candidates in found], drawn=True)


def plain(*texts: str, name: str = "letter") -> Document:
    return Document(name, [PageReading(text=text) for text in texts])


def numbers(*documents: Document) -> list[list[str]]:
    return [[" ".join(found) for found, _ in pages] for pages in number_all(documents)]


def rising(origin: StampOrigin, count: int, first: int = 101, width: int = 6) -> list[list[tuple[StampOrigin, str]]]:
    return [[(origin, f"ACME-{first + n:0{width}}")] for n in range(count)]


CASES = [
    ("margin, one more on each page", [drawn(*rising(MARGIN, 3))], [["ACME-000101", "ACME-000102", "ACME-000103"]]),
    ("two pages that both rise", [drawn(*rising(MARGIN, 2))], [["ACME-000101", "ACME-000102"]]),
    ("one page alone proves no margin", [drawn(*rising(MARGIN, 1))], [[""]]),
    (
        "letters of one page each bear each other out",
        [drawn(*rising(MARGIN, 1)), drawn(*rising(MARGIN, 1, 140))],
        [["ACME-000101"], ["ACME-000140"]],
    ),
    ("a form number stands on all alike", [drawn(*rising(MARGIN, 1)), drawn(*rising(MARGIN, 1))], [[""], [""]]),
    (
        "a docket number in a running head stays the same",
        [drawn(*[[(MARGIN, "CV-0012345")] for _ in range(4)])],
        [["", "", "", ""]],
    ),
    (
        "one page that OCR misread is left without a number, not guessed",
        [drawn(*rising(OCR, 3), [(OCR, "ACME-06001321")], *rising(OCR, 1, 105))],
        [["ACME-000101", "ACME-000102", "ACME-000103", "", "ACME-000105"]],
    ),
    ("OCR of single pages proves nothing", [drawn(*rising(OCR, 1)), drawn(*rising(OCR, 1, 140))], [[""], [""]]),
    (
        "not even under a prefix that the margins have established",
        [drawn(*rising(MARGIN, 3)), drawn([(OCR, "ACME-000140")])],
        [["ACME-000101", "ACME-000102", "ACME-000103"], [""]],
    ),
    (
        "a digit that OCR misread is out of sequence",
        [drawn(*rising(OCR, 3), [(OCR, "ACME-000184")], *rising(OCR, 1, 105))],
        [["ACME-000101", "ACME-000102", "ACME-000103", "", "ACME-000105"]],
    ),
    ("an artifact needs no company", [drawn([(ARTIFACT, "ACME 0000007")])], [["ACME 0000007"]]),
    ("an annotation needs none either", [drawn([(NOTE, "ACME 0000007")])], [["ACME 0000007"]]),
    (
        "the artifact overrules an older stamp in the margin",
        [drawn(*[[(MARGIN, f"OLD-00{n:04}"), (ARTIFACT, f"NEW-00{n + 70:04}")] for n in range(1, 4)])],
        [["NEW-000071", "NEW-000072", "NEW-000073"]],
    ),
    (
        "a stamp with its letters apart and closed up is one number",
        [drawn(*[[(MARGIN, f"ACME-0001{n}"), (MARGIN, f"ACME -0001{n}")] for n in range(11, 14)])],
        [["ACME-000111", "ACME-000112", "ACME-000113"]],
    ),
    (
        "reproduced documents bear both series",
        [drawn(*[[(MARGIN, f"OLD-00{n:04}"), (MARGIN, f"NEW-00{n + 70:04}")] for n in range(1, 4)])],
        [["OLD-000001 NEW-000071", "OLD-000002 NEW-000072", "OLD-000003 NEW-000073"]],
    ),
    (
        "text without margins",
        [plain("Words.\n\nACME-000101"), plain("ACME-000102")],
        [["ACME-000101"], ["ACME-000102"]],
    ),
    ("body text of a PDF is no stamp", [drawn([], text="See NY 10007\nRTX 30600")], [[""]]),
    (
        "a stamp over the text of a PDF, under a prefix that is known",
        [drawn(*rising(MARGIN, 3)), drawn([], text="Words.\nACME-000150\nWords.")],
        [["ACME-000101", "ACME-000102", "ACME-000103"], ["ACME-000150"]],
    ),
    (
        "a file named by its range",
        [drawn([], [], [], name="ACME-000201 - ACME-000203")],
        [["ACME-000201", "ACME-000202", "ACME-000203"]],
    ),
    ("a range that has not as many numbers as pages", [drawn([], [], name="ACME-000201-ACME-000203")], [["", ""]]),
    ("a file named by a date", [drawn([], name="Minutes 2019-03-04")], [[""]]),
]


@pytest.mark.parametrize(("why", "documents", "expected"), CASES, ids=[why for why, *_ in CASES])
def test_numbers(why: str, documents: list[Document], expected: list[list[str]]) -> None:
    assert numbers(*documents) == expected


def test_a_load_file_overrules_everything_on_the_page() -> None:
    listed = drawn(*rising(MARGIN, 3))
    listed = Document(listed.name, listed.pages, drawn=True, produced={0: ("PROD-000001",)})
    found = number_all([listed])[0]
    assert found[0] == (("PROD-000001",), StampOrigin.LOAD_FILE)
    assert found[1] == (("ACME-000102",), MARGIN)


def test_one_more_document_takes_no_number_from_another() -> None:
    first = drawn(*rising(MARGIN, 3))
    assert numbers(first, plain("Unrelated words."))[0] == numbers(first)[0]
