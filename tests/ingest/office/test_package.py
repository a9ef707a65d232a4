"""Word documents that cannot be read whole are refused, with a code and an advice for each flaw."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from lexforge.errors import UnreadableFile
from lexforge.ingest.office import package as office_package
from lexforge.ingest.office.edited import is_own_output, read_docx
from tests.ingest.office.word_package import OFFICE, W, p, package, r, relationships


def zipped(path: Path, parts: dict[str, bytes], method: int = ZIP_DEFLATED) -> None:
    with ZipFile(path, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def many(path: Path) -> None:
    zipped(path, {f"word/media/{n}": b"" for n in range(office_package.MAX_MEMBERS + 1)}, ZIP_STORED)


def nested_entities(path: Path) -> None:
    package(path, "")
    grow = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    text = f'{grow}<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>'
    zipped(path, {"word/document.xml": text.encode()})


def external_entity(path: Path) -> None:
    text = (
        '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        f'<w:document xmlns:w="{W}"><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>'
    )
    zipped(path, {"word/document.xml": text.encode()})


def password_on_the_zip(path: Path) -> None:
    package(path, p(r("a")))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    flags = struct.unpack_from("<H", data, at + 8)[0]
    struct.pack_into("<H", data, at + 8, flags | 1)
    path.write_bytes(bytes(data))


def flipped_bytes(path: Path) -> None:
    package(path, p(r("a" * 50)))
    data = bytearray(path.read_bytes())
    at = data.index(b"word/document.xml") + len("word/document.xml")
    data[at + 5 : at + 25] = b"\xff" * 20
    path.write_bytes(bytes(data))


def cut_short(path: Path) -> None:
    package(path, p(r("a")))
    path.write_bytes(path.read_bytes()[:400])


def twice_the_same_name(path: Path) -> None:
    package(path, p(r("a")))
    with pytest.warns(UserWarning, match="Duplicate"), ZipFile(path, "a") as archive:
        archive.writestr("word/document.xml", "<other/>")


def deep(path: Path) -> None:
    package(path, "<w:sdt><w:sdtContent>" * 3000 + p(r("a")) + "</w:sdtContent></w:sdt>" * 3000)


OLE = bytes.fromhex("d0cf11e0a1b11ae1")
SPREADSHEET = relationships((f"{OFFICE}/officeDocument", "xl/workbook.xml"))

UNREADABLE: list[tuple[str, str, Callable[[Path], object]]] = [
    ("there is no such file", "missing", lambda path: None),
    ("nothing in it", "empty", lambda path: path.write_bytes(b"")),
    ("a PDF with the wrong ending", "not_zip", lambda path: path.write_bytes(b"%PDF-1.7\n")),
    ("a download that broke off", "damaged", cut_short),
    ("bits lost on the disk", "damaged", flipped_bytes),
    ("two parts of one name: who knows which one the other side sees", "damaged", twice_the_same_name),
    ("nested past any sense", "damaged", deep),
    ("not well-formed", "damaged", lambda path: zipped(path, {"word/document.xml": b"<w:document"})),
    ("an empty archive", "no_document", lambda path: zipped(path, {})),
    ("a part is missing", "no_document", lambda path: zipped(path, {"word/styles.xml": b"<x/>"})),
    (
        "a spreadsheet",
        "no_document",
        lambda path: zipped(path, {"_rels/.rels": SPREADSHEET.encode(), "xl/workbook.xml": b"<workbook/>"}),
    ),
    (
        "protected by Word",
        "encrypted",
        lambda path: path.write_bytes(OLE + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le")),
    ),
    ("a .doc renamed", "legacy_word", lambda path: path.write_bytes(OLE + b"\0" * 504)),
    ("protected by the archive", "encrypted", password_on_the_zip),
    ("entities that grow", "dtd", nested_entities),
    ("an entity that reads a file", "dtd", external_entity),
    ("a bomb", "too_large", lambda path: zipped(path, {"word/document.xml": b" " * 5_000_000})),
    ("too many members", "too_large", many),
    ("another document inside", "embedded", lambda path: package(path, '<w:altChunk w:id="x"/>')),
]


@pytest.mark.parametrize(("why", "code", "make"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
def test_unreadable(tmp_path: Path, why: str, code: str, make: Callable[[Path], object]) -> None:
    path = tmp_path / "exhibit 7.docx"
    make(path)
    for read in (read_docx, is_own_output):
        with pytest.raises(UnreadableFile) as caught:
            read(path)
        assert caught.value.code == code, why
        assert caught.value.message.startswith("exhibit 7.docx ")
        assert caught.value.advice


def test_the_sum_of_all_members_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = package(tmp_path / "brief.docx", p(r("a")))
    monkeypatch.setattr(office_package, "MAX_BYTES", 100)
    with pytest.raises(UnreadableFile, match="far more"):
        read_docx(path)
