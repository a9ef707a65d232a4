"""Synthetic productions of one volume, with defects planted where they are wanted and the report that must follow."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.ingest.load_file.plants import PLANTS
from tests.ingest.load_file.volume import COLUMN, DAT, FIELDS, NEWLINE, OPT, QUOTE, SLOT, VOLUME, Volume, clean


@dataclass(frozen=True)
class Planted:
    """What was written: values by row as the parser must give them, and the defects by file, line and code."""

    root: Path
    fields: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    expected: frozenset[tuple[str, int, str]]


def production(root: Path, seed: int, documents: int, encoding: str, defects: Iterable[str] = ()) -> Planted:
    """Write a volume beneath `root`; each defect has four documents to itself, the first four stay clean."""
    chance = random.Random(seed)  # noqa: S311 - the same every time
    wanted = sorted(defects)
    made = clean(max(documents, SLOT * (len(wanted) + 2)), chance)
    volume = Volume(list(made), list(FIELDS))
    for place, name in enumerate(chance.sample(wanted, len(wanted)), 1):
        PLANTS[name](volume, made[SLOT * place : SLOT * (place + 1)])
    expected, values = _write(root, volume, encoding, chance.choice(["\r\n", "\n", "\r"]))
    return Planted(root, tuple(volume.fields), values, frozenset(expected | volume.loose))


def written(values: Iterable[str]) -> str:
    """A row in Concordance's form."""
    cells = (QUOTE + value.replace(QUOTE, QUOTE * 2).replace("\n", NEWLINE) + QUOTE for value in values)
    return COLUMN.join(cells)


def _write(
    root: Path, volume: Volume, encoding: str, end: str
) -> tuple[set[tuple[str, int, str]], tuple[tuple[str, ...], ...]]:
    folder = root / VOLUME
    expected: set[tuple[str, int, str]] = set()
    data, values = [(written(volume.fields) + end).encode(encoding)], []
    pages: list[list[str]] = []
    plain = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    for document in volume.documents:
        if not document.without_row:
            line = written(document.row.values())
            own = ("cp1252" if plain == "utf-8" else "utf-8") if document.other_encoding else plain
            data.append(((document.spoil(line) if document.spoil else line) + end).encode(own))
            values.append(tuple(document.row.values()))
            expected |= {(DAT, len(data), code) for code in document.planted}
        expected |= {(OPT, len(pages) + 1 + at, code) for at, code in document.planted_pages}
        pages += document.pages
        for name, content in document.files.items():
            _save(folder / name, content)
    _save(root / DAT, b"".join(data))
    _save(root / OPT, "".join(",".join(page) + end for page in pages).encode("cp1252"))
    _save(root.parent / "secret.txt", b"not of this production")
    for name, content in volume.files.items():
        _save(folder / name, content)
    for name in volume.links:
        (folder / name).symlink_to(root.parent / "secret.txt")
    return expected, tuple(values)


def _save(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
