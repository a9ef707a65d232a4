"""The text of a web page as it is laid out: which tag ends a line, begins a cell or takes text out of sight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lexforge.domain.evidence import Concealment, Hidden
from lexforge.ingest.web.style import LEGIBLE, Look, Sheet, look
from lexforge.ingest.web.tokens import Tag

_DEEPEST = 512  # open elements; browsers go on at this depth as well, without nesting further
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_PARTS = "p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre table hr fieldset"
_LINES = (
    "address article aside body caption center dd details dialog div dt figcaption figure footer form header html "
    "legend li main menu nav optgroup option section summary tbody tfoot thead tr"
)
_BREAKS: Mapping[str, int] = MappingProxyType(dict.fromkeys(_LINES.split(), 1) | dict.fromkeys(_PARTS.split(), 2))
"""Line ends before and behind a block; two stand for an empty line."""
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
_P = frozenset({"p"})
_BEYOND_P = frozenset({"td", "th", "table", "button", "caption"})
_LOOK_BACK = 32
_BLANKS = re.compile(" {2,}")
_ZERO_WIDTH = "\u00ad\u200b\ufeff\0"
_FIELDS = frozenset({"hidden", "password", "checkbox", "radio", "file", "image"})
_KEPT = 4096  # kinds of open elements


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """An open element: how its text looks, whether it counts as written (`pre`), and how many lines it ends."""

    name: str
    look: Look
    pre: bool
    breaks: int
    concealment: Concealment | None


@dataclass(slots=True)
class _Row:
    """A row of a table: cells so far, and on which line of the page its first text stands."""

    cells: int = 0
    line: int | None = None


_ROOT = _Open("", LEGIBLE, pre=False, breaks=0, concealment=None)


@dataclass(slots=True)
class Layout:
    """The page being written. `gap` line ends, `tabs` and a `space` wait until text follows.

    An element that opens is remembered by its tag and by what it opens in: a page repeats few such pairs, and their
    looks are worked out once.
    """

    sheet: Sheet
    pieces: list[str] = field(default_factory=list)
    hidden: list[tuple[Concealment, list[str]]] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)
    known: dict[tuple[Tag, _Open], _Open] = field(default_factory=dict)
    kinds: dict[tuple[str, Look, bool], _Open] = field(default_factory=dict)
    gap: int = 0
    tabs: int = 0
    space: bool = False
    lines: int = 0
    concealing: bool = False

    def take(self, piece: Tag | str) -> None:
        """The next tag or text of the page."""
        if isinstance(piece, str):
            self._text(piece)
        elif piece.opens:
            self._start(piece)
        elif self.counts.get(piece.name):
            while self._pop() != piece.name:
                pass
        elif piece.name == "p":
            self._break(2)

    def text(self) -> str:
        """What is seen, so far."""
        lines = _plain(self.pieces).split("\n")
        return re.sub(r"\n{3,}", "\n\n", "\n".join([line.rstrip() for line in lines])).strip()

    def concealed(self) -> Iterator[Hidden]:
        """What is not seen, so far, in order."""
        for concealment, pieces in self.hidden:
            text = _spaced(_plain(pieces)).strip()
            if any(character.isalnum() for character in text):
                yield Hidden(concealment=concealment, text=text)

    def _start(self, tag: Tag) -> None:
        name = tag.name
        breaks = _BREAKS.get(name, 0)
        if breaks and self.counts.get("p"):
            self._end_implied(_P, _BEYOND_P)
        if name in _ENDS:
            self._end_implied(*_ENDS[name])
        if name == "br" and not self.tabs:
            self.gap, self.space = min(self.gap + 1, 2), False
        self._break(breaks)
        if name == "input" and tag.attributes.get("type", "text").lower() not in _FIELDS:
            self._text(f" {tag.attributes.get('value', '')} ")
        if name not in _VOID:
            self._push(self._opened(tag, self.stack[-1] if self.stack else _ROOT))

    def _opened(self, tag: Tag, outer: _Open) -> _Open:
        element = self.known.get((tag, outer))
        if element is None:
            if len(self.known) >= _KEPT:
                self.known.clear()
                self.kinds.clear()
            name, seen = tag.name, look(tag.name, tag.attributes, outer.look, self.sheet)
            pre = outer.pre or name in {"pre", "textarea", "xmp"}
            element = self.kinds.get((name, seen, pre))
            if element is None:
                concealment = outer.concealment if seen is outer.look else seen.concealment
                element = _Open(name, seen, pre, _BREAKS.get(name, 0), concealment)
                self.kinds[name, seen, pre] = element
            self.known[tag, outer] = element
        return element

    def _push(self, element: _Open) -> None:
        if len(self.stack) >= _DEEPEST:
            self._pop()
        name = element.name
        self.stack.append(element)
        self.counts[name] = self.counts.get(name, 0) + 1
        if name == "tr":
            self.rows.append(_Row())
        elif name in {"td", "th"}:
            self._cell(self.rows[-1] if self.rows else _Row(cells=1, line=-1))

    def _pop(self) -> str:
        element = self.stack.pop()
        self.counts[element.name] -= 1
        if element.name == "tr" and self.rows:
            self.rows.pop()
            self.tabs = 0
        self._break(element.breaks)
        return element.name

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
            self._break(1)
        row.cells += 1

    def _break(self, lines: int) -> None:
        """The line ends here, unless a cell has just begun."""
        if lines and not self.tabs:
            self.gap, self.space = max(self.gap, lines), False

    def _text(self, text: str) -> None:
        element = self.stack[-1] if self.stack else _ROOT
        if element.look.dropped or not text:
            return
        if element.concealment is not None:
            self._conceal(element.concealment, text)
            return
        if element.pre:
            self._settle(space=False)
            self.space = False
            self.pieces.append(text)
            self.lines += text.count("\n")
            return
        shown = _spaced(text)
        if shown == " ":
            self.space = True
            return
        self._settle(self.space or shown[0] == " ")
        self.space = shown[-1] == " "
        self.pieces.append(shown.strip(" "))

    def _settle(self, space: bool) -> None:
        """Write what waited for text."""
        self.concealing = False
        if self.gap and self.pieces:
            self.pieces.append("\n" * self.gap)
            self.lines += self.gap
        elif space and self.pieces and not self.tabs:
            self.pieces.append(" ")
        if self.tabs:
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


def _plain(pieces: list[str]) -> str:
    """The pieces as one text, with simple spaces and without characters of no width."""
    text = "".join(pieces).replace("\xa0", " ")
    for character in _ZERO_WIDTH:
        text = text.replace(character, "")
    return text


def _spaced(text: str) -> str:
    """The text with one space for each stretch of white space (HTML knows five such characters)."""
    for character in "\t\n\r\f":
        text = text.replace(character, " ")
    return _BLANKS.sub(" ", text) if "  " in text else text
