"""Many files are read at once, by processes on this machine or by dask workers on several of a private network.

Both are used through the standard Executor interface, so the same code runs on either. On a cluster the workers must
see the matter's folder under the same path (a shared file system); one that does not answers a Failure `not_here`.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import queue
import shutil
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from lexforge.errors import BundleError
from lexforge.ingest.child import PREFIX, Child, Limits
from lexforge.ingest.reading import Failure, Reading
from lexforge.local_only import Endpoint, parse_endpoint

AHEAD = 128
"""Files begun or read that the caller has not taken yet: what bounds memory, and how far one slow file holds up."""

_DECIDING = ("lexforge", "lxml", "openpyxl", "pillow", "pypdf", "pypdfium2", "python-oxmsg")
"""What decides the text that a file gives."""

Outcome = Reading | Failure


class _Mine(threading.local):
    """The child of the thread that asks."""

    child: Child | None = None


_mine = _Mine()
_children: WeakSet[Child] = WeakSet()
_pool: list[tuple[ExitStack, Executor]] = []
_lost: WeakKeyDictionary[Executor, Callable[[], bool]] = WeakKeyDictionary()
"""Whether the connection that a cluster's executor was made on is gone: dask then leaves some futures open for ever."""


@atexit.register
def _close_all() -> None:
    for child in tuple(_children):
        child.close()


def _adopt(child: Child) -> Child:
    _mine.child = child
    _children.add(child)
    _delete_orphans()
    return child


def _delete_orphans() -> None:
    """Delete the temporary folders of children whose parent was killed and could not do it: they may hold evidence."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is locked, somebody else's, or just now deleted
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if time.time() - os.fstat(descriptor).st_mtime > 60:  # a younger one may be about to be locked
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def read_file(path: str, limits: Limits) -> Outcome:
    """One file, read in the process that belongs to the calling thread; errors as `Child.read`."""
    return (_mine.child or _adopt(Child())).read(Path(path), limits)


@contextmanager
def local(workers: int | None = None) -> Iterator[Executor]:
    """A pool of `workers` killable processes (as many as there are cores unless told), each behind a thread.

    Leaving it waits for what was submitted; leaving it by an exception, such as Ctrl-C, drops that and kills the
    processes at once.
    """
    children = [Child() for _ in range(workers or os.cpu_count() or 1)]
    free: queue.SimpleQueue[Child] = queue.SimpleQueue()
    for child in children:
        free.put(child)
    executor = ThreadPoolExecutor(len(children), "lexforge-reading", initializer=lambda: _adopt(free.get_nowait()))
    waits = False
    try:
        yield executor
        waits = True
    finally:
        try:
            executor.shutdown(wait=waits, cancel_futures=not waits)
        finally:
            for child in children:
                child.close()


@contextmanager
def used(executor: Executor | None) -> Iterator[Executor]:
    """`executor`, or the pool of this process: made when first used, kept for the next time, killed by an exception."""
    if executor is not None:
        yield executor
        return
    if not _pool:
        stack = ExitStack()
        _pool.append((stack, stack.enter_context(local())))
    try:
        yield _pool[0][1]
    except BaseException as error:
        stack, _ = _pool.pop()
        stack.__exit__(type(error), error, error.__traceback__)
        raise


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the dask scheduler at `address`, such as `tcp://10.0.0.5:8786`, or `tls://` with dask's own keys.

    Connections go to the scheduler only, never from here to a worker. Whoever reaches a scheduler can run programs on
    its workers, so it belongs on a network that only the firm's machines are on. BundleError when the extra is not
    installed, the address is not a loopback or private one, nobody answers there, no worker is connected, or one has
    other versions of what decides a file's text. Leaving it drops what was not begun; a worker ends the file it is at.
    """
    scheme, endpoint = _endpoint(address)
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError:
        told = "Reading on a cluster needs dask.distributed, which is not installed."
        raise BundleError(told, "Install lexforge[cluster] here and on each worker.") from None
    for name in ("distributed", "distributed.client", "tornado", "tornado.application"):  # each has a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters of it is said by our own errors
    _knock(endpoint, address)
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    connect: Any = Client  # its types are partial
    try:
        client = connect(
            f"{scheme}://{host}:{endpoint.port}", direct_to_workers=False, set_as_default=False, timeout=10
        )
    except (OSError, TypeError, ValueError) as error:  # the latter two: keys for tls that are missing or wrong
        raise BundleError(f"{address} is not a dask scheduler: {error}.", "Check `dask scheduler` there.") from None
    with client:
        _require_same_versions(client.run(versions, on_error="return"))
        # Not pure: dask would give the old answer for a file that has changed since.
        executor, connection = client.get_executor(pure=False), client.scheduler_comm
        _lost[executor] = lambda: client.scheduler_comm is not connection
        yield executor


def _endpoint(address: str) -> tuple[str, Endpoint]:
    scheme, _, rest = address.rpartition("://")
    try:
        if scheme not in {"", "tcp", "tls"}:
            raise ValueError(f"{scheme} is neither tcp nor tls")
        endpoint = parse_endpoint(rest)
        if endpoint.path:
            raise ValueError("dask does not speak over UNIX sockets")
        return scheme or "tcp", endpoint
    except ValueError as error:
        told = f"{address} cannot be the address of a scheduler: {error}."
        raise BundleError(told, "Give a private address in numbers, such as tcp://10.0.0.5:8786.") from None


def _knock(endpoint: Endpoint, address: str) -> None:
    """Connect once, so that an address which is not listed is refused here and not retried somewhere in dask."""
    try:
        socket.create_connection((endpoint.host, endpoint.port), timeout=10).close()
    except OSError as error:
        raise BundleError(f"No scheduler answers at {address}: {error}.", "Start `dask scheduler` there.") from None


def versions() -> tuple[tuple[str, str], ...]:
    """What decides the text of a file on this machine, each with its version, or `absent`."""
    return tuple((name, _version(name)) for name in _DECIDING)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def _require_same_versions(found: dict[str, Any]) -> None:
    if not found:
        raise BundleError("The scheduler has no workers.", "Start `dask worker` on each machine.")
    for worker, theirs in sorted(found.items()):
        if theirs != versions():
            other = sorted(set(theirs) - set(versions())) if isinstance(theirs, tuple) else theirs
            told = f"The worker {worker} would not read files as this machine does: it has {other}."
            raise BundleError(told, "Install the same versions of LexForge and its readers on every machine.")


def read_all(
    paths: Iterable[Path],
    executor: Executor,
    limits: Limits,
    done: Callable[[Path], None] = lambda _: None,
    ahead: int = AHEAD,
) -> Iterator[tuple[Path, Outcome]]:
    """Each file with what it holds, in the order of `paths`, at most `ahead` of them submitted and not yet taken.

    `done` is called in the caller's thread, as each file is finished, in any order. A file whose worker was lost is
    read by another; one that took several workers with it is a Failure `crashed`. Errors as `read_file`, and
    BundleError when the cluster is lost.
    """
    rest = iter(paths)
    line: deque[tuple[Path, Future[Outcome]]] = deque()
    unfinished: dict[Future[Outcome], Path] = {}
    finished: queue.SimpleQueue[Future[Outcome]] = queue.SimpleQueue()
    try:
        while True:
            for path in rest if len(line) < ahead else ():
                future = executor.submit(read_file, str(path.absolute()), limits)
                line.append((path, future))
                unfinished[future] = path
                future.add_done_callback(finished.put)
                if len(line) >= ahead:
                    break
            if not line:
                return
            try:
                future = finished.get(timeout=1)
            except queue.Empty:
                if _lost.get(executor, lambda: False)():
                    raise _cluster_lost() from None
                continue
            done(unfinished.pop(future))
            while line and line[0][1] not in unfinished:
                yield line[0][0], _result(*line.popleft())
    finally:
        for future in unfinished:
            future.cancel()


def _cluster_lost() -> BundleError:
    return BundleError("The connection to the cluster was lost.", "Check its scheduler, and run the command again.")


def _result(path: Path, future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except CancelledError:
        raise _cluster_lost() from None
    except Exception as error:
        # dask's KilledWorker, by its name, as dask may not be installed
        if not isinstance(error, BrokenExecutor) and type(error).__name__ != "KilledWorker":
            raise
        told = f"{path.name} was being read each time a worker was lost."
        return Failure(code="crashed", message=told, advice="Obtain it again, or print it to a new PDF.")
