"""What lies in a matter's folder, told apart by hash; a file that has not changed is not hashed again."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from lexforge.domain.evidence import Role
from lexforge.domain.record import Record
from lexforge.errors import BundleError
from lexforge.ingest import own_output

FOLDERS = {Role.EVIDENCE: "evidence", Role.AUTHORITY: "authorities"}
_LEFT_OUT = re.compile(r"\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|~\$.*|\.~lock\..*#", re.IGNORECASE)
"""What operating systems and word processors put beside a client's files; it is none of them."""

_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Stamp(Record):
    """What the file system says of a file; another stamp means that it must be hashed again.

    The time of the last change of the inode is among them because nobody can set it back, as the other can be.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int


class Known(Record):
    """The hash of a file when it had this stamp."""

    stamp: Stamp
    sha256_file: str


class Listed(Record):
    """A file found in the folder, before it is read. `sha256_file` is None when it cannot be opened."""

    path: str
    role: Role
    sha256_file: str | None


class Listing(Record):
    """What lies in a matter's folder: the input that decides whether ingest must run again."""

    files: tuple[Listed, ...]


def listing(
    root: Path,
    known: Mapping[str, Known] = MappingProxyType({}),
    learned: Callable[[str, Known], None] = lambda path, known: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Listing:
    """All files under `evidence/` and `authorities/`, sorted; BundleError when there is neither folder.

    `known` are hashes by path from an earlier time, `learned` is called with each new one.
    """
    if not any((root / folder).is_dir() for folder in FOLDERS.values()):
        raise BundleError(
            f"{root} has no evidence/ and no authorities/ folder.", "Put the sources there, or name the right folder."
        )
    own_output.keep_apart(root, FOLDERS)
    found = [(role, path) for role, folder in FOLDERS.items() for path in files_below(root / folder)]
    listed = []
    for done, (role, path) in enumerate(found):
        progress(done, len(found))
        name = shown(path.relative_to(root))
        now = _known(path, known.get(name))
        if now is not None and now != known.get(name):
            learned(name, now)
        listed.append(Listed(path=name, role=role, sha256_file=now.sha256_file if now else None))
    progress(len(found), len(found))
    return Listing(files=tuple(listed))


def files_below(folder: Path) -> list[Path]:
    """The files in a folder and all folders in it, sorted; what is no ordinary file is among them.

    A link to a folder is not followed: it is listed itself, so that nothing is skipped without a word.
    """
    found = []
    for parent, folders, names in os.walk(folder):
        linked = [name for name in folders if (Path(parent) / name).is_symlink()]
        folders[:] = [name for name in folders if name not in linked]
        found += [Path(parent) / name for name in [*names, *linked] if not _LEFT_OUT.fullmatch(name)]
    return sorted(found)


def shown(path: Path) -> str:
    r"""A path with `/` that can be written anywhere; no two are shown alike.

    Bytes that are no text, and characters that steer a terminal or turn a line around, stand as `\xNN` or `\uNNNN`, and
    a backslash as two.
    """
    text = path.as_posix().encode("utf-8", "surrogateescape").replace(b"\\", rb"\\").decode("utf-8", "backslashreplace")
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _known(path: Path, before: Known | None) -> Known | None:
    try:
        status = path.stat()
        stamp = Stamp(
            size=status.st_size,
            modified_ns=status.st_mtime_ns,
            changed_ns=status.st_ctime_ns,
            inode=status.st_ino,
        )
        if before is not None and before.stamp == stamp:
            return before
        if not path.is_file():  # a pipe would be waited for
            return None
        with path.open("rb") as file:
            return Known(stamp=stamp, sha256_file=hashlib.file_digest(file, "sha256").hexdigest())
    except OSError:
        return None
