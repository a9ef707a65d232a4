"""The .docx package: opened with the house style, closed as the same bytes for the same content."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from datetime import datetime
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.parser import parse_xml
from docx.shared import Inches

from lexforge.errors import DocumentError

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
_KEPT_PARTS = frozenset({RELATIONSHIP_TYPE.STYLES, RELATIONSHIP_TYPE.NUMBERING, RELATIONSHIP_TYPE.SETTINGS})
_KEPT_PROPERTIES = frozenset({RELATIONSHIP_TYPE.OFFICE_DOCUMENT, RELATIONSHIP_TYPE.CORE_PROPERTIES})


def open_document() -> Document:
    """An empty letter-size document with the house style and nothing of python-docx's own template."""
    document = docx.Document()
    _forget(document.part.rels, _KEPT_PARTS)
    package = document.part.package
    if package is not None:
        _forget(package.rels, _KEPT_PROPERTIES)
    _refill(document.styles.element, "styles.xml")
    _refill(document.part.numbering_part.element, "numbering.xml")
    _refill(document.settings.element, "settings.xml")
    section = document.sections[0]
    section.page_width, section.page_height = Inches(8.5), Inches(11)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Inches(1)
    section.header_distance = section.footer_distance = Inches(0.5)
    return document


def packed(document: Document, stamp: datetime) -> bytes:
    """The bytes of the package, a function of its content alone.

    python-docx stamps members and comments with the time of writing; equal drafts would get unequal hashes.
    """
    for comment in document.part._comments_part.element.xpath("./w:comment"):
        comment.date = stamp
    raw, fixed = BytesIO(), BytesIO()
    document.save(raw)
    with ZipFile(raw) as source, ZipFile(fixed, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            member = ZipInfo(name, _ZIP_EPOCH)
            member.compress_type = ZIP_DEFLATED
            member.create_system = 0
            target.writestr(member, source.read(name))
    return fixed.getvalue()


def write_atomically(data: bytes, path: Path) -> None:
    """All of `data` at `path`, or what was there before. Raises DocumentError."""
    temporary = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}-", suffix=".tmp")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o600)  # client text: nobody else on the machine needs to read it
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        raise DocumentError(
            f"{path.name} could not be written: {error.strerror or error}.",
            "Close it in Word if it is open there, and check that its folder exists, is writable and has room.",
        ) from error


def _forget(relationships: dict[str, Any], kept: frozenset[str]) -> None:
    for key in [key for key, relationship in relationships.items() if relationship.reltype not in kept]:
        del relationships[key]


def _refill(element: Any, name: str) -> None:
    """Replace all children of a part's root by those of the file `name` beside this module."""
    source = parse_xml(files(__package__).joinpath(name).read_bytes())
    for child in list(element):
        element.remove(child)
    element.extend(list(source))
