"""The process that reads files, under a guard and limits, until its parent is gone (`lexforge.ingest.child`)."""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from lexforge import local_only
from lexforge.errors import UnreadableFile
from lexforge.ingest import alive
from lexforge.ingest.child import FILES, LENGTH, TOO_MUCH, Answer, failure
from lexforge.ingest.reading import Failure, Reading


def main() -> None:
    """Be the process: serve the parent until it is gone. Arguments: the lifeline's descriptor, bytes of memory."""
    local_only.install()
    lifeline, memory = int(sys.argv[1]), int(sys.argv[2])
    _die_with_parent(lifeline)
    for what, most in (resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 1024**3), (resource.RLIMIT_CORE, 0):
        with suppress(ValueError, OSError):  # a lower limit is in force, or macOS, which has none on address space
            resource.setrlimit(what, (most, most))
    # What a library prints, and programs that it starts, must not reach the pipes; 2 is the log until all is imported.
    requests, answers, nowhere = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    from lexforge.ingest.readers import read  # noqa: PLC0415 - under the guard and the limits

    os.dup2(nowhere, 2)
    with os.fdopen(requests, "rb") as source, os.fdopen(answers, "wb") as target:
        alive.listen(lambda: _send(target, b""))
        _serve(source, target, read, memory)


def _die_with_parent(lifeline: int) -> None:
    """Have the kernel kill the whole group once the parent is gone, whatever it is doing.

    fcntl(2), F_SETOWN, F_SETSIG; prctl(2), PR_SET_PDEATHSIG, should another process hold the lifeline open. Elsewhere
    than on Linux it ends when it looks for the next request.
    """
    os.set_inheritable(lifeline, False)
    if sys.platform == "linux":
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _serve(source: BinaryIO, target: BinaryIO, read: Callable[[Path], Reading], memory: int) -> None:
    message, count = b"", 0
    while True:
        _send(target, message)
        if not (length := source.read(LENGTH.size)):
            return
        path, count = Path(os.fsdecode(source.read(*LENGTH.unpack(length)))), count + 1
        outcome = _outcome(path, read)
        broken = isinstance(outcome, Failure) and outcome.code == "out_of_memory"
        message = _encoded(Answer(outcome=outcome, worn=broken or count >= FILES or _resident() > memory // 4), path)


def _send(target: BinaryIO, message: bytes) -> None:
    target.write(LENGTH.pack(len(message)) + message)
    target.flush()


def _outcome(path: Path, read: Callable[[Path], Reading]) -> Reading | Failure:
    if not os.path.lexists(path):
        told = f"is not there, or {os.uname().nodename} does not see the folder it lies in"
        return failure("not_here", path, told, "Mount the matter's folder under the same path on every machine.")
    try:
        return read(path)
    except (MemoryError, UnreadableFile) as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, MemoryError):  # the readers take that for a corrupt file
            cause = cause.__cause__ or cause.__context__
        if cause is None and isinstance(error, UnreadableFile):
            return Failure(code=error.code, message=error.message, advice=error.advice)
        return failure("out_of_memory", path, TOO_MUCH)


def _resident() -> int:
    """Bytes of memory in use; 0 where the system does not say (proc(5), statm)."""
    said = Path("/proc/self/statm")
    return int(said.read_bytes().split()[1]) * resource.getpagesize() if said.exists() else 0


def _encoded(answer: Answer, path: Path) -> bytes:
    try:
        return answer.model_dump_json().encode()
    except MemoryError:
        lost = failure("out_of_memory", path, TOO_MUCH)
    except ValueError:  # lone surrogates, which neither JSON nor a hash can take
        lost = failure("not_unicode", path, "has characters, or a name, that are not Unicode", "Rename it.")
    return Answer(outcome=lost, worn=True).model_dump_json().encode()


if __name__ == "__main__":
    main()
