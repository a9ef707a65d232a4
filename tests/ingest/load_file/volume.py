"""A volume of a production before it is written: rows, pages and files that have nothing wrong."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image

FIELDS = (
    "BEGBATES ENDBATES BEGATTACH ENDATTACH PARENTID CUSTODIAN FROM TO SUBJECT DATESENT FILENAME PGCOUNT "
    "CONFIDENTIALITY MD5HASH SHA1 SHA256 TEXTPATH NATIVELINK Project::Memo NOTE"
).split()
VOLUME = "VOL001"
DAT, OPT, NONE = "VOL001/DATA/VOL001.dat", "VOL001/DATA/VOL001.opt", ""
QUOTE, COLUMN, NEWLINE = "\u00fe", "\x14", "\u00ae"
SLOT = 4
"""Documents that each defect has to itself: one with a native, one alone, a parent and its child."""


@dataclass
class Document:
    """A document before it is written: its row, its lines of the .OPT, its files, and how its line is spoilt."""

    row: dict[str, str]
    pages: list[list[str]]
    files: dict[str, bytes]
    spoil: Callable[[str], str] | None = None
    other_encoding: bool = False
    planted: list[str] = field(default_factory=list)
    planted_pages: list[tuple[int, str]] = field(default_factory=list)
    without_row: bool = False


@dataclass
class Volume:
    documents: list[Document]
    fields: list[str]
    loose: set[tuple[str, int, str]] = field(default_factory=set)
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)


def tiff() -> bytes:
    out = BytesIO()
    Image.new("1", (8, 8), 1).save(out, "TIFF")
    return out.getvalue()


TIFF = tiff()


def bates(number: int, prefix: str = "ABC", width: int = 7) -> str:
    return f"{prefix}{number:0{width}d}"


def make(numbers: list[str], chance: random.Random, native: bytes | None = None) -> Document:
    """A document with these pages."""
    first = numbers[0]
    row = dict.fromkeys(FIELDS, "") | {
        "BEGBATES": first,
        "ENDBATES": numbers[-1],
        "CUSTODIAN": chance.choice(["Müller, Jörg", "Smith, Ann", "O’Neil, Pat"]),
        "FROM": "Ann Smith <ann@example.com>",
        "TO": "a@example.com; b@example.com",
        "SUBJECT": chance.choice(["Re: “budget”, draft", "", "café, part 2"]),
        "DATESENT": chance.choice(["03/04/2019", "2019-03-04 10:11:12", "", "4 Mar 2019", "3/14/2019 9:05 AM"]),
        "PGCOUNT": str(len(numbers)),
        "CONFIDENTIALITY": chance.choice(["", "CONFIDENTIAL"]),
        "TEXTPATH": rf"TEXT\001\{first}.txt",
        "Project::Memo": chance.choice(["two\nlines", "\n", "plain"]),
        "NOTE": str(chance.random()),
    }
    files = {f"TEXT/001/{first}.txt": f"Text of {first}.".encode()}
    pages = []
    for number in numbers:
        pages.append([number, VOLUME, rf".\IMAGES\001\{number}.tif", "", "", "", ""])
        files[f"IMAGES/001/{number}.tif"] = TIFF
    pages[0][3], pages[0][6] = "Y", str(len(numbers))
    if native is not None:
        row["NATIVELINK"], row["FILENAME"] = rf"\{VOLUME}\NATIVES\{first}.xlsx", "figures.xlsx"
        row["MD5HASH"] = hashlib.md5(native, usedforsecurity=False).hexdigest().upper()
        row["SHA1"] = hashlib.sha1(native, usedforsecurity=False).hexdigest()
        row["SHA256"] = hashlib.sha256(native).hexdigest()
        files[f"NATIVES/{first}.xlsx"] = native
        files[f"TEXT/001/{first}.txt"] = b"DOCUMENT PRODUCED IN NATIVE FORMAT"
    return Document(row, pages, files)


def clean(documents: int, chance: random.Random) -> list[Document]:
    made, at = [], 1
    for index in range(documents):
        count = 1 if index % SLOT == 0 else chance.randint(2, 4)
        native = chance.randbytes(40) if index % SLOT == 0 else None
        made.append(make([bates(at + n) for n in range(count)], chance, native))
        at += count
    for parent, child in zip(made[2::SLOT], made[3::SLOT], strict=False):
        for member in (parent, child):
            member.row["BEGATTACH"], member.row["ENDATTACH"] = parent.row["BEGBATES"], child.row["ENDBATES"]
        child.row["PARENTID"] = parent.row["BEGBATES"]
    return made
