"""Whether the files of a production are what its records say: hashes, text that is there, natives behind slips."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from lexforge.ingest.load_file.decoding import Defect, shown
from lexforge.ingest.load_file.documents import ProducedDocument
from lexforge.ingest.load_file.production import Production

_HEX = re.compile(r"[0-9a-f]+")
_DIGITS = {"md5": 32, "sha1": 40, "sha256": 64}
_NATIVELY = rb"(?:natively|(?:in|as)\s+(?:its\s+|a\s+)?native(?:\s+(?:format|form|file))?)"
SLIP_SHEET = re.compile(
    rb"^[\W_]*(?:(?:this|the|document|file|record|item|attachment|spreadsheet|was|is|has|been)\s+)*"
    rb"(?:(?:produced|provided)\s+"
    + _NATIVELY
    + rb"|native\s+(?:(?:file|format|document)\s+)?(?:produced|provided))[\W_]*$",
    re.I | re.M,
)
"""A line that says so and nothing more; an email that asks for natives is no slip sheet."""
_SMALL = 4_096
_MAIL = (".msg", ".eml", ".emlx", ".mht", ".html")
_ASK_HOW = "An email's hash is often taken over its fields; ask how it was made, or for the file again."
_BLANK = b" \t\r\n\f\v\0\xef\xbb\xbf\xff\xfe"


_UNRESOLVED = {"file_missing", "path_absolute", "path_parent", "path_device", "path_invalid", "path_symlink"}


def of_documents(production: Production, root: Path) -> list[Defect]:
    """Files without a record, and what is wrong with the files of each document; lines of the load file."""
    found = [
        Defect(0, "file_without_record", f"The file {shown(path)} belongs to no record. Ask for its record.")
        for path in production.unclaimed
    ]
    named = {
        defect.line for defect in production.defects if defect.code in _UNRESOLVED and defect.file == production.dat
    }
    for document in production.documents:
        try:
            found += _of_document(document, root, has_names=document.line in named)
        except OSError as error:
            message = f"Line {document.line}: a file of {shown(document.first)} cannot be read ({error.strerror})."
            found.append(Defect(document.line, "file_unreadable", message))
    return found


def _of_document(document: ProducedDocument, root: Path, *, has_names: bool) -> Iterator[Defect]:
    line, native = document.line, document.native
    texts = document.texts
    if not has_names and not (texts or native or "text" in document.other or any(p.image for p in document.pages)):
        yield Defect(
            line, "record_without_files", f"Line {line}: {shown(document.first)} has no image, text or native."
        )
    yield from _hashes(document, root)
    beginnings = [_beginning(root / text) for text in texts]
    if beginnings and all(size <= _SMALL and not start.strip(_BLANK) for start, size in beginnings):
        yield Defect(line, "text_empty", f"Line {line}: the text {shown(texts[0])} is empty. Ask for it, or run OCR.")
    short = beginnings and all(size <= _SMALL for _, size in beginnings)
    if native is None and not has_names and short and any(SLIP_SHEET.search(_ascii(start)) for start, _ in beginnings):
        message = (
            f"Line {line}: the page of {shown(document.first)} says that it was produced natively; no native is here."
        )
        yield Defect(line, "native_missing", f"{message} Ask for it.")


def _beginning(path: Path) -> tuple[bytes, int]:
    with path.open("rb") as file:
        return file.read(_SMALL), path.stat().st_size


def _ascii(data: bytes) -> bytes:
    return data.replace(b"\0", b"")


def _hashes(document: ProducedDocument, root: Path) -> Iterator[Defect]:
    line = document.line
    for algorithm, stated in sorted(document.hashes.items()):
        if len(stated) != _DIGITS[algorithm] or not _HEX.fullmatch(stated):
            yield Defect(line, "bad_hash", f"Line {line}: {shown(stated)} is no {algorithm.upper()}.")
        elif document.native is not None:
            with (root / document.native).open("rb") as file:
                actual = hashlib.file_digest(file, algorithm).hexdigest()
            if actual != stated:
                message = (
                    f"Line {line}: the {algorithm.upper()} of {shown(document.native)} is {actual}, not as stated."
                )
                remedy = _ASK_HOW if document.native.lower().endswith(_MAIL) else "Ask for the file again."
                yield Defect(line, "hash_mismatch", f"{message} {remedy}")
