"""Archives: what is in them is read, what could do harm is refused by name, and nothing is lost without a word."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from lexforge.errors import UnreadableFile
from lexforge.ingest.container import archive
from lexforge.ingest.container.members import flattened
from lexforge.ingest.reading import Failure, Reading
from tests.ingest.container import families
from tests.ingest.container.families import tree

LETTER = b"The flour was wet when it came to the dock.\n"


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files:
            made.writestr(name, data)
    return stream.getvalue()


def tarred(*files: tuple[str | tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as made:
        for name, data in files:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def read(tmp_path: Path, data: bytes, name: str = "x.zip") -> Reading:
    path = tmp_path / name
    path.write_bytes(data)
    assert archive.looks_like(data[:512])
    return archive.read(path, families.read)


def refusal(tmp_path: Path, data: bytes, name: str = "x.zip") -> str:
    with pytest.raises(UnreadableFile) as caught:
        read(tmp_path, data, name)
    assert name in caught.value.message
    assert caught.value.advice
    return caught.value.code


FILES = (("letter.txt", LETTER), ("sub/note.txt", b"a note"))
LONG = "folder/" * 20 + "letter.txt"
FORMS = [
    ("x.zip", zipped(*FILES), "application/zip", "a zip"),
    ("x.tar", tarred(*FILES), "application/x-tar", "a tar"),
    ("x.tar", tarred(*FILES, form=tarfile.GNU_FORMAT), "application/x-tar", "a tar of GNU"),
    ("x.tar.gz", gzip.compress(tarred(*FILES)), "application/gzip", "a tar in a gz"),
    ("x.tgz", gzip.compress(tarred(*FILES)), "application/gzip", "the same under its short name"),
]


@pytest.mark.parametrize(("name", "data", "media_type", "reason"), FORMS, ids=[f[3] for f in FORMS])
def test_files_of_an_archive_are_members(tmp_path: Path, name: str, data: bytes, media_type: str, reason: str) -> None:
    reading = read(tmp_path, data, name)
    assert reading.media_type == media_type
    assert reading.pages == ()
    assert reading.warnings == ()
    assert tree(reading) == {"x/letter.txt": LETTER.decode(), "x/sub/note.txt": "a note"}


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names_in_a_tar(tmp_path: Path, form: int) -> None:
    assert list(tree(read(tmp_path, tarred((LONG, b"x"), form=form), "x.tar"))) == [f"x/{LONG}"]


def test_a_gz_holds_one_file_under_its_own_name(tmp_path: Path) -> None:
    assert tree(read(tmp_path, gzip.compress(LETTER), "letter.txt.gz")) == {"x/letter.txt": LETTER.decode()}


def test_archives_in_archives_are_read(tmp_path: Path) -> None:
    data = zipped(("a.tar.gz", gzip.compress(tarred(("b.zip", zipped(*FILES))))))
    assert tree(read(tmp_path, data))["x/a.tar.gz/b.zip/sub/note.txt"] == "a note"


def test_a_link_to_the_password_file_is_not_followed(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.txt")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert tree(read(tmp_path, zipped((link, b"/etc/passwd"), *FILES)))["x/link.txt"] == "not_a_file"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_of_a_tar_are_not_followed(tmp_path: Path, kind: bytes) -> None:
    info = tarfile.TarInfo("odd.txt")
    info.type, info.linkname = kind, "/etc/passwd"
    found = tree(read(tmp_path, tarred((info, b""), *FILES), "x.tar"))
    assert found["x/odd.txt"] == "not_a_file"
    assert found["x/letter.txt"] == LETTER.decode()


UNSAFE = [
    "../out.txt",
    "a/../../out.txt",
    "/etc/passwd",
    "\\\\server\\share\\x",
    "..\\out.txt",
    "C:\\out.txt",
    "C:out.txt",
]


@pytest.mark.parametrize("name", UNSAFE)
def test_names_that_lead_out_are_not_unpacked(tmp_path: Path, name: str) -> None:
    for data, ending in ((zipped((name, b"x"), *FILES), "zip"), (tarred((name, b"x"), *FILES), "tar")):
        reading = read(tmp_path, data, f"x.{ending}")
        assert [families.outcome(m) for m in reading.members] == ["unsafe_name", LETTER.decode(), "a note"]
    assert {p.name for p in tmp_path.iterdir()} == {"x.zip", "x.tar"}


def with_flag(data: bytes) -> bytes:
    """The first file marked as encrypted, in its own header and in the directory."""
    directory = data.index(b"PK\x01\x02") + 8
    return data[:6] + b"\x01" + data[7:directory] + b"\x01" + data[directory + 1 :]


def test_a_file_under_a_password_says_so(tmp_path: Path) -> None:
    found = tree(read(tmp_path, with_flag(zipped(*FILES))))
    assert found == {"x/letter.txt": "encrypted", "x/sub/note.txt": "a note"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_that_cannot_be_stopped_half_way_is_not_read(tmp_path: Path, method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        made.writestr("letter.txt", LETTER)
    assert tree(read(tmp_path, stream.getvalue())) == {"x/letter.txt": "unsupported"}


def test_what_the_computer_put_there_is_left_out_and_said(tmp_path: Path) -> None:
    junk = [("__MACOSX/._letter.txt", b"x"), ("a/.DS_Store", b"x"), ("Thumbs.db", b"x")]
    reading = read(tmp_path, zipped(*junk, *FILES))
    assert list(tree(reading)) == ["x/letter.txt", "x/sub/note.txt"]
    assert len(reading.warnings) == 1
    assert all(name in reading.warnings[0] for name, _ in junk)


BROKEN = [
    ("x.zip", b"PK\x03\x04 and nothing else", "corrupt", "a zip that ends at once"),
    ("x.zip", zipped(*FILES)[:-30], "corrupt", "a zip without its directory"),
    ("x.zip", zipped(), "empty", "a zip of nothing"),
    ("x.tar", tarred(*FILES)[:300], "corrupt", "a tar that ends in its first header"),
    ("x.gz", gzip.compress(LETTER)[:15], "corrupt", "a gz that ends at once"),
    ("x.tgz", gzip.compress(tarred(*FILES))[:-20], "corrupt", "a tar in a gz that ends early"),
]


@pytest.mark.parametrize(("name", "data", "code", "reason"), BROKEN, ids=[b[3] for b in BROKEN])
def test_a_broken_archive(tmp_path: Path, name: str, data: bytes, code: str, reason: str) -> None:
    assert refusal(tmp_path, data, name) == code


def test_one_damaged_file_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    data = bytearray(zipped(*FILES))
    data[data.index(b"letter.txt") + 14] ^= 0xFF
    assert tree(read(tmp_path, bytes(data))) == {"x/letter.txt": "corrupt", "x/sub/note.txt": "a note"}


def test_a_directory_that_names_the_files_otherwise_than_the_archive(tmp_path: Path) -> None:
    data = zipped(*FILES)
    directory = data.index(b"PK\x01\x02")
    renamed = data[:directory] + data[directory:].replace(b"letter.txt", b"better.txt")
    assert tree(read(tmp_path, renamed))["x/better.txt"] == "corrupt"


def test_the_rest_of_a_broken_tar_is_accounted_for(tmp_path: Path) -> None:
    data = bytearray(tarred(*FILES, ("last.txt", b"last")))
    data[1024:1034] = b"not a head"
    found = tree(read(tmp_path, bytes(data), "x.tar"))
    assert found == {"x/letter.txt": LETTER.decode(), "x/the rest of the archive": "corrupt"}


def test_a_tar_cut_between_two_files_is_warned_of(tmp_path: Path) -> None:
    reading = read(tmp_path, tarred(*FILES)[:1024], "x.tar")
    assert tree(reading) == {"x/letter.txt": LETTER.decode()}
    assert "no end mark" in reading.warnings[0]


def test_a_tar_cut_inside_a_file(tmp_path: Path) -> None:
    found = tree(read(tmp_path, tarred(*FILES, ("long.txt", b"x" * 4000))[:3000], "x.tar"))
    assert found["x/letter.txt"] == LETTER.decode()
    assert found["x/long.txt"] == found["x/the rest of the archive"] == "corrupt"


def test_a_file_that_unpacks_to_far_more_is_stopped(tmp_path: Path) -> None:
    bomb = bytes(30 * 2**20)
    tracemalloc.start()
    for data, name in ((zipped(("zeros.txt", bomb), *FILES), "x.zip"), (gzip.compress(bomb), "zeros.txt.gz")):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        assert tree(read(tmp_path, data, name))["x/zeros.txt"] == "too_large"
        assert tracemalloc.get_traced_memory()[1] - before < 10 * 2**20
    tracemalloc.stop()
    assert refusal(tmp_path, gzip.compress(tarred(("zeros.txt", bomb))), "x.tgz") == "too_large"


def test_a_small_file_may_shrink_as_much_as_it_likes(tmp_path: Path) -> None:
    assert tree(read(tmp_path, zipped(("blank.txt", b" " * 2**20)))) == {"x/blank.txt": " " * 2**20}


LIES = [
    (None, 10, "corrupt", "more comes out than is promised"),
    (2**30, 2**30, "corrupt", "more is promised than the file has"),
    (None, 2**30, "too_large", "the ratio is worse than it looks"),
]


@pytest.mark.parametrize(("packed", "unpacked", "code", "reason"), LIES, ids=[lie[3] for lie in LIES])
def test_sizes_in_the_directory_are_not_believed(
    tmp_path: Path, packed: int | None, unpacked: int, code: str, reason: str
) -> None:
    data = bytearray(zipped(("zeros.txt", bytes(4 * 2**20))))
    sizes = data.index(b"PK\x01\x02") + 20
    true_size = struct.unpack_from("<I", data, sizes)[0]
    struct.pack_into("<II", data, sizes, packed or true_size, unpacked)
    assert tree(read(tmp_path, bytes(data))) == {"x/zeros.txt": code}


def overlapping(count: int) -> bytes:
    """A zip of which all entries share one packed body, so that it unpacks to `count` times its content."""
    whole = zipped(("a.txt", LETTER))
    directory = whole.index(b"PK\x01\x02")
    entry, end = whole[directory:-22], bytearray(whole[-22:])
    struct.pack_into("<HHI", end, 8, count, count, len(entry) * count)
    return whole[:directory] + entry * count + bytes(end)


def test_entries_that_share_their_bytes_are_counted_each(tmp_path: Path) -> None:
    """Newer versions of the library refuse an overlap; where one does not, each entry counts in full."""
    found = tree(read(tmp_path, overlapping(4)))
    assert len(found) == 4
    assert set(found.values()) <= {LETTER.decode(), "corrupt"}


def test_a_zip_that_holds_itself_ends(tmp_path: Path) -> None:
    """What a quine does, by a reader that gives the same archive for each member."""
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(("x.zip", b"x")))

    def itself(member: Path) -> Reading:
        return archive.read(path, itself)

    assert list(tree(archive.read(path, itself)).values()) == [""] * 5 + ["too_deep"]


def test_a_directory_of_too_many_entries_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_RECORDS", 3)
    assert refusal(tmp_path, overlapping(4)) == "too_many"


def test_a_tar_whose_name_record_is_as_large_as_the_memory(tmp_path: Path) -> None:
    head = tarfile.TarInfo("././@LongLink")
    head.type, head.size = tarfile.GNUTYPE_LONGNAME, 8 * 2**20
    data = tarred(*FILES)[:1024] + head.tobuf(tarfile.GNU_FORMAT) + bytes(8 * 2**20)
    tracemalloc.start()
    found = tree(read(tmp_path, data, "x.tar"))
    assert tracemalloc.get_traced_memory()[1] < len(data) + 4 * 2**20
    tracemalloc.stop()
    assert found == {"x/letter.txt": LETTER.decode(), "x/the rest of the archive": "corrupt"}


def test_random_damage_never_ends_in_anything_else(tmp_path: Path) -> None:
    whole = [zipped(*FILES), tarred(*FILES), gzip.compress(tarred(*FILES)), gzip.compress(LETTER)]
    for data in whole:
        for step in range(60):
            place = zlib.crc32(bytes([step])) % len(data)
            path = tmp_path / "x"
            path.write_bytes(data[:place] + bytes([data[place] ^ (1 << step % 8)]) + data[place + 1 :])
            try:
                reading = archive.read(path, families.read)
            except UnreadableFile:
                continue
            assert all(isinstance(placed.member.outcome, Reading | Failure) for placed in flattened("x", reading))
