"""Files built to hang, crash or fill whoever reads them, each small on the disk and made in a moment."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import NamedTuple

import docx
import openpyxl
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

MIB = 2**20
WORDS = "The sacks were open and the flour was grey."


def deflated_zeros(size: int) -> bytes:
    """A raw deflate stream (RFC 1951) of `size` zeros: one piece of 16 MiB, which refers to nothing before it, again
    and again."""
    piece, last = zlib.compressobj(9, wbits=-15), zlib.compressobj(9, wbits=-15)
    block = piece.compress(bytes(16 * MIB)) + piece.flush(zlib.Z_FULL_FLUSH)
    return block * (size // (16 * MIB)) + last.flush()


def zlib_zeros(size: int) -> bytes:
    """The same with the head of zlib (RFC 1950); whoever comes to the end finds no checksum."""
    return b"\x78\xda" + deflated_zeros(size)


def zipped(*files: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files:
            package.writestr(name, data)
    return target.getvalue()


def zip_entry(name: bytes, data: bytes, size: int) -> tuple[bytes, bytes]:
    """The local header with the packed `data`, and the entry of the directory that finds it at offset 0."""
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x21, 0, len(data), min(size, 2**32 - 1), len(name), 0)
    local = b"PK\x03\x04" + common + name + data
    return local, b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name


def zip_of(local: bytes, directory: list[bytes]) -> bytes:
    count, entries = len(directory), b"".join(directory)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(entries), len(local), 0)
    return local + entries + b"PK\x05\x06" + end


def zip_of_zeros() -> bytes:
    """Ten gigabytes in ten megabytes."""
    local, entry = zip_entry(b"zeros.txt", deflated_zeros(10 * 2**30), 10 * 2**30)
    return zip_of(local, [entry])


def overlapping_zip() -> bytes:
    """Fifty files in the directory, and one in the archive."""
    local, entry = zip_entry(b"zeros.txt", deflated_zeros(32 * MIB), 32 * MIB)
    return zip_of(local, [entry] * 50)


def deep_zip() -> bytes:
    """An archive in an archive, sixty times."""
    return nested(zipped(("letter.txt", WORDS.encode())), 1, 60)


def wide_zip() -> bytes:
    """Five archives in each of five in each of five, and 32 MiB in each of those: four gigabytes in few kilobytes."""
    local, entry = zip_entry(b"zeros.txt", deflated_zeros(32 * MIB), 32 * MIB)
    return nested(zip_of(local, [entry]), 5, 3)


def nested(data: bytes, width: int, depth: int) -> bytes:
    for _ in range(depth):
        data = zipped(*((f"{n}.zip", data) for n in range(width)))
    return data


def pdf_of(objects: dict[int, bytes], *, prev: bool = False) -> bytes:
    """Objects with a table that finds them; with `prev` the table names itself as the one before it."""
    body, places = bytearray(b"%PDF-1.7\n"), {}
    for number, content in objects.items():
        places[number] = len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(body)
    rows = [
        b"%010d %05d %s \n" % ((places[n], 0, b"n") if n in places else (0, 65535, b"f"))
        for n in range(1 + max(objects))
    ]
    before = b" /Prev %d" % table if prev else b""
    body += b"xref\n0 %d\n%strailer\n<< /Size %d /Root 1 0 R%s >>\n" % (len(rows), b"".join(rows), len(rows), before)
    return bytes(body + b"startxref\n%d\n%%%%EOF\n" % table)


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(data), more, data)


def drawn(text: str) -> bytes:
    return b"BT /F 12 Tf 72 700 Td (%s) Tj ET" % text.encode()


def page(content: int, resources: bytes = b"/Font << /F 4 0 R >>") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << %s >> >>" % (
        content,
        resources,
    )


def one_page(content: bytes, resources: bytes = b"/Font << /F 4 0 R >>", **more: bytes) -> dict[int, bytes]:
    """The objects of a document of one page; `more` are further ones, `o6` for number 6."""
    objects = {
        1: CATALOG,
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: page(5, resources),
        4: FONT,
        5: content,
    }
    return objects | {int(name[1:]): data for name, data in more.items()}


def circular_page_tree() -> bytes:
    return pdf_of({1: CATALOG, 2: b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"})


def circular_form() -> bytes:
    """Two forms, each of which draws the other one twice, after words that can be read."""
    resources = b"/Font << /F 4 0 R >> /XObject << /X 6 0 R >>"
    kind = b" /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %d 0 R >> >>"
    forms = {"o6": stream(b"/X Do /X Do", kind % 7), "o7": stream(b"/X Do /X Do", kind % 6)}
    return pdf_of(one_page(stream(drawn(WORDS) + b" /X Do"), resources, **forms))


def circular_prev() -> bytes:
    return pdf_of(one_page(stream(drawn(WORDS))), prev=True)


def inflating_pdf() -> bytes:
    """The page is drawn by four gigabytes."""
    return pdf_of(one_page(stream(zlib_zeros(4 * 2**30), b" /Filter /FlateDecode")))


def twice_inflating_pdf() -> bytes:
    """The same packed once more: ten kilobytes."""
    packed = zlib.compress(zlib_zeros(4 * 2**30), 9)
    return pdf_of(one_page(stream(packed, b" /Filter [/FlateDecode /FlateDecode]")))


def pages_pdf(count: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % n for n in range(6, 6 + count))
    objects = {
        1: CATALOG,
        2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count),
        4: FONT,
        5: stream(drawn(WORDS)),
    }
    return pdf_of(objects | dict.fromkeys(range(6, 6 + count), page(5)))


def plain_pdf() -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    canvas.drawString(72, 700, "A letter about the flour that came by the wrong name.")
    canvas.save()
    return target.getvalue()


def locked_pdf() -> bytes:
    writer, target = PdfWriter(clone_from=PdfReader(io.BytesIO(plain_pdf()))), io.BytesIO()
    writer.encrypt("a word", algorithm="RC4-128")
    writer.write(target)
    return target.getvalue()


def plain_docx() -> bytes:
    document, target = docx.Document(), io.BytesIO()
    document.add_paragraph("A note about the flour that came by the wrong name.")
    document.save(target)
    return target.getvalue()


def changed(package: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """An Office document with one part changed."""
    with zipfile.ZipFile(io.BytesIO(package)) as old:
        return zipped(*((part, change(old.read(part)) if part == name else old.read(part)) for part in old.namelist()))


def billion_laughs() -> bytes:
    """Ten entities, each ten times the one before it, in the text of a document."""
    steps = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE w [<!ENTITY l0 "ha">{steps}]>'.encode()

    def laugh(part: bytes) -> bytes:
        declaration, rest = part.split(b"?>", 1)
        return declaration + b"?>" + head + rest.replace(b"A note", b"&l9; A note")

    return changed(plain_docx(), "word/document.xml", laugh)


def locked_docx() -> bytes:
    """The head of a compound file, in which Word puts a document with a password."""
    name = "EncryptedPackage".encode("utf-16-le")
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + name + bytes(4096)


def million_rows() -> bytes:
    """A sheet that says it has a million rows of sixteen thousand cells, and has the first and the last."""
    book, target = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"], book.active["XFD1048576"] = "Grey flour", "Wet flour"  # type: ignore[index]
    book.save(target)
    return target.getvalue()


def png_bomb() -> bytes:
    """Ten thousand million white points."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    side = 100_000
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    data = zlib_zeros(side * (side // 8 + 1))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


HEAD = "From: Ada <a@quillfeather.example>\nTo: Rufus <r@basalt.example>\nDate: Tue, 04 May 2021 10:00:00 +0000\n"


def nested_mail(depth: int) -> bytes:
    """A message forwarded as an attachment, again and again."""
    text = f"{HEAD}Subject: number 0\n\n{WORDS}\n"
    for n in range(1, depth + 1):
        text = f"{HEAD}Subject: number {n}\nContent-Type: message/rfc822\n\n{text}"
    return text.encode()


def attachments(count: int) -> bytes:
    parts = (
        f'--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="{n}.txt"\n\nsack {n}\n'
        for n in range(count)
    )
    return f"{HEAD}Subject: sacks\nContent-Type: multipart/mixed; boundary=b\n\n{''.join(parts)}--b--\n".encode()


def nested_html(depth: int) -> bytes:
    return b"<!DOCTYPE html><body>" + b"<div>" * depth + WORDS.encode() + b"</div>" * depth


class Hostile(NamedTuple):
    """`make` gives the file; `own` are the reasons it may end with, `inside` those of what is in it."""

    make: Callable[[], bytes]
    own: frozenset[str]
    inside: frozenset[str] = frozenset()


def row(make: Callable[[], bytes], own: str, inside: str = "") -> Hostile:
    return Hostile(make, frozenset(own.split()), frozenset(inside.split()))


DIES = "crashed out_of_memory"
"""PDFium aborts when it is given no more memory; nobody can tell that from a defect."""

FILES: dict[str, Hostile] = {
    "zeros.zip": row(zip_of_zeros, "container", "too_large"),
    "overlapping.zip": row(overlapping_zip, "container", "corrupt too_large"),
    "deep.zip": row(deep_zip, "container", "container too_deep"),
    "wide.zip": row(wide_zip, "container", "container too_large"),
    "circular page tree.pdf": row(circular_page_tree, "corrupt no_text"),
    "circular form.pdf": row(circular_form, f"read {DIES} too_slow"),
    "circular prev.pdf": row(circular_prev, "read"),
    "inflating.pdf": row(inflating_pdf, DIES),
    "twice inflating.pdf": row(twice_inflating_pdf, DIES),
    "ten thousand pages.pdf": row(lambda: pages_pdf(10_000), "read too_slow"),
    "nothing.pdf": row(bytes, "empty"),
    "a pdf.docx": row(plain_pdf, "misnamed"),
    "a docx.pdf": row(plain_docx, "misnamed"),
    "a picture.docx": row(png_bomb, "too_large"),
    "a text.pdf": row(WORDS.encode, "misnamed"),
    "locked.pdf": row(locked_pdf, "encrypted"),
    "locked.docx": row(locked_docx, "unsupported"),
    "laughs.docx": row(billion_laughs, "damaged"),
    "nested.eml": row(lambda: nested_mail(200), "read", "read too_deep"),
    "attachments.eml": row(lambda: attachments(50_000), "read too_slow", "read too_many"),
    "nested.html": row(lambda: nested_html(200_000), "read too_slow"),
    "claims.xlsx": row(million_rows, "read"),
    "bomb.png": row(png_bomb, "too_large"),
}
