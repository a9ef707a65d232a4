"""PDF to text with pypdf in plain mode, which keeps stamps that run sideways (layout mode loses them)."""

from __future__ import annotations

import logging
from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

from lexforge.domain.draft import OWN_MARK_PATTERN
from lexforge.errors import UnreadableFile

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it says of malformed files is not for the attorney


def read(path: Path) -> tuple[tuple[str, ...], str | None]:
    """Text of each page, and the id of the draft of ours that the file says it is (or None).

    UnreadableFile for encrypted, corrupt and text-free files.
    """
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableFile(
                "encrypted",
                f"{path.name} needs a password.",
                "Open it, save a copy without the password, and use that.",
            )
        pages = tuple(page.extract_text() for page in reader.pages)
        own_draft = _own_draft(reader)
    except (FileNotDecryptedError, DependencyError) as error:
        raise UnreadableFile(
            "encrypted", f"{path.name} cannot be decrypted: {error}.", "Save a copy without protection."
        ) from None
    except LimitReachedError as error:
        raise UnreadableFile(
            "hostile", f"{path.name} exceeds a safety limit: {error}.", "Print it to a new PDF."
        ) from None
    if not any(page.strip() for page in pages):
        raise UnreadableFile(
            "no_text",
            f"{path.name} has no text on its {len(pages)} page(s): it is a picture.",
            "Run OCR over it (for example `ocrmypdf IN OUT`) and put the result in its place.",
        )
    return pages, own_draft


def _own_draft(reader: PdfReader) -> str | None:
    keywords = str(reader.metadata.get("/Keywords", "")) if reader.metadata else ""
    found = OWN_MARK_PATTERN.search(keywords)
    return found.group(1) if found else None
