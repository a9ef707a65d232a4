"""Outlook messages made for the tests: a compound file (MS-CFB, version 3) of property streams (MS-OXMSG)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeAlias

Value: TypeAlias = str | bytes | int | datetime
Tree: TypeAlias = "Mapping[str, bytes | Tree]"

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_CUTOFF = 4096


class _Chain:
    """Blocks of one size, and for each the number of the next."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.data = b""
        self.table: list[int] = []

    def add(self, data: bytes) -> int:
        """The number of the first block of `data`."""
        start, count = len(self.table), -(-len(data) // self.size)
        self.table += [*range(start + 1, start + count), _END] if count else []
        self.data += data.ljust(count * self.size, b"\0")
        return start if count else _END


def compound(tree: Tree) -> bytes:
    """A compound file with these streams and storages; small streams stand in the mini stream."""
    sectors, minis = _Chain(512), _Chain(64)
    entries: list[tuple[str, int, int, int, int, int]] = []

    def place(name: str, node: bytes | Tree, kind: int) -> int:
        number = len(entries)
        entries.append(("", 0, 0, 0, 0, 0))
        if isinstance(node, bytes):
            start = (minis if len(node) < _CUTOFF else sectors).add(node)
            entries[number] = (name, 2, _FREE, _FREE, start, len(node))
            return number
        below = [place(inner, data, 1) for inner, data in node.items()]
        for one, following in pairwise(below):
            entries[one] = (*entries[one][:2], following, *entries[one][3:])
        entries[number] = (name, kind, _FREE, below[0] if below else _FREE, 0, 0)
        return number

    place("Root Entry", tree, 5)
    entries[0] = (*entries[0][:4], sectors.add(minis.data), len(minis.data))
    mini_table = sectors.add(b"".join(struct.pack("<I", following) for following in minis.table))
    directory = sectors.add(b"".join(_entry(*entry) for entry in entries))
    count = 1
    while count * 128 < len(sectors.table) + count:
        count += 1
    first = len(sectors.table)
    table = [*sectors.table, *[_FAT] * count]
    table += [_FREE] * (count * 128 - len(table))
    places = [*range(first, first + count), *[_FREE] * (109 - count)]
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    mini_sectors = -(-len(minis.table) * 4 // 512)
    head += struct.pack("<9I", 0, count, directory, 0, _CUTOFF, mini_table, mini_sectors, _END, 0)
    return head + struct.pack("<109I", *places) + sectors.data + struct.pack(f"<{len(table)}I", *table)


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    text = name.encode("utf-16-le")
    head = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text) + 2, kind, 1, _FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def properties(header: int, values: Mapping[int, Value], text: str = "001F") -> dict[str, bytes]:
    """The streams of an object: `header` bytes, then 16 for each property; `text` is the type of its texts."""
    streams, fixed = {}, bytes(header)
    for pid, value in values.items():
        match value:
            case str():
                data = value.encode("utf-16-le" if text == "001F" else "cp1252")
                streams[f"__substg1.0_{pid:04X}{text}"] = data
                kind, held = int(text, 16), len(data)
            case bytes():
                streams[f"__substg1.0_{pid:04X}0102"] = value
                kind, held = 0x0102, len(value)
            case int():
                kind, held = 0x0003, value
            case datetime():
                kind, held = 0x0040, int((value - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7
        fixed += struct.pack("<HHIQ", kind, pid, 6, held)
    return streams | {"__properties_version1.0": fixed}
