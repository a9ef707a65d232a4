"""Word documents as evidence: pages, margins, comments, and what only the file shows."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from lexforge.domain.draft import OWN_MARK
from lexforge.domain.evidence import Concealment
from lexforge.errors import UnreadableFile
from lexforge.ingest.office.word import attachments, read
from tests.ingest.office.word_package import BY, OFFICE, W, core, dele, ins, p, package, r, relationships

ID = "0123456789abcdef"
BREAK = '<w:r><w:br w:type="page"/></w:r>'
LAID_OUT = "<w:r><w:lastRenderedPageBreak/></w:r>"
BOX = f"<w:txbxContent>{p(r('boxed'))}</w:txbxContent>"
TWICE = (
    f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing></mc:Choice>'
    f"<mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def styled(text: str, properties: str) -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def table(*rows: str, properties: str = "") -> str:
    cells = ["".join(f"<w:tc>{p(r(text))}</w:tc>" for text in row) for row in rows]
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


READ: list[tuple[str, str, list[str]]] = [
    ("paragraphs stand apart", p(r("a")) + p("") + p(r("b")), ["a\n\nb"]),
    ("changes are accepted", p(r("Ex. ") + ins(r("13")) + dele("12")), ["Ex. 13"]),
    ("rows by line, cells by tab", p(r("x")) + table("ab", "cd") + p(r("y")), ["x\n\na\tb\nc\td\n\ny"]),
    (
        "a cell of several paragraphs is layout",
        f"<w:tbl><w:tr><w:tc>{p(r('a'))}{p(r('b'))}</w:tc><w:tc>{p(r('c'))}</w:tc></w:tr></w:tbl>",
        ["a\n\nb\n\nc"],
    ),
    (
        "a cell in a content control",
        f"<w:tbl><w:tr><w:tc>{p(r('a'))}</w:tc><w:sdt><w:sdtContent><w:tc>{p(r('b'))}</w:tc></w:sdtContent></w:sdt>"
        "</w:tr></w:tbl>",
        ["a\tb"],
    ),
    ("a table in a cell", f"<w:tbl><w:tr><w:tc>{table('ab', 'cd')}{p('')}</w:tc></w:tr></w:tbl>", ["a\tb\nc\td"]),
    ("a text box is read once", p(r("host") + TWICE), ["host\n\nboxed"]),
    ("a page break", p(r("a") + BREAK + r("b")), ["a", "b"]),
    ("a page as Word laid it out", p(r("a ") + LAID_OUT + r("b")), ["a ", "b"]),
    ("one break told twice", p(r("a") + BREAK) + p(LAID_OUT + r("b")), ["a", "b"]),
    ("a break before a paragraph", p(r("a")) + p(r("b"), "<w:pageBreakBefore/>"), ["a", "b"]),
    ("a section on a new page", p(r("a"), "<w:sectPr/>") + p(r("b")), ["a", "b"]),
    (
        "a section on the same page",
        p(r("a"), '<w:sectPr><w:type w:val="continuous"/></w:sectPr>') + p(r("b")),
        ["a\n\nb"],
    ),
    (
        "a table that runs over a page",
        f"<w:tbl><w:tr><w:tc>{p(r('a'))}</w:tc></w:tr><w:tr><w:tc>{p(LAID_OUT + r('b'))}</w:tc></w:tr></w:tbl>",
        ["a", "b"],
    ),
    ("a deleted break", p(r("a") + f"<w:del {BY}>{BREAK}</w:del>" + r("b")), ["ab"]),
]


@pytest.mark.parametrize(("why", "body", "texts"), READ, ids=[row[0] for row in READ])
def test_the_pages(tmp_path: Path, why: str, body: str, texts: list[str]) -> None:
    assert list(read(package(tmp_path / "letter.docx", body)).texts) == texts, why


STYLES = (
    f'<w:styles xmlns:w="{W}"><w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="Ghost"><w:basedOn w:val="Base"/></w:style></w:styles>'
)
WHITE = '<w:color w:val="FFFFFF"/>'

HIDDEN: list[tuple[str, str, Concealment]] = [
    ("hidden text", styled("x", "<w:vanish/>"), Concealment.NOT_SHOWN),
    ("hidden by a style it builds on", styled("x", '<w:rStyle w:val="Ghost"/>'), Concealment.NOT_SHOWN),
    ("white", styled("x", WHITE), Concealment.BACKGROUND),
    ("one point", styled("x", '<w:sz w:val="2"/>'), Concealment.MICRO),
    ("deleted", dele("x"), Concealment.NOT_SHOWN),
    ("moved away", f"<w:moveFrom {BY}>{r('x')}</w:moveFrom>", Concealment.NOT_SHOWN),
]


@pytest.mark.parametrize(("why", "run", "concealment"), HIDDEN, ids=[row[0] for row in HIDDEN])
def test_what_nobody_sees(tmp_path: Path, why: str, run: str, concealment: Concealment) -> None:
    path = package(tmp_path / "letter.docx", p(r("seen") + run), word__styles_xml=STYLES, **_listed("styles"))
    (page,) = read(path).pages
    assert page.text == "seen", why
    assert [(hidden.concealment, hidden.text) for hidden in page.hidden] == [(concealment, "x")]


SEEN: list[tuple[str, str]] = [
    ("switched off", p(styled("x", '<w:vanish w:val="0"/>'))),
    ("white on a marker", p(styled("x", f'{WHITE}<w:highlight w:val="black"/>'))),
    ("white on a shaded run", p(styled("x", f'{WHITE}<w:shd w:val="clear" w:fill="003366"/>'))),
    ("white on a shaded paragraph", p(styled("x", WHITE), '<w:shd w:val="clear" w:fill="003366"/>')),
    (
        "white in a shaded cell",
        f'<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="003366"/></w:tcPr>{p(styled("x", WHITE))}</w:tc></w:tr></w:tbl>',
    ),
    (
        "white in a table with a style of its own",
        '<w:tbl><w:tblPr><w:tblStyle w:val="Grid"/></w:tblPr>'
        f"<w:tr><w:tc>{p(styled('x', WHITE))}</w:tc></w:tr></w:tbl>",
    ),
    ("white in a box, which may be filled", p(f"<w:r><w:pict><v:textbox>{BOX}</v:textbox></w:pict></w:r>")),
]


@pytest.mark.parametrize(("why", "body"), SEEN, ids=[row[0] for row in SEEN])
def test_what_is_seen_after_all(tmp_path: Path, why: str, body: str) -> None:
    (page,) = read(package(tmp_path / "letter.docx", body)).pages
    assert page.text in {"x", "boxed"}, why
    assert page.hidden == ()


def _listed(*kinds: str, more: str = "") -> dict[str, str]:
    listing = relationships(*((f"{OFFICE}/{kind}", f"{kind}.xml") for kind in kinds))
    return {"word___rels__document_xml.rels": listing.replace("</Relationships>", f"{more}</Relationships>")}


def part(name: str, content: str) -> str:
    return f'<w:{name} xmlns:w="{W}">{content}</w:{name}>'


def test_what_stands_round_the_text(tmp_path: Path) -> None:
    body = p(
        '<w:commentRangeStart w:id="1"/>' + r("the flour") + '<w:commentRangeEnd w:id="1"/>' + r(" was wet")
        + '<w:r><w:footnoteReference w:id="2"/><w:endnoteReference w:id="2"/></w:r>' + BREAK + r("next page")
    )  # fmt: skip
    path = package(
        tmp_path / "letter.docx",
        body,
        word__header_xml=part("hdr", p(r("CONFIDENTIAL"))),
        word__footer_xml=part("ftr", p(r("Page 1"))),
        word__footnotes_xml=part("footnotes", f'<w:footnote w:id="2">{p(r("at the foot"))}</w:footnote>'),
        word__endnotes_xml=part("endnotes", f'<w:endnote w:id="2">{p(r("at the end"))}</w:endnote>'),
        word__comments_xml=part("comments", f'<w:comment w:id="1" w:author="Una Tallow">{p(r("Was it?"))}</w:comment>'),
        **_listed("header", "footer", "footnotes", "endnotes", "comments"),
    )
    first, last = read(path).texts
    assert first == "the flour was wet\n\nat the foot"
    assert last.split("\n\n") == [
        "next page",
        "at the end",
        "Header: CONFIDENTIAL",
        "Footer: Page 1",
        "Comment by Una Tallow on “the flour”: Was it?",
    ]


def test_warnings(tmp_path: Path) -> None:
    outside = "".join(
        f'<Relationship Id="x{n}" Type="{OFFICE}/{kind}" Target="{target}" TargetMode="External"/>'
        for n, (kind, target) in enumerate(
            [("attachedTemplate", "https://a.example/t.dotm"), ("image", "http://a.example/i.png"), ("hyperlink", "#a")]
        )
    )
    path = package(tmp_path / "letter.docx", p(r("a") + dele("b") + ins(r("c"))), **_listed(more=outside))
    with ZipFile(path, "a") as archive:
        archive.writestr("word/vbaProject.bin", b"")
    macros, links, changes = read(path).warnings
    assert macros == "letter.docx contains macros; they were not run."
    assert links == "letter.docx refers to 2 outside addresses (attachedTemplate, image), none was fetched."
    assert changes.startswith("letter.docx has tracked changes by ")
    assert changes.endswith(": 1 added, 1 removed; read as if accepted.")


def test_who_wrote_it_and_whether_it_is_ours(tmp_path: Path) -> None:
    head = p(r("From: Pia Fennick")) + p(r("To: Rufus Brine")) + p(r("Date: May 4, 2021"))
    path = package(tmp_path / "memo.docx", head, docProps__core_xml=core(f"{OWN_MARK}:{ID}"))
    reading = read(path)
    assert reading.own_draft == ID
    assert reading.correspondence is not None
    assert reading.correspondence.author == "Pia Fennick"


def test_files_inside(tmp_path: Path) -> None:
    path = package(tmp_path / "letter.docx", p(r("a")))
    with ZipFile(path, "a") as archive:
        archive.writestr("word/embeddings/Sheet1.xlsx", b"PK")
        archive.writestr("word/media/image1.png", b"\x89PNG")
    assert attachments(path) == [("Sheet1.xlsx", b"PK")]


def test_a_white_picture_is_no_bomb(tmp_path: Path) -> None:
    path = package(tmp_path / "letter.docx", p(r("a")))
    with ZipFile(path, "a", 8) as archive:
        archive.writestr("word/media/image1.emf", bytes(3_000_000))
    assert read(path).texts == ("a",)


BAD: list[tuple[str, str, str]] = [
    ("nothing that can be seen", p(dele("x")), "no_text"),
    ("another document inside", '<w:altChunk w:id="x"/>', "embedded"),
    ("nested past any sense", "<w:sdt><w:sdtContent>" * 3000 + "</w:sdtContent></w:sdt>" * 3000, "damaged"),
    ("a symbol that is no number", p('<w:r><w:sym w:char="zz"/></w:r>'), "damaged"),
]


@pytest.mark.parametrize(("why", "body", "code"), BAD, ids=[row[0] for row in BAD])
def test_unreadable(tmp_path: Path, why: str, body: str, code: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(package(tmp_path / "exhibit 7.docx", body))
    assert caught.value.code == code, why
    assert caught.value.message.startswith("exhibit 7.docx ")
