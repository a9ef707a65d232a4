"""What is remembered about model files, and the proof that a file is the pinned one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lexforge.domain.record import sha256_of
from lexforge.errors import SeatUnavailable
from lexforge.llm import known_files
from lexforge.llm.identity import file_sha256
from lexforge.llm.known_files import known
from lexforge.llm.weights import FileHash, locate, shards_of
from tests.llm.seated import config


@pytest.fixture(autouse=True)
def _nothing_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(known_files, "_in_this_process", {})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"a" * 1000)
    return path


class Hashing:
    """Finds hashes out, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, path: Path) -> FileHash:
        self.times += 1
        return FileHash(sha256=file_sha256(path))


def test_a_file_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashing = Hashing()
    first = known(file, FileHash, hashing)
    assert known(file, FileHash, hashing) == first
    monkeypatch.setattr(known_files, "_in_this_process", {})  # as in the next process
    assert known(file, FileHash, hashing) == first
    assert hashing.times == 1


def written_over(file: Path) -> None:
    file.write_bytes(b"b" * 1000)


def written_over_with_its_old_time(file: Path) -> None:
    old = file.stat()
    file.write_bytes(b"b" * 1000)
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))


def replaced_with_its_old_time(file: Path) -> None:
    old, other = file.stat(), file.with_name("other")
    other.write_bytes(b"b" * 1000)
    os.utime(other, ns=(old.st_atime_ns, old.st_mtime_ns))
    other.replace(file)


@pytest.mark.parametrize("swap", [written_over, written_over_with_its_old_time, replaced_with_its_old_time])
def test_a_swapped_file_is_read_again(swap: Callable[[Path], None], file: Path) -> None:
    known(file, FileHash, Hashing())
    swap(file)
    assert known(file, FileHash, Hashing()).sha256 == sha256_of(b"b" * 1000)


def test_a_file_that_changes_while_it_is_read_is_not_remembered(file: Path) -> None:
    def changing(path: Path) -> FileHash:
        found = FileHash(sha256=file_sha256(path))
        path.write_bytes(b"longer than it was" * 100)
        return found

    known(file, FileHash, changing)
    assert known(file, FileHash, Hashing()).sha256 == file_sha256(file)


@pytest.mark.parametrize("text", ["", "[]", "no json", '{"FileHash /x": 3}'], ids=["empty", "list", "prose", "other"])
def test_a_damaged_memory_only_costs_time(text: str, file: Path, tmp_path: Path) -> None:
    memory = tmp_path / "cache" / "lexforge" / "weights" / "known.json"
    memory.parent.mkdir(parents=True)
    memory.write_text(text)
    assert known(file, FileHash, Hashing()).sha256 == file_sha256(file)


def test_a_memory_that_cannot_be_written_is_kept_by_the_process(file: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, where the folder should be")
    hashing = Hashing()
    known(file, FileHash, hashing)
    known(file, FileHash, hashing)
    assert hashing.times == 1


# -- the pinned file -------------------------------------------------------------------------------------------------


def test_shards_are_named_by_the_first() -> None:
    first = Path("/models/big-00001-of-00003.gguf")
    assert [path.name[-20:] for path in shards_of(first)] == [f"-{n:05}-of-00003.gguf" for n in (1, 2, 3)]
    assert shards_of(Path("/models/big.gguf")) == (Path("/models/big.gguf"),)


@pytest.fixture
def shards(tmp_path: Path) -> tuple[Path, ...]:
    found = shards_of(tmp_path / "big-00001-of-00002.gguf")
    for number, path in enumerate(found):
        path.write_bytes(bytes([number]) * 100)
    return found


def test_every_shard_is_pinned(shards: tuple[Path, ...]) -> None:
    hashes = tuple(file_sha256(path) for path in shards)
    assert locate(config(shards[0], weights_sha256=hashes), "workhorse") == shards[0]
    shards[1].write_bytes(b"other")
    with pytest.raises(SeatUnavailable, match="00002-of-00002") as refused:
        locate(config(shards[0], weights_sha256=hashes), "workhorse")
    assert refused.value.code == "hash_differs"
    shards[1].unlink()
    with pytest.raises(SeatUnavailable) as missing:
        locate(config(shards[0], weights_sha256=hashes), "workhorse")
    assert missing.value.code == "file_missing"


def test_one_hash_for_two_shards_is_told_as_that(shards: tuple[Path, ...]) -> None:
    with pytest.raises(SeatUnavailable, match="comes in 2 files, its board file pins 1"):
        locate(config(shards[0]), "workhorse")


@pytest.mark.skipif(not Path("/proc/self/mem").is_file(), reason="a file that is there and gives EIO is Linux's")
def test_a_file_that_cannot_be_read_is_no_crash(hybrid_file: Path) -> None:
    with pytest.raises(SeatUnavailable) as refused:
        locate(config(hybrid_file, model="/proc/self/mem"), "workhorse")
    assert refused.value.code == "file_unreadable"


def test_two_unpinned_packages_are_not_taken_for_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for name in ("weights_one", "weights_two"):
        text = f"def assemble(path, overwrite):\n    path.write_bytes({name.encode()!r})\n"
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("weights_one", "weights_two"):
        seat = config(tmp_path / f"{name}.py", model=f"assemble:{name}", weights_sha256="unpinned")
        with pytest.raises(SeatUnavailable) as refused:
            locate(seat, "workhorse")
        assert refused.value.code == "unpinned"
        told.append(sha256_of(name.encode()) in refused.value.advice)
    assert told == [True, True]
