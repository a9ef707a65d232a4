"""Word documents read as the paper that would be printed: tracked changes accepted, every paragraph with its bookmark.

WordprocessingML is walked with lxml: python-docx drops tracked insertions, so that a corrected Bates number would
read as nothing at all. Elements are told apart by their local names, which are the same in transitional and strict
files (ECMA-376 part 1, section 17).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from lexforge.domain.corrections import FIXED_PREFIX, EditedBlock, EditedDocument
from lexforge.domain.draft import BOOKMARK_PREFIX
from lexforge.ingest.office.elements import NOTES, REMOVED, attribute, foreign, symbol
from lexforge.ingest.office.package import opened, refused, word_name

_TEXT = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_SILENT = frozenset({"instrText", "delText", "delInstrText", "tblGrid", "annotationRef"})


def read_docx(path: Path) -> EditedDocument:
    """All paragraphs with text, in order: tables cell by cell, text boxes after their paragraph, notes at the end.

    Headers, footers and comments are not part of it. A block of ours that was emptied is kept with its bookmark and an
    empty text. Raises UnreadableFile, with a stable code, for anything that cannot be read whole.
    """
    with opened(path) as package:
        reader = _Reader(path)
        part, root = package.document()
        reader.read(root)
        for kind in ("footnotes", "endnotes"):
            notes = package.related(part, kind)
            if notes is not None:
                reader.read_notes(kind, notes)
        return EditedDocument(draft=package.draft_id(reader.ours), blocks=tuple(reader.blocks))


def is_own_output(path: Path) -> str | None:
    """The id of the draft this document was made from, or None. Raises UnreadableFile."""
    return read_docx(path).draft


@dataclass
class _Paragraph:
    """A paragraph being read: its text so far, and where in it each bookmark of ours begins and ends, oldest first."""

    carried: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    begun: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    boxes: list[EditedBlock] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)

    def end(self, block: str) -> None:
        """The bookmark of `block` ends here."""
        for known in (self.begun, self.carried):
            if block in known:
                known[block] = (known[block][0], self.length)

    def bookmark(self) -> str | None:
        """The block this paragraph is: it holds text of it, else it is where the block begins.

        A bookmark that begins here goes before one that runs on from above, and a block before the fixed lines, so
        that no text of a block is lost in a caption when its paragraph mark is deleted.
        """
        order = sorted([*self.begun.items(), *self.carried.items()], key=lambda item: item[0].startswith(FIXED_PREFIX))
        for block, (start, end) in order:
            if start < (self.length if end is None else end):
                return block
        return next(iter(self.begun), None)


class _Reader:
    """Walks the document. `blocks` is what was read, `ours` whether any bookmark of ours was seen."""

    def __init__(self, path: Path) -> None:
        self.blocks: list[EditedBlock] = []
        self.ours = False
        self._path = path
        self._paragraph = _Paragraph()
        self._open: dict[str, str] = {}  # bookmark id → block id
        self._muted = 0
        self._noted: dict[tuple[str, str], None] = {}

    def read(self, root: etree._Element) -> None:
        """Read a part, or one note of a part."""
        self._children(root)
        self._close_rest()

    def read_notes(self, kind: str, root: etree._Element) -> None:
        """Read the notes of `kind` that the text still refers to, in the order of the references."""
        notes = {attribute(note, "id"): note for note in root}
        for known, id_ in list(self._noted):
            if known == kind and id_ in notes:
                self.read(notes[id_])

    def _children(self, element: etree._Element) -> None:
        for child in element:
            self._walk(child)

    def _walk(self, element: etree._Element) -> None:
        name = word_name(element) or foreign(element)
        handler = getattr(self, f"_on_{name}", None)
        if handler is not None:
            handler(element)
        elif name in _TEXT:
            self._add(_TEXT[name])
        elif name in NOTES and not self._muted:
            self._noted[NOTES[name], attribute(element, "id")] = None
        elif name in REMOVED:
            self._mute(element)
        elif name not in _SILENT and not name.endswith("Pr"):
            self._children(element)  # whatever it is: text that is not read is text that is not checked

    def _on_t(self, element: etree._Element) -> None:
        self._add("".join(element.itertext()))

    def _on_sym(self, element: etree._Element) -> None:
        self._add(symbol(element))

    def _on_p(self, element: etree._Element) -> None:
        self._children(element)
        marks = element.xpath("./*[local-name()='pPr']/*[local-name()='rPr']/*")
        # Without its mark a paragraph runs on into the next one.
        if not any(word_name(mark) in REMOVED for mark in marks):
            self._close()

    def _on_tbl(self, element: etree._Element) -> None:
        self._close_rest()
        self._children(element)

    def _on_tr(self, element: etree._Element) -> None:
        deleted = element.xpath("./*[local-name()='trPr']/*[local-name()='del']")
        if deleted:
            self._mute(element)
        else:
            self._children(element)

    def _on_tc(self, element: etree._Element) -> None:
        self._children(element)
        self._close_rest()

    def _on_AlternateContent(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        """The same text box stands here twice, for new and for old programs."""
        for child in list(element)[:1]:
            self._children(child)

    def _on_txbxContent(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        outer = self._paragraph, self.blocks, self._open
        self._paragraph, self.blocks, self._open = _Paragraph(), [], {}
        self._children(element)
        self._close_rest()
        boxes = self.blocks
        self._paragraph, self.blocks, self._open = outer
        self._paragraph.boxes.extend(boxes)

    def _on_altChunk(self, _element: etree._Element) -> None:  # noqa: N802 - the name of the element
        raise refused(self._path, "embedded")

    def _on_bookmarkStart(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        name = attribute(element, "name")
        if name.startswith(BOOKMARK_PREFIX):
            self.ours = True
            block = name.removeprefix(BOOKMARK_PREFIX)
            self._open[attribute(element, "id")] = block
            self._paragraph.begun[block] = (self._paragraph.length, None)

    def _on_bookmarkEnd(self, element: etree._Element) -> None:  # noqa: N802 - the name of the element
        block = self._open.pop(attribute(element, "id"), None)
        if block is not None:
            self._paragraph.end(block)

    def _add(self, text: str) -> None:
        if not self._muted:
            self._paragraph.add(text)

    def _mute(self, element: etree._Element) -> None:
        """Drop the text of what was deleted, but keep its bookmarks: they may end outside it."""
        self._muted += 1
        self._children(element)
        self._muted -= 1

    def _close(self) -> None:
        done = self._paragraph
        text, bookmark = "".join(done.pieces), done.bookmark()
        if text.strip() or bookmark is not None:
            self.blocks.append(EditedBlock(text=text, bookmark=bookmark))
        self.blocks.extend(done.boxes)
        self._paragraph = _Paragraph(carried=dict.fromkeys(self._open.values(), (0, None)))

    def _close_rest(self) -> None:
        """End a paragraph whose mark was deleted, but which has nothing to run on into."""
        if self._paragraph.pieces or self._paragraph.boxes:
            self._close()
