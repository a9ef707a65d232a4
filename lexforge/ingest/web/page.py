"""Web pages and HTML mail to the text a reader sees: nothing is fetched, no script runs."""

from __future__ import annotations

import re
from pathlib import Path

from lexforge.domain.evidence import Hidden
from lexforge.errors import UnreadableFile
from lexforge.ingest import text as plain
from lexforge.ingest.mail.correspondence import head_of
from lexforge.ingest.reading import PageReading, Reading
from lexforge.ingest.web.layout import Layout
from lexforge.ingest.web.style import Sheet
from lexforge.ingest.web.tokens import style_sheets, tokens

LARGEST = 8 * 2**20
"""Characters of one page; more of it is no page that a person reads."""
MEDIA_TYPE = "text/html"

_OUTSIDE = re.compile(r"(?:https?:|ftp:|file:)?//[^\s\"'()<>,]+", re.I)
_URL = re.compile(r"url\(\s*['\"]?((?:https?:|ftp:|file:)?//[^'\")\s]+)", re.I)
_REFERENCES = ("src", "href", "background", "srcset", "action", "data", "poster")
_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)


def visible_text(source: str) -> tuple[str, tuple[Hidden, ...]]:
    """What a reader of the page sees, and what nobody sees.

    Paragraphs, lists and tables stand between blank lines, other blocks and `<br>` on lines of their own, the cells of
    a row behind tabs. Concealed is what `hidden`, an inline style or a plain selector (tag, class, id) of a style sheet
    on the page takes out of sight; rules that hold only on some devices or for some descendants conceal nothing.
    Never raises; the work grows with the length alone.
    """
    page = Layout(Sheet(style_sheets(source)))
    for piece in tokens(source):
        page.take(piece)
    return page.text(), tuple(page.concealed())


def read(path: Path) -> Reading:
    """One page of text/html. UnreadableFile `too_large`, or `no_text` when nothing on it can be seen."""
    source = decoded(path.read_bytes())
    if len(source) > LARGEST:
        raise UnreadableFile("too_large", f"{path.name} is too large for a web page.", "Print it to PDF, in parts.")
    text, hidden = visible_text(source)
    if not text:
        raise UnreadableFile("no_text", f"{path.name} shows no text.", "Open it in a browser and print it to PDF.")
    count = len(outside_addresses(source))
    warning = f"{path.name} refers to {count} outside address{'es' * (count > 1)}, none was fetched."
    return Reading(
        media_type=MEDIA_TYPE,
        extractor="web page 1",
        pages=(PageReading(text=text, hidden=hidden),),
        correspondence=head_of(text),
        own_draft=plain.own_draft((text,)),
        warnings=(warning,) if count else (),
    )


def decoded(data: bytes) -> str:
    """The characters of a page by its byte order mark, its `<meta charset>`, else UTF-8 and Windows-1252.

    Latin-1 means Windows-1252 on the web (WHATWG Encoding, section 4.2), which never fails here.
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    if data[:4] in (b"<\0!\0", b"<\0h\0", b"<\0H\0"):
        return data.decode("utf-16-le", "replace")
    found = _CHARSET.search(data[:4096])
    declared = found.group(1).decode("ascii").lower() if found else "utf-8"
    declared = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252"}.get(declared, declared)
    for encoding in ("utf-8" if declared.startswith("utf-16") else declared, "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeError):
            continue
    return data.decode("cp1252", "replace")


def outside_addresses(source: str) -> frozenset[str]:
    """Addresses on other machines that the page links to or would load from."""
    found: set[str] = set()
    for tag in tokens(source):
        if isinstance(tag, str) or not tag.attributes:
            continue
        for name in _REFERENCES:
            value = tag.attributes.get(name, "").strip()
            if _OUTSIDE.match(value):
                found.update(_OUTSIDE.findall(value) if name == "srcset" else [value])
        found.update(_URL.findall(tag.attributes.get("style", "")))
    found.update(url for sheet in style_sheets(source) for url in _URL.findall(sheet))
    return frozenset(found)
