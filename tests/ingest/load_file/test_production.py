"""A production in a folder: which files belong to which document, and that no path leads out of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.ingest.load_file.numbers import number_of
from lexforge.ingest.load_file.paths import Folder
from lexforge.ingest.load_file.production import Production, find
from lexforge.ingest.load_file.quality import check
from tests.ingest.load_file.productions import production, written
from tests.ingest.load_file.volume import DAT, OPT, VOLUME


def save(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def rows(*values: list[str]) -> str:
    return "\n".join(map(written, values))


def only(root: Path) -> Production:
    (found,) = find(root)
    return found


def test_a_document_has_its_pages_files_and_fields(tmp_path: Path) -> None:
    planted = production(tmp_path / "evidence", 5, 8, "utf-8-sig")
    found = only(planted.root)
    assert (found.name, found.folder, found.dat, found.opt) == (VOLUME, VOLUME, DAT, OPT)
    native, alone, parent, child = found.documents[4:8]
    assert native.native == f"{VOLUME}/NATIVES/{native.first}.xlsx"
    data = (planted.root / native.native).read_bytes()
    assert native.hashes["sha256"] == hashlib.sha256(data).hexdigest()
    assert native.hashes["md5"] == hashlib.md5(data, usedforsecurity=False).hexdigest()
    assert alone.text == f"{VOLUME}/TEXT/001/{alone.first}.txt"
    assert [page.image for page in alone.pages] == [f"{VOLUME}/IMAGES/001/{page.bates}.tif" for page in alone.pages]
    assert (alone.pages[0].bates, alone.pages[-1].bates) == (alone.first, alone.last)
    assert (parent.family, child.family) == (None, parent.first)
    row = dict(zip(planted.fields, planted.values[5], strict=True))
    assert (alone.line, alone.custodian, alone.designation) == (7, row["CUSTODIAN"], row["CONFIDENTIALITY"] or None)
    assert alone.other["from"] == row["FROM"]
    assert alone.other["NOTE"] == row["NOTE"]


HEAD = ["BEGBATES", "ENDBATES"]


def test_each_page_may_have_its_own_text(tmp_path: Path) -> None:
    save(
        tmp_path, {"V1/DATA/a.dat": rows(HEAD, ["A0001", "A0003"]), "V1/TEXT/A0001.txt": "x", "V1/TEXT/A0003.txt": "z"}
    )
    (document,) = only(tmp_path).documents
    assert document.text is None
    assert [page.text for page in document.pages] == ["V1/TEXT/A0001.txt", None, "V1/TEXT/A0003.txt"]


def test_files_are_found_by_number_where_no_path_is_given(tmp_path: Path) -> None:
    save(
        tmp_path,
        {
            "V1/DATA/a.dat": rows(HEAD, ["A0001", "A0002"]),
            "V1/TEXT/a0001.TXT": "x",
            "V1/NATIVES/A0001.txt": "n",
        },
    )
    (document,) = only(tmp_path).documents
    assert (document.text, document.native) == ("V1/TEXT/a0001.TXT", "V1/NATIVES/A0001.txt")


def test_images_without_a_dat_make_documents(tmp_path: Path) -> None:
    save(tmp_path, {"V1/a.opt": "A1,V1,x.tif,Y,,,2\nA2,V1,x.tif,,,,\nA3,V1,x.tif,Y,,,1\n"})
    found = only(tmp_path)
    assert [(d.first, d.last, len(d.pages), d.line) for d in found.documents] == [
        ("A1", "A2", 2, 1),
        ("A3", "A3", 1, 3),
    ]


def test_load_files_of_one_folder_are_paired(tmp_path: Path) -> None:
    text, pages = rows(HEAD, ["A1", "A1"]), "A1,V,x.tif,Y,,,1\n"
    save(tmp_path, {"x/V1.dat": text, "x/V1.opt": pages, "x/V2.dat": text, "y/data.dat": text, "y/images.opt": pages})
    assert [(p.dat, p.opt) for p in find(tmp_path)] == [
        ("x/V1.dat", "x/V1.opt"),
        ("x/V2.dat", None),
        ("y/data.dat", "y/images.opt"),
    ]


FOUND: list[tuple[str, str, str, bool]] = [
    ("a .dat of load file rows", "a.dat", rows(HEAD, ["A1", "A1"]), True),
    ("a table that names both ends", "a.csv", "Beg Bates,End Bates\nA1,A1\n", True),
    ("a table of the evidence that numbers its rows", "a.csv", "Document ID,Title\n1,x\n", False),
    ("a letter", "a.txt", "Dear Ms. Jones,\n", False),
    ("another program's .dat", "winmail.dat", "\x78\x9f\x3e\x22", False),
    ("a damaged .dat among load files", "DATA/a.dat", "", True),
    ("text of the production", "TEXT/a.txt", rows(HEAD, ["A1", "A1"]), False),
]


@pytest.mark.parametrize(("why", "name", "text", "found"), FOUND, ids=[row[0] for row in FOUND])
def test_load_files_are_told_by_ending_and_content(tmp_path: Path, why: str, name: str, text: str, found: bool) -> None:
    save(tmp_path, {name: text})
    assert bool(find(tmp_path)) is found, why


def test_a_load_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    save(tmp_path, {"V1/DATA/a.dat": "  "})
    (defect,) = check(only(tmp_path), tmp_path)
    assert (defect.file, defect.line, defect.code) == ("V1/DATA/a.dat", 0, "empty")
    assert "a.dat" in defect.message


PATHS: list[tuple[str, str, str | None, str]] = [
    ("as it is", r"TEXT\a.txt", "V1/TEXT/a.txt", ""),
    ("with slashes", "TEXT/a.txt", "V1/TEXT/a.txt", ""),
    ("with a dot", r".\TEXT\.\a.txt", "V1/TEXT/a.txt", ""),
    ("from the volume", r"\V1\TEXT\a.txt", "V1/TEXT/a.txt", ""),
    ("beside the load file", "beside.txt", "V1/DATA/beside.txt", ""),
    ("in other case", r"text\A.TXT", "V1/TEXT/a.txt", "path_case"),
    ("from the load file upwards", r"..\TEXT\a.txt", "V1/TEXT/a.txt", "path_parent"),
    ("out of the production", r"..\..\secret.txt", None, "path_parent"),
    ("out and back", r"..\..\V1\TEXT\a.txt", None, "path_parent"),
    ("the vendor's drive", r"D:\jobs\V1\TEXT\a.txt", "V1/TEXT/a.txt", "path_absolute"),
    ("this machine's drive", r"C:\Windows\win.ini", None, "path_absolute"),
    ("a drive without a slash", "C:secret.txt", None, "path_absolute"),
    ("a server", r"\\server\share\TEXT\a.txt", "V1/TEXT/a.txt", "path_absolute"),
    ("a Windows device path", r"\\?\C:\secret.txt", None, "path_invalid"),
    ("an absolute Unix path", "/etc/passwd", None, "file_missing"),
    ("the file of all zeros", "NUL", None, "path_device"),
    ("a port with an ending", r"TEXT\com1.txt", None, "path_device"),
    ("the console in a folder", r"CON\a.txt", None, "path_device"),
    ("not a device", r"TEXT\console.txt", None, "file_missing"),
    ("a stream", "TEXT/a.txt:x", None, "path_invalid"),
    ("a pattern", r"TEXT\*.txt", None, "path_invalid"),
    ("nothing but dots", r".\.", None, "path_invalid"),
    ("a line end", "TEXT\na.txt", None, "path_invalid"),
    ("without end", "a/" * 2000, None, "path_invalid"),
    ("a link to outside", r"TEXT\link.txt", None, "path_symlink"),
    ("a link to a folder outside", r"out\secret.txt", None, "path_symlink"),
    ("a link that stays inside", r"TEXT\inside.txt", "V1/TEXT/inside.txt", ""),
    ("a folder", "TEXT", None, "file_missing"),
]


@pytest.mark.parametrize(("why", "raw", "path", "code"), PATHS, ids=[row[0] for row in PATHS])
def test_a_path_means_a_file_of_the_production_or_none(
    tmp_path: Path, why: str, raw: str, path: str | None, code: str
) -> None:
    save(tmp_path, {"secret.txt": "s", "V1/TEXT/a.txt": "x", "V1/DATA/beside.txt": "x", "out/secret.txt": "s"})
    (tmp_path / "V1/TEXT/link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "V1/TEXT/inside.txt").symlink_to(tmp_path / "V1/TEXT/a.txt")
    (tmp_path / "V1/out").symlink_to(tmp_path / "out")
    resolved = Folder(tmp_path, "V1", "V1/DATA").resolve(raw)
    assert (resolved.path, resolved.code) == (path, code), why


SHEETS: list[tuple[str, str, bool]] = [
    ("as most vendors print it", "DOCUMENT PRODUCED IN NATIVE FORMAT\nABC0001", True),
    ("in a sentence of its own", "This file has been produced natively.", True),
    ("the other way round", "Native File Provided", True),
    ("a request for natives", "Please see to it that all files are produced in native format.", False),
    ("a long text that holds the line", "word " * 1000 + "\nProduced in native format\n", False),
]


@pytest.mark.parametrize(("why", "text", "reported"), SHEETS, ids=[row[0] for row in SHEETS])
def test_a_slip_sheet_is_told_from_talk_of_natives(tmp_path: Path, why: str, text: str, reported: bool) -> None:
    save(tmp_path, {"V1/DATA/a.dat": rows(HEAD, ["A1", "A1"]), "V1/TEXT/A1.txt": text})
    assert [d.code for d in check(only(tmp_path), tmp_path)] == ["native_missing"] * reported, why


CELLS = ["A0001", "A0002", "A1.0001", "", "..\\x", "NUL", "Y", "9" * 15, "þ", "x\0"]
LINES = ["A0001,V,x,Y,,,1", "A0002,V,x,,,,", "A1.0002,,,Y,,,", "zz", ",,,,,,", "A0001_2,V,a/b,,,,3"]


@settings(max_examples=60, deadline=None)
@given(
    table=st.lists(st.lists(st.sampled_from(CELLS), min_size=6, max_size=6), max_size=6),
    pages=st.lists(st.sampled_from(LINES), max_size=8),
    noise=st.binary(max_size=30),
)
def test_load_files_of_any_content_give_a_report(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]], pages: list[str], noise: bytes
) -> None:
    root = tmp_path_factory.mktemp("evidence")
    head = ["BEGBATES", "ENDBATES", "BEGATTACH", "ENDATTACH", "PGCOUNT", "TEXTPATH"]
    save(root, {"V1/DATA/a.dat": rows(head, *table), "V1/DATA/a.opt": "\n".join(pages), "V1/TEXT/x.txt": ""})
    with (root / "V1/DATA/a.dat").open("ab") as file:
        file.write(noise)
    for found in find(root):
        assert all(defect.code and defect.message.isprintable() for defect in check(found, root))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ABC0001", ("ABC", 1, 4, "")),
        ("ABC-LIT-000123", ("ABC-LIT-", 123, 6, "")),
        ("ABC 00012", ("ABC ", 12, 5, "")),
        ("ABC0001.0002", ("ABC", 1, 4, ".0002")),
        ("ABC0001_2", ("ABC", 1, 4, "_2")),
        ("ABC0001a", ("ABC", 1, 4, "a")),
        ("ABC2019_0001", ("ABC2019_", 1, 4, "")),
        ("0000123", ("", 123, 7, "")),
        ("none", None),
        ("", None),
        ("ABC" + "1" * 30, None),
    ],
)
def test_numbers_and_their_suffixes(text: str, parts: tuple[str, int, int, str] | None) -> None:
    number = number_of(text)
    assert (number and (number.prefix, number.counter, number.width, number.suffix)) == parts
    assert number is None or str(number) == text
