"""Record cites (Bluebook B17); all names invented."""

import pytest

from lexforge.domain.mentions import RecordCiteValue, RecordForm
from lexforge.extract import record_cite

ROWS = [
    ("docket entry", "Dkt. 45 at 3.", "Dkt. 45 at 3", RecordForm.DOCKET, "Dkt. 45", (), (3,), ()),
    ("attachment", "ECF No. 12-3 at 5;", "ECF No. 12-3 at 5", RecordForm.DOCKET, "ECF No. 12-3", (), (5,), ()),
    ("PageID", "Doc. 33, at PageID.410.", "Doc. 33, at PageID.410", RecordForm.DOCKET, "Doc. 33", (), (410,), ()),
    ("exhibit", "See Ex. A ¶ 4;", "Ex. A ¶ 4", RecordForm.EXHIBIT, "Ex. A", (4,), (), ()),
    ("declaration", "(Quill Decl. ¶ 12;", "Quill Decl. ¶ 12", RecordForm.DECLARATION, "Quill Decl.", (12,), (), ()),
    (
        "signal is no name",
        "See Quill Decl. ¶ 12;",
        "Quill Decl. ¶ 12",
        RecordForm.DECLARATION,
        "Quill Decl.",
        (12,),
        (),
        (),
    ),
    (
        "spelled out",
        "Declaration of Ann Quill ¶ 9.",
        "Declaration of Ann Quill ¶ 9",
        RecordForm.DECLARATION,
        "Declaration of Ann Quill",
        (9,),
        (),
        (),
    ),
    (
        "paragraph range ends a sentence",
        "Compl. ¶¶ 3, 5–7.",
        "Compl. ¶¶ 3, 5–7",
        RecordForm.COMPLAINT,
        "Compl.",
        (3, 5, 6, 7),
        (),
        (),
    ),
    (
        "abbreviated range",
        "Am. Compl. ¶¶ 141-43.",
        "Am. Compl. ¶¶ 141-43",
        RecordForm.COMPLAINT,
        "Am. Compl.",
        (141, 142, 143),
        (),
        (),
    ),
    (
        "page and lines",
        "Brindle Dep. 27:1-3;",
        "Brindle Dep. 27:1-3",
        RecordForm.DEPOSITION,
        "Brindle Dep.",
        (),
        (27,),
        (1, 3),
    ),
    (
        "across a page",
        "Dep. Tr. 45:12-46:3.",
        "Dep. Tr. 45:12-46:3",
        RecordForm.DEPOSITION,
        "Dep. Tr.",
        (),
        (45, 46),
        (12, 3),
    ),
    (
        "volume",
        "Trial Tr. vol. 3, 371.",
        "Trial Tr. vol. 3, 371",
        RecordForm.TRANSCRIPT,
        "Trial Tr. vol. 3",
        (),
        (371,),
        (),
    ),
    ("joint appendix", "J.A. 33;", "J.A. 33", RecordForm.APPENDIX, "J.A.", (), (33,), ()),
    ("record", "R. at 559;", "R. at 559", RecordForm.APPENDIX, "R.", (), (559,), ()),
    ("statement of facts", "Plaintiff's SUMF ¶ 41", "SUMF ¶ 41", RecordForm.COMPLAINT, "SUMF", (41,), (), ()),
    (
        "numbered statement",
        "the 56.1 Statement ¶ 9.",
        "56.1 Statement ¶ 9",
        RecordForm.COMPLAINT,
        "56.1 Statement",
        (9,),
        (),
        (),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_record_cite(
    row: tuple[str, str, str, RecordForm, str, tuple[int, ...], tuple[int, ...], tuple[int, ...]],
) -> None:
    _, text, span, form, document, paragraphs, pages, lines = row
    (mention,) = record_cite.find(text)
    assert text[mention.start : mention.end] == mention.text == span
    assert mention.value == RecordCiteValue(
        form=form, document=document, paragraphs=paragraphs, pages=pages, lines=lines
    )


def test_each_exhibit_of_a_list_is_its_own_mention() -> None:
    found = record_cite.find("See Exs. A, B and C.")
    assert [(m.text, m.value.document) for m in found if isinstance(m.value, RecordCiteValue)] == [
        ("Exs. A", "Ex. A"),
        ("B", "Ex. B"),
        ("C", "Ex. C"),
    ]


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("a reporter, not an appendix", "in 12 Md. App. 33"),
        ("a document number with letters", "Doc No. C05000001"),
        ("a committee report", "S. Rep., at 2"),
        ("a page at large", "See page 12 of the book."),
    ],
)
def test_no_record_cite(reason: str, text: str) -> None:
    assert record_cite.find(text) == (), reason


def test_a_backwards_range_keeps_its_ends() -> None:
    assert record_cite.numbers("15-12") == (15, 12)
