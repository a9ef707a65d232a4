"""What was found out about large files before, so that 130 GB are not hashed at every start.

A file counts as the same one while device, inode, size, modification and change time are the same; the change time
cannot be set by a program, so a file that was swapped or touched is read again.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from lexforge.config import cache

Fact = TypeVar("Fact", bound=BaseModel)

_in_this_process: dict[str, tuple[list[int], BaseModel]] = {}
"""The same once more, as a file is looked at with every answer, also where nothing can be written."""


def known(path: Path, kind: type[Fact], find_out: Callable[[Path], Fact]) -> Fact:
    """The `kind` of fact about `path`: remembered, or found out now and remembered for the next start."""
    key, stamp = f"{kind.__name__} {path.resolve()}", _stamp(path)
    seen = _in_this_process.get(key)
    if seen is not None and seen[0] == stamp and isinstance(seen[1], kind):
        return seen[1]
    fact = _remembered(key, stamp, kind)
    if fact is None:
        fact = find_out(path)
        if _stamp(path) != stamp:  # a file that changed while it was read is not remembered
            return fact
        _remember(key, {"stamp": stamp, "fact": fact.model_dump(mode="json")})
    _in_this_process[key] = stamp, fact
    return fact


def _remembered(key: str, stamp: list[int], kind: type[Fact]) -> Fact | None:
    entry = _facts().get(key)
    if not isinstance(entry, dict) or entry.get("stamp") != stamp:
        return None
    try:
        return kind.model_validate(entry.get("fact"))
    except ValidationError:
        return None


def _stamp(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _file() -> Path:
    return cache() / "weights" / "known.json"


def _facts() -> dict[str, object]:
    try:
        read = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}


def _remember(key: str, entry: object) -> None:
    """A cache that cannot be written only costs time."""
    path = _file()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.write_text(json.dumps({**_facts(), key: entry}), encoding="utf-8")
        partial.replace(path)
