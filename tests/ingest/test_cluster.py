"""The readers on a real dask cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexforge.errors import BundleError
from lexforge.ingest.child import Limits
from lexforge.ingest.reading import Failure, Reading
from lexforge.ingest.workers import cluster, read_all
from tests.ingest.test_child import children_of, dead, here, mixed_folder, processes_of, until

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

LIMITS = Limits(seconds=60)


def cluster_here(**kwargs: Any) -> Any:
    """No dashboard, and what a scheduler serves over HTTP even so on a free port of loopback."""
    return distributed.LocalCluster(
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs="CRITICAL",
        **kwargs,
    )


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    with cluster_here(n_workers=2, processes=True) as running:
        yield running


def worker_pids(machines: Any) -> set[int]:
    with distributed.Client(machines.scheduler_address, set_as_default=False) as client:
        return set(client.run(os.getpid).values())


def test_a_cluster_gives_what_this_process_gives(tmp_path: Path, machines: Any) -> None:
    paths = mixed_folder(tmp_path)
    with cluster(machines.scheduler_address) as executor:
        results = list(read_all(paths, executor, LIMITS))
        ((_, missing),) = read_all([tmp_path / "not_mounted.txt"], executor, LIMITS)
    assert results == [(path, here(path)) for path in paths]
    assert isinstance(missing, Failure)
    assert missing.code == "not_here"


def test_a_file_that_has_changed_is_read_again(tmp_path: Path, machines: Any) -> None:
    letter = tmp_path / "letter.txt"
    with cluster(machines.scheduler_address) as executor:
        for text in ("The flour was wet.\n", "The flour was dry.\n"):
            letter.write_text(text, encoding="utf-8")
            ((_, reading),) = read_all([letter], executor, LIMITS)
            assert reading == here(letter)


def test_a_worker_that_is_killed_loses_nothing_and_leaves_nothing(tmp_path: Path, machines: Any) -> None:
    paths = [tmp_path / f"{n}.txt" for n in range(200)]
    for path in paths:
        path.write_text(f"Sack {path.stem} was wet.\n", encoding="utf-8")
    victim = min(worker_pids(machines))
    orphans: set[int] = set()
    done: list[Path] = []

    def strike(path: Path) -> None:
        done.append(path)
        if len(done) == 20:
            orphans.update(processes_of(victim))
            os.kill(victim, signal.SIGKILL)

    # The scheduler asks the lost worker for its results that long before it has them made again.
    patience = dask.config.set({"distributed.comm.timeouts.connect": "3s"})
    with patience, cluster(machines.scheduler_address) as executor:
        results = list(read_all(paths, executor, LIMITS, strike, ahead=40))
    assert results == [(path, here(path)) for path in paths]
    assert all(isinstance(outcome, Reading) for _, outcome in results)
    assert sorted(done) == sorted(paths)
    assert victim not in worker_pids(machines)
    until(lambda: all(dead(pid) for pid in orphans))


def test_a_scheduler_that_goes_away_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("The flour was wet.\n", encoding="utf-8")
    before = children_of(os.getpid())
    with (
        cluster_here(n_workers=1, processes=False, protocol="tcp") as machine,
        cluster(machine.scheduler_address) as executor,
        pytest.raises(BundleError, match="connection to the cluster was lost"),
    ):
        results = read_all([tmp_path / "letter.txt"] * 300, executor, LIMITS, ahead=20)
        assert isinstance(next(results)[1], Reading)
        machine.close()
        list(results)
    until(lambda: children_of(os.getpid()) <= before)


@pytest.mark.parametrize(
    ("listed", "said"),
    [(True, "['Reading'] ()"), (False, "ConnectionRefused")],
    ids=["the scheduler is all that must be listed", "a scheduler that is not listed is refused"],
)
def test_connections_go_to_the_scheduler_only(listed: bool, said: str, tmp_path: Path, machines: Any) -> None:
    (tmp_path / "letter.txt").write_text("The flour was wet.\n", encoding="utf-8")
    address = machines.scheduler_address
    code = f"""
from pathlib import Path
from lexforge import local_only
from lexforge.errors import LexForgeError
from lexforge.ingest.child import Limits
from lexforge.ingest.workers import cluster, read_all
local_only.install([local_only.parse_endpoint({address.removeprefix("tcp://")!r})] if {listed} else [])
try:
    with cluster({address!r}) as executor:
        found = [type(r).__name__ for _, r in read_all([Path({str(tmp_path / "letter.txt")!r})], executor, Limits())]
    print(found, local_only.refused())
except LexForgeError as error:
    print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.strip() == said, done.stderr
