"""The package of a Word document, opened with care: it comes from strangers.

Limits on members, size and compression keep a crafted archive from filling the memory; a part that declares a DTD is
refused, because no word processor writes one and entities can read files or grow without end.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile
from zlib import error as zlib_error

from lxml import etree

from lexforge.domain.draft import OWN_MARK
from lexforge.errors import UnreadableFile

MAX_MEMBERS = 4096
MAX_BYTES = 256 * 2**20
MAX_PART = 64 * 2**20
MAX_RATIO = 100
_RATIO_FREE = 2**20  # a small part of repetitive XML may well shrink more than 100:1, and does no harm
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_DRAFT_ID = re.compile(r"[0-9a-f]{16}")
_MARK = re.compile(rf"{re.escape(OWN_MARK)}[^0-9a-z]{{1,3}}({_DRAFT_ID.pattern})")  # LibreOffice turns `:` to a space

_RESAVE = "Open it in Word or LibreOffice, save it as a new .docx, and use that."
_REFUSALS = {
    "missing": ("cannot be opened", "Check that the file exists and may be read."),
    "empty": ("is empty", "Get the file again from where it came from."),
    "encrypted": ("is protected by a password", "Remove the password in Word (File > Info > Protect Document)."),
    "legacy_word": ("is in the old binary format of Word", "Open it in Word or LibreOffice and save it as .docx."),
    "not_zip": ("is not a Word document", "Check what the file is and give it its right ending, or save it as .docx."),
    "no_document": ("holds no Word document", "Check what the file is; spreadsheets and slides are not read."),
    "damaged": ("is damaged", _RESAVE),
    "dtd": ("declares XML entities, which no word processor writes", "Do not open it; ask its sender what made it."),
    "too_large": ("unpacks to far more than a paper holds", "Do not open it; ask its sender what made it."),
    "embedded": ("contains another document inside it, which cannot be checked", _RESAVE),
}

WORD = frozenset(
    {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    }
)
"""The namespaces of transitional and of strict files."""


@contextmanager
def opened(path: Path) -> Iterator[Package]:
    """The parts of the document at `path`. Raises UnreadableFile, also for what breaks while it is being read."""
    head = b""
    try:
        head = _head(path)
        if head.startswith(_OLE):
            raise refused(path, "encrypted" if "EncryptedPackage".encode("utf-16-le") in head else "legacy_word")
        with ZipFile(path) as archive:
            yield Package(path, archive)
    except OSError as error:
        raise refused(path, "missing") from error
    except BadZipFile as error:
        raise refused(path, "damaged" if head.startswith(b"PK") else "not_zip" if head else "empty") from error
    except (zlib_error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise refused(path, "damaged") from error


def _head(path: Path) -> bytes:
    """Enough of the file to tell what it is: the directory of an OLE container may stand anywhere in it."""
    with path.open("rb") as stream:
        head = stream.read(8)
        return head + stream.read(MAX_BYTES) if head == _OLE else head


def refused(path: Path, code: str) -> UnreadableFile:
    """The error for `code`, one of the stable reasons in the table above."""
    message, advice = _REFUSALS[code]
    return UnreadableFile(code, f"{path.name} {message}.", advice)


class Package:
    """The parts of an open .docx."""

    def __init__(self, path: Path, archive: ZipFile) -> None:
        self._path = path
        self._archive = archive
        members = archive.infolist()
        names = [member.filename for member in members]
        if any(member.flag_bits & 1 for member in members):
            raise refused(path, "encrypted")
        if len(set(names)) != len(names):  # another reader would perhaps show the other one
            raise refused(path, "damaged")
        total = sum(member.file_size for member in members)
        thick = any(m.file_size > max(_RATIO_FREE, MAX_RATIO * m.compress_size) for m in members)
        if len(members) > MAX_MEMBERS or total > MAX_BYTES or thick:
            raise refused(path, "too_large")
        self._names = frozenset(names)

    def document(self) -> tuple[str, etree._Element]:
        """Name and root of the main part."""
        name = next(iter(self._targets("", "officeDocument")), "word/document.xml")
        root = self._parsed(name) if name in self._names else None
        if root is None or word_name(root) != "document":
            raise refused(self._path, "no_document")
        return name, root

    def related(self, part: str, kind: str) -> etree._Element | None:
        """Root of the part that `part` names as its `kind`, if there is one."""
        return next((self._parsed(name) for name in self._targets(part, kind) if name in self._names), None)

    def draft_id(self, ours: bool) -> str | None:
        """What the properties say; the identifier alone counts only where bookmarks of `ours` stand as well.

        Any document may have an identifier of sixteen hex digits, and an attorney may overwrite the keywords.
        """
        root = self.related("", "core-properties")
        if root is None:
            return None
        values = {etree.QName(element).localname: "".join(element.itertext()) for element in root}
        mark = _MARK.search(values.get("keywords", ""))
        identifier = _DRAFT_ID.fullmatch(values.get("identifier", "").strip()) if ours else None
        return mark.group(1) if mark else identifier.group() if identifier else None

    def _targets(self, part: str, kind: str) -> list[str]:
        folder, name = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{name}.rels")
        root = self._parsed(listing) if listing in self._names else ()
        return [
            posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/")
            for element in root
            if element.get("Type", "").endswith(f"/{kind}") and element.get("TargetMode") != "External"
        ]

    def _parsed(self, name: str) -> etree._Element:
        if self._archive.getinfo(name).file_size > MAX_PART:
            raise refused(self._path, "too_large")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        try:
            root = etree.fromstring(self._archive.read(name), parser)
        except etree.XMLSyntaxError as error:
            raise refused(self._path, "damaged") from error
        if root.getroottree().docinfo.doctype:
            raise refused(self._path, "dtd")
        return root


def word_name(element: etree._Element) -> str:
    """Local name of an element of WordprocessingML; empty for one of another vocabulary."""
    name = etree.QName(element)
    return name.localname if name.namespace in WORD else ""
