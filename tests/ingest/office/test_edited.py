"""Word documents read as they would be printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.draft import OWN_MARK
from lexforge.ingest.office.edited import is_own_output, read_docx
from tests.ingest.office.word_package import BY, STRICT, W, core, dele, ins, mark, p, package, r

ID = "0123456789abcdef"
GONE = f"<w:rPr><w:del {BY}/></w:rPr>"
BOX = f"<w:txbxContent>{p(r('boxed'))}</w:txbxContent>"
TWICE = (
    f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing></mc:Choice>'
    f"<mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)

READ: list[tuple[str, str, list[tuple[str, str | None]]]] = [
    ("runs of one paragraph", p(r("HARLOW-") + r("000123")), [("HARLOW-000123", None)]),
    ("an empty paragraph is nothing", p("") + p(r(" ")) + p(r("a")), [("a", None)]),
    ("insertions are accepted", p(r("Ex. ") + ins(r("12"))), [("Ex. 12", None)]),
    ("deletions are accepted", p(r("Ex. ") + dele("12") + r("13")), [("Ex. 13", None)]),
    ("inserted, then deleted", p(r("a") + ins(dele("b"))), [("a", None)]),
    (
        "a move counts where it went",
        p(f"<w:moveFrom {BY}>{r('moved')}</w:moveFrom>", f"<w:rPr><w:moveFrom {BY}/></w:rPr>")
        + p(r("stays"))
        + p(f"<w:moveTo {BY}>{r('moved')}</w:moveTo>"),
        [("stays", None), ("moved", None)],
    ),
    ("a deleted mark joins two paragraphs", p(r("one "), GONE) + p(r("two")), [("one two", None)]),
    (
        "a deleted mark before a table joins nothing",
        p(r("one"), GONE) + f"<w:tbl><w:tr><w:tc>{p(r('cell'))}</w:tc></w:tr></w:tbl>",
        [("one", None), ("cell", None)],
    ),
    ("the last mark deleted", p(r("one"), GONE), [("one", None)]),
    (
        "a wholly deleted paragraph does not give its name to the next",
        p(mark("lf_b1", 1, dele("one")), GONE) + p(mark("lf_b2", 2, r("two"))),
        [("two", "b2")],
    ),
    ("an emptied block is told", p(mark("lf_b1", 1, dele("one"))), [("", "b1")]),
    ("hyperlinks", p(f"<w:hyperlink>{r('link')}</w:hyperlink>"), [("link", None)]),
    (
        "smart tags and simple fields",
        p(f"<w:smartTag>{r('a')}</w:smartTag><w:fldSimple>{r('b')}</w:fldSimple>"),
        [("ab", None)],
    ),
    (
        "field codes are not text, their results are",
        p("<w:r><w:instrText>PAGEREF x</w:instrText></w:r>" + r("7")),
        [("7", None)],
    ),
    (
        "content controls, round paragraphs and inside them",
        "<w:sdt><w:sdtPr/><w:sdtContent>"
        + p("<w:sdt><w:sdtContent>" + r("a") + "</w:sdtContent></w:sdt>")
        + p(r("b"))
        + "</w:sdtContent></w:sdt>",
        [("a", None), ("b", None)],
    ),
    (
        "a text box stands twice and is read once, after its paragraph",
        p(r("host") + TWICE),
        [("host", None), ("boxed", None)],
    ),
    (
        "a block's bookmark does not cover the text box in it",
        p(mark("lf_b1", 1, r("host") + TWICE)),
        [("host", "b1"), ("boxed", None)],
    ),
    (
        "tables cell by cell",
        "<w:tbl>"
        + "".join(f"<w:tr><w:tc>{p(r(a))}</w:tc><w:tc>{p(r(b))}</w:tc></w:tr>" for a, b in ("ab", "cd"))
        + "</w:tbl>",
        [("a", None), ("b", None), ("c", None), ("d", None)],
    ),
    (
        "a deleted row",
        f"<w:tbl><w:tr><w:trPr><w:del {BY}/></w:trPr><w:tc>{p(r('gone'))}</w:tc></w:tr>"
        f"<w:tr><w:tc>{p(r('here'))}</w:tc></w:tr></w:tbl>",
        [("here", None)],
    ),
    (
        "tabs, breaks and hyphens",
        p(
            "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>",
            "<w:tabs><w:tab/></w:tabs>",
        ),
        [("a\tb\nc\u2011d", None)],
    ),
    (
        "a symbol is not lost",
        p('<w:r><w:sym w:font="Times New Roman" w:char="00A7"/></w:r>' + r(" 5")),
        [("§ 5", None)],
    ),
    ("a formula is read in place", p(r("x ") + "<m:oMath><m:r><m:t>= 5</m:t></m:r></m:oMath>"), [("x = 5", None)]),
    (
        "a paragraph of a drawing does not end ours",
        p(r("a") + "<w:r><w:drawing><a:p><a:r><a:t>b</a:t></a:r></a:p></w:drawing></w:r>" + r("c")),
        [("abc", None)],
    ),
    ("bookmarks of others", p(mark("_Toc1", 1, r("a"))), [("a", None)]),
    ("ours", p(mark("lf_b1", 1, r("a"))), [("a", "b1")]),
    ("typed behind the end", p(mark("lf_b1", 1, r("a")) + r("b")), [("ab", "b1")]),
    ("all replaced behind an empty bookmark", p(mark("lf_b1", 1, "") + r("new")), [("new", "b1")]),
    (
        "between paragraphs",
        f'<w:bookmarkStart w:id="1" w:name="lf_b1"/>{p(r("a"))}<w:bookmarkEnd w:id="1"/>{p(r("b"))}',
        [("a", "b1"), ("b", None)],
    ),
    (
        "over a split: both halves",
        p(f'<w:bookmarkStart w:id="1" w:name="lf_b1"/>{r("a")}') + p(f'{r("b")}<w:bookmarkEnd w:id="1"/>') + p(r("c")),
        [("a", "b1"), ("b", "b1"), ("c", None)],
    ),
    (
        "the tail of one block joined to the next is the next",
        p(f'<w:bookmarkStart w:id="1" w:name="lf_b1"/>{r("a")}')
        + p(f'{r("tail")}<w:bookmarkEnd w:id="1"/>{mark("lf_b2", 2, r("b"))}'),
        [("a", "b1"), ("tailb", "b2")],
    ),
    (
        "a block joined to the caption is the block",
        p(mark("lf_fixed_1", 1, r("TITLE")), GONE) + p(mark("lf_b1", 2, r("a"))),
        [("TITLEa", "b1")],
    ),
    (
        "a bookmark that begins in deleted text",
        p(f'<w:del {BY}><w:bookmarkStart w:id="1" w:name="lf_b1"/></w:del>{r("a")}<w:bookmarkEnd w:id="1"/>'),
        [("a", "b1")],
    ),
]


@pytest.mark.parametrize("namespace", [W, STRICT], ids=["transitional", "strict"])
@pytest.mark.parametrize(("why", "body", "expected"), READ, ids=[row[0] for row in READ])
def test_read(tmp_path: Path, why: str, body: str, expected: list[tuple[str, str | None]], namespace: str) -> None:
    edited = read_docx(package(tmp_path / "letter.docx", body, namespace))
    assert [(block.text, block.bookmark) for block in edited.blocks] == expected, why
    assert edited.draft is None


def test_notes_stand_at_the_end_if_the_text_still_refers_to_them(tmp_path: Path) -> None:
    def note(id_: int, text: str) -> str:
        return f'<w:footnote w:id="{id_}">{p("<w:r><w:footnoteRef/></w:r>" + r(text))}</w:footnote>'

    listed = note(0, "rule") + note(1, "first") + note(2, "gone") + note(3, "third")
    notes = f'<w:footnotes xmlns:w="{W}">{listed}</w:footnotes>'
    body = (
        p(r("a") + '<w:r><w:footnoteReference w:id="3"/></w:r>')
        + p(f'<w:del {BY}><w:r><w:footnoteReference w:id="2"/></w:r></w:del>' + r("b"))
        + p(r("c") + '<w:r><w:footnoteReference w:id="1"/></w:r>')
    )
    edited = read_docx(package(tmp_path / "brief.docx", body, word__footnotes_xml=notes))
    assert [block.text for block in edited.blocks] == ["a", "b", "c", "third", "first"]


OWN: list[tuple[str, str, str, str | None]] = [
    ("as written", core(f"{OWN_MARK}:{ID}", ID), p(mark("lf_b1", 1, r("a"))), ID),
    ("LibreOffice turns the colon to a space", core(f"{OWN_MARK} {ID}"), p(r("a")), ID),
    ("among keywords of the firm's", core(f"urgent; {OWN_MARK}:{ID}; harlow"), p(r("a")), ID),
    ("keywords overwritten, identifier and bookmarks left", core("urgent", ID), p(mark("lf_b1", 1, r("a"))), ID),
    ("any document may have such an identifier", core("", ID), p(r("a")), None),
    ("a mark without an id", core(OWN_MARK), p(r("a")), None),
    ("a stranger's document", core("letter", "doc-17"), p(mark("lf_b1", 1, r("a"))), None),
]


@pytest.mark.parametrize(("why", "properties", "body", "expected"), OWN, ids=[row[0] for row in OWN])
def test_own_output(tmp_path: Path, why: str, properties: str, body: str, expected: str | None) -> None:
    path = package(tmp_path / "draft.docx", body, docProps__core_xml=properties)
    assert is_own_output(path) == expected == read_docx(path).draft, why
