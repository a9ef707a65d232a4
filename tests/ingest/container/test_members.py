"""A file inside another is read by itself, from a place of its own, within limits that hold for the whole tree."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lexforge.errors import UnreadableFile
from lexforge.ingest.container.members import Inner, Limits, file_name, flattened, printable, read_members
from lexforge.ingest.reading import Failure, Member, Reading, pages_of
from tests.ingest.container import families
from tests.ingest.container.families import outcome, tree


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def container(*members: Member) -> Reading:
    return Reading(media_type="x", extractor="x", pages=(), members=members)


def test_a_member_is_read_from_a_private_place_that_is_gone_afterwards(tmp_path: Path) -> None:
    seen: list[Path] = []

    def read(path: Path) -> Reading:
        seen.append(path)
        assert path.parent.stat().st_mode & 0o077 == 0
        return families.read(path)

    source = tmp_path / "kept.txt"
    source.write_bytes(b"kept")
    parts = [Inner("a.txt", b"one"), Inner("b.txt", iter([b"t", b"wo"])), Inner("c.txt", source)]
    members = read_members(parts, read)
    assert [outcome(m) for m in members] == ["one", "two", "kept"]
    assert members[1].sha256_file == hashlib.sha256(b"two").hexdigest()
    assert source.exists()
    assert not any(path.exists() or path.parent.exists() for path in seen)


def test_a_member_that_cannot_be_read_is_kept_with_the_reason() -> None:
    why = Failure(code="encrypted", message="locked.zip is locked.", advice="Unlock it.")
    empty, locked, sound = read_members([Inner("e", b""), Inner("locked.zip", why), Inner("s", b"s")], families.read)
    assert outcome(empty) == "empty"
    assert locked.outcome == why
    assert locked.sha256_file == "", "its content was never seen"
    assert outcome(sound) == "s"


def test_what_breaks_while_it_is_unpacked_is_a_failure_of_that_member_alone() -> None:
    def breaking() -> Iterator[bytes]:
        yield b"begins well"
        raise UnreadableFile("corrupt", "a is damaged.", "Obtain it again.")

    members = read_members([Inner("a", breaking()), Inner("b", b"b")], families.read)
    assert [outcome(m) for m in members] == ["corrupt", "b"]


def test_names_that_come_twice_stay_apart() -> None:
    names = ["a.pdf", "a.pdf", "a (2).pdf", "a.pdf", "b", "b"]
    members = read_members([Inner(name, b"x") for name in names], families.read)
    assert [m.name for m in members] == ["a.pdf", "a (2).pdf", "a (2) (2).pdf", "a (3).pdf", "b", "b (2)"]


NAMES = [
    ("contract.pdf", "contract.pdf", "contract.pdf", "an ordinary name"),
    ("sub/contract.pdf", "sub/contract.pdf", "contract.pdf", "folders are shown"),
    ("sub\\contract.pdf", "sub/contract.pdf", "contract.pdf", "folders of Windows"),
    ("../../etc/passwd", "../../etc/passwd", "passwd", "a way out of the folder"),
    ("/etc/passwd", "/etc/passwd", "passwd", "an absolute name"),
    ("C:evil.txt", "C:evil.txt", "C_evil.txt", "a drive"),
    ("a\0b.txt", "a\N{REPLACEMENT CHARACTER}b.txt", "a_b.txt", "a name that ends early for some programs"),
    ("fdp.\u202etxt.exe", "fdp.\N{REPLACEMENT CHARACTER}txt.exe", "fdp._txt.exe", "letters that turn the direction"),
    ("r\udce9sum\udce9", "r\N{REPLACEMENT CHARACTER}sum\N{REPLACEMENT CHARACTER}", "r_sum_", "bytes in no encoding"),
    ("..", "..", "unnamed", "the folder above"),
    ("", "unnamed", "unnamed", "no name"),
    ("Vertrag für Ä.pdf", "Vertrag für Ä.pdf", "Vertrag für Ä.pdf", "letters outside ASCII"),
]


@pytest.mark.parametrize(("name", "shown", "on_disk", "reason"), NAMES, ids=[n[3] for n in NAMES])
def test_names(name: str, shown: str, on_disk: str, reason: str) -> None:
    assert printable(name) == shown
    assert file_name(name) == on_disk


@pytest.mark.parametrize("letter", ["a", "ä", "漢", "😀"])
def test_long_names_keep_their_ending(letter: str) -> None:
    name = letter * 5000 + ".pdf"
    assert len(printable(name)) == 1000
    assert printable(name).endswith(".pdf")
    assert 150 < len(file_name(name).encode()) <= 200
    assert file_name(name).endswith(".pdf")


def nested(depth: int) -> bytes:
    """Text below so many archives."""
    data = b"innermost"
    for level in range(depth):
        data = zipped({f"level{depth - level}": data})
    return data


def test_nesting_is_read_five_levels_down() -> None:
    assert outcome(read_members([Inner("z", nested(4))], families.read)[0]) == ""
    found = tree(container(*read_members([Inner("z", nested(4))], families.read)))
    assert found["x/z/level1/level2/level3/level4"] == "innermost"


def test_deeper_nesting_is_said_to_be_too_deep() -> None:
    found = tree(container(*read_members([Inner("z", nested(7))], families.read)))
    assert list(found.items())[-1] == ("x/z/level1/level2/level3/level4/level5", "too_deep")


def test_the_number_of_members_counts_on_all_levels() -> None:
    inner = zipped({"1": b"1", "2": b"2", "3": b"3"})
    members = read_members([Inner("a", inner), Inner("b", inner), Inner("c", b"c")], families.read, Limits(members=6))
    found = tree(container(*members))
    assert found == {
        "x/a": "",
        "x/a/1": "1",
        "x/a/2": "2",
        "x/a/3": "3",
        "x/b": "",
        "x/b/1": "1",
        "x/b/2": "too_many",
    } | {"x/c": "too_many"}
    last = members[1].outcome
    assert isinstance(last, Reading)
    assert isinstance(last.members[1].outcome, Failure)
    assert "2 and 1 files after it" in last.members[1].outcome.message


def test_the_bytes_count_on_all_levels() -> None:
    inner = zipped({"1": b"1" * 600, "2": b"2" * 600})
    limits = Limits(total=len(inner) + 1000)
    found = tree(container(*read_members([Inner("a", inner), Inner("b", b"b" * 600)], families.read, limits)))
    assert [found[path] for path in ("x/a/2", "x/b")] == ["too_large", "too_large"]
    assert found["x/a/1"] == "1" * 600


def test_one_member_may_be_too_large() -> None:
    members = read_members([Inner("a", b"a" * 11), Inner("b", b"b" * 10)], families.read, Limits(each=10))
    assert [outcome(m) for m in members] == ["too_large", "b" * 10]


def test_each_file_of_a_matter_has_limits_of_its_own() -> None:
    for _ in range(3):
        assert len(read_members([Inner("a", b"a")] * 4, families.read, Limits(members=4))) == 4
    with pytest.raises(ZeroDivisionError):
        read_members([Inner("a", b"a")], lambda path: Reading(media_type=str(1 / 0), extractor="", pages=()))
    assert outcome(read_members([Inner("a", b"a")], families.read)[0]) == "a"


def test_paths_tell_members_apart_and_lead_nowhere_else() -> None:
    def leaf(name: str, *below: Member) -> Member:
        reading = Reading(media_type="x", extractor="x", pages=pages_of([name]), members=below)
        return Member(name=name, sha256_file="", outcome=reading)

    reading = container(leaf("a", leaf("b")), leaf("a/b"), leaf("../../c"), leaf(".."), leaf("/d"))
    found = [(placed.path, placed.parent) for placed in flattened("evidence/m", reading)]
    assert found == [
        ("evidence/m/a", "evidence/m"),
        ("evidence/m/a/b", "evidence/m/a"),
        ("evidence/m/a/b (2)", "evidence/m"),
        ("evidence/m/c", "evidence/m"),
        ("evidence/m/unnamed", "evidence/m"),
        ("evidence/m/d", "evidence/m"),
    ]
