"""A Word document walked as evidence: what stands on each page, what was deleted or hidden, and who commented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree

from lexforge.domain.draft import BOOKMARK_PREFIX
from lexforge.domain.evidence import Concealment, Hidden
from lexforge.ingest.office.elements import NOTES, REMOVED, attribute, foreign, symbol
from lexforge.ingest.office.package import word_name
from lexforge.ingest.office.word_look import Looks, child, shade
from lexforge.ingest.passages import LONGEST

_TEXT = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "\u2011"}
_SILENT = frozenset({"instrText", "delInstrText", "tblGrid", "annotationRef", "softHyphen"})
_ADDED = frozenset({"ins", "moveTo"})
LONGEST_ANCHOR = 80
"""Characters of the commented words that are kept, about."""


@dataclass(slots=True)
class Sheet:
    """One page of paper: its paragraphs, and what nobody sees on it."""

    paragraphs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hidden: list[Hidden] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Paragraphs with blank lines between them, footnotes last."""
        return "\n\n".join([*self.paragraphs, *self.notes])


@dataclass(slots=True)
class _Table:
    """A table being read. `styled` is one whose style may put a colour behind its text."""

    styled: bool
    lines: list[str] = field(default_factory=list)


class Walk:
    """Reads parts of a document one after the other. `refuse` gives the error for a code of the package."""

    def __init__(self, looks: Looks, refuse: Callable[[str], Exception]) -> None:
        self.sheets = [Sheet()]
        self.ours = False
        self.removed = self.added = 0
        self.editors: dict[str, None] = {}
        self.references: list[tuple[str, str, Sheet]] = []
        self.anchors: dict[str, str] = {}
        self._looks = looks
        self._refuse = refuse
        self._pieces: list[str] = []
        self._inside: list[etree._Element] = []  # the paragraphs that are open: a text box stands inside another
        self._boxes: list[str] = []
        self._tables: list[_Table] = []
        self._flow = self.sheets[0].paragraphs
        self._deleting = self._shaded = self._apart = 0
        self._commented: set[str] = set()
        self._break = False

    def read(self, root: etree._Element) -> None:
        """Read a part or one note; its pages follow those that were read before."""
        self._children(root)
        self._close()

    def aside(self, root: etree._Element) -> list[str]:
        """The paragraphs of a part that is not the running text: a note, a header, a comment."""
        return self._collected(root)

    def _children(self, element: etree._Element) -> None:
        for one in element:
            self._walk(one)

    def _walk(self, element: etree._Element) -> None:
        name = word_name(element) or foreign(element)
        handler = getattr(self, f"_on_{name}", None)
        if handler is not None:
            handler(element)
        elif name in _TEXT:
            self._add(_TEXT[name])
        elif name in NOTES:
            if not self._deleting:
                self.references.append((NOTES[name], attribute(element, "id"), self.sheets[-1]))
        elif name in REMOVED:
            self._removed(element)
        elif name in _ADDED:
            self.added += 1
            self._editor(element)
            self._children(element)
        elif name not in _SILENT and not name.endswith("Pr"):
            self._children(element)

    def _on_t(self, element: etree._Element) -> None:
        self._add("".join(element.itertext()))

    _on_delText = _on_t  # noqa: N815 - the name of the element

    def _on_sym(self, element: etree._Element) -> None:
        self._add(symbol(element))

    def _on_br(self, element: etree._Element) -> None:
        if attribute(element, "type") == "page":
            self._new_page()
        else:
            self._add("\n")

    def _on_lastRenderedPageBreak(self, _element: etree._Element) -> None:  # noqa: N802 - the name of the element
        self._new_page()

    def _on_r(self, element: etree._Element) -> None:
        paragraph = self._inside[-1] if self._inside else None
        concealment = self._looks.concealment(element, paragraph, bool(self._shaded))
        if concealment is None or self._deleting:
            self._children(element)
        else:
            self._set_apart(element, concealment)

    def _on_p(self, element: etree._Element) -> None:
        properties = child(element, "pPr")
        before = child(properties, "pageBreakBefore")
        if before is not None and attribute(before, "val") not in {"0", "false"}:
            self._new_page()
        self._inside.append(element)
        self._children(element)
        self._inside.pop()
        marks = child(properties, "rPr")
        if marks is None or not any(word_name(mark) in REMOVED for mark in marks):
            self._close()
        section = child(properties, "sectPr")
        if section is not None:
            kind = child(section, "type")
            if kind is None or attribute(kind, "val") != "continuous":
                self._new_page()

    def _on_tbl(self, element: etree._Element) -> None:
        self._close()
        self._tables.append(_Table(child(child(element, "tblPr"), "tblStyle") is not None))
        self._children(element)
        self._end_lines()
        self._tables.pop()

    def _on_tr(self, element: etree._Element) -> None:
        if child(child(element, "trPr"), "del") is not None:
            self._removed(element)
            return
        outer, self._break, self._apart = self._break, False, self._apart + 1
        cells = [self._cell(one) for one in _cells(element)]
        self._apart -= 1
        if self._break and not self._apart:
            self._end_lines()
            self._break = False
            self._new_page()
        self._break = self._break or outer
        table = self._tables[-1] if self._tables else _Table(False)
        if any(len(cell) > 1 or "\t" in "".join(cell) for cell in cells):  # a layout, not a row of figures
            self._end_lines()
            self._flow.extend(paragraph for cell in cells for paragraph in cell)
        elif any(cells):
            line = "\t".join(" ".join("".join(cell).split()) for cell in cells).rstrip()
            if sum(map(len, table.lines)) + len(line) > LONGEST:
                self._end_lines()
            table.lines.append(line)

    def _cell(self, element: etree._Element) -> list[str]:
        shaded = (self._tables[-1].styled if self._tables else False) or shade(child(element, "tcPr")) is not None
        self._shaded += shaded
        paragraphs = self._collected(element)
        self._shaded -= shaded
        return paragraphs

    def _on_AlternateContent(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        """The same text box stands here twice, for new and for old programs."""
        for one in list(element)[:1]:
            self._children(one)

    def _on_txbxContent(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        self._shaded += 1
        self._apart += 1
        boxes = self._collected(element)
        self._shaded -= 1
        self._apart -= 1
        self._boxes.extend(boxes)

    def _on_altChunk(self, _element: etree._Element) -> None:  # noqa: N802 - the name of the element
        raise self._refuse("embedded")

    def _on_bookmarkStart(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        self.ours = self.ours or attribute(element, "name").startswith(BOOKMARK_PREFIX)

    def _on_commentRangeStart(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        self._commented.add(attribute(element, "id"))

    def _on_commentRangeEnd(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        self._commented.discard(attribute(element, "id"))

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        if not self._deleting:
            for id_ in self._commented:
                known = self.anchors.get(id_, "")
                if len(known) <= LONGEST_ANCHOR:
                    self.anchors[id_] = known + text

    def _removed(self, element: etree._Element) -> None:
        self.removed += 1
        self._editor(element)
        self._deleting += 1
        self._set_apart(element, Concealment.NOT_SHOWN)
        self._deleting -= 1

    def _set_apart(self, element: etree._Element, concealment: Concealment) -> None:
        """Read what nobody sees, into the page's hidden text instead of its text."""
        outer, self._pieces = self._pieces, []
        inner = self._collected(element)
        self._pieces = outer
        text = "\n".join(inner).strip()
        if text:
            self.sheets[-1].hidden.append(Hidden(concealment=concealment, text=text))

    def _collected(self, element: etree._Element) -> list[str]:
        """The paragraphs inside an element, which do not become part of the running text here."""
        outer = self._flow, self._pieces, self._boxes
        found: list[str] = []
        self._flow, self._pieces, self._boxes = found, [], []
        self._apart += 1
        self._children(element)
        self._close()
        self._apart -= 1
        self._flow, self._pieces, self._boxes = outer
        return found

    def _editor(self, element: etree._Element) -> None:
        if author := attribute(element, "author"):
            self.editors[author] = None

    def _close(self) -> None:
        """The paragraph ends here."""
        text = "".join(self._pieces)
        self._flow.extend(part for part in [text, *self._boxes] if part.strip())
        self._pieces, self._boxes = [], []

    def _end_lines(self) -> None:
        if self._tables and self._tables[-1].lines:
            self._flow.append("\n".join(self._tables[-1].lines))
            self._tables[-1].lines = []

    def _new_page(self) -> None:
        """A page begins, unless nothing stands on the one before: Word marks one break in several ways."""
        if self._apart:
            self._break = not self._deleting
            return
        self._close()
        if self.sheets[-1].paragraphs:
            self.sheets.append(Sheet())
            self._flow = self.sheets[-1].paragraphs


def _cells(row: etree._Element) -> list[etree._Element]:
    """The cells of a row, also those that a content control wraps."""
    return [one for one in row.iter() if word_name(one) == "tc" and _row_of(one) is row]


def _row_of(cell: etree._Element) -> etree._Element | None:
    return next((above for above in cell.iterancestors() if word_name(above) == "tr"), None)
