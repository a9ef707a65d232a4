"""Web pages: what a reader sees is the text, what nobody sees is told apart, nothing hangs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.evidence import Concealment
from lexforge.errors import UnreadableFile
from lexforge.ingest.web import page as web_page
from lexforge.ingest.web.page import read, visible_text

SEEN: list[tuple[str, str, str]] = [
    ("paragraphs stand apart", "<p>One</p><p>Two</p>", "One\n\nTwo"),
    ("a paragraph that is not closed", "<p>One<p>Two", "One\n\nTwo"),
    ("line ends", "a<br>b<div>c</div>d", "a\nb\nc\nd"),
    ("two line ends make an empty line", "a<br><br>b<br><br><br><br>c", "a\n\nb\n\nc"),
    ("white space in the source is one space", "<p>a \n  <b> b</b>c</p>", "a bc"),
    ("preformatted text stays as typed", "<pre>a\n  b</pre>", "a\n  b"),
    ("a space between two elements as typed", "<pre><b>a</b> <b>b</b></pre>", "a b"),
    ("entities", "&sect;&nbsp;5 &amp; &#8220;x&#x201d; &lt;p&gt;", "§ 5 & “x” <p>"),
    ("an entity of five thousand digits", "a&#" + "9" * 5000 + ";", "a&#" + "9" * 5000 + ";"),
    ("rows and cells", "<table><tr><td>a<td>b<tr><td>c<td><td>d</table>", "a\tb\nc\t\td"),
    ("cells with paragraphs in them", "<tr><td><p>a</p></td><td><p>b</p></td></tr>", "a\tb"),
    ("a cell that begins with a line end", "<tr><td>a</td><td><br>b</td></tr>", "a\tb"),
    (
        "a cell of several lines is layout",
        "<table><tr><td>a<p>b</p></td><td>c</td></tr></table>d",
        "a\n\nb\n\nc\n\nd",
    ),
    ("scripts, styles, titles and comments", "<title>t</title><style>x</style><script>1<2</script><!--c-->a", "a"),
    ("a script that is not closed takes the rest", "a<script>b<p>c", "a"),
    ("a script that ends in capitals", "<script a='>'></scripts>x</SCRIPT >a", "a"),
    ("entities in a field for typing", "<textarea>&lt;p></textarea>", "<p>"),
    ("a space that ends no tag's name", "<p\u00a0hidden>a", "a"),
    ("a letter that only looks like one of a tag's", "<noframe\u017f>a", "a"),
    ("templates", "<template><p>a</p></template>b", "b"),
    ("conditional comments of Word", "<!--[if mso]>a<![endif]--><![if !mso]>b<![endif]>", "b"),
    ("a lone bracket is text", "3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
    ("an attribute with a bracket in it", '<p title="a>b">c</p>', "c"),
    ("read aloud or not, it is seen", "<p aria-hidden=true>a</p>", "a"),
    ("what was typed into a field", '<input value="Pia"><input type=hidden value=x>', "Pia"),
    ("soft hyphens and zero widths", "con\u00adtract\u200b", "contract"),
    ("an end tag too many", "</div></b>a</td>", "a"),
]


@pytest.mark.parametrize(("why", "html", "text"), SEEN, ids=[row[0] for row in SEEN])
def test_what_a_reader_sees(why: str, html: str, text: str) -> None:
    assert visible_text(html) == (text, ()), why


UNSEEN: list[tuple[str, str, Concealment]] = [
    ("not displayed", '<p style="display : NONE !important">x</p>', Concealment.NOT_SHOWN),
    ("by its attribute", "<p hidden>x</p>", Concealment.NOT_SHOWN),
    ("inside what is not displayed", '<div style="display:none"><p>x</p></div>', Concealment.NOT_SHOWN),
    ("invisible", '<p style="visibility:hidden">x</p>', Concealment.NOT_SHOWN),
    ("transparent", '<p style="opacity:0.0">x</p>', Concealment.NOT_SHOWN),
    ("in a box without height", '<p style="max-height:0;overflow:hidden">x</p>', Concealment.NOT_SHOWN),
    ("a class of the sheet", "<style>.a,.b{display:none}</style><p class='c b'>x</p>", Concealment.NOT_SHOWN),
    ("an id of the sheet", "<style>#a{display:none}</style><p id=a>x</p>", Concealment.NOT_SHOWN),
    ("a tag of the sheet", "<style>/* } */ i{display:none}</style><i>x</i>", Concealment.NOT_SHOWN),
    ("a sheet below", "<p class=a>x</p><STYLE>.a{display:none}</STYLE>", Concealment.NOT_SHOWN),
    ("what is seen elsewhere", "<b></b><p hidden><b>x</b></p><b></b>", Concealment.NOT_SHOWN),
    ("one pixel", '<p style="font-size:1px">x</p>', Concealment.MICRO),
    ("no size", '<p style="font-size:0">x</p>', Concealment.MICRO),
    ("white on white", '<p style="color:#fff">x</p>', Concealment.BACKGROUND),
    ("nearly white on white", '<font color="#FEFEFE">x</font>', Concealment.BACKGROUND),
    ("as its own background", '<p style="color:navy;background:#000080">x</p>', Concealment.BACKGROUND),
    ("as the cell's background", '<td bgcolor=black><p style="color:rgb(0,0,0)">x</p></td>', Concealment.BACKGROUND),
    ("far to the left", '<p style="position:absolute;left:-9999px">x</p>', Concealment.OFF_PAGE),
]


@pytest.mark.parametrize(("why", "html", "concealment"), UNSEEN, ids=[row[0] for row in UNSEEN])
def test_what_nobody_sees(why: str, html: str, concealment: Concealment) -> None:
    text, hidden = visible_text(f"before {html} after")
    assert " ".join(text.split()) == "before after", why
    assert [(found.concealment, found.text) for found in hidden] == [(concealment, "x")]


STILL_SEEN: list[tuple[str, str]] = [
    ("white on a dark cell", '<td bgcolor="#003366"><font color=white>x</font></td>'),
    ("white on a picture", '<div style="background:url(a.png);color:white">x</div>'),
    ("white on what another rule may colour", "<style>.a td{background:#000}</style><td style='color:#fff'>x"),
    ("small only round about it", '<div style="font-size:0"><span style="font-size:12pt">x</span></div>'),
    ("visible again", '<div style="visibility:hidden"><b style="visibility:visible">x</b></div>'),
    ("hidden on telephones", "<style>@media (max-width:600px){.a{display:none}}</style><p class=a>x"),
    ("hidden under the pointer", "<style>p:hover{display:none}</style><p>x"),
    ("a hidden paragraph that ended long ago", "<p hidden></p><p>x"),
    ("a sheet in a comment", "<!--<style>p{display:none}</style>--><p>x"),
    ("what is unseen elsewhere", "<div hidden><b></b></div><b>x</b>"),
    ("its display says otherwise", '<p hidden style="display:block">x</p>'),
    ("a link on black", '<div style="background:black"><a href="#">x</a></div>'),
]


@pytest.mark.parametrize(("why", "html"), STILL_SEEN, ids=[row[0] for row in STILL_SEEN])
def test_what_is_seen_after_all(why: str, html: str) -> None:
    assert visible_text(html) == ("x", ()), why


_MANY_PROPERTIES = "".join(f"p{number}:1;" for number in range(50_000))
HOSTILE: list[tuple[str, str]] = [
    ("a hundred thousand open elements", "<div>" * 100_000),
    ("tags that are never closed", "<a " * 50_000),
    ("quotes that are never closed", '<a b="' * 50_000),
    ("comments that are never closed", "<!--" * 50_000),
    ("declarations that are never closed", "<!" * 50_000 + "<?" * 50_000),
    ("end tags of nothing", "<b>" * 500 + "</p>" * 50_000),
    ("rows in cells in rows", "<tr><td>" * 30_000),
    ("rules that are never closed", "<style>" + "@{a{" * 50_000),
    ("a long rule for many elements", "<style>i{" + _MANY_PROPERTIES + "}</style>" + "<i><i id=a>" * 20_000),
    ("a long rule of many selectors", "<style>" + "a,.b," * 50_000 + "i{" + _MANY_PROPERTIES + "}</style>"),
    ("a tag of many attributes", "<a " + " ".join(f"a{number}=1" for number in range(100_000)) + ">"),
]


@pytest.mark.parametrize(("why", "html"), HOSTILE, ids=[row[0] for row in HOSTILE])
def test_a_hostile_page_ends(why: str, html: str) -> None:
    visible_text(html)


def test_a_page_of_ever_different_tags() -> None:
    page = "".join(f"<b{number}>a<i id=i{number} hidden>b</i></b{number}>" for number in range(10_000))
    text, hidden = visible_text(page)
    assert text == "a" * 10_000
    assert [found.text for found in hidden] == ["b"] * 10_000


def test_text_at_the_bottom_of_a_deep_page() -> None:
    assert visible_text("<div>" * 2000 + "x" + "</div>" * 2000 + "y")[0] == "x\ny"


ENCODED: list[tuple[str, bytes]] = [
    ("a mark", b"\xef\xbb\xbf<p>caf\xc3\xa9"),
    ("a mark of UTF-16", "\ufeff<p>café".encode("utf-16-le")),
    ("declared Latin-1, with a curly quote of Windows", b"<meta charset=iso-8859-1><p>caf\xe9\x92"),
    ("declared in the old way", b'<meta http-equiv=x content="text/html; charset=windows-1252"><p>caf\xe9'),
    ("nothing declared, UTF-8", b"<p>caf\xc3\xa9"),
    ("nothing declared, Windows", b"<p>caf\xe9"),
    ("declared what does not exist", b"<meta charset=x-none><p>caf\xc3\xa9"),
]


@pytest.mark.parametrize(("why", "data"), ENCODED, ids=[row[0] for row in ENCODED])
def test_encodings(tmp_path: Path, why: str, data: bytes) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(data)
    assert read(path).texts[0].startswith("café"), why


def test_a_page_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<p>From: Pia Fennick<br>To: Rufus Brine<br>Date: May 4, 2021</p><p>Wet flour.</p><p hidden>Ignore this.</p>"
        '<img src="https://a.example/x.png"><a href="//b.example">b</a><div style="background:url(http://c.example/)">'
    )
    reading = read(path)
    assert reading.media_type == "text/html"
    assert reading.correspondence is not None
    assert reading.correspondence.author == "Pia Fennick"
    assert reading.pages[0].hidden[0].text == "Ignore this."
    assert reading.warnings == ("page.html refers to 3 outside addresses, none was fetched.",)


def test_pages_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p hidden>x</p>")
    with pytest.raises(UnreadableFile, match=r"page\.html shows no text"):
        read(path)
    monkeypatch.setattr(web_page, "LARGEST", 3)
    with pytest.raises(UnreadableFile, match=r"page\.html is too large"):
        read(path)
