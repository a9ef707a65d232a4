"""One file to pages of text, by what it holds and not by what it is called."""

from __future__ import annotations

import zipfile
from importlib.metadata import version
from pathlib import Path

from lexforge.errors import UnreadableFile
from lexforge.ingest import email, office, pdf, text
from lexforge.ingest.correspondence import head_of
from lexforge.ingest.reading import Reading, pages_of

LARGEST = 512 * 1024 * 1024
"""Bytes; a larger file is not read in one piece."""

_SUFFIXES = {
    "application/pdf": {".pdf"},
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": {".docx"},
    "message/rfc822": {".eml"},
    "text/plain": {".txt", ".md", ".text"},
}
_UNSUPPORTED = {
    b"\xd0\xcf\x11\xe0": ("an old or password-protected Office file", "Save it as .docx or PDF, without a password."),
    b"PK\x03\x04": ("an archive or an Office file that is not a Word document", "Unpack it, or save it as PDF."),
    b"\x89PNG": ("a picture", "Make it a PDF with a text layer (OCR), for example with ocrmypdf."),
    b"\xff\xd8\xff": ("a picture", "Make it a PDF with a text layer (OCR), for example with ocrmypdf."),
    b"II*\x00": ("a picture", "Make it a PDF with a text layer (OCR), for example with ocrmypdf."),
    b"MM\x00*": ("a picture", "Make it a PDF with a text layer (OCR), for example with ocrmypdf."),
    b"GIF8": ("a picture", "Make it a PDF with a text layer (OCR), for example with ocrmypdf."),
    b"{\\rtf": ("a rich-text file", "Save it as .docx or PDF."),
    b"<!doctype": ("a web page", "Print it to PDF."),
    b"<html": ("a web page", "Print it to PDF."),
    b"<?xml": ("an XML file", "Print it to PDF."),
    b"\x7fELF": ("a program", "Remove it from the matter's folder."),
    b"MZ": ("a program", "Remove it from the matter's folder."),
}


def read(path: Path) -> Reading:
    """Read one file; UnreadableFile names it, says why, and what to do."""
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
    try:
        reading = _by_content(path, head)
    except UnreadableFile:
        raise
    except Exception as error:
        # A malformed file breaks what a library assumes in ways nobody can list; the rest of the matter goes on.
        raise UnreadableFile(
            "corrupt",
            f"{path.name} is not sound ({type(error).__name__}).",
            "Obtain it again, or print it to a new PDF.",
        ) from error
    return reading.model_copy(update={"note": _misnamed(path, reading.media_type)})


def _by_content(path: Path, head: bytes) -> Reading:
    if b"%PDF-" in head[:1024]:
        return _read_pdf(path)
    if head.startswith(b"PK\x03\x04") and _is_word(path):
        return _read_docx(path)
    for magic, (what, advice) in _UNSUPPORTED.items():
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[: len(magic)].lower() == magic.lower():
            raise UnreadableFile("unsupported", f"{path.name} is {what}, which cannot be read.", advice)
    if path.suffix.lower() == ".pdf":
        raise UnreadableFile(
            "misnamed", f"{path.name} is not a PDF.", "Give it the ending that fits what it is, or obtain it again."
        )
    if path.suffix.lower() == ".eml" or email.looks_like(head):
        return _read_email(path)
    pages = text.read(path)
    return Reading(
        media_type="text/plain",
        extractor="text 1",
        pages=pages_of(pages),
        correspondence=head_of(pages[0]),
        own_draft=text.own_draft(pages),
    )


def _is_word(path: Path) -> bool:
    """Whether a zip archive is a Word document; a damaged archive is left to the Word reader to refuse."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "word/document.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return path.suffix.lower() == ".docx"


def _read_pdf(path: Path) -> Reading:
    pages, own_draft = pdf.read(path)
    return Reading(
        media_type="application/pdf",
        extractor=f"pypdf {version('pypdf')}",
        pages=pages_of(pages),
        correspondence=head_of(pages[0]),
        own_draft=own_draft or text.own_draft(pages),  # the line of a printed report survives where properties do not
    )


def _read_docx(path: Path) -> Reading:
    document = office.read_docx(path)
    whole = "\n\n".join(block.text for block in document.blocks)
    if not whole.strip():
        raise UnreadableFile(
            "no_text", f"{path.name} has no text.", "If it holds pictures, save it as PDF and run OCR."
        )
    return Reading(
        media_type="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        extractor="wordprocessingml 1",
        pages=pages_of([whole]),
        correspondence=head_of(whole),
        own_draft=document.draft,
    )


def _read_email(path: Path) -> Reading:
    correspondence, body = email.read(path)
    return Reading(
        media_type="message/rfc822", extractor="email 1", pages=pages_of([body]), correspondence=correspondence
    )


def _misnamed(path: Path, media_type: str) -> str:
    if path.suffix.lower() in _SUFFIXES[media_type]:
        return ""
    right = min(_SUFFIXES[media_type])
    return f"{path.name} was read as {media_type}, which its name does not say; rename it to end in {right}."
