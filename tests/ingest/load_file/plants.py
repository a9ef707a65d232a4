"""Defects by name: what each does to a volume, and the report that must follow."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.ingest.load_file.volume import (
    COLUMN,
    DAT,
    QUOTE,
    SLOT,
    TIFF,
    VOLUME,
    Document,
    Volume,
    bates,
    make,
)

Plant = Callable[[Volume, list[Document]], None]
PLANTS: dict[str, Plant] = {}


def _plant(plant: Plant) -> Plant:
    PLANTS[plant.__name__] = plant
    return plant


def _value(name: str, victim: int, column: str, value: str, code: str) -> None:
    """A defect that is one wrong value of a row."""

    def plant(volume: Volume, slot: list[Document]) -> None:
        slot[victim].row[column] = value
        slot[victim].planted.append(code)

    PLANTS[name] = plant


NATIVE, ALONE, PARENT, CHILD = range(SLOT)
_value("end_of_another_prefix", ALONE, "ENDBATES", "XYZ0000001", "range_prefix")
_value("end_before_begin", ALONE, "ENDBATES", bates(0), "end_before_begin")
_value("end_is_no_number", ALONE, "ENDBATES", "none", "bad_bates")
_value("count_too_high", ALONE, "PGCOUNT", "9", "page_count")
_value("count_in_words", ALONE, "PGCOUNT", "three", "bad_page_count")
_value("parent_elsewhere", CHILD, "PARENTID", "ABC9000000", "parent_missing")
_value("day_that_is_none", ALONE, "DATESENT", "13/45/2019", "bad_date")
_value("zero_date", ALONE, "DATESENT", "00/00/0000", "bad_date")
_value("md5_of_another_file", NATIVE, "MD5HASH", "0" * 32, "hash_mismatch")
_value("sha1_of_another_file", NATIVE, "SHA1", "0" * 40, "hash_mismatch")
_value("sha256_of_another_file", NATIVE, "SHA256", "0" * 64, "hash_mismatch")
_value("hash_cut_short", NATIVE, "SHA256", "0" * 63, "bad_hash")
_value("path_out_of_the_folder", ALONE, "TEXTPATH", r"..\..\..\secret.txt", "path_parent")
_value("path_of_a_device", ALONE, "TEXTPATH", r"TEXT\NUL.txt", "path_device")
_value("path_on_a_server", ALONE, "TEXTPATH", r"\\server\share\a.txt", "path_absolute")
_value("path_on_a_drive", ALONE, "TEXTPATH", r"C:\Windows\win.ini", "path_absolute")
_value("path_of_a_stream", ALONE, "TEXTPATH", r"TEXT\a.txt:hidden", "path_invalid")


def _line(name: str, code: str, spoil: Callable[[str], str]) -> None:
    """A defect of the line as written; the values are read all the same."""

    def plant(volume: Volume, slot: list[Document]) -> None:
        slot[ALONE].spoil = spoil
        slot[ALONE].planted.append(code)

    PLANTS[name] = plant


_line("qualifier_not_closed", "unclosed", lambda line: line.replace(f"{QUOTE}{COLUMN}", COLUMN, 1))
_line("last_qualifier_not_closed", "unclosed", lambda line: line[:-1])
_line("text_between_fields", "stray_text", lambda line: line.replace(COLUMN, f" x {COLUMN}", 1))
_line("nul_byte", "nul", lambda line: line.replace("example", "exam\0ple", 1))


@_plant
def inner_qualifier(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].row["NOTE"] = f"a{QUOTE}b"
    slot[ALONE].spoil = lambda line: line.replace(QUOTE * 2 + "b", QUOTE + "b")
    slot[ALONE].planted.append("inner_quote")


@_plant
def field_left_out(volume: Volume, slot: list[Document]) -> None:
    del slot[ALONE].row["NOTE"]
    slot[ALONE].planted.append("field_count")


@_plant
def line_in_another_encoding(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].other_encoding = True
    slot[ALONE].planted.append("mixed_encoding")


@_plant
def field_named_twice(volume: Volume, slot: list[Document]) -> None:
    volume.fields[-1] = "custodian"
    volume.loose.add((DAT, 1, "duplicate_field"))


@_plant
def numbers_left_out(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].without_row, slot[ALONE].pages, slot[ALONE].files = True, [], {}
    slot[PARENT].planted.append("bates_gap")


@_plant
def row_without_number(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].row["BEGBATES"] = ""
    slot[ALONE].planted.append("no_bates")
    slot[PARENT].planted.append("bates_gap")
    slot[ALONE].planted_pages.append((0, "page_without_record"))


@_plant
def row_twice(volume: Volume, slot: list[Document]) -> None:
    again = Document(dict(slot[ALONE].row), [], {}, planted=["bates_duplicate", "record_without_pages"])
    volume.documents.insert(volume.documents.index(slot[ALONE]) + 1, again)


@_plant
def range_into_the_next(volume: Volume, slot: list[Document]) -> None:
    row = slot[ALONE].row
    row["ENDBATES"], row["PGCOUNT"] = slot[PARENT].row["BEGBATES"], str(int(row["PGCOUNT"]) + 1)
    slot[ALONE].planted.append("pages_missing")
    slot[PARENT].planted.append("bates_overlap")


@_plant
def other_prefix(volume: Volume, slot: list[Document]) -> None:
    added = make([bates(1, "ZZ")], random.Random(1))  # noqa: S311 - the same every time
    added.planted.append("prefix_change")
    volume.documents.append(added)


@_plant
def other_width(volume: Volume, slot: list[Document]) -> None:
    added = make([bates(1, width=9)], random.Random(1))  # noqa: S311 - the same every time
    added.planted.append("width_change")
    volume.documents.append(added)


@_plant
def page_left_out(volume: Volume, slot: list[Document]) -> None:
    number = slot[ALONE].pages.pop()[0]
    del slot[ALONE].files[f"IMAGES/001/{number}.tif"]
    slot[ALONE].pages[0][6] = str(len(slot[ALONE].pages))
    slot[ALONE].planted.append("pages_missing")


@_plant
def opt_count_too_high(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].pages[0][6] = "40"
    slot[ALONE].planted_pages.append((0, "opt_page_count"))


@_plant
def opt_count_in_words(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].pages[0][6] = "many"
    slot[ALONE].planted_pages.append((0, "count"))


@_plant
def page_twice(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].pages.append(list(slot[ALONE].pages[-1]))
    slot[ALONE].pages[0][6] = str(len(slot[ALONE].pages))
    slot[ALONE].planted_pages.append((len(slot[ALONE].pages) - 1, "page_duplicate"))


@_plant
def document_in_a_document(volume: Volume, slot: list[Document]) -> None:
    pages = slot[ALONE].pages
    pages[1][3], pages[0][6], pages[1][6] = "Y", "1", str(len(pages) - 1)
    slot[ALONE].planted_pages.append((1, "document_break"))


@_plant
def wrong_mark(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].pages[1][3] = "N"
    slot[ALONE].planted_pages.append((1, "document_mark"))


@_plant
def comma_in_the_path(volume: Volume, slot: list[Document]) -> None:
    page = slot[ALONE].pages[1]
    slot[ALONE].files[f"IMAGES/001/a, {page[0]}.tif"] = slot[ALONE].files.pop(f"IMAGES/001/{page[0]}.tif")
    page[2] = rf"IMAGES\001\a, {page[0]}.tif"
    slot[ALONE].planted_pages.append((1, "comma_in_path"))


@_plant
def pages_without_row(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].without_row = True
    slot[ALONE].planted_pages.append((0, "page_without_record"))
    slot[PARENT].planted.append("bates_gap")
    volume.loose.add((DAT, 0, "file_without_record"))


@_plant
def row_without_pages(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].files = {name: data for name, data in slot[ALONE].files.items() if name.startswith("TEXT")}
    slot[ALONE].pages = []
    slot[ALONE].planted.append("record_without_pages")


@_plant
def row_without_files(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].files, slot[ALONE].pages, slot[ALONE].row["TEXTPATH"] = {}, [], ""
    slot[ALONE].planted.append("record_without_files")


def _without(victim: Document, start: str) -> None:
    victim.files.pop(next(name for name in victim.files if name.startswith(start)))


@_plant
def text_not_there(volume: Volume, slot: list[Document]) -> None:
    _without(slot[ALONE], "TEXT")
    slot[ALONE].planted.append("file_missing")


@_plant
def native_not_there(volume: Volume, slot: list[Document]) -> None:
    _without(slot[NATIVE], "NATIVES")
    slot[NATIVE].planted.append("file_missing")


@_plant
def image_not_there(volume: Volume, slot: list[Document]) -> None:
    _without(slot[ALONE], "IMAGES")
    slot[ALONE].planted_pages.append((0, "file_missing"))


@_plant
def text_path_in_other_case(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].row["TEXTPATH"] = slot[ALONE].row["TEXTPATH"].lower()
    slot[ALONE].planted.append("path_case")


@_plant
def image_path_of_the_vendor(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].pages[0][2] = rf"D:\Work\{VOLUME}\IMAGES\001\{slot[ALONE].pages[0][0]}.tif"
    slot[ALONE].planted_pages.append((0, "path_absolute"))


@_plant
def text_is_a_link_to_outside(volume: Volume, slot: list[Document]) -> None:
    _without(slot[ALONE], "TEXT")
    volume.links[slot[ALONE].row["TEXTPATH"].replace("\\", "/")] = "secret.txt"
    slot[ALONE].planted.append("path_symlink")


@_plant
def text_without_text(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].files[slot[ALONE].row["TEXTPATH"].replace("\\", "/")] = b"\xef\xbb\xbf \r\n"
    slot[ALONE].planted.append("text_empty")


@_plant
def slip_sheet_without_native(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].files[slot[ALONE].row["TEXTPATH"].replace("\\", "/")] = b"Produced in  native\r\nformat"
    slot[ALONE].planted.append("native_missing")


@_plant
def family_of_others(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].row["BEGATTACH"], slot[ALONE].row["ENDATTACH"] = (
        slot[PARENT].row["BEGATTACH"],
        slot[CHILD].row["ENDATTACH"],
    )
    slot[ALONE].planted.append("family_range")


@_plant
def volume_of_another_name(volume: Volume, slot: list[Document]) -> None:
    slot[ALONE].pages[1][1] = "VOL002"
    slot[ALONE].planted_pages.append((1, "volume_name"))


@_plant
def file_of_no_record(volume: Volume, slot: list[Document]) -> None:
    volume.files["IMAGES/001/stray.tif"] = TIFF
    volume.loose.add((DAT, 0, "file_without_record"))
