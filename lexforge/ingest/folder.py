"""Every file of a matter's folder, read in killable processes, or remembered from the last time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from pydantic import TypeAdapter

from lexforge.domain.evidence import Role
from lexforge.domain.record import Record
from lexforge.ingest import workers
from lexforge.ingest.child import Limits
from lexforge.ingest.container.members import flattened
from lexforge.ingest.listing import Listed, Listing, files_below, shown
from lexforge.ingest.passages import source_id
from lexforge.ingest.reading import Failure, Reading

_Outcome = TypeAdapter[Reading | Failure](Reading | Failure)
PASSING = frozenset({"too_slow", "out_of_memory", "crashed", "not_here"})
"""Failures that may be the machine's and not the file's: the next run tries again."""


class Cache(Protocol):
    """What readings are kept in, as JSON, so that a file that has not changed is not read again."""

    def get(self, key: str) -> str | None:
        """What was kept under this key."""

    def put(self, key: str, body: str) -> None:
        """Keep it."""


class Forgetful:
    """A cache that keeps nothing."""

    def get(self, key: str) -> str | None:
        """Nothing."""

    def put(self, key: str, body: str) -> None:
        """Forget it."""


@dataclass(frozen=True)
class Means:
    """How files are read: by which executor, what is remembered, and what one file may take.

    No executor means killable processes of this machine.
    """

    executor: Executor | None = None
    cache: Cache = field(default_factory=Forgetful)
    limits: Limits = field(default_factory=Limits)


class Found(Record):
    """A file of the folder, or inside another one (`parent`), with what reading it gave."""

    path: str
    role: Role
    sha256_file: str | None
    outcome: Reading | Failure
    parent: str | None = None

    @property
    def name(self) -> str:
        """The file name without its folder."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def id(self) -> str:
        """The id of the source it is, if it becomes one."""
        return source_id(self.role, self.sha256_file or "")


def read_folder(root: Path, listed: Listing, progress: Callable[[str], None], means: Means) -> list[Found]:
    """Every listed file and every file inside one, in the order of the list, containers before what they hold."""
    outcomes = _read(root, listed, progress, means)
    return [one for file in listed.files for one in _family(file, outcomes[file.path])]


def _read(root: Path, listed: Listing, progress: Callable[[str], None], means: Means) -> dict[str, Reading | Failure]:
    """What each listed file holds, by path; files with the same bytes and name are read once."""
    real = {shown(path.relative_to(root)): path for folder in _folders(listed) for path in files_below(root / folder)}
    outcomes: dict[str, Reading | Failure] = {}
    alike: dict[str, list[str]] = {}
    for file in listed.files:
        path = real.get(file.path, root / file.path)
        if (refused := _refused(path, root / PurePosixPath(file.path).parts[0])) is not None:
            outcomes[file.path] = refused
        elif file.sha256_file is None:
            outcomes[file.path] = _closed(path)
        elif (body := means.cache.get(reading_key(file))) is not None:
            outcomes[file.path] = _Outcome.validate_json(body)
        else:
            alike.setdefault(reading_key(file), []).append(file.path)
            continue
        progress(file.path)
    unread = {real.get(paths[0], root / paths[0]): (key, paths) for key, paths in alike.items()}

    def done(path: Path) -> None:
        for name in unread[path][1]:
            progress(name)

    with workers.used(means.executor) as executor:
        for path, outcome in workers.read_all(unread, executor, means.limits, done):
            key, paths = unread[path]
            if not isinstance(outcome, Failure) or outcome.code not in PASSING:
                means.cache.put(key, outcome.model_dump_json())
            outcomes |= dict.fromkeys(paths, outcome)
    return outcomes


def _folders(listed: Listing) -> list[str]:
    return sorted({PurePosixPath(file.path).parts[0] for file in listed.files})


def reading_key(file: Listed) -> str:
    """What a reading depends on besides the readers: the bytes, and the name, which messages and hints repeat."""
    return f"{file.sha256_file}:{PurePosixPath(file.path).name}"


def _refused(path: Path, folder: Path) -> Failure | None:
    """Why a name in the folder is never read; a link in an opponent's production may lead to any file of ours."""
    name = shown(Path(path.name))
    if path.is_dir():
        told = f"{name} is a link to a folder, which is not followed."
        return Failure(code="folder_link", message=told, advice="Put the folder itself, or copies of its files, there.")
    if path.exists() and not path.is_file():
        told = f"{name} is not a file but a device, a pipe or a socket."
        return Failure(code="not_a_file", message=told, advice="Remove it from the matter's folder.")
    if path.is_symlink() and path.exists() and not path.resolve().is_relative_to(folder.resolve()):
        told = f"{name} is a link to a file outside of {folder.name}/, which is not read."
        return Failure(code="link_outside", message=told, advice="Put the file itself there.")
    return None


def _closed(path: Path) -> Failure:
    """What could not be hashed is not read either: nobody could say later what was read."""
    return Failure(
        code="unreadable", message=f"{path.name} cannot be opened.", advice="Check its permissions, and the disk."
    )


def _family(file: Listed, outcome: Reading | Failure) -> Iterator[Found]:
    """The file, then all files inside it."""
    yield Found(path=file.path, role=file.role, sha256_file=file.sha256_file, outcome=outcome)
    if isinstance(outcome, Reading):
        for path, parent, member in flattened(file.path, outcome):
            yield Found(
                path=path,
                role=file.role,
                sha256_file=member.sha256_file or None,
                outcome=member.outcome,
                parent=parent,
            )
