"""Files read in a process of their own: same as here, and whatever happens to it is one Failure and no more."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen import canvas

from lexforge.errors import BundleError, UnreadableFile
from lexforge.ingest.child import Child, Limits
from lexforge.ingest.readers import read
from lexforge.ingest.reading import Failure, Reading

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

LIMITS = Limits(seconds=60)


def here(path: Path) -> Reading | Failure:
    """What reading in this very process gives."""
    try:
        return read(path)
    except UnreadableFile as error:
        return Failure(code=error.code, message=error.message, advice=error.advice)


def mixed_folder(folder: Path) -> list[Path]:
    """A file of each common kind, and some that cannot be read."""
    page = canvas.Canvas(str(folder / "invoice.pdf"))
    page.drawString(72, 72, "BASALT-000017 Invoice of May 4, 2021")
    page.save()
    document = docx.Document()
    document.add_paragraph("The sacks were open and the flour was grey.")
    document.save(str(folder / "note.docx"))
    (folder / "mail.eml").write_text("From: a@example.com\nTo: b@example.com\nSubject: Flour\n\nIt is wet.\n")
    (folder / "letter.txt").write_text("Dear Pia,\n\nthe flour was wet.\n", encoding="utf-8")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "cut.pdf").write_bytes((folder / "invoice.pdf").read_bytes()[:200])
    (folder / "program.exe").write_bytes(b"MZ" + bytes(200))
    return sorted(folder.iterdir())


def state(pid: int) -> str:
    """The letter of proc(5): R, S, T, Z; empty when there is no such process."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def processes_of(parent: int) -> set[int]:
    """The children of `parent` that read files."""
    return {pid for pid in children_of(parent) if b"lexforge.ingest.child" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def children_of(parent: int) -> set[int]:
    """All children of `parent`, zombies included."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                found.add(int(entry.name))
    return found


def until(met: Callable[[], bool]) -> None:
    """Wait for what happens in another process; a minute is a failure, not a measure."""
    end = time.monotonic() + 60
    while not met():
        assert time.monotonic() < end
        time.sleep(0.02)


def dead(pid: int) -> bool:
    return state(pid) in {"", "Z"}  # the zombie of an orphan is for init to reap


@pytest.fixture
def child() -> Iterator[Child]:
    before = children_of(os.getpid())
    made = Child()
    yield made
    made.close()
    assert children_of(os.getpid()) <= before, "no process is left, not even a zombie"


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text("The flour was wet.\n", encoding="utf-8")
    return path


def started(child: Child, letter: Path) -> int:
    """The process of a child that has read a file."""
    assert isinstance(child.read(letter, LIMITS), Reading)
    assert child._process is not None
    return child._process._popen.pid


def stopped(child: Child, letter: Path) -> int:
    """A process that hangs: it takes a request and never answers."""
    pid = started(child, letter)
    os.kill(pid, signal.SIGSTOP)
    until(lambda: state(pid) == "T")
    return pid


def test_a_file_gives_the_same_as_in_this_process(tmp_path: Path, child: Child) -> None:
    paths = mixed_folder(tmp_path)
    assert [child.read(path, LIMITS) for path in paths] == [here(path) for path in paths]


def test_one_process_reads_one_file_after_another(letter: Path, child: Child) -> None:
    assert started(child, letter) == started(child, letter)


def test_a_file_that_hangs_is_given_up_and_the_next_one_is_read(letter: Path, child: Child) -> None:
    pid = stopped(child, letter)
    failure = child.read(letter, Limits(seconds=0.2))
    assert isinstance(failure, Failure)
    assert (failure.code, failure.message) == ("too_slow", "letter.txt was not read within 0.2 s and was given up.")
    assert state(pid) == ""
    assert started(child, letter) != pid


def test_a_process_that_is_killed_while_it_reads_costs_one_file(letter: Path, child: Child) -> None:
    pid = stopped(child, letter)
    threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
    failure = child.read(letter, LIMITS)
    assert isinstance(failure, Failure)
    assert (failure.code, failure.message) == ("crashed", "letter.txt broke the process that was reading it.")
    assert started(child, letter) != pid


def test_a_process_that_died_between_two_files_costs_none(letter: Path, child: Child) -> None:
    pid = started(child, letter)
    os.kill(pid, signal.SIGKILL)
    until(lambda: dead(pid))
    assert started(child, letter) != pid


def test_a_file_that_takes_too_much_memory(tmp_path: Path, child: Child, letter: Path) -> None:
    huge = tmp_path / "huge.txt"
    huge.write_text("The flour was wet.\n" * 400, encoding="utf-8")
    os.truncate(huge, 500 * 1024**2)  # sparse: larger than what the process may have, and nothing on the disk
    failure = child.read(huge, Limits(memory=400 * 1024**2))
    assert isinstance(failure, Failure)
    assert failure.code == "out_of_memory"
    assert isinstance(child.read(letter, LIMITS), Reading)


def test_an_answer_that_is_too_large(letter: Path, child: Child) -> None:
    failure = child.read(letter, Limits(answer=10))
    assert isinstance(failure, Failure)
    assert failure.code == "too_large"


def test_a_machine_that_does_not_see_the_file(tmp_path: Path, child: Child) -> None:
    failure = child.read(tmp_path / "elsewhere" / "letter.txt", LIMITS)
    assert isinstance(failure, Failure)
    assert failure.code == "not_here"
    assert os.uname().nodename in failure.message


def test_names_are_bytes(tmp_path: Path, child: Child) -> None:
    named = tmp_path / os.fsdecode(b"l\xe9ttre.txt")
    named.write_text("La farine\n", encoding="utf-8")
    assert child.read(named, LIMITS) == here(named)
    named.write_bytes(b"")
    failure = child.read(named, LIMITS)
    assert isinstance(failure, Failure)
    assert (failure.code, failure.message[:10]) == ("not_unicode", "l?ttre.txt")


def test_the_limits_are_in_force(letter: Path, child: Child) -> None:
    pid = started(child, letter)
    limits = Path(f"/proc/{pid}/limits").read_text()
    rows = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()}
    assert rows["Max address space"] == [str(LIMITS.memory)] * 2
    assert rows["Max core file size"] == ["0", "0"]
    assert rows["Max file size"] == [str(1024**3)] * 2
    assert os.getpgid(pid) == os.getsid(pid) == pid


def test_another_limit_takes_another_process(letter: Path, child: Child) -> None:
    pid = started(child, letter)
    assert isinstance(child.read(letter, Limits(memory=LIMITS.memory // 2)), Reading)
    assert child._process is not None
    assert child._process._popen.pid != pid


def test_a_process_that_cannot_start_says_why(letter: Path, child: Child) -> None:
    with pytest.raises(BundleError, match=r"could not be started: \S"):
        child.read(letter, Limits(memory=40 * 1024**2))


def test_closing_ends_a_read_under_way(letter: Path, child: Child) -> None:
    stopped(child, letter)
    threading.Timer(0.2, child.close).start()
    assert isinstance(child.read(letter, LIMITS), Failure)
    with pytest.raises(RuntimeError, match="closed"):
        child.read(letter, LIMITS)


# What no file does reliably, a reader that misbehaves does: put in the place of the readers when the process starts.

MISBEHAVIOUR = {
    "aborts": ("os.abort()", "crashed"),
    "exits": ("os._exit(0)", "crashed"),
    "takes memory": ("bytearray(1 << 40)", "out_of_memory"),
    "takes memory and calls the file corrupt": (
        "try: bytearray(1 << 40)\nexcept MemoryError: fail('corrupt')",
        "out_of_memory",
    ),
    "prints": ("os.write(1, b'noise'); os.write(2, b'noise'); fail('printed')", "printed"),
    "asks for input": ("fail('no input' if os.read(0, 1) == b'' else 'took a request')", "no input"),
    "connects": (
        "import socket\ntry: socket.create_connection(('127.0.0.1', 9))\nexcept LexForgeError: fail('refused')",
        "refused",
    ),
    "hangs": ("while True: pass", "too_slow"),
    "hangs in C, where no other thread runs": ("import re; re.match(r'(a+)+$', 'a' * 99 + 'b')", "too_slow"),
}


def misbehaving(folder: Path, body: str) -> Path:
    """A folder for PYTHONPATH in which the readers are replaced by `body`."""
    folder.mkdir()
    code = f"""
import os, sys, tempfile, types
if "lexforge.ingest.child_process" in sys.orig_argv:
    from lexforge.errors import LexForgeError, UnreadableFile
    def fail(code):
        raise UnreadableFile(code, "", "")
    def read(path):
{textwrap.indent(body, " " * 8)}
    sys.modules["lexforge.ingest.readers"] = types.SimpleNamespace(read=read)
"""
    (folder / "sitecustomize.py").write_text(code)
    return folder


def at_front(folder: Path) -> str:
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.mark.parametrize(("body", "code"), MISBEHAVIOUR.values(), ids=MISBEHAVIOUR)
def test_a_reader_that_misbehaves_costs_one_file(
    body: str, code: str, tmp_path: Path, letter: Path, child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", at_front(misbehaving(tmp_path / "site", body)))
    failure = child.read(letter, Limits(seconds=0.3 if code == "too_slow" else 60))
    assert isinstance(failure, Failure)
    assert failure.code == code


SIGNS = """
import time
from lexforge.ingest import alive
for _ in range({signs}):
    time.sleep(0.2)
    alive.sign()
fail("done")
"""


def test_signs_of_life_give_more_time_but_not_for_ever(
    tmp_path: Path, letter: Path, child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", at_front(misbehaving(tmp_path / "site", SIGNS.format(signs=12))))
    failure = child.read(letter, Limits(seconds=2))
    assert isinstance(failure, Failure)
    assert failure.code == "done", "it took longer than its limit, and showed that it was at work"
    monkeypatch.setattr("lexforge.ingest.child.PATIENCE", 0.2)
    failure = child.read(letter, Limits(seconds=2))
    assert isinstance(failure, Failure)
    assert failure.code == "too_slow"


STARTS_ANOTHER = """
import subprocess
pid = subprocess.Popen(["sleep", "600"]).pid
with open(tempfile.gettempdir() + "/member", "w") as member:
    member.write(str(pid))
import re; re.match(r'(a+)+$', 'a' * 99 + 'b')
"""


def member_in(folder: Path) -> int:
    """The program that the reader started, once it says so in its temporary folder."""

    def found() -> list[str]:
        return [text for path in folder.glob("*/member") if (text := path.read_text())]

    until(lambda: found() != [])
    return int(found()[0])


def test_what_a_reader_started_and_wrote_goes_with_it(
    tmp_path: Path, letter: Path, child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("PYTHONPATH", at_front(misbehaving(tmp_path / "site", STARTS_ANOTHER)))
    reading = threading.Thread(target=child.read, args=(letter, LIMITS))
    reading.start()
    pid = member_in(tmp_path / "temporary")
    child.close()
    reading.join()
    until(lambda: dead(pid))
    assert list((tmp_path / "temporary").iterdir()) == []
