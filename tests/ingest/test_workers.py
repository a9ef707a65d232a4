"""Many files at once: the same as one by one, in order, bounded, and nothing left when it is stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from lexforge.errors import BundleError
from lexforge.ingest.child import Limits
from lexforge.ingest.reading import Failure, Reading
from lexforge.ingest.workers import Outcome, cluster, local, read_all, read_file, versions
from lexforge.ingest.workers import _require_same_versions as require_same_versions
from tests.ingest.test_child import (
    STARTS_ANOTHER,
    at_front,
    children_of,
    dead,
    here,
    member_in,
    misbehaving,
    mixed_folder,
    processes_of,
    until,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

LIMITS = Limits(seconds=60)


def test_a_pool_gives_what_this_process_gives_in_the_order_asked_for(tmp_path: Path) -> None:
    before, paths, done = children_of(os.getpid()), mixed_folder(tmp_path)[::-1], list[Path]()
    with local(2) as executor:
        results = list(read_all(paths, executor, LIMITS, done.append, ahead=3))
        assert len(processes_of(os.getpid()) - before) == 2
    assert results == [(path, here(path)) for path in paths]
    assert sorted(done) == sorted(paths)
    assert children_of(os.getpid()) <= before


def test_a_pool_can_be_left_before_its_work_is_taken(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("The flour was wet.\n", encoding="utf-8")
    with local(1) as executor:
        futures = [executor.submit(read_file, str(tmp_path / "letter.txt"), LIMITS) for _ in range(3)]
    assert all(isinstance(future.result(), Reading) for future in futures)


def test_an_error_while_reading_drops_what_was_not_begun(tmp_path: Path) -> None:
    before, path = children_of(os.getpid()), tmp_path / "letter.txt"
    path.write_text("The flour was wet.\n", encoding="utf-8")
    futures: list[Future[Outcome]] = []
    with pytest.raises(ZeroDivisionError), local(1) as executor:
        futures += [executor.submit(read_file, str(path), LIMITS) for _ in range(500)]
        futures[0].result()
        raise ZeroDivisionError
    assert futures[-1].cancelled()
    assert children_of(os.getpid()) <= before


READ = Reading(media_type="text/plain", extractor="text 1", pages=())


class Scripted(Executor):
    """Finishes each task at once with the next of `ends`; None never finishes."""

    def __init__(self, *ends: Outcome | BaseException | None) -> None:
        self.ends = iter(ends)
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        end = next(self.ends)
        if isinstance(end, BaseException):
            future.set_exception(end)
        elif end is not None:
            future.set_result(end)
        self.futures.append(future)
        return future


PATHS = [Path(f"/matter/{n}.txt") for n in range(9)]


def test_no_more_is_submitted_than_is_taken() -> None:
    executor = Scripted(*[READ] * 9)
    results = read_all(PATHS, executor, LIMITS, ahead=4)
    assert executor.futures == []
    assert next(results) == (PATHS[0], READ)
    assert len(executor.futures) == 4


def test_what_is_finished_is_told_although_an_earlier_file_is_not() -> None:
    executor, done = Scripted(None, READ, READ), list[Path]()

    def tell(path: Path) -> None:
        done.append(path)
        if len(done) == 2:
            executor.futures[0].set_result(READ)

    assert [path for path, _ in read_all(PATHS[:3], executor, LIMITS, tell)] == PATHS[:3]
    assert sorted(done) == PATHS[:3]
    assert done[-1] == PATHS[0]


def test_no_file_is_no_result() -> None:
    assert list(read_all([], Scripted(), LIMITS)) == []


def test_leaving_the_results_cancels_the_rest() -> None:
    executor = Scripted(READ, None, None)
    results = read_all(PATHS[:3], executor, LIMITS)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert [future.cancelled() for future in executor.futures] == [False, True, True]


class KilledWorker(Exception):
    """Of the name of dask's."""


@pytest.mark.parametrize("lost", [KilledWorker(), BrokenProcessPool()], ids=repr)
def test_a_file_whose_workers_were_lost(lost: Exception) -> None:
    (first, failure), second = read_all(PATHS[:2], Scripted(lost, READ), LIMITS)
    assert isinstance(failure, Failure)
    assert (first, failure.code) == (PATHS[0], "crashed")
    assert failure.message.startswith("0.txt ")
    assert second == (PATHS[1], READ)


def test_a_cluster_that_is_lost() -> None:
    with pytest.raises(BundleError, match="connection to the cluster was lost"):
        list(read_all(PATHS[:1], Scripted(CancelledError()), LIMITS))


def test_a_defect_is_not_a_failure_of_the_file() -> None:
    with pytest.raises(ZeroDivisionError):
        list(read_all(PATHS[:1], Scripted(ZeroDivisionError()), LIMITS))


INTERRUPTED = """
import sys
from pathlib import Path
from lexforge.ingest.child import Limits
from lexforge.ingest.workers import local, read_all
try:
    with local(2) as executor:
        for _ in read_all([Path(sys.argv[1])] * 50, executor, Limits()):
            pass
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_ends_it_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    letter, temporary = tmp_path / "letter.txt", tmp_path / "temporary"
    letter.write_text("The flour was wet.\n", encoding="utf-8")
    temporary.mkdir()
    hangs = "open(tempfile.gettempdir() + '/began', 'w').close()\nwhile True: pass"
    site = at_front(misbehaving(tmp_path / "site", hangs))
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(letter)],
        env={**os.environ, "PYTHONPATH": site, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as parent:
        until(lambda: len(list(temporary.glob("*/began"))) == 2)
        reading = processes_of(parent.pid)
        parent.send_signal(signal.SIGINT)
        out, err = parent.communicate(timeout=60)
    assert (out, err, parent.returncode) == ("stopped\n", "", 0)
    assert len(reading) == 2
    assert all(dead(pid) for pid in reading)
    assert list(temporary.iterdir()) == []


def test_nothing_outlives_a_parent_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    letter, temporary = tmp_path / "letter.txt", tmp_path / "temporary"
    letter.write_text("The flour was wet.\n", encoding="utf-8")
    temporary.mkdir()
    site = at_front(misbehaving(tmp_path / "site", STARTS_ANOTHER))
    code = f"from lexforge.ingest.workers import *; read_file({str(letter)!r}, Limits())"
    environment = {**os.environ, "PYTHONPATH": site, "TMPDIR": str(temporary)}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as parent:
        started_by_reader = member_in(temporary)
        (reading,) = processes_of(parent.pid)
        parent.kill()
    until(lambda: dead(reading) and dead(started_by_reader))
    (left,) = temporary.iterdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    for age, kept in ((0, {left}), (3600, set())):
        os.utime(left, (time.time() - age,) * 2)
        with local(1) as executor:
            assert isinstance(executor.submit(read_file, str(letter), LIMITS).result(), Reading)
        assert set(temporary.iterdir()) == kept


def test_the_temporary_folder_of_a_living_parent_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "letter.txt").write_text("The flour was wet.\n", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with local(1) as first, local(1) as second:
        assert isinstance(first.submit(read_file, str(tmp_path / "letter.txt"), LIMITS).result(), Reading)
        (folder,) = tmp_path.glob("lexforge-reading-*")
        os.utime(folder, (0, 0))
        assert isinstance(second.submit(read_file, str(tmp_path / "letter.txt"), LIMITS).result(), Reading)
        assert folder.exists()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("tcp://8.8.8.8:8786", "a public address"),
        ("0.0.0.0:8786", "every address of the machine"),
        ("tcp://scheduler.example:8786", "a name: it could resolve to anything"),
        ("http://10.0.0.5:8786", "another protocol"),
        ("tcp://10.0.0.5", "no port"),
        ("", "nothing"),
    ],
)
def test_addresses_that_are_no_scheduler(address: str, reason: str) -> None:
    with pytest.raises(BundleError, match="cannot be the address"), cluster(address):
        pass


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BundleError, match=r"Install lexforge\[cluster\]"), cluster("127.0.0.1:8786"):
        pass


def test_nobody_answers() -> None:
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(BundleError, match="No scheduler answers"), cluster(f"127.0.0.1:{port}"):
        pass


OTHER = tuple((name, "0.0.1") for name, _ in versions())


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({}, "no workers"),
        ({"a": versions(), "b": OTHER}, "The worker b .*'lexforge', '0.0.1'"),
        ({"a": ModuleNotFoundError("No module named 'lexforge'")}, "The worker a .*No module named 'lexforge'"),
    ],
)
def test_workers_that_would_read_differently(found: dict[str, Any], said: str) -> None:
    require_same_versions({"a": versions()})
    with pytest.raises(BundleError, match=said):
        require_same_versions(found)
