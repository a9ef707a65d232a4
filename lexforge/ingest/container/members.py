"""Files inside another file (attachments, messages of a mailbox, files of an archive), each read by itself."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from lexforge.errors import UnreadableFile
from lexforge.ingest.reading import Failure, Member, Reading

CHUNK = 256 * 1024
"""Bytes that are unpacked, counted and written at a time."""

_LONGEST_SHOWN = 1000
_LONGEST_ON_DISK = 200  # bytes; file systems stop at 255
_COUNTED = 100_000
_NOT_ON_DISK = re.compile(r'[<>:"|?*\N{REPLACEMENT CHARACTER}]')


@dataclass(frozen=True)
class Inner:
    """A file in its container: `name` as the container has it, `data` its content or why it was not taken out.

    Content may come in pieces that are unpacked only when asked for; their iterator may raise UnreadableFile.
    """

    name: str
    data: bytes | Path | Iterable[bytes] | Failure


@dataclass(frozen=True)
class Limits:
    """What one file may hold in all: levels of nesting, members on all levels, bytes of all and of each of them."""

    depth: int = 5
    members: int = 10_000
    total: int = 2**30
    each: int = 512 * 2**20


class Placed(NamedTuple):
    """A member with its own path (`evidence/mail.eml/contract.pdf`) and that of the file it is in."""

    path: str
    parent: str
    member: Member


@dataclass
class _Spent:
    """What the whole tree below one file has used so far."""

    limits: Limits
    members: int = 0
    total: int = 0


@dataclass(frozen=True)
class _Level:
    spent: _Spent
    depth: int


_LEVEL: ContextVar[_Level | None] = ContextVar("_LEVEL", default=None)
"""Where in a tree of members this thread is. Readers call each other through the dispatcher, which need not know it."""


def read_members(
    parts: Iterable[Inner], read: Callable[[Path], Reading], limits: Limits | None = None
) -> tuple[Member, ...]:
    """Each part, read by `read` from a private folder that is gone afterwards, in order.

    A part that cannot be read is a Failure with the code of its UnreadableFile; `too_deep`, `too_many` and `too_large`
    say which of the limits it met. The limits count for the whole tree: a call from within `read` goes on counting.
    The one member with `too_many` stands for itself and all parts after it, and says how many.
    """
    outer = _LEVEL.get()
    level = _Level(outer.spent, outer.depth + 1) if outer else _Level(_Spent(limits or Limits()), 1)
    token = _LEVEL.set(level)
    try:
        return tuple(_members(iter(parts), read, level))
    finally:
        _LEVEL.reset(token)


def flattened(path: str, reading: Reading) -> Iterator[Placed]:
    """Every member below the file at `path`, depth first, in the container's order. No two have the same path.

    What in a member's name would lead elsewhere (`..`, a leading `/`) is not in its path.
    """
    yield from _placed(path, reading, Counter([path]))


def printable(name: str) -> str:
    """A member's name as it is shown: `/` between folders, nothing that does not print, at most 1000 characters."""
    name = name.replace("\\", "/")
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name).strip()
    return _cut(shown, _LONGEST_SHOWN) or "unnamed"


def file_name(name: str) -> str:
    """A name that any file system takes, in one folder: the last part of `name` without what means something there."""
    last = _NOT_ON_DISK.sub("_", printable(name).rpartition("/")[2]).strip(" .")
    while len(last.encode()) > _LONGEST_ON_DISK:
        last = _cut(last, len(last) - 1 - (len(last.encode()) - _LONGEST_ON_DISK) // 4)
    return last or "unnamed"


def failure(error: UnreadableFile) -> Failure:
    """Why a file could not be read, as data."""
    return Failure(code=error.code, message=error.message, advice=error.advice)


def _members(parts: Iterator[Inner], read: Callable[[Path], Reading], level: _Level) -> Iterator[Member]:
    taken: Counter[str] = Counter()
    for part in parts:
        name = _unused(printable(part.name), taken)
        if level.spent.members >= level.spent.limits.members:
            yield _not_read(name, _too_many(name, sum(1 for _ in islice(parts, _COUNTED)), level.spent.limits))
            return
        level.spent.members += 1
        yield _member(name, part.data, read, level)


def _member(
    name: str, data: bytes | Path | Iterable[bytes] | Failure, read: Callable[[Path], Reading], level: _Level
) -> Member:
    if isinstance(data, Failure):
        return _not_read(name, data)
    if level.depth > level.spent.limits.depth:
        return _not_read(name, _too_deep(name, level.spent.limits))
    sha256 = ""
    with TemporaryDirectory(prefix="lexforge-") as folder:
        path = Path(folder) / file_name(name)
        try:
            sha256 = _written(path, name, data, level.spent)
            return Member(name=name, sha256_file=sha256, outcome=read(path))
        except UnreadableFile as error:
            return Member(name=name, sha256_file=sha256, outcome=failure(error))


def _written(path: Path, name: str, data: bytes | Path | Iterable[bytes], spent: _Spent) -> str:
    """SHA-256 of what was written; only bytes that came are counted, never those that a header promises."""
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as file:
        for chunk in _chunks(data):
            size += len(chunk)
            spent.total += len(chunk)
            if size > spent.limits.each:
                raise _too_large(name, f"is larger than {spent.limits.each // 2**20} MiB")
            if spent.total > spent.limits.total:
                raise _too_large(name, f"and what was read before it are over {spent.limits.total // 2**20} MiB")
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _chunks(data: bytes | Path | Iterable[bytes]) -> Iterator[bytes]:
    if isinstance(data, bytes):
        yield data
    elif isinstance(data, Path):
        with data.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    else:
        yield from data


def _placed(path: str, reading: Reading, taken: Counter[str]) -> Iterator[Placed]:
    for member in reading.members:
        steps = [step for step in member.name.split("/") if step not in ("", ".", "..")]
        own = _unused(f"{path}/{'/'.join(steps) or 'unnamed'}", taken)
        yield Placed(own, path, member)
        if isinstance(member.outcome, Reading):
            yield from _placed(own, member.outcome, taken)


def _unused(name: str, taken: Counter[str]) -> str:
    """`name`, or with ` (2)`, ` (3)` before its ending if it is taken; `taken` counts how often each was asked for."""
    shown = name
    while shown in taken:
        taken[name] += 1
        ending = PurePosixPath(name).suffix
        shown = f"{name.removesuffix(ending)} ({taken[name]}){ending}"
    taken[shown] = 1
    return shown


def _cut(name: str, longest: int) -> str:
    """`name` in at most `longest` characters, with the ending that says what it is."""
    if len(name) <= longest:
        return name
    ending = PurePosixPath(name).suffix[:16]
    return name[: longest - len(ending)] + ending


def _not_read(name: str, why: Failure) -> Member:
    return Member(name=name, sha256_file="", outcome=why)


def _too_deep(name: str, limits: Limits) -> Failure:
    return Failure(
        code="too_deep",
        message=f"{name} is a file inside a file more than {limits.depth} levels down.",
        advice="Save it on its own in the matter's folder.",
    )


def _too_many(name: str, more: int, limits: Limits) -> Failure:
    many = f"at least {more}" if more == _COUNTED else str(more)
    others = f" and {many} files after it are" if more else " is"
    return Failure(
        code="too_many",
        message=f"{name}{others} not read: one file may hold {limits.members} files, on all levels together.",
        advice="Unpack it, or split it, and put the parts into the matter's folder.",
    )


def _too_large(name: str, how: str) -> UnreadableFile:
    return UnreadableFile("too_large", f"{name} {how}.", "Save it on its own in the matter's folder.")
