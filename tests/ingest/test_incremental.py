"""The second time nothing is read again but what has changed, and what was relied on and is gone is said."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from graphs.sources import SourceSteps
from lexforge.domain.evidence import Bundle, Notice
from lexforge.ingest import report, workers
from lexforge.ingest.bundle import ingest
from lexforge.ingest.child import Limits
from lexforge.ingest.folder import Means
from lexforge.ingest.listing import listing
from lexforge.ingest.reading import Failure
from lexforge.store import database
from lexforge.store.folder import Matter
from lexforge.store.ledger import Ledger
from lexforge.store.readings import Remembered
from tests.cli.test_commands import lexforge
from tests.ingest.test_child import mixed_folder


class Counting(Executor):
    """Passes everything on, and remembers the names of the files."""

    def __init__(self, inner: Executor) -> None:
        self.inner = inner
        self.names: list[str] = []
        self.slow: set[str] = set()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.names.append(Path(args[0]).name)
        if self.names[-1] in self.slow:
            given_up: Future[Any] = Future()
            given_up.set_result(Failure(code="too_slow", message=f"{self.names[-1]} was given up.", advice=""))
            return given_up
        return self.inner.submit(fn, *args, **kwargs)

    def taken(self) -> list[str]:
        """What was asked for since the last time, sorted."""
        names, self.names = sorted(self.names), []
        return names


class Backwards(Executor):
    """Finishes what it was given last first, once it has all of it."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.waiting: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, fn, args))
        if len(self.waiting) == self.count:
            for late, call, given in reversed(self.waiting):
                late.set_result(call(*given))
        return future


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with workers.local(1) as executor:
        yield executor


class Runs:
    """One matter, ingested again and again: each run knows no more than its database does."""

    def __init__(self, matter: Path, db: Database, executor: Executor) -> None:
        self.evidence = matter / "evidence"
        self.read = Counting(executor)
        self._matter, self._db = Matter(matter), db

    def again(self, retries: bool = False) -> tuple[Bundle, tuple[Notice, ...]]:
        steps = SourceSteps(self._matter, self._db, Ledger(self._db), executor=self.read, again=retries)
        bundle = steps.ingest(steps.listed())
        return bundle, steps.vanished(bundle.files)


@pytest.fixture
def runs(matter: Path, pool: Executor) -> Iterator[Runs]:
    mixed_folder(matter / "evidence")
    with database.opened(matter / "work") as db:
        yield Runs(matter, db, pool)


EVERYTHING = ["cut.pdf", "empty.txt", "invoice.pdf", "letter.txt", "mail.eml", "note.docx", "program.exe", "tansy.txt"]


def test_what_has_not_changed_is_not_read_again(runs: Runs) -> None:
    bundle, _ = runs.again()
    assert runs.read.taken() == EVERYTHING
    assert runs.again()[0] == bundle
    assert runs.read.taken() == []


def test_a_file_that_is_new_or_has_changed_is_read_alone(runs: Runs) -> None:
    runs.again()
    runs.read.taken()
    (runs.evidence / "new.txt").write_text("The mill wrote again.", encoding="utf-8")
    runs.again()
    assert runs.read.taken() == ["new.txt"]
    (runs.evidence / "new.txt").write_text("The mill wrote twice.", encoding="utf-8")
    bundle, _ = runs.again()
    assert runs.read.taken() == ["new.txt"]
    assert next(s for s in bundle.sources if s.name == "new.txt").pages[0].text == "The mill wrote twice."


@contextmanager
def hashed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the files that are hashed meanwhile."""
    names: list[str] = []
    real = hashlib.file_digest

    def noted(file: Any, kind: Any) -> Any:
        names.append(Path(file.name).name)
        return real(file, kind)

    with monkeypatch.context() as patch:
        patch.setattr(hashlib, "file_digest", noted)
        yield names


def test_a_file_that_was_only_touched_is_hashed_and_not_read(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle, _ = runs.again()
    runs.read.taken()
    with hashed(monkeypatch) as names:
        runs.again()
    assert names == []
    os.utime(runs.evidence / "letter.txt", (0, 0))
    with hashed(monkeypatch) as names:
        assert runs.again()[0] == bundle
    assert names == ["letter.txt"]
    assert runs.read.taken() == []


def test_a_change_of_the_same_length_and_time_is_seen(runs: Runs) -> None:
    letter = runs.evidence / "letter.txt"
    letter.write_text("The flour was wet.", encoding="utf-8")
    runs.again()
    runs.read.taken()
    before = letter.stat()
    letter.write_text("The flour was dry.", encoding="utf-8")
    os.utime(letter, ns=(before.st_atime_ns, before.st_mtime_ns))
    runs.again()
    assert runs.read.taken() == ["letter.txt"]


def test_a_renamed_file_stays_the_same_source_and_is_said_to_have_moved(runs: Runs) -> None:
    ids = {source.id for source in runs.again()[0].sources}
    (runs.evidence / "sub").mkdir()
    (runs.evidence / "letter.txt").rename(runs.evidence / "sub" / "first letter.txt")
    bundle, vanished = runs.again()
    assert {source.id for source in bundle.sources} == ids
    ((path, message),) = ((notice.path, notice.message) for notice in vanished)
    assert path == "evidence/letter.txt"
    assert "is now evidence/sub/first letter.txt" in message


def test_a_vanished_file_is_said_until_it_is_back(runs: Runs) -> None:
    first, vanished = runs.again()
    assert vanished == ()
    content = (runs.evidence / "letter.txt").read_bytes()
    (runs.evidence / "letter.txt").unlink()
    for _ in range(2):  # and not only the first time
        bundle, vanished = runs.again()
        assert [(n.path, n.code) for n in vanished] == [("evidence/letter.txt", "vanished")]
        assert "Put it back" in vanished[0].message
        assert vanished[0].message in report.page("orchard", bundle, vanished).replace("&#39;", "'")
    (runs.evidence / "letter.txt").write_bytes(content)
    assert runs.again() == (first, ())


def test_a_file_that_came_back_and_is_gone_again_is_said(runs: Runs) -> None:
    runs.again()
    content = (runs.evidence / "letter.txt").read_bytes()
    (runs.evidence / "letter.txt").unlink()
    runs.again()
    (runs.evidence / "letter.txt").write_bytes(content)
    runs.again()
    (runs.evidence / "letter.txt").unlink()
    (runs.evidence / "new.txt").write_text("The mill wrote again.", encoding="utf-8")
    _, vanished = runs.again()
    assert [notice.path for notice in vanished] == ["evidence/letter.txt"]


def test_the_terminal_and_the_report_say_what_has_vanished(matter: Path) -> None:
    (matter / "evidence" / "second.txt").write_text("The mill wrote again.", encoding="utf-8")
    assert "vanished" not in lexforge("ingest", matter).stdout
    (matter / "evidence" / "second.txt").unlink()
    done = lexforge("ingest", matter)
    told = "evidence/second.txt was in an earlier bundle and is gone. Put it back"
    assert told in done.stdout, done.stdout + done.stderr
    assert told in (matter / "work" / "ingest-report.html").read_text(encoding="utf-8")


LIMITS = Limits(seconds=120)


def bundle_by(root: Path, executor: Executor) -> str:
    return ingest(root, listing(root), means=Means(executor=executor, limits=LIMITS)).content_sha256


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A matter of the common kinds of files, and of letters, some of them alike."""
    (tmp_path / "evidence").mkdir()
    mixed_folder(tmp_path / "evidence")
    for number in range(60):
        text = f"The sack with the number {number % 50} was wet.\n"
        (tmp_path / "evidence" / f"slip {number}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_bundle_is_the_same_by_whom_and_in_which_order_it_is_read(folder: Path, pool: Executor) -> None:
    alone = bundle_by(folder, pool)
    with workers.local(2) as two:
        assert bundle_by(folder, two) == alone
    assert bundle_by(folder, Backwards(len(listing(folder).files))) == alone
    other = folder.parent / "elsewhere"
    (other / "evidence").mkdir(parents=True)
    for path in sorted((folder / "evidence").iterdir(), reverse=True):
        (other / "evidence" / path.name).write_bytes(path.read_bytes())
    assert bundle_by(other, pool) == alone


def test_a_cluster_that_loses_a_worker_seals_the_same_bundle(folder: Path, pool: Executor) -> None:
    pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    from tests.ingest.test_cluster import cluster_here, worker_pids

    done: list[str] = []

    def strike(path: str) -> None:
        done.append(path)
        if len(done) == 30:
            os.kill(victim, signal.SIGKILL)

    # The scheduler asks the lost worker for its results that long before it has them made again.
    patience = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
    with cluster_here(n_workers=2, processes=True) as machines, patience:
        victim = min(worker_pids(machines))
        with workers.cluster(machines.scheduler_address) as executor:
            means = Means(executor=executor, limits=LIMITS)
            bundle = ingest(folder, listing(folder), progress=strike, means=means)
        assert victim not in worker_pids(machines)
    assert bundle.content_sha256 == bundle_by(folder, pool)


def test_what_was_taken_away_is_not_kept_as_a_reading(runs: Runs) -> None:
    runs.again()
    (runs.evidence / "letter.txt").unlink()
    runs.again()
    assert not [key for key, _ in Remembered(runs._db, "readings").all() if key.endswith(":letter.txt")]


def test_what_failed_for_now_is_tried_again_when_asked_and_a_draft_stays_with_what_it_was_told(runs: Runs) -> None:
    runs.read.slow = {"letter.txt"}
    first, _ = runs.again(retries=True)
    assert next(f for f in first.files if f.path.endswith("letter.txt")).reason == "too_slow"
    runs.read.slow = set()
    runs.read.taken()
    assert runs.again()[0] == first
    assert runs.read.taken() == []
    mended, _ = runs.again(retries=True)
    assert runs.read.taken() == ["letter.txt"]
    assert all(f.reason != "too_slow" for f in mended.files)
    assert runs.again()[0] == mended
    assert runs.again(retries=True)[0] == mended
    assert runs.read.taken() == []
