"""The report on a production: all that was planted, with its line, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lexforge.ingest.load_file import dat
from lexforge.ingest.load_file.dates import is_date
from lexforge.ingest.load_file.production import Production, find
from lexforge.ingest.load_file.quality import check
from tests.ingest.load_file.plants import PLANTS
from tests.ingest.load_file.productions import Planted, production, written
from tests.ingest.load_file.volume import DAT, OPT, VOLUME

ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
ONE_BYTE = {"line_in_another_encoding"}
"""Nothing can be in another encoding in a UTF-16 file."""


def only(root: Path) -> Production:
    (found,) = find(root)
    return found


def report(planted: Planted) -> set[tuple[str, int, str]]:
    return {(d.file, d.line, d.code) for d in check(only(planted.root), planted.root)}


@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf-8"])
def test_a_clean_production_has_no_defects_and_is_read_as_written(tmp_path: Path, encoding: str) -> None:
    planted = production(tmp_path / "evidence", 3, 16, encoding)
    assert report(planted) == planted.expected == frozenset()
    load = dat.read(planted.root / DAT)
    assert load.fields == planted.fields
    assert tuple(record.values for record in load.records) == planted.values


@pytest.mark.parametrize("defect", sorted(PLANTS))
def test_each_defect_alone(tmp_path: Path, defect: str) -> None:
    encoding = ENCODINGS[len(defect) % 3] if defect not in ONE_BYTE else "cp1252"
    planted = production(tmp_path / "evidence", len(defect), 8, encoding, [defect])
    assert planted.expected
    assert report(planted) == planted.expected


@pytest.mark.parametrize("seed", range(12))
def test_several_defects_at_once(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same every time
    encoding = chance.choice(ENCODINGS)
    known = sorted(set(PLANTS) - ONE_BYTE if encoding == "utf-16" else PLANTS)
    planted = production(tmp_path / "evidence", seed, 8, encoding, chance.sample(known, chance.randint(2, 12)))
    assert report(planted) == planted.expected
    assert tuple(record.values for record in dat.read(planted.root / DAT).records) == planted.values


def test_the_order_is_always_the_same(tmp_path: Path) -> None:
    planted = production(tmp_path / "evidence", 1, 8, "utf-8-sig", PLANTS)
    first = check(only(planted.root), planted.root)
    assert first == check(only(planted.root), planted.root)
    assert list(first) == sorted(first, key=lambda d: (d.file, d.line, d.code, d.message))


def small(root: Path, header: list[str], rows: list[list[str]], pages: list[str]) -> list[tuple[str, int, str]]:
    """The report on load files without a single file beneath; what is missing for that reason is left out."""
    (root / VOLUME / "DATA").mkdir(parents=True)
    (root / DAT).write_text("\n".join(map(written, [header, *rows])), encoding="utf-8")
    if pages:
        (root / OPT).write_text("\n".join(pages), encoding="utf-8")
    ignored = {"file_missing", "record_without_files"}
    return [(d.file[-3:], d.line, d.code) for d in check(only(root), root) if d.code not in ignored]


def page(number: str, mark: str = "", count: str = "") -> str:
    return rf"{number},{VOLUME},IMAGES\{number}.tif,{mark},,,{count}"


RANGE = ["BEGBATES", "ENDBATES", "PGCOUNT"]
SMALL: list[tuple[str, list[str], list[list[str]], list[str], list[tuple[str, int, str]]]] = [
    (
        "pages with a suffix belong to the document whose number they bear",
        RANGE,
        [["ABC0001", "ABC0001", "3"], ["ABC0002", "ABC0002", "1"]],
        [page("ABC0001", "Y", "3"), page("ABC0001.0002"), page("ABC0001.0003"), page("ABC0002", "Y", "1")],
        [],
    ),
    (
        "pages that repeat the number of their document",
        RANGE,
        [["ABC0001", "ABC0001", "2"]],
        [page("ABC0001", "Y", "2"), page("ABC0001").replace("ABC0001.tif", "ABC0001_2.tif")],
        [],
    ),
    (
        "without an end the pages tell it",
        ["DOCID"],
        [["ABC0001"], ["ABC0003"]],
        [page("ABC0001", "Y"), page("ABC0002"), page("ABC0003", "Y")],
        [],
    ),
    ("ranges of suffixed pages", RANGE, [["ABC0001.0001", "ABC0001.0002", "3"]], [], [("dat", 2, "page_count")]),
    (
        "two prefixes, each without gaps",
        RANGE,
        [["ABC0001", "ABC0002", ""], ["XY-0001", "XY-0001", ""], ["ABC0003", "ABC0003", ""]],
        [],
        [("dat", 3, "prefix_change")],
    ),
    ("rows that are not in order have no gap", RANGE, [["ABC0003", "ABC0003", ""], ["ABC0001", "ABC0002", ""]], [], []),
    (
        "numbers without padding",
        RANGE,
        [["ABC 8", "ABC 11", "4"], ["ABC 12", "ABC 12", "1"]],
        [page("ABC 8", "Y", "4"), page("ABC 9"), page("ABC 10"), page("ABC 11"), page("ABC 12", "Y", "1")],
        [],
    ),
    (
        "a counter that grows out of its width",
        RANGE,
        [["ABC9998", "ABC9999", "2"], ["ABC10000", "ABC10001", "2"]],
        [],
        [],
    ),
    ("no column is a number", ["SUBJECT", "TO"], [["a", "b"]], [], [("dat", 1, "no_bates_field")]),
    (
        "an absurd range is no reason to count it out",
        RANGE,
        [["A000000000000", "A999999999999", ""]],
        [page("A000000000000", "Y")],
        [],
    ),
]


@pytest.mark.parametrize(("why", "header", "rows", "pages", "expected"), SMALL, ids=[row[0] for row in SMALL])
def test_ways_of_numbering(
    tmp_path: Path,
    why: str,
    header: list[str],
    rows: list[list[str]],
    pages: list[str],
    expected: list[tuple[str, int, str]],
) -> None:
    assert small(tmp_path, header, rows, pages) == expected, why


def test_a_gap_names_its_numbers(tmp_path: Path) -> None:
    small(tmp_path, RANGE, [["ABC-0001", "ABC-0002", ""], ["ABC-0007", "ABC-0007", ""]], [])
    (gap,) = (d for d in check(only(tmp_path), tmp_path) if d.code == "bates_gap")
    assert "ABC-0003 to ABC-0006 (4 numbers)" in gap.message


def test_many_defects_of_a_kind_are_counted_and_not_all_listed(tmp_path: Path) -> None:
    rows = [[f"ABC{2 * n:07d}", f"ABC{2 * n:07d}", ""] for n in range(1500)]
    found = small(tmp_path, RANGE, rows, [])
    assert len(found) == 1001


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("03/04/2019", True),
        ("31/12/2019", True),
        ("2019-12-31T23:59:59Z", True),
        ("20191231", True),
        ("31.12.19 4:05", True),
        ("Tue, 31 Dec 2019 23:59:59 -0500 (EST)", True),
        ("December 31, 2019 11:59 PM EST", True),
        ("2019-02-30", False),
        ("13/13/2019", False),
        ("00/00/0000", False),
        ("31 Foo 2019", False),
        ("yesterday", False),
        ("1/2", False),
    ],
)
def test_dates_as_vendors_write_them(text: str, is_one: bool) -> None:
    assert is_date(text) is is_one
