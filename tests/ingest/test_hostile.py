"""A folder of files built to do harm: each has its line and its remedy, and the good file beside them is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lexforge.domain.evidence import Bundle, Fate, FileRecord
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from tests.cli.test_commands import lexforge
from tests.ingest.hostile_files import FILES, WORDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="address space can be limited on Linux only")

NAMES: dict[bytes, str] = {
    b"..%2f..%2fpasswd.txt": "evidence/..%2f..%2fpasswd.txt",
    b"n" * 251 + b".txt": f"evidence/{'n' * 251}.txt",
    b"line\nbreak.txt": r"evidence/line\u000abreak.txt",
    "gpj.\u202etxt".encode(): r"evidence/gpj.\u202etxt",
    b"--help.txt": "evidence/--help.txt",
    b"-rf": "evidence/-rf",
    b"l\xe9ttre.txt": "evidence/l\\xe9ttre.txt",
    b"Case.txt": "evidence/Case.txt",
    b"case.txt": "evidence/case.txt",
    b"[red]markup[bold].txt": "evidence/[red]markup[bold].txt",
    rb"l\xe9ttre.txt": r"evidence/l\\xe9ttre.txt",
    rb"C:\letter.txt": r"evidence/C:\\letter.txt",
}
"""Names as the file system has them, and as they are shown."""

NO_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe.txt": (os.mkfifo, "not_a_file"),
    "endless.txt": (lambda path: path.symlink_to("/dev/zero"), "not_a_file"),
    "dangling.txt": (lambda path: path.symlink_to(path.parent / "nowhere.txt"), "unreadable"),
    "folder": (lambda path: path.symlink_to(path.parent.parent), "folder_link"),
}

GOOD = "The good file is read."
INGEST = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
from lexforge.ingest.bundle import ingest
from lexforge.ingest.child import Limits
from lexforge.ingest.folder import Means
from lexforge.ingest.listing import listing
from lexforge.ingest.workers import local
root = Path(sys.argv[1])
with local(2) as executor:
    means = Means(executor=executor, limits=Limits(seconds=20, memory=768 * 2**20))
    bundle = ingest(root, listing(root), means=means)
print(bundle.model_dump_json())
"""


def lay_out(folder: Path) -> None:
    for name, hostile in FILES.items():
        (folder / name).write_bytes(hostile.make())
    for number, raw in enumerate(NAMES):
        (folder / os.fsdecode(raw)).write_text(f"{WORDS} It was sack number {number}.", encoding="utf-8")
    for name, (make, _) in NO_FILES.items():
        make(folder / name)
    (folder / "good.txt").write_text(GOOD, encoding="utf-8")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """All of them as one matter, read by a process that may have 3 GiB of address space in all."""
    root, temporary = tmp_path_factory.mktemp("matter"), tmp_path_factory.mktemp("temporary")
    (root / "evidence").mkdir()
    lay_out(root / "evidence")
    command = [sys.executable, "-c", INGEST, str(root)]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=200)
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == [], "nothing that was unpacked stays behind"
    return Bundle.model_validate(json.loads(done.stdout))


@pytest.fixture(scope="module")
def records(bundle: Bundle) -> dict[str, FileRecord]:
    return {record.path: record for record in bundle.files}


def test_every_file_has_one_line_and_the_good_one_is_read(bundle: Bundle, records: dict[str, FileRecord]) -> None:
    assert len(records) == len(bundle.files)
    laid_out = {*(f"evidence/{name}" for name in (*FILES, *NO_FILES, "good.txt")), *NAMES.values()}
    assert {path for path in records if path.count("/") == 1} == laid_out
    assert [source.pages[0].text for source in bundle.sources if source.name == "good.txt"] == [GOOD]


@pytest.mark.parametrize("name", FILES)
def test_what_is_built_to_do_harm_is_read_or_refused(name: str, records: dict[str, FileRecord]) -> None:
    record = records[f"evidence/{name}"]
    assert record.reason in FILES[name].own
    if record.reason == "too_slow":
        return
    inside = {one.reason for path, one in records.items() if path.startswith(f"evidence/{name}/")}
    assert inside <= FILES[name].inside
    assert bool(inside) is bool(FILES[name].inside)


def test_what_is_refused_names_the_file_and_says_what_to_do(bundle: Bundle) -> None:
    for record in bundle.with_fate(Fate.FAILED):
        name = record.path.rsplit("/", 1)[-1]
        assert name in record.detail or name.rpartition(" (")[0] in record.detail, record
        assert record.detail.rstrip(".").count(". ") >= 1, f"{record.path} has no remedy: {record.detail}"


@pytest.mark.parametrize("raw", NAMES, ids=lambda raw: ascii(raw[:20]))
def test_a_name_is_shown_as_it_is_and_the_file_is_read(raw: bytes, records: dict[str, FileRecord]) -> None:
    assert records[NAMES[raw]].fate is Fate.INGESTED


@pytest.mark.parametrize("name", NO_FILES)
def test_what_is_no_file_is_not_waited_for(name: str, records: dict[str, FileRecord]) -> None:
    record = records[f"evidence/{name}"]
    assert (record.fate, record.reason, record.sha256_file) == (Fate.FAILED, NO_FILES[name][1], None)


def test_a_link_to_itself_is_reported(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "evidence" / "itself.txt").symlink_to("itself.txt")
    (record,) = ingest(tmp_path, listing(tmp_path)).files
    assert (record.fate, record.reason) == (Fate.FAILED, "unreadable")


def test_a_name_gives_the_terminal_no_commands(matter: Path) -> None:
    (matter / "evidence" / "a\x1b[31mred\n  ingested \u202efdp.txt").write_bytes(b"")
    done = lexforge("ingest", matter)
    assert r"failed evidence/a\u001b[31mred\u000a  ingested \u202efdp.txt: " in done.stdout, done.stderr
    assert not {"\x1b", "\u202e"} & set(done.stdout)
    assert not any(line.startswith("  ingested") for line in done.stdout.splitlines())
