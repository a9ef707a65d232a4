"""Concordance .DAT and its kin: each flaw has its line, and costs nothing but its own field."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.errors import UnreadableFile
from lexforge.ingest.load_file import dat
from lexforge.ingest.load_file.fields import Field, field_of
from tests.ingest.load_file.productions import written
from tests.ingest.load_file.volume import COLUMN, FIELDS, NEWLINE, QUOTE

NAMES = ("BEGBATES", "ENDBATES", "SUBJECT")
HEADER = written(NAMES)
SOUND = written(["A1", "A2", "s"])
Q, C = QUOTE, COLUMN


def read(folder: Path, data: bytes) -> dat.LoadFile:
    path = folder / "load.dat"
    path.write_bytes(data)
    return dat.read(path)


def found(load: dat.LoadFile) -> list[tuple[int, str]]:
    return [(defect.line, defect.code) for defect in load.defects]


CLEAN = ("A1", "A2", "s")
ROWS: list[tuple[str, list[str], list[tuple[str, ...]], list[tuple[int, str]]]] = [
    ("the first field lacks its end", [f"{Q}a{C}{Q}b{Q}{C}{Q}c{Q}"], [("a", "b", "c")], [(2, "unclosed")]),
    ("the last field lacks its end", [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}c"], [("a", "b", "c")], [(2, "unclosed")]),
    ("two fields lack their ends", [f"{Q}a{C}{Q}b{C}{Q}c{Q}"], [("a", "b", "c")], [(2, "unclosed"), (2, "unclosed")]),
    (
        "text of many lines lacks its end: it ends before the next record",
        [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}one", "two", "", "three"],
        [("a", "b", "one\ntwo\n\nthree")],
        [(2, "unclosed")],
    ),
    ("raw line ends inside a field", [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}one", "", f"two{Q}"], [("a", "b", "one\n\ntwo")], []),
    ("a raw line end before the last qualifier", [f"{Q}a{Q}{C}{Q}b", f"{Q}{C}{Q}c{Q}"], [("a", "b\n", "c")], []),
    ("the sign for a line end", [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}x{NEWLINE}y{Q}"], [("a", "b", "x\ny")], []),
    ("a doubled qualifier is one", [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}x{Q}{Q}y{Q}"], [("a", "b", f"x{Q}y")], []),
    ("a doubled qualifier at the end", [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}x{Q}{Q}{Q}"], [("a", "b", f"x{Q}")], []),
    ("a single one inside", [f"{Q}a{Q}{C}{Q}b{Q}{C}{Q}x{Q}y{Q}"], [("a", "b", f"x{Q}y")], [(2, "inner_quote")]),
    ("a single one at the end", [f"{Q}a{Q}{C}{Q}x{Q}{Q}{C}{Q}c{Q}"], [("a", f"x{Q}", "c")], [(2, "inner_quote")]),
    ("text after a field", [f"{Q}a{Q}{C}{Q}b{Q} x {C}{Q}c{Q}"], [("a", "b", "c")], [(2, "stray_text")]),
    ("text before a field", [f"{Q}a{Q}{C}x {Q}b{Q}{C}{Q}c{Q}"], [("a", "b", "c")], [(2, "stray_text")]),
    ("a field that lacks its begin", [f"{Q}a{Q}{C}b{Q}{C}{Q}c{Q}"], [("a", "b", "c")], [(2, "stray_text")]),
    ("a line that is no record", ["notes of the vendor"], [], [(2, "stray_text")]),
    ("a field too few", [f"{Q}a{Q}{C}{Q}b{Q}"], [("a", "b")], [(2, "field_count")]),
    ("a field too many", [written("abcd")], [("a", "b", "c", "d")], [(2, "field_count")]),
    ("empty fields need no qualifiers", [f"{Q}a{Q}{C}{C}"], [("a", "", "")], []),
    ("a number without qualifiers", [f"{Q}a{Q}{C}{Q}b{Q}{C}12"], [("a", "b", "12")], [(2, "unquoted")]),
    ("a delimiter inside qualifiers is text", [f"{Q}a{Q}{C}{Q}b{C}b{Q}{C}{Q}c{Q}"], [("a", f"b{C}b", "c")], []),
    ("empty lines are no records", ["", "  ", ""], [], []),
]


@pytest.mark.parametrize(("why", "rows", "values", "defects"), ROWS, ids=[row[0] for row in ROWS])
def test_a_flaw_is_reported_with_its_line_and_the_next_record_is_whole(
    tmp_path: Path,
    why: str,
    rows: list[str],
    values: list[tuple[str, ...]],
    defects: list[tuple[int, str]],
) -> None:
    for end in ("\n", "\r\n", "\r"):
        load = read(tmp_path, end.join([HEADER, *rows, SOUND, ""]).encode("utf-8-sig"))
        assert [record.values for record in load.records] == [*values, CLEAN], why
        assert found(load) == defects
        assert load.records[-1].line == len(rows) + 2


@pytest.mark.parametrize(
    ("encoding", "named", "extra"),
    [
        ("utf-8-sig", "utf-8-sig", []),
        ("utf-8", "utf-8", []),
        ("utf-16", "utf-16-le", []),
        ("utf-16-le", "utf-16-le", [(1, "no_byte_order_mark")]),
        ("utf-16-be", "utf-16-be", [(1, "no_byte_order_mark")]),
        ("cp1252", "cp1252", []),
    ],
)
def test_the_encoding_is_told_from_the_bytes(
    tmp_path: Path, encoding: str, named: str, extra: list[tuple[int, str]]
) -> None:
    load = read(tmp_path, "\r\n".join([HEADER, written(["Jörg", "O’Neil", "“x” – €"]), ""]).encode(encoding))
    assert (load.encoding, load.fields, found(load)) == (named, NAMES, extra)
    assert load.records[0].values == ("Jörg", "O’Neil", "“x” – €")


def test_big_endian_with_its_mark(tmp_path: Path) -> None:
    load = read(tmp_path, b"\xfe\xff" + f"{HEADER}\r\n{SOUND}".encode("utf-16-be"))
    assert (load.encoding, len(load.records), load.defects) == ("utf-16-be", 1, ())


BYTES: list[tuple[str, bytes, list[tuple[int, str]]]] = [
    (
        "a Windows line in a UTF-8 file",
        f"{HEADER}\n".encode() + written(["é"] * 3).encode("cp1252"),
        [(2, "mixed_encoding")],
    ),
    (
        "a UTF-8 line in a Windows file",
        f"{HEADER}\n".encode("cp1252") + written(["é"] * 3).encode(),
        [(2, "mixed_encoding")],
    ),
    (
        "NUL bytes in a UTF-8 file",
        f"{HEADER}\n{written(['a', 'b', 'c'])}".encode().replace(b"b", b"\0b\0"),
        [(2, "nul")],
    ),
    (
        "a byte that Windows-1252 lacks",
        f"{HEADER}\n".encode("cp1252") + b"\xfe\x81\xfe\x14\xfe\xfe\x14\xfe\xfe",
        [(2, "undecodable")],
    ),
    (
        "half a character in UTF-16",
        f"{HEADER}\n{SOUND}\n".encode("utf-16") + b"\x00\xd8\n\x00",
        [(3, "stray_text"), (3, "undecodable")],
    ),
    ("a field named twice", written(["DOCID", "Docid"]).encode(), [(1, "duplicate_field")]),
    (
        "no header at all",
        f"{written(['ABC0001', 'ABC0002'])}\n{written(['ABC0003', 'ABC0004'])}".encode(),
        [(1, "no_header")],
    ),
    ("a header with a flaw", f"{HEADER[:-1]}\n{SOUND}".encode(), [(1, "unclosed")]),
]


@pytest.mark.parametrize(("why", "data", "defects"), BYTES, ids=[row[0] for row in BYTES])
def test_flaws_of_bytes_and_header(tmp_path: Path, why: str, data: bytes, defects: list[tuple[int, str]]) -> None:
    assert found(read(tmp_path, data)) == defects, why


def test_without_a_header_the_first_row_is_a_record(tmp_path: Path) -> None:
    load = read(tmp_path, f"{written(['ABC0001', 'ABC0002'])}\n{written(['ABC0003', 'ABC0004'])}".encode())
    assert load.fields == ("column 1", "column 2")
    assert [record.line for record in load.records] == [1, 2]


DIALECTS: list[tuple[str, str, list[tuple[str, ...]], list[tuple[int, str]]]] = [
    ("carets and thorns", f"{Q}DOCID{Q}^{Q}TEXTPATH{Q}\n{Q}a{Q}^{Q}b^c{Q}", [("a", "b^c")], []),
    ("pipes and thorns", f"{Q}DOCID{Q}|{Q}TEXTPATH{Q}\n{Q}a{Q}|{Q}b{Q}", [("a", "b")], []),
    ("the registered sign between columns", f"{Q}DOCID{Q}®{Q}TEXTPATH{Q}\n{Q}a{Q}®{Q}b{Q}", [("a", "b")], []),
    ("pipes alone: an inch mark is text", 'DOCID|TEXTPATH\na|5" tape\n', [("a", '5" tape')], []),
    ("tabs alone", "DOCID\tTEXTPATH\na\t\n", [("a", "")], []),
    ("commas, qualified where need be", 'DOCID,TEXTPATH\na,"b, ""c"""\n"d,",e\n', [("a", 'b, "c"'), ("d,", "e")], []),
    ("a new line in a comma file", '"DOCID","TEXTPATH"\n"a","b\nc"\n', [("a", "b\nc")], []),
    ("no end in a comma file", '"DOCID","TO"\n"a","b, c\n"d","e"\n', [("a", "b"), ("d", "e")], [(2, "unclosed")]),
    ("a header without qualifiers", f"DOCID{C}TO\n{Q}a{Q}{C}{Q}b{Q}", [("a", "b")], []),
    ("a single column", f"{Q}DOCID{Q}\n{Q}a{Q}\n{Q}b{Q}\n", [("a",), ("b",)], []),
]


@pytest.mark.parametrize(("why", "text", "values", "defects"), DIALECTS, ids=[row[0] for row in DIALECTS])
def test_other_delimiters_are_told_from_the_header(
    tmp_path: Path, why: str, text: str, values: list[tuple[str, ...]], defects: list[tuple[int, str]]
) -> None:
    load = read(tmp_path, text.encode())
    got = [record.values[:2] for record in load.records]
    assert (got, found(load)) == (values, defects), why


UNREADABLE: list[tuple[str, bytes, str]] = [
    ("no bytes", b"", "empty"),
    ("nothing but white space", b" \r\n\0\r\n", "empty"),
    ("a letter", b"Dear Ms. Jones,\nthank you.\n", "no_header"),
    ("a mark and nothing else", b"\xef\xbb\xbf", "no_header"),
    ("a first line without end", b"\xfe" * 3_000_000, "no_header"),
    ("a header of too many fields", written("x" * 5000).encode(), "no_header"),
]


@pytest.mark.parametrize(("why", "data", "code"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
def test_what_is_no_load_file_is_refused(tmp_path: Path, why: str, data: bytes, code: str) -> None:
    with pytest.raises(UnreadableFile, match=r"load\.dat") as refused:
        read(tmp_path, data)
    assert refused.value.code == code, why
    assert refused.value.advice


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.dat", tmp_path):
        with pytest.raises(UnreadableFile) as refused:
            dat.read(path)
        assert refused.value.code == "missing"


def test_one_endless_line_is_read_or_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        read(tmp_path, b"\xfe" * 100_000_000)
    load = read(tmp_path, f"{HEADER}\n".encode("cp1252") + b"\xfe" * 20_000_000)
    assert found(load) == [(2, "field_count")]


def test_garbage_lists_a_bounded_number_of_defects(tmp_path: Path) -> None:
    load = read(tmp_path, HEADER.encode() + b"\nx" * 50_000)
    assert len(load.defects) < 20_000
    assert load.defects[-1].code == "more_defects"


PIECES = st.sampled_from(
    ["þ", "\x14", "þ\x14þ", "\n", "\r", "®", '"', ",", "a", "\0", "é", "BEGBATES", "0001", "\ufeff"]
)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400), encoding=st.sampled_from(["utf-8", "cp1252", "utf-16"]))
def test_random_bytes_never_break_it(tmp_path_factory: pytest.TempPathFactory, data: bytes, encoding: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    for whole in (data, f"{HEADER}\n".encode(encoding) + data):
        try:
            load = read(folder, whole)
        except UnreadableFile as refused:
            assert refused.advice
        else:
            assert all(record.line > 0 for record in load.records)


@settings(max_examples=200, deadline=None)
@given(pieces=st.lists(PIECES, max_size=60), quoted=st.booleans())
def test_signs_in_any_order_lose_no_record_that_follows(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], quoted: bool
) -> None:
    text = f"{HEADER}\n{SOUND}\n{''.join(pieces)}\n{SOUND}\n{SOUND}\n"
    load = read(tmp_path_factory.getbasetemp(), text.encode("utf-8-sig" if quoted else "utf-8"))
    assert load.records[0] == (2, CLEAN)
    assert load.records[-1].values == CLEAN


VALUES = st.lists(
    st.text(st.characters(codec="cp1252", exclude_characters="\r\x14®"), max_size=20), min_size=3, max_size=3
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(VALUES, max_size=8), encoding=st.sampled_from(["utf-8-sig", "cp1252", "utf-16"]))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], encoding: str
) -> None:
    rows = [[value.replace("\0", "") for value in row] for row in rows]
    text = "\r\n".join([HEADER, *(written(row) for row in rows), ""])
    load = read(tmp_path_factory.getbasetemp(), text.encode(encoding))
    assert [list(record.values) for record in load.records] == rows
    assert load.defects == ()


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("BEGBATES", Field.FIRST),
        ("Beg Bates", Field.FIRST),
        ("Production::Begin Bates", Field.FIRST),
        ("PROD_BEG", Field.FIRST),
        ("BegDoc#", Field.FIRST),
        ("ProdBegAttach", Field.FAMILY_FIRST),
        ("Date Sent", Field.DATE_SENT),
        ("Native File Path", Field.NATIVE),
        ("Text Link", Field.TEXT),
        ("SHA-256", Field.SHA256),
        ("Reviewer's note", None),
    ],
)
def test_field_names_in_their_usual_spellings(name: str, field: Field | None) -> None:
    assert field_of(name) is field


def test_the_more_telling_name_wins(tmp_path: Path) -> None:
    load = read(tmp_path, f"{written(['DOCID', 'BEGBATES'])}\n{written(['7', 'ABC1'])}".encode())
    assert load.value(load.records[0], Field.FIRST) == "ABC1"


def test_the_fields_of_the_generator_are_known() -> None:
    unknown = [name for name in FIELDS if field_of(name) is None]
    assert unknown == ["Project::Memo", "NOTE"]
