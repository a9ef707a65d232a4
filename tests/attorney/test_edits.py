"""Which paragraph is which block, decided on documents already read."""

from __future__ import annotations

import pytest

from lexforge.attorney.edits import align, edited_spans, edited_text, same_words
from lexforge.domain.corrections import EditedBlock, EditedDocument, Operation
from lexforge.domain.draft import BlockKind
from lexforge.errors import DocumentError
from tests.attorney.invented_paper import draft_of

DRAFT = draft_of(
    [
        ("a", BlockKind.HEADING, "Facts"),
        ("b", BlockKind.PARAGRAPH, "The crate was blue."),
        ("c", BlockKind.PARAGRAPH, "The “lid” was red, says Wren’s note."),
        ("d", BlockKind.TEXT, "Nothing was lost."),
    ]
)
A, B, C, D = (block.text for block in DRAFT.blocks)
KEEP, REPLACE, INSERT, DELETE = (
    Operation.ACCEPT_UNCHANGED,
    Operation.REPLACE,
    Operation.INSERT,
    Operation.DELETE,
)
Row = tuple[str, list[tuple[str, str | None]], list[tuple[str, Operation, str | None]]]

ROWS: list[Row] = [
    (
        "untouched",
        [(A, "a"), (B, "b"), (C, "c"), (D, "d")],
        [("a", KEEP, A), ("b", KEEP, B), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "one word: the bookmark says which block, the text is exact",
        [(A, "a"), ("The  crate was green.", "b"), (C, "c"), (D, "d")],
        [("a", KEEP, A), ("b", REPLACE, "The  crate was green."), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "autocorrect changed quotes, dashes and spaces only",
        [(A, "a"), ("The crate\u00a0was  blue. ", "b"), ('The "lid" was red, says Wren\'s note.', "c"), (D, "d")],
        [
            ("a", KEEP, A),
            ("b", KEEP, "The crate\u00a0was  blue. "),
            ("c", KEEP, 'The "lid" was red, says Wren\'s note.'),
            ("d", KEEP, D),
        ],
    ),
    (
        "a number typed by hand is not an edit",
        [(A, "a"), ("1. The crate was blue.", "b"), ("2.\tThe crate was red.", "c"), (D, "d")],
        [("a", KEEP, A), ("b", KEEP, B), ("c", REPLACE, "The crate was red."), ("d", KEEP, D)],
    ),
    (
        "a number typed before unnumbered text is an edit",
        [(A, "a"), (B, "b"), (C, "c"), ("3. Nothing was lost.", "d")],
        [("a", KEEP, A), ("b", KEEP, B), ("c", KEEP, C), ("d", REPLACE, "3. Nothing was lost.")],
    ),
    (
        "a missing block was deleted, and stands where it was",
        [(A, "a"), (C, "c"), (D, "d")],
        [("a", KEEP, A), ("b", DELETE, None), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "the first ones deleted",
        [(C, "c"), (D, "d")],
        [("a", DELETE, None), ("b", DELETE, None), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "an emptied paragraph was deleted",
        [(A, "a"), ("  ", "b"), (C, "c"), (D, "d")],
        [("a", KEEP, A), ("b", DELETE, None), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "new paragraphs get ids of their own behind the block before them",
        [("Top.", None), (A, "a"), (B, "b"), ("One.", None), ("Two.", None), (C, "c"), (D, "d"), ("End.", None)],
        [
            ("top+1", INSERT, "Top."),
            ("a", KEEP, A),
            ("b", KEEP, B),
            ("b+1", INSERT, "One."),
            ("b+2", INSERT, "Two."),
            ("c", KEEP, C),
            ("d", KEEP, D),
            ("d+1", INSERT, "End."),
        ],
    ),
    (
        "all bookmarks lost: found by exact words",
        [(A, None), (B, None), (C, None), (D, None)],
        [("a", KEEP, A), ("b", KEEP, B), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "moved with its bookmark left behind",
        [(A, "a"), ("", "b"), (C, "c"), (B, None), (D, "d")],
        [("a", KEEP, A), ("c", KEEP, C), ("b", KEEP, B), ("d", KEEP, D)],
    ),
    (
        "rewritten without bookmark: never guessed",
        [(A, "a"), ("The crate was bluish.", None), (C, "c"), (D, "d")],
        [
            ("a", KEEP, A),
            ("b", DELETE, None),
            ("a+1", INSERT, "The crate was bluish."),
            ("c", KEEP, C),
            ("d", KEEP, D),
        ],
    ),
    (
        "split in two: one block, and a change of the paper",
        [(A, "a"), ("The crate", "b"), ("was blue.", "b"), (C, "c"), (D, "d")],
        [("a", KEEP, A), ("b", REPLACE, "The crate\nwas blue."), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "typed in front of a block, inside its bookmark: the block is still whole",
        [(A, "a"), ("First.", "b"), (B, "b"), ("After.", "b"), (C, "c"), (D, "d")],
        [
            ("a", KEEP, A),
            ("a+1", INSERT, "First."),
            ("b", KEEP, B),
            ("b+1", INSERT, "After."),
            ("c", KEEP, C),
            ("d", KEEP, D),
        ],
    ),
    (
        "caption and title are not blocks; a second paragraph in the title's bookmark is new text",
        [
            ("Case No. 9", "fixed_1"),
            ("TITLE", "fixed_2"),
            ("Typed.", "fixed_2"),
            *((t, i) for t, i in zip((A, B, C, D), "abcd", strict=True)),
        ],
        [("top+1", INSERT, "Typed."), ("a", KEEP, A), ("b", KEEP, B), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    (
        "a bookmark of no block of this draft (LibreOffice numbers copies) is no bookmark",
        [(A, "a"), (B, "b"), ("Copied.", "b Copy 1"), (C, "c"), (D, "d")],
        [("a", KEEP, A), ("b", KEEP, B), ("b+1", INSERT, "Copied."), ("c", KEEP, C), ("d", KEEP, D)],
    ),
    ("everything deleted", [], [(i, DELETE, None) for i in "abcd"]),
]


@pytest.mark.parametrize(("why", "paragraphs", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_align(
    why: str, paragraphs: list[tuple[str, str | None]], expected: list[tuple[str, Operation, str | None]]
) -> None:
    edited = EditedDocument(
        draft=DRAFT.id, blocks=tuple(EditedBlock(text=text, bookmark=mark) for text, mark in paragraphs)
    )
    changes = align(DRAFT, edited)
    assert [(c.block, c.operation, c.after) for c in changes] == expected, why
    texts = {block.id: block.text for block in DRAFT.blocks}
    assert [c.before for c in changes] == [texts.get(c.block) for c in changes]
    for change in changes:
        assert (change.follows or "top") == change.block.split("+")[0] or change.operation is not INSERT
    text = edited_text(changes)
    assert [text[start:end] for _, start, end in edited_spans(changes)] == [
        c.after for c in changes if c.after is not None
    ]


@pytest.mark.parametrize(
    ("why", "draft", "message"),
    [
        ("another draft's document must not be compared with this one", "0" * 16, "made from draft 0000"),
        ("the properties were wiped", None, "does not say"),
    ],
)
def test_documents_of_another_draft_are_refused(why: str, draft: str | None, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        align(DRAFT, EditedDocument(draft=draft, blocks=()))
    assert caught.value.advice, why


SAME: list[tuple[str, str, str, bool]] = [
    ("curly and straight", "“It’s”", '"It\'s"', True),
    ("dashes", "10\u201312 \u2014 x", "10-12 -- x", True),
    ("ellipsis", "a…", "a...", True),
    ("fixed space, line break, thin space", "§\u00a07\n8\u20099", "§ 7 8 9", True),
    ("soft hyphen and zero-width space", "de\u00adliver\u200by", "delivery", True),
    ("composed and decomposed", "caf\u00e9", "cafe\u0301", True),
    ("a digit", "HARLOW-000131", "HARLOW-000132", False),
    ("case matters", "harlow", "Harlow", False),
    ("a space inside a word matters", "note book", "notebook", False),
    ("a superscript is another number", "10²", "102", False),
    ("punctuation matters", "paid, once", "paid once", False),
]


@pytest.mark.parametrize(("why", "one", "other", "same"), SAME, ids=[row[0] for row in SAME])
def test_same_words(why: str, one: str, other: str, same: bool) -> None:
    assert same_words(one, other) is same, why
