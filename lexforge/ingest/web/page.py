"""Web pages and HTML mail to the text a reader sees: nothing is fetched, no script runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from lexforge.domain.evidence import Concealment, Hidden
from lexforge.errors import UnreadableFile
from lexforge.ingest import text as plain
from lexforge.ingest.mail.correspondence import head_of
from lexforge.ingest.reading import PageReading, Reading
from lexforge.ingest.web.style import LEGIBLE, Look, Sheet, look
from lexforge.ingest.web.tokens import Token, style_sheets, tokens

LARGEST = 8 * 2**20
"""Characters of one page; more of it is no page that a person reads."""
MEDIA_TYPE = "text/html"

_DEEPEST = 512  # open elements; browsers go on at this depth as well, without nesting further
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_PARTS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre table hr fieldset".split())
_LINES = frozenset(
    "address article aside body caption center dd details dialog div dt figcaption figure footer form header html "
    "legend li main menu nav optgroup option section summary tbody tfoot thead tr".split()
)
_ENDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = MappingProxyType(
    {
        "li": (frozenset({"li"}), frozenset({"ul", "ol", "table"})),
        "dt": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
        "dd": (frozenset({"dt", "dd"}), frozenset({"dl", "table"})),
        "tr": (frozenset({"tr"}), frozenset({"table"})),
        "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
        "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
        "option": (frozenset({"option"}), frozenset({"select"})),
    }
)
"""What a start tag ends although nothing says so, and the elements beyond which it ends nothing."""
_P_ENDS = (frozenset({"p"}), frozenset({"td", "th", "table", "button", "caption"}))
_LOOK_BACK = 32
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u00ad\u200b\ufeff\0"))
_FIELDS = frozenset({"hidden", "password", "checkbox", "radio", "file", "image"})
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
    parts = list(tokens(source))
    page = _Page(Sheet(style_sheets(parts)))
    for token in parts:
        page.take(token)
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
    for token in tokens(source):
        for name in _REFERENCES:
            value = token.attributes.get(name, "").strip()
            if _OUTSIDE.match(value):
                found.update(_OUTSIDE.findall(value) if name == "srcset" else [value])
        found.update(_URL.findall(token.attributes.get("style", "")))
    found.update(url for sheet in style_sheets(tokens(source)) for url in _URL.findall(sheet))
    return frozenset(found)


@dataclass(slots=True)
class _Open:
    """An open element: how its text looks, and whether it counts as written (`pre`)."""

    name: str
    look: Look
    pre: bool


@dataclass(slots=True)
class _Row:
    """A row of a table: cells so far, and on which line of the page its first text stands."""

    cells: int = 0
    line: int | None = None


@dataclass(slots=True)
class _Page:
    """The page being written. `gap` line ends, `tabs` and a `space` wait until text follows."""

    sheet: Sheet
    pieces: list[str] = field(default_factory=list)
    hidden: list[tuple[Concealment, list[str]]] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    rows: list[_Row] = field(default_factory=list)
    gap: int = 0
    tabs: int = 0
    space: bool = False
    lines: int = 0
    concealing: bool = False

    def take(self, token: Token) -> None:
        if not token.name:
            self._text(token.text)
        elif token.opens:
            self._start(token)
        elif self.counts[token.name]:
            while self.stack[-1].name != token.name:
                self._pop()
            self._pop()
        elif token.name == "p":
            self._break("p")

    def text(self) -> str:
        lines = "".join(self.pieces).replace("\xa0", " ").translate(_ZERO_WIDTH).split("\n")
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()

    def concealed(self) -> Iterator[Hidden]:
        for concealment, pieces in self.hidden:
            text = _BLANKS.sub(" ", "".join(pieces).replace("\xa0", " ").translate(_ZERO_WIDTH)).strip()
            if any(character.isalnum() for character in text):
                yield Hidden(concealment=concealment, text=text)

    def _start(self, token: Token) -> None:
        name = token.name
        if name in _PARTS or name in _LINES:
            self._end_implied(*_P_ENDS)
        if name in _ENDS:
            self._end_implied(*_ENDS[name])
        if name == "br" and not self.tabs:
            self.gap, self.space = min(self.gap + 1, 2), False
        self._break(name)
        outer = self.stack[-1] if self.stack else _Open("", LEGIBLE, False)
        if name == "input" and token.attributes.get("type", "text").lower() not in _FIELDS:
            self._text(f" {token.attributes.get('value', '')} ")
        if name not in _VOID:
            seen = look(name, token.attributes, outer.look, self.sheet)
            self._push(_Open(name, seen, outer.pre or name in {"pre", "textarea", "xmp"}))

    def _push(self, element: _Open) -> None:
        if len(self.stack) >= _DEEPEST:
            self._pop()
        self.stack.append(element)
        self.counts[element.name] += 1
        if element.name == "tr":
            self.rows.append(_Row())
        elif element.name in {"td", "th"}:
            self._cell(self.rows[-1] if self.rows else _Row(cells=1, line=-1))

    def _pop(self) -> None:
        name = self.stack.pop().name
        self.counts[name] -= 1
        if name == "tr" and self.rows:
            self.rows.pop()
            self.tabs = 0
        self._break(name)

    def _end_implied(self, ended: frozenset[str], beyond: frozenset[str]) -> None:
        for back, element in enumerate(reversed(self.stack[-_LOOK_BACK:]), 1):
            if element.name in ended:
                for _ in range(back):
                    self._pop()
                return
            if element.name in beyond:
                return

    def _cell(self, row: _Row) -> None:
        """A cell begins: behind a tab, or on a new line where the row has several lines and is layout, not figures."""
        self.space = False
        if row.cells and row.line in {None, self.lines}:
            self.gap = 0 if row.line is not None else self.gap
            self.tabs += 1
        elif row.cells:
            self._break("tr")
        row.cells += 1

    def _break(self, name: str) -> None:
        """The line ends here, unless a cell has just begun."""
        lines = 2 if name in _PARTS else 1 if name in _LINES else 0
        if lines and not self.tabs:
            self.gap, self.space = max(self.gap, lines), False

    def _text(self, text: str) -> None:
        element = self.stack[-1] if self.stack else _Open("", LEGIBLE, False)
        if element.look.dropped or not text:
            return
        if (concealment := element.look.concealment) is not None:
            self._conceal(concealment, text)
            return
        shown = text if element.pre else _BLANKS.sub(" ", text)
        if shown == " ":
            self.space = True
            return
        self._settle(not element.pre and (self.space or shown[0] == " "))
        self.space = not element.pre and shown[-1] == " "
        self.pieces.append(shown if element.pre else shown.strip(" "))
        self.lines += self.pieces[-1].count("\n")

    def _settle(self, space: bool) -> None:
        """Write what waited for text."""
        self.concealing = False
        if self.gap and self.pieces:
            self.pieces.append("\n" * self.gap)
            self.lines += self.gap
        elif space and self.pieces and not self.tabs:
            self.pieces.append(" ")
        self.pieces.append("\t" * self.tabs)
        self.gap = self.tabs = 0
        for row in reversed(self.rows):
            if row.line is not None:
                break
            row.line = self.lines

    def _conceal(self, concealment: Concealment, text: str) -> None:
        if not self.concealing or self.hidden[-1][0] is not concealment:
            self.hidden.append((concealment, []))
        self.hidden[-1][1].append(text)
        self.concealing = True
