"""Edits as Word leaves them in the XML of our own document: written, edited, read, aligned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from lexforge.attorney.docx import write_docx
from lexforge.attorney.edits import align
from lexforge.domain.corrections import Operation
from lexforge.ingest.office.edited import read_docx
from tests.attorney.invented_paper import TEXTS, draft_of, finding_on, report_of
from tests.attorney.raw_word import BY, W, dele, held, ins, mark_changed, pieces, rewritten, run, set_runs

TEXT = {id_: text for id_, _, text in TEXTS}
Edit = Callable[[etree._Element], None]
PPR = '<w:pPr><w:pStyle w:val="NumberedParagraph"/></w:pPr>'


def replace_in_run(root: etree._Element) -> None:
    start, _, end = TEXT["b6"].partition("HARLOW-000131")
    set_runs(held(root, "b6"), run(start + "HARLOW-0001") + dele("31") + ins("29") + run(end))


def insert_words(root: etree._Element) -> None:
    set_runs(held(root, "b7"), run("Northgate has ") + ins("still ") + run(TEXT["b7"][14:]))


def delete_words(root: etree._Element) -> None:
    set_runs(held(root, "b7"), run(TEXT["b7"][:33]) + dele(TEXT["b7"][33:-1]) + run("."))


def delete_paragraph_and_mark(root: etree._Element) -> None:
    set_runs(held(root, "b6"), dele(TEXT["b6"]))
    mark_changed(held(root, "b6"), "del")


def delete_paragraph_keep_mark(root: etree._Element) -> None:
    set_runs(held(root, "b6"), dele(TEXT["b6"]))


def delete_mark_only(root: etree._Element) -> None:
    mark_changed(held(root, "b6"), "del")


def insert_paragraph(root: etree._Element) -> None:
    mark_changed(held(root, "b6"), "ins")
    held(root, "b6").addnext(pieces(f"<w:p>{PPR}{ins('I kept the pallets.')}</w:p>")[0])


def split_paragraph(root: etree._Element) -> None:
    """Enter in the middle: Word leaves the bookmark's end in the second paragraph."""
    paragraph = held(root, "b7")
    end = paragraph.find(f"{{{W}}}bookmarkEnd")
    assert end is not None
    set_runs(paragraph, run("Northgate has not paid this sum,"))
    mark_changed(paragraph, "ins")
    second = pieces(f"<w:p>{PPR}{run('although I asked for it twice in writing.')}</w:p>")[0]
    second.append(end)
    paragraph.addnext(second)


def bold_only(root: etree._Element) -> None:
    set_runs(
        held(root, "b7"), run("Northgate", f"<w:b/><w:rPrChange {BY}><w:rPr/></w:rPrChange>") + run(TEXT["b7"][9:])
    )


def untracked(root: etree._Element) -> None:
    set_runs(held(root, "b6"), run(TEXT["b6"].replace("$9,600", "$9,060")))


def deleted_without_trace(root: etree._Element) -> None:
    paragraph = held(root, "b3")
    parent = paragraph.getparent()
    assert parent is not None
    parent.remove(paragraph)


def move_paragraph(root: etree._Element) -> None:
    source = held(root, "b2")
    set_runs(source, f"<w:moveFrom {BY}>{run(TEXT['b2'])}</w:moveFrom>")
    mark_changed(source, "moveFrom")
    moved = pieces(f"<w:p>{PPR}<w:moveTo {BY}>{run(TEXT['b2'])}</w:moveTo></w:p>")[0]
    held(root, "b3").addnext(moved)


def swap_paragraph(root: etree._Element) -> None:
    """One paragraph deleted and another typed at the same place."""
    set_runs(held(root, "b7"), dele(TEXT["b7"]) + ins("Northgate owes the sum."))


def join_title_and_text(root: etree._Element) -> None:
    """The paragraph mark of the title deleted: the block after it must not vanish in the caption."""
    set_runs(held(root, "fixed_20"), dele("TITLE"))
    mark_changed(held(root, "fixed_20"), "del")


def comment_and_control(root: etree._Element) -> None:
    """Wrapped in a content control, with a comment of the attorney's: the words are the same."""
    set_runs(
        held(root, "b7"),
        '<w:commentRangeStart w:id="7"/><w:sdt><w:sdtPr><w:tag w:val="x"/></w:sdtPr><w:sdtContent>'
        f'{run(TEXT["b7"])}</w:sdtContent></w:sdt><w:commentRangeEnd w:id="7"/>'
        '<w:r><w:commentReference w:id="7"/></w:r>',
    )


KEEP, REPLACE, INSERT, DELETE = (
    Operation.ACCEPT_UNCHANGED,
    Operation.REPLACE,
    Operation.INSERT,
    Operation.DELETE,
)
CASES: list[tuple[str, Edit, dict[str, tuple[Operation, str | None]]]] = [
    (
        "replaced inside a run: python-docx would read the number as empty",
        replace_in_run,
        {"b6": (REPLACE, TEXT["b6"].replace("HARLOW-000131", "HARLOW-000129"))},
    ),
    ("words inserted", insert_words, {"b7": (REPLACE, TEXT["b7"].replace("has", "has still"))}),
    ("words deleted", delete_words, {"b7": (REPLACE, TEXT["b7"][:33] + ".")}),
    ("paragraph deleted with its mark: the next one keeps its name", delete_paragraph_and_mark, {"b6": (DELETE, None)}),
    ("paragraph deleted, mark left", delete_paragraph_keep_mark, {"b6": (DELETE, None)}),
    (
        "only the mark deleted: the two are one now",
        delete_mark_only,
        {"b6": (REPLACE, TEXT["b6"] + TEXT["b7"]), "b7": (DELETE, None)},
    ),
    ("paragraph inserted", insert_paragraph, {"b6+1": (INSERT, "I kept the pallets.")}),
    ("paragraph split", split_paragraph, {"b7": (REPLACE, TEXT["b7"].replace("sum, ", "sum,\n"))}),
    ("bold is no change of the words", bold_only, {}),
    ("an edit with tracking off", untracked, {"b6": (REPLACE, TEXT["b6"].replace("$9,600", "$9,060"))}),
    ("a paragraph gone with tracking off", deleted_without_trace, {"b3": (DELETE, None)}),
    ("a tracked move changes no words", move_paragraph, {}),
    ("replaced as a whole", swap_paragraph, {"b7": (REPLACE, "Northgate owes the sum.")}),
    ("a block joined to the title is still a block", join_title_and_text, {}),
    ("a content control and a comment", comment_and_control, {}),
]


@pytest.mark.parametrize(("why", "edit", "expected"), CASES, ids=[case[0] for case in CASES])
def test_edit(tmp_path: Path, why: str, edit: Edit, expected: dict[str, tuple[Operation, str | None]]) -> None:
    draft = draft_of()
    path = tmp_path / "draft.docx"
    write_docx(draft, report_of(finding_on(draft, "HARLOW-000131")), path)
    changes = align(draft, read_docx(rewritten(path, edit)))
    assert {c.block: (c.operation, c.after) for c in changes if c.operation is not KEEP} == expected, why
    kept = {c.block: c.after for c in changes if c.operation is KEEP}
    assert kept == {id_: text for id_, text in TEXT.items() if id_ not in expected}


def test_a_moved_paragraph_stands_where_it_went(tmp_path: Path) -> None:
    draft = draft_of()
    path = tmp_path / "draft.docx"
    write_docx(draft, report_of(), path)
    changes = align(draft, read_docx(rewritten(path, move_paragraph)))
    assert [c.block for c in changes][:5] == ["b0", "b1", "b3", "b2", "b4"]
