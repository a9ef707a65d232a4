"""PDF to pages, with PDFium; never in threads, which PDFium does not bear."""

from __future__ import annotations

import ctypes
import mmap
from collections import deque
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from lexforge.domain.draft import OWN_MARK_PATTERN
from lexforge.domain.evidence import Hidden, StampOrigin
from lexforge.errors import UnreadableFile
from lexforge.ingest.pdf import hidden_text
from lexforge.ingest.pdf.fallback import Fallback
from lexforge.ingest.pdf.ground import Grounds
from lexforge.ingest.pdf.objects import Annotation, notes, redactions
from lexforge.ingest.pdf.painted import Inventory
from lexforge.ingest.pdf.stamps import Stamps, candidates_in, designation_in, plain, spans_in, stamps
from lexforge.ingest.pdf.text import Frame, clean, frame_of, read_text
from lexforge.ingest.reading import Candidate, PageReading

EXTRACTOR = f"pdfium {pypdfium2.PDFIUM_INFO.tag} / pypdf {version('pypdf')}"
"""What reads the pages, with versions: another version may set other spaces."""

MOST_PAGES = 50_000
"""Pages of one PDF; a larger file is no document."""

MOST_ATTACHED = 64 * 1024 * 1024
"""Bytes of all files embedded in one PDF."""

_KEPT_OPEN = 2  # PDFium drops a font with the last page that uses it, and pages share theirs
_FEW_LETTERS = 20  # outside the margins: a stray mark, not a text
_MOSTLY = 0.5
_TRACED = 200  # drawings on a page without text: letters turned to outlines
_XMP = (b"<x:xmpmeta", b"</x:xmpmeta>")
_LONGEST_XMP = 1024 * 1024
_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class PdfDocument:
    """What a PDF holds: `own_draft` is the id of the draft of ours that its properties name.

    `attachments` are name and bytes of every file embedded in it (its portfolio); none, and a warning, where they are
    more than MOST_ATTACHED bytes.
    A page without text is no error here: where it is a picture (`scanned`), OCR may read it.
    """

    pages: tuple[PageReading, ...]
    own_draft: str | None
    extractor: str
    warnings: tuple[str, ...]
    attachments: tuple[tuple[str, bytes], ...] = ()


@dataclass(slots=True)
class _File:
    """What the pages of one file share; `unjudged` are those, from 0, with more on them than could be judged."""

    name: str
    second: Fallback
    grounds: Grounds
    unjudged: list[int] = field(default_factory=list)


def read(path: Path) -> PdfDocument:
    """All pages of a PDF; UnreadableFile (encrypted, corrupt, hostile, too_many_pages) for one that cannot be read.

    A PDF that asks for no password to be opened is read whatever it forbids to copy.
    """
    second = Fallback(path)
    try:
        document = _opened(path)
    except pypdfium2.PdfiumError:
        texts = second.all_pages()
        if not texts:
            raise UnreadableFile("corrupt", f"{path.name} has no pages.", "Obtain it again.") from None
        pages = tuple(PageReading(text=text) for text in texts)
        warning = f"{path.name} is damaged; whether it holds hidden text could not be told."
        return PdfDocument(pages, _mark(second.keywords), EXTRACTOR, (warning,))
    try:
        count = len(document)
        if count > MOST_PAGES:
            raise UnreadableFile("too_many_pages", f"{path.name} has {count} pages.", "Split it into parts.")
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            whole = _File(path.name, second, Grounds(data))
            pages = _pages(document, count, whole)
            own_draft = _mark(document.get_metadata_value("Keywords")) or _mark_in_xmp(data)
            warnings = [*_warnings(document, path.name, data), *_unaudited(whole)]
        attached = _attachments(document)
        if attached is None:
            warnings.append(f"{path.name} has more than 64 MiB of attachments. Save them into the folder.")
        return PdfDocument(pages, own_draft, EXTRACTOR, tuple(warnings), attached or ())
    finally:
        document.close()


def _attachments(document: Any) -> tuple[tuple[str, bytes], ...] | None:
    """Name and bytes of every embedded file; None where they are too large."""
    found: list[tuple[str, bytes]] = []
    left = MOST_ATTACHED
    for number in range(document.count_attachments()):
        attached = document.get_attachment(number)
        size = ctypes.c_ulong()
        pdfium.FPDFAttachment_GetFile(attached, None, 0, ctypes.byref(size))
        left -= size.value
        if left < 0:
            return None
        found.append((attached.get_name(), bytes(attached.get_data()) if size.value else b""))
    return tuple(found)


def _opened(path: Path) -> Any:
    """The PDF opened by PDFium; PdfiumError where another reader may try."""
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnreadableFile(
                "encrypted",
                f"{path.name} needs a password.",
                "Open it, save a copy without the password, and use that.",
            ) from None
        raise
    if len(document) > 0:
        return document
    document.close()
    raise pypdfium2.PdfiumError("no pages")


def _pages(document: Any, count: int, whole: _File) -> tuple[PageReading, ...]:
    kept: deque[tuple[Any, Any]] = deque()
    pages = []
    try:
        for index in range(count):
            handles = _loaded(document.raw, index)
            if handles is None:
                pages.append(PageReading(text=whole.second.page_text(index)))
                continue
            kept.append(handles)
            pages.append(_page(*handles, index, whole))
            if len(kept) > _KEPT_OPEN:
                _close(*kept.popleft())
    finally:
        for handles in kept:
            _close(*handles)
    return tuple(pages)


def _loaded(document: Any, index: int) -> tuple[Any, Any] | None:
    """The handles of a page, counted from 0, and of its text; None where PDFium cannot read it."""
    # Those of pypdfium2 close themselves, which costs a tenth of all reading.
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        return None
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        pdfium.FPDF_ClosePage(page)
        return None
    return page, text_page


def _close(page: Any, text_page: Any) -> None:
    pdfium.FPDFText_ClosePage(text_page)
    pdfium.FPDF_ClosePage(page)


def _page(page: Any, text_page: Any, index: int, whole: _File) -> PageReading:
    frame = frame_of(page)
    found = read_text(text_page, frame, whole.name)
    objects = Inventory(page)
    audit = hidden_text.audit(page, text_page, objects, found.text, lambda: found.indices, whole.grounds)
    if not audit.complete:
        whole.unjudged.append(index)
    shown = found.without((start, end) for start, end, _ in audit.spans) if audit.spans else found
    marks = stamps(shown)
    scanned = _is_picture(objects, frame, marks.outside)
    text = shown.text if found.text or scanned or not objects.handles else whole.second.page_text(index)
    noted = [(note, _said(note, index, whole.second)) for note in notes(page)]
    added = [words for note, words in noted if words and (note.free_text or note.field)]
    said = [words for note, words in noted if words and not note.field]
    full = "\n\n".join(filter(None, [text, *added]))
    return PageReading(
        text=full,
        candidates=_candidates(marks, objects, said, index, whole.second),
        furniture=(*marks.furniture, *spans_in(full, len(text), said)),
        hidden=tuple(Hidden(concealment=why, text=found.text[start:end]) for start, end, why in audit.spans),
        redactions=redactions(objects.black, text_page),
        designation=marks.designation or next(filter(None, map(designation_in, map(plain, said))), None),
        scanned=scanned,
    )


def _is_picture(objects: Inventory, frame: Frame, outside: int) -> bool:
    """Whether next to nothing but stamps can be read as text, and there is something to look at."""
    return outside < _FEW_LETTERS and (objects.drawings >= _TRACED or _pictured(objects, frame) >= _MOSTLY)


def _pictured(objects: Inventory, frame: Frame) -> float:
    """The share of the visible page that is under pictures; what two of them cover counts twice."""
    area = sum(
        max(0.0, min(right, frame.right) - max(left, frame.left))
        * max(0.0, min(top, frame.top) - max(bottom, frame.bottom))
        for left, bottom, right, top in (shape.box for shape in objects.shapes if shape.image)
    )
    page = (frame.right - frame.left) * (frame.top - frame.bottom)
    return area / page if page > 0 else 0.0


def _said(note: Annotation, index: int, second: Fallback) -> str:
    contents = note.contents or ("" if note.field else second.appearance(index, note.number))
    return clean(contents).strip()


def _candidates(
    marks: Stamps, objects: Inventory, said: list[str], index: int, second: Fallback
) -> tuple[Candidate, ...]:
    found: list[Candidate] = []
    artifacts = dict.fromkeys([*objects.artifacts, *marks.marked])
    if artifacts and b"/BatesN" in second.content(index):  # PDFium does not tell the names in a mark
        found += [Candidate(origin=StampOrigin.ARTIFACT, text=text) for text in artifacts]
    return (*found, *candidates_in(map(plain, said), StampOrigin.ANNOTATION), *marks.candidates)


def _mark(text: str) -> str | None:
    found = OWN_MARK_PATTERN.search(text)
    return found.group(1) if found else None


def _mark_in_xmp(data: mmap.mmap) -> str | None:
    """The own mark in an uncompressed XMP packet, which is where properties of the file are repeated."""
    start = _place(data, _XMP[0])
    while start >= 0:
        end = data.find(_XMP[1], start, start + _LONGEST_XMP)
        packet = data[start : end if end >= 0 else start + len(_XMP[0])]
        if mark := _mark(packet.decode("utf-8", "replace")):
            return mark
        start = _place(data, _XMP[0], start + len(packet))
    return None


def _place(data: mmap.mmap, what: bytes, start: int = 0) -> int:
    """What `data.find` gives, in a tenth of its time."""
    for at in range(start, len(data), _BLOCK):
        found = data[at : at + _BLOCK + len(what) - 1].find(what)
        if found >= 0:
            return at + found
    return -1


def _warnings(document: Any, name: str, data: mmap.mmap) -> tuple[str, ...]:
    found = []
    names = [document.get_attachment(n).get_name() for n in range(document.count_attachments())]
    if names:
        found.append(f"{name} holds {len(names)} embedded file(s): {', '.join(names)}.")
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document.raw) > 0 or _place(data, b"/JavaScript") >= 0:
        found.append(f"{name} holds JavaScript, which was not run.")
    if _place(data, b"/Launch") >= 0:
        found.append(f"{name} asks to start a program, which was not done.")
    return tuple(found)


def _unaudited(whole: _File) -> list[str]:
    why = dict.fromkeys(whole.unjudged, "holds too much or is too large") | dict.fromkeys(
        whole.second.pages_read, "is damaged"
    )
    return [
        f"Page {index + 1} of {whole.name} {why[index]}; whether it holds hidden text could not be told."
        for index in sorted(why)
    ]
