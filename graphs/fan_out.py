"""Several jobs at a time, their results as they come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

Result = TypeVar("Result")


def fan_out(jobs: Sequence[Callable[[], Result]], width: int) -> Iterator[tuple[int, Result]]:
    """Number and result of each job as it ends, at most `width` at a time; a job's error is raised here.

    The threads are daemons: after Ctrl-C or an error nobody waits for a server to finish an answer that is not wanted
    any more. With a width of one everything happens in the caller's own thread.
    """
    if width <= 1 or len(jobs) <= 1:
        for number, job in enumerate(jobs):
            yield number, job()
        return
    waiting: SimpleQueue[int] = SimpleQueue()
    ended: SimpleQueue[tuple[int, Result | BaseException]] = SimpleQueue()
    for number in range(len(jobs)):
        waiting.put(number)
    stopped = threading.Event()
    for _ in range(min(width, len(jobs))):
        threading.Thread(target=_work, args=(jobs, waiting, ended, stopped), daemon=True).start()
    try:
        for _ in jobs:
            number, result = ended.get()
            if isinstance(result, BaseException):
                raise result
            yield number, result
    finally:
        stopped.set()


def _work(
    jobs: Sequence[Callable[[], Result]],
    waiting: SimpleQueue[int],
    ended: SimpleQueue[tuple[int, Result | BaseException]],
    stopped: threading.Event,
) -> None:
    while not stopped.is_set():
        try:
            number = waiting.get_nowait()
        except Empty:
            return
        try:
            ended.put((number, jobs[number]()))
        except BaseException as error:  # it belongs to whoever waits for the results
            ended.put((number, error))
