"""One file to pages of text, by what it holds and not by what it is called.

Each reader is imported when the first file of its kind comes: together their libraries take longer to load than a
folder of text files to read.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from lexforge.errors import UnreadableFile
from lexforge.ingest import text, transcript
from lexforge.ingest.container import archive
from lexforge.ingest.container.members import Inner, read_members
from lexforge.ingest.mail import eml, mailbox
from lexforge.ingest.mail.correspondence import head_of
from lexforge.ingest.reading import PageReading, Reading, pages_of

LARGEST = 512 * 1024 * 1024
"""Bytes; a larger file is not read in one piece."""

_SAVE_AS_PDF = "Save it as PDF."
_SAVE_AS_DOCX = "Save it as .docx or PDF."
_REMOVE = "Remove it from the matter's folder."
_UNSUPPORTED = {
    b"\xd0\xcf\x11\xe0": (
        "an old or password-protected Office file",
        "Save it as .docx, .xlsx or PDF, without a password.",
    ),
    b"7z\xbc\xaf": ("a 7z archive", "Unpack it, and put its files into the matter."),
    b"Rar!": ("a rar archive", "Unpack it, and put its files into the matter."),
    b"!BDN": ("an Outlook data file", "Export its folders as .mbox or its messages as .eml or .msg."),
    b"\xffWPC": ("a WordPerfect file", _SAVE_AS_DOCX),
    b"{\\rtf": ("a rich-text file", _SAVE_AS_DOCX),
    b"<?xml": ("an XML file", "Print it to PDF."),
    b"AT&TFORM": ("a DjVu file", _SAVE_AS_PDF),
    b"\x7fELF": ("a program", _REMOVE),
    b"MZ": ("a program", _REMOVE),
}
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"GIF8")
_OTHER_ZIPS = {
    "ppt/presentation.xml": ("a presentation", _SAVE_AS_PDF),
    "mimetype": ("an OpenDocument or e-book file", _SAVE_AS_DOCX),
}
_WITHIN = {".docx": ("word/document.xml",), ".xlsx": ("xl/workbook.xml",), ".xlsm": ("xl/workbook.xml",)}
_SUFFIXES = {
    "application/pdf": {".pdf"},
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": {".docx", ".docm", ".dotx", ".dotm"},
    "message/rfc822": {".eml"},
    "text/plain": {".txt", ".md", ".text", ".log", ".csv", ".dat", ".opt"},
    "text/html": {".html", ".htm"},
}
"""Endings that fit; a type that is not here is named in many ways, and nothing is said of its name."""


def read(path: Path) -> Reading:
    """Read one file and what is inside it; UnreadableFile names it, says why, and what to do."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise UnreadableFile(
            "unreadable", f"{path.name} cannot be opened: {error.strerror}.", "Check its permissions."
        ) from None
    if size == 0:
        raise UnreadableFile("empty", f"{path.name} is empty.", "Obtain it again from where it came.")
    if size > LARGEST:
        raise UnreadableFile("too_large", f"{path.name} is larger than 512 MiB.", "Split it into parts.")
    if path.suffix.lower() in transcript.PROPRIETARY:
        what, advice = transcript.PROPRIETARY[path.suffix.lower()]
        raise UnreadableFile("unsupported", f"{path.name} is {what}, which cannot be read.", advice)
    try:
        reading = _reader(path, head)(path)
    except (UnreadableFile, MemoryError):
        raise
    except Exception as error:
        # A malformed file breaks what a library assumes in ways nobody can list; the rest of the matter goes on.
        raise UnreadableFile(
            "corrupt",
            f"{path.name} is not sound ({type(error).__name__}).",
            "Obtain it again, or print it to a new PDF.",
        ) from error
    own_draft = reading.own_draft or text.own_draft(reading.texts)  # the line survives where properties do not
    return reading.model_copy(update={"own_draft": own_draft, "note": _misnamed(path, reading.media_type)})


def _reader(path: Path, head: bytes) -> Callable[[Path], Reading]:
    """What reads a file that begins so."""
    for fits, reader in _BY_CONTENT:
        if fits(path, head):
            return reader
    for magic, (what, advice) in _UNSUPPORTED.items():
        if _start(head).startswith(magic):
            raise UnreadableFile("unsupported", f"{path.name} is {what}, which cannot be read.", advice)
    if path.suffix.lower() == ".pdf":
        raise UnreadableFile(
            "misnamed", f"{path.name} is not a PDF.", "Give it the ending that fits what it is, or obtain it again."
        )
    if mailbox.looks_like(head):
        return _read_mailbox
    if path.suffix.lower() == ".eml" or eml.looks_like(head):
        return _read_email
    return _read_text


def _start(head: bytes) -> bytes:
    """The first bytes after a byte order mark and white space."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")


def _is_picture(_path: Path, head: bytes) -> bool:
    bitmap = head.startswith(b"BM") and head[6:10] == bytes(4)  # two reserved words that are zero
    return head.startswith(_PICTURES) or bitmap or head[8:12] == b"WEBP" or head[4:8] == b"ftyp"


def _is_web_page(path: Path, head: bytes) -> bool:
    start = _start(head).lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return True
    return path.suffix.lower() in {".html", ".htm", ".xhtml"} and start.startswith(b"<")


def _read_zip(path: Path) -> Reading:
    """Office documents are zip archives; a damaged one is left to the reader that its ending asks for."""
    try:
        with zipfile.ZipFile(path) as package:
            names = set(package.namelist())
    except zipfile.BadZipFile:
        names = set(_WITHIN.get(path.suffix.lower(), ()))
    for name, (what, advice) in _OTHER_ZIPS.items():
        if name in names:
            raise UnreadableFile("unsupported", f"{path.name} is {what}, which cannot be read.", advice)
    if "word/document.xml" in names:
        return _read_word(path)
    return _read_spreadsheet(path) if "xl/workbook.xml" in names else _read_archive(path)


def _read_pdf(path: Path) -> Reading:
    from lexforge.ingest.pdf import reader as pdf

    document = pdf.read(path)
    pages, extractor = document.pages, document.extractor
    if any(page.scanned for page in pages):
        from lexforge.ingest.picture import ocr

        pages = ocr.read_scanned(path, pages)
        if any(page.by_ocr for page in pages):
            extractor = f"{extractor} / {ocr.available()}"
    reading = Reading(
        media_type="application/pdf",
        extractor=extractor,
        pages=_without_line_numbers(pages),
        correspondence=head_of(pages[0].text),
        own_draft=document.own_draft,
        warnings=document.warnings,
    )
    return _with_attached(reading, lambda _: document.attachments, path) if document.attachments else reading


def _without_line_numbers(pages: tuple[PageReading, ...]) -> tuple[PageReading, ...]:
    """The pages of a transcript with each line's place, and all that is known of them besides; others as they are."""
    numbered = transcript.pages([page.text for page in pages])
    if numbered is None or len(numbered) != len(pages):
        return pages
    return tuple(
        page
        if not new.places
        else page.model_copy(update={"text": new.text, "label": new.label, "places": new.places, "furniture": ()})
        for page, new in zip(pages, numbered, strict=True)
    )


def _read_word(path: Path) -> Reading:
    from lexforge.ingest.office import word

    return _with_attached(word.read(path), word.attachments, path)


def _read_spreadsheet(path: Path) -> Reading:
    from lexforge.ingest.office import spreadsheet, word

    return _with_attached(spreadsheet.read(path), word.attachments, path)


def _with_attached(reading: Reading, attachments: Callable[[Path], Iterable[tuple[str, bytes]]], path: Path) -> Reading:
    """The reading with the files put into the document; when they cannot be taken out, a warning says why."""
    try:
        members = read_members((Inner(name, data) for name, data in attachments(path)), read)
    except UnreadableFile as error:
        return reading.model_copy(update={"warnings": (*reading.warnings, str(error))})
    return reading.model_copy(update={"members": members})


def _read_text(path: Path) -> Reading:
    texts = text.read(path)
    return Reading(
        media_type="text/plain",
        extractor="text 1",
        pages=transcript.pages(texts) or pages_of(texts),
        correspondence=head_of(texts[0]),
    )


def _read_email(path: Path) -> Reading:
    return eml.read(path, read)


def _is_message(path: Path, head: bytes) -> bool:
    if not head.startswith(b"\xd0\xcf\x11\xe0"):
        return False
    from lexforge.ingest.mail import msg

    return msg.looks_like(path)


def _read_message(path: Path) -> Reading:
    from lexforge.ingest.mail import msg

    return msg.read(path, read)


def _read_mailbox(path: Path) -> Reading:
    return mailbox.read(path, read)


def _read_archive(path: Path) -> Reading:
    return archive.read(path, read)


def _read_picture(path: Path) -> Reading:
    from lexforge.ingest.picture import reader as picture

    return picture.read(path)


def _read_web_page(path: Path) -> Reading:
    from lexforge.ingest.web import page

    return page.read(path)


_BY_CONTENT: tuple[tuple[Callable[[Path, bytes], bool], Callable[[Path], Reading]], ...] = (
    (lambda _, head: b"%PDF-" in head[:1024], _read_pdf),
    (lambda _, head: head.startswith(b"PK\x03\x04"), _read_zip),
    (_is_message, _read_message),
    (lambda _, head: archive.looks_like(head), _read_archive),
    (_is_picture, _read_picture),
    (_is_web_page, _read_web_page),
)


def _misnamed(path: Path, media_type: str) -> str:
    fitting = _SUFFIXES.get(media_type)
    if fitting is None or path.suffix.lower() in fitting:
        return ""
    return f"{path.name} was read as {media_type}, which its name does not say; rename it to end in {min(fitting)}."
