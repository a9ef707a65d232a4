"""The package of a Word document or a spreadsheet, opened with care: it comes from strangers.

Limits on members, size and compression keep a crafted archive from filling the memory; a part that declares a DTD is
refused, because no word processor writes one and entities can read files or grow without end.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as zlib_error

from lxml import etree

from lexforge.domain.draft import OWN_MARK
from lexforge.errors import UnreadableFile

MAX_MEMBERS = 4096
MAX_BYTES = 256 * 2**20
MAX_PART = 64 * 2**20
MAX_RATIO = 100
_RATIO_FREE = 2**20  # a small part of repetitive XML may well shrink more than 100:1, and does no harm
_CARRIED = ("/media/", "/embeddings/")  # folders of what is carried along and not parsed
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_DRAFT_ID = re.compile(r"[0-9a-f]{16}")
_MARK = re.compile(rf"{re.escape(OWN_MARK)}[^0-9a-z]{{1,3}}({_DRAFT_ID.pattern})")  # LibreOffice turns `:` to a space

_RESAVE = "Open it in Word or LibreOffice, save it as a new .docx, and use that."
_REFUSALS = {
    "missing": ("cannot be opened", "Check that the file exists and may be read."),
    "empty": ("is empty", "Get the file again from where it came from."),
    "encrypted": ("is protected by a password", "Remove the password in Word (File > Info > Protect Document)."),
    "legacy_word": ("is in the old binary format of Word", "Open it in Word or LibreOffice and save it as .docx."),
    "legacy_excel": ("is in the old binary format of Excel", "Open it in Excel or LibreOffice and save it as .xlsx."),
    "not_zip": ("is not a Word document", "Check what the file is and give it its right ending, or save it as .docx."),
    "no_document": ("holds no Word document", "Check what the file is and give it its right ending."),
    "damaged": ("is damaged", _RESAVE),
    "dtd": ("declares XML entities, which no word processor writes", "Do not open it; ask its sender what made it."),
    "too_large": ("unpacks to far more than a paper holds", "Do not open it; ask its sender what made it."),
    "embedded": ("contains another document inside it, which cannot be checked", _RESAVE),
}

_SHEET_REFUSALS = {
    "encrypted": ("is protected by a password", "Remove the password in Excel (File > Info > Protect Workbook)."),
    "not_zip": ("is not a spreadsheet", "Check what the file is and give it its right ending, or save it as .xlsx."),
    "no_document": ("holds no spreadsheet", "Check what the file is and give it its right ending."),
    "damaged": ("is damaged", "Open it in Excel or LibreOffice, save it as a new .xlsx, and use that."),
    "too_large": ("unpacks to far more than a person reads", "Ask for the sheets that matter, or for a PDF of them."),
}
_OUTSIDE = re.compile(r"(?:https?|ftp|file|mhtml)://?|\\\\\\\\", re.I)

WORD = frozenset(
    {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
    }
)
"""The namespaces of transitional and of strict files."""


@contextmanager
def opened(path: Path, sheet: bool = False) -> Iterator[Package]:
    """The parts of the document at `path`. Raises UnreadableFile, also for what breaks while it is being read.

    `sheet` says that it ought to be a spreadsheet, which only changes the words of a refusal.
    """
    head = b""
    try:
        head = _head(path)
        if head.startswith(_OLE):
            legacy = "legacy_excel" if sheet else "legacy_word"
            raise refused(path, "encrypted" if "EncryptedPackage".encode("utf-16-le") in head else legacy, sheet)
        with ZipFile(path) as archive:
            yield Package(path, archive, sheet)
    except OSError as error:
        raise refused(path, "missing", sheet) from error
    except BadZipFile as error:
        raise refused(path, "damaged" if head.startswith(b"PK") else "not_zip" if head else "empty", sheet) from error
    except (zlib_error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise refused(path, "damaged", sheet) from error


def _head(path: Path) -> bytes:
    """Enough of the file to tell what it is: the directory of an OLE container may stand anywhere in it."""
    with path.open("rb") as stream:
        head = stream.read(8)
        return head + stream.read(MAX_BYTES) if head == _OLE else head


def refused(path: Path, code: str, sheet: bool = False) -> UnreadableFile:
    """The error for `code`, one of the stable reasons in the table above."""
    message, advice = (_SHEET_REFUSALS if sheet and code in _SHEET_REFUSALS else _REFUSALS)[code]
    return UnreadableFile(code, f"{path.name} {message}.", advice)


class Package:
    """The parts of an open .docx or .xlsx; `names` are theirs."""

    def __init__(self, path: Path, archive: ZipFile, sheet: bool = False) -> None:
        self._path = path
        self._sheet = sheet
        self._archive = archive
        members = archive.infolist()
        names = [member.filename for member in members]
        if any(member.flag_bits & 1 for member in members):
            raise self.refused("encrypted")
        if len(set(names)) != len(names):  # another reader would perhaps show the other one
            raise self.refused("damaged")
        total = sum(member.file_size for member in members)
        thick = any(_thick(member) and not _carried(member.filename) for member in members)
        if len(members) > MAX_MEMBERS or total > MAX_BYTES or thick:
            raise self.refused("too_large")
        self.names = frozenset(names)

    def document(self) -> tuple[str, etree._Element]:
        """Name and root of the main part."""
        name = next(iter(self.targets("", "officeDocument")), "word/document.xml")
        root = self.parsed(name) if name in self.names else None
        if root is None or word_name(root) != "document":
            raise self.refused("no_document")
        return name, root

    def related(self, part: str, kind: str) -> etree._Element | None:
        """Root of the part that `part` names as its `kind`, if there is one."""
        return next((self.parsed(name) for name in self.targets(part, kind) if name in self.names), None)

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

    def targets(self, part: str, kind: str) -> list[str]:
        """Names of the parts that `part` names as its `kind`, whether they are there or not."""
        folder, name = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{name}.rels")
        root = self.parsed(listing) if listing in self.names else ()
        return [
            posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/")
            for element in root
            if element.get("Type", "").endswith(f"/{kind}") and element.get("TargetMode") != "External"
        ]

    def warnings(self) -> tuple[str, ...]:
        """Sentences on what the file would run or fetch in another program; nothing of it happens here."""
        told = []
        if any(name.rpartition("/")[2].lower() == "vbaproject.bin" for name in self.names):
            told.append(f"{self._path.name} contains macros; they were not run.")
        listings = sorted(name for name in self.names if name.endswith(".rels"))
        outside = {
            (element.get("Type", "").rpartition("/")[2], element.get("Target", ""))
            for name in listings
            for element in self.parsed(name)
            if element.get("TargetMode") == "External" and _OUTSIDE.match(element.get("Target", ""))
        }
        if outside:
            kinds = ", ".join(sorted({kind for kind, _ in outside}))
            several = "es" * (len(outside) > 1)
            told.append(
                f"{self._path.name} refers to {len(outside)} outside address{several} ({kinds}), none was fetched."
            )
        return tuple(told)

    def embedded(self) -> list[tuple[str, bytes]]:
        """File name and bytes of each file that was put into the document."""
        inside = sorted(name for name in self.names if "/embeddings/" in name and not name.endswith("/"))
        return [(posixpath.basename(name), self.data(name)) for name in inside]

    def refuse_dtd(self) -> None:
        """Refuse a document any of whose XML declares a DTD, before another library reads it."""
        for name in self.names:
            if not _carried(name):
                data = self.data(name)
                if any("<!DOCTYPE".encode(code) in data for code in ("utf-8", "utf-16-le", "utf-16-be")):
                    raise self.refused("dtd")

    def data(self, name: str) -> bytes:
        """The bytes of a part, of which no one is larger than MAX_PART."""
        if self._archive.getinfo(name).file_size > MAX_PART:
            raise self.refused("too_large")
        return self._archive.read(name)

    def refused(self, code: str) -> UnreadableFile:
        """The error for `code` in the words that fit this file."""
        return refused(self._path, code, self._sheet)

    def parsed(self, name: str) -> etree._Element:
        """Root of a part; KeyError when there is none of this name."""
        if _thick(self._archive.getinfo(name)):
            raise self.refused("too_large")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        try:
            root = etree.fromstring(self.data(name), parser)
        except etree.XMLSyntaxError as error:
            raise self.refused("damaged") from error
        if root.getroottree().docinfo.doctype:
            raise self.refused("dtd")
        return root


def _thick(member: ZipInfo) -> bool:
    return member.file_size > max(_RATIO_FREE, MAX_RATIO * member.compress_size)


def _carried(name: str) -> bool:
    """Whether a part is a picture or a file inside: a picture may well be one white surface, and an SVG has a DTD."""
    return any(folder in name for folder in _CARRIED)


def word_name(element: etree._Element) -> str:
    """Local name of an element of WordprocessingML; empty for one of another vocabulary."""
    name = etree.QName(element)
    return name.localname if name.namespace in WORD else ""
