"""One file is read in a process of its own, which is killed when it takes too long, takes too much, or breaks.

This is the parent's side; `python -m lexforge.ingest.child_process` is the process, which reads one file after another,
as importing the readers takes longer than reading most files. A message is its length (8 bytes, big-endian) and that
many bytes: a path for each request, and for each answer an `Answer` in JSON, never a pickle, so that a file which takes
over the process gets no further. An empty message is a sign of life: that the readers are imported, or that another
page of many was recognised.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from lexforge.domain.record import Record
from lexforge.errors import BundleError
from lexforge.ingest.reading import Failure, Reading

FILES = 1000  # that one process reads before another takes its place, so that what a library leaks does not add up
PREFIX = "lexforge-reading-"  # of the temporary folders, each locked (flock(2)) as long as its parent lives
PATIENCE = 60  # times the limit in seconds, for a file that shows again and again that it is being read
_ADVICE = "Print it to a new PDF, or split it into parts."
TOO_MUCH = "takes more memory than one file may"
LENGTH = struct.Struct(">Q")
_START = 120.0  # seconds that importing the readers may take, on a busy machine and a slow disk
# There are as many children as cores, and each thread takes address space.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Limits:
    """What one file may take: wall-clock `seconds`, bytes of address space, bytes of its answer in JSON."""

    seconds: float = 120.0
    memory: int = 2 * 1024**3
    answer: int = 256 * 1024**2


class Answer(Record):
    """What a file holds or why it could not be read; `worn` asks for a new process before the next file."""

    outcome: Reading | Failure
    worn: bool


class Child:
    """Reads files in a process that it starts when it needs one and replaces when that ended.

    One thread reads at a time. The process ends with the thread that first read (Linux counts a parent by thread), and
    with this process, however that ends. `close` may come from any thread at any time.
    """

    def __init__(self) -> None:
        self._busy = threading.Lock()
        self._closed = False
        self._process: _Process | None = None

    def read(self, path: Path, limits: Limits) -> Reading | Failure:
        """What `lexforge.ingest.readers.read` gives for `path`, its UnreadableFile as a Failure.

        Besides the readers' codes there are `too_slow`, `out_of_memory`, `too_large` (more text than the limit),
        `crashed`, `not_here` (no such file on this machine) and `not_unicode`. BundleError when no process can be
        started; RuntimeError once it is closed.
        """
        with self._busy:
            worn = True  # by Ctrl-C too: an answer left in the pipe would be taken for that of the next file
            try:
                answer = self._answer(path, limits)
                worn = answer.worn
            finally:
                if worn:
                    self._discard()
            return answer.outcome

    def _answer(self, path: Path, limits: Limits) -> Answer:
        request = os.fsencode(path.absolute())
        process = self._ready(limits.memory)
        if not process.send(request):  # it died while it was idle, which is not this file's doing
            self._discard()
            process = self._ready(limits.memory)
            process.send(request)
        try:
            return Answer.model_validate_json(self._received(process, limits))
        except TimeoutError:
            lost = failure("too_slow", path, f"was not read within {limits.seconds:g} s and was given up")
        except OverflowError:
            lost = failure("too_large", path, f"holds more than {limits.answer / 1024**2:g} MiB of text")
        except (EOFError, ValidationError):
            lost = failure("crashed", path, "broke the process that was reading it")
        return Answer(outcome=lost, worn=True)

    def _received(self, process: _Process, limits: Limits) -> bytes:
        """The answer, for which each sign of life gives more time, up to PATIENCE times what one file may take."""
        last = time.monotonic() + PATIENCE * limits.seconds
        while not (message := process.receive(min(time.monotonic() + limits.seconds, last), limits.answer)):
            pass
        return message

    def _ready(self, memory: int) -> _Process:
        if self._process is not None and self._process.memory != memory:
            self._discard()
        try:
            if self._process is None:
                self._process = _Process(memory)
                if not self._closed:  # asked once the process is known, as `close` looks for it once this is set
                    self._process.await_readers()
        except OSError as error:
            told = f"The process that reads files could not be started: {error}."
            raise BundleError(told, "Check the free memory, and the installation with `lexforge doctor`.") from None
        if self._closed:
            raise RuntimeError("this child is closed")
        return self._process

    def _discard(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process.clean_up()
            self._process = None

    def close(self) -> None:
        """End the process and what it started, and delete its temporary folder; a read under way fails at once."""
        self._closed = True
        if (process := self._process) is not None:
            process.end()
        with self._busy:
            self._discard()

    def __del__(self) -> None:
        self.close()


class _Process:
    """The process as its parent holds it: two pipes to speak, a private temporary folder, and a lifeline.

    The lifeline is a pipe on which nothing is ever sent; when it closes, the parent is gone.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self._ending = threading.Lock()
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True))
            lifeline, kept, lock = *os.pipe(), os.open(folder, os.O_RDONLY)
            for descriptor in (lifeline, kept, lock):
                stack.callback(os.close, descriptor)
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._log = Path(folder) / "log"
            self._popen = subprocess.Popen(  # noqa: S603 - this very program; -P: the working folder holds no modules
                [sys.executable, "-P", "-m", "lexforge.ingest.child_process", str(lifeline), str(memory)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stack.enter_context(self._log.open("wb")),
                pass_fds=(lifeline,),
                start_new_session=True,
                env={**os.environ, **_ONE_THREAD, "TMPDIR": folder},
            )
            stack.enter_context(self._popen)
            assert self._popen.stdin and self._popen.stdout  # noqa: S101 - both are pipes by construction
            self._requests, self._answers = self._popen.stdin, self._popen.stdout
            self._poll = select.poll()
            self._poll.register(self._answers, select.POLLIN)
            self.clean_up = stack.pop_all().close

    def await_readers(self) -> None:
        """Wait until the readers are imported; OSError with the last words of the process when they cannot be."""
        try:
            self.receive(time.monotonic() + _START, 0)
        except (TimeoutError, EOFError, OverflowError):
            said = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise OSError(said[-1] if said else "it gave no reason") from None

    def send(self, request: bytes) -> bool:
        """Whether the process was there to take the request."""
        with suppress(BrokenPipeError):
            return bool(self._requests.write(LENGTH.pack(len(request)) + request))
        return False

    def receive(self, deadline: float, most: int) -> bytes:
        """One message; TimeoutError, EOFError when the process ended, OverflowError for more than `most` bytes."""
        (length,) = LENGTH.unpack(self._take(LENGTH.size, deadline))
        if length > most:
            raise OverflowError
        return self._take(length, deadline)

    def _take(self, size: int, deadline: float) -> bytes:
        taken = bytearray()
        while len(taken) < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if self._poll.poll(left * 1000):
                data = os.read(self._answers.fileno(), min(size - len(taken), 1024**2))
                if not data:
                    raise EOFError
                taken += data
        return bytes(taken)

    def end(self) -> None:
        """Kill the process and all it started, and wait for it; from any thread, and again and again."""
        with self._ending:
            if self._popen.returncode is None:  # not waited for yet, so the number is still its own
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
                self._popen.wait()


def failure(code: str, path: Path, told: str, advice: str = _ADVICE) -> Failure:
    """Why the file could not be read; the message begins with its name."""
    name = path.name.encode("utf-8", "replace").decode()
    return Failure(code=code, message=f"{name} {told}.", advice=advice)
