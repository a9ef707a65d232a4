"""Plain text and Markdown to pages. A form feed ends a page."""

from __future__ import annotations

import codecs
from pathlib import Path

from lexforge.domain.draft import OWN_MARK_PATTERN
from lexforge.errors import UnreadableFile

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def read(path: Path) -> tuple[str, ...]:
    """Pages of a text file in UTF-8, UTF-16 with a mark, or Windows-1252; UnreadableFile when it is none of them."""
    data = path.read_bytes()
    if not data:
        raise UnreadableFile("empty", f"{path.name} is empty.", "Obtain it again from where it came.")
    text = decoded(data, path.name)
    if not text.strip():
        raise UnreadableFile("empty", f"{path.name} holds nothing but white space.", "Obtain it again.")
    return tuple(text.split("\f"))


def decoded(data: bytes, name: str) -> str:
    """Text with Unix line ends; UnreadableFile `encoding` for bytes that are no text."""
    encoding = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    if encoding is None and b"\0" in data:
        raise _no_text(name)
    for candidate in [encoding] if encoding else ["utf-8", "cp1252"]:
        try:
            return data.decode(candidate).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    raise _no_text(name)


def _no_text(name: str) -> UnreadableFile:
    return UnreadableFile("encoding", f"{name} is not text in any known encoding.", "Save it as UTF-8 or as PDF.")


def own_draft(pages: tuple[str, ...]) -> str | None:
    """Id of the draft of ours whose mark stands in a text export, or None."""
    found = OWN_MARK_PATTERN.search("\n".join(pages))
    return found.group(1) if found else None
