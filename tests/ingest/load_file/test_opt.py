"""Opticon .OPT: seven fields a page, and what real files do to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.errors import UnreadableFile
from lexforge.ingest.load_file import opt

FIRST = r"ABC0001,VOL001,IMAGES\001\ABC0001.tif,Y,,,2"
SECOND = r"ABC0002,VOL001,IMAGES\001\ABC0002.tif,,,,"


def read(folder: Path, text: str, encoding: str = "cp1252") -> opt.OptFile:
    path = folder / "load.opt"
    path.write_bytes(text.encode(encoding))
    return opt.read(path)


def test_a_page_has_its_seven_fields(tmp_path: Path) -> None:
    pages = read(tmp_path, "\r\n".join([r"ABC0001, VOL001 ,.\IMAGES\A.tif,y,box,F 1,2", SECOND, ""])).pages
    assert pages[0] == (1, "ABC0001", "VOL001", r".\IMAGES\A.tif", True, "box", "F 1", 2)
    assert (pages[1].line, pages[1].starts, pages[1].document_pages) == (2, False, None)


LINES: list[tuple[str, str, list[tuple[int, str]], int]] = [
    ("nothing wrong", SECOND, [], 3),
    ("the count and its comma are missing", r"ABC0003,VOL001,IMAGES\A.tif,,,", [], 3),
    ("a path of the vendor's drive is a path", r"ABC0003,VOL001,D:\A.tif,,,,", [], 3),
    ("fields are missing", r"ABC0003,VOL001,A.tif,Y", [(3, "field_count")], 3),
    ("no page at all", "total", [(3, "field_count")], 2),
    ("a comma in the path", r"ABC0003,VOL001,IMAGES\a, b.tif,,,,", [(3, "comma_in_path")], 3),
    ("no page id", r",VOL001,A.tif,,,,", [(3, "no_page_id")], 2),
    ("no path", "ABC0003,VOL001,,,,,", [(3, "no_path")], 3),
    ("another mark than Y", r"ABC0003,VOL001,A.tif,N,,,", [(3, "document_mark")], 3),
    ("a count that is none", r"ABC0003,VOL001,A.tif,Y,,,two", [(3, "count")], 3),
    ("a count of zero", r"ABC0003,VOL001,A.tif,Y,,,0", [(3, "count")], 3),
    ("an empty line", " , , ", [], 2),
    ("a NUL byte", "ABC0003,VOL001,A.tif,\0,,,", [(3, "nul")], 3),
]


@pytest.mark.parametrize(("why", "line", "defects", "pages"), LINES, ids=[row[0] for row in LINES])
def test_a_flaw_is_reported_with_its_line(
    tmp_path: Path, why: str, line: str, defects: list[tuple[int, str]], pages: int
) -> None:
    for encoding in ("cp1252", "utf-8-sig"):
        read_file = read(tmp_path, "\n".join([FIRST, SECOND, line, ""]), encoding)
        assert [(defect.line, defect.code) for defect in read_file.defects] == defects, why
        assert len(read_file.pages) == pages


def test_a_path_keeps_its_comma(tmp_path: Path) -> None:
    assert read(tmp_path, r"ABC1,V,IMAGES\a, b.tif,Y,,,1").pages[0].path == r"IMAGES\a, b.tif"


def test_the_first_page_starts_a_document(tmp_path: Path) -> None:
    assert [defect.code for defect in read(tmp_path, SECOND).defects] == ["no_document_start"]


@pytest.mark.parametrize(
    ("data", "code"), [("", "empty"), ("Dear Ms. Jones,\nthanks\n", "no_opt"), ("\ufeff", "no_opt")]
)
def test_what_is_no_opt_is_refused(tmp_path: Path, data: str, code: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        read(tmp_path, data, "utf-8")
    assert refused.value.code == code


@settings(max_examples=80, deadline=None)
@given(data=st.binary(max_size=300) | st.text(",Y\n\r\0aþ", max_size=80).map(str.encode))
def test_random_bytes_never_break_it(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random.opt"
    for whole in (data, FIRST.encode() + b"\n" + data):
        path.write_bytes(whole)
        try:
            opt.read(path)
        except UnreadableFile as refused:
            assert refused.advice
