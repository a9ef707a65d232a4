"""Archives (.zip, .tar, .gz, .tar.gz): every file in them is a member, also one that is refused.

They come from strangers: names that lead out of the folder, links, devices, files that unpack to far more than they
take, and directories that promise what is not there are met in practice. Nothing is unpacked under its own path, and
what counts is the bytes that come out.
"""

from __future__ import annotations

import gzip
import io
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from lexforge.errors import UnreadableFile
from lexforge.ingest.container.members import CHUNK, Inner, Limits, failure, file_name, printable, read_members
from lexforge.ingest.reading import Failure, Reading

MAX_RATIO = 100
MAX_RECORDS = 100_000
"""Entries in the directory of a .zip; it is held in memory before anything is read."""

_RATIO_FREE = 2**20  # a small file may well shrink more than 100:1, and does no harm
_LARGEST_RECORD = 2**20  # bytes of a name or an extended header in a .tar, which are read in one piece
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZIP_RECORD = b"PK\x01\x02"
_GZIP = b"\x1f\x8b\x08"
_TAR_BLOCK = 512
_MADE_BY_THE_COMPUTER = {".DS_Store", "Thumbs.db", "desktop.ini"}
_DRIVE = re.compile(r"[A-Za-z]:")
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What the libraries raise on damaged input; a RecursionError is a RuntimeError."""

_REFUSALS = {
    "encrypted": ("is protected by a password", "Unpack it with the password and put it into the matter's folder."),
    "not_a_file": ("is a link or a device, not a file", "Put the file it stands for into the matter's folder."),
    "unsafe_name": ("has a name that leads out of the archive", "Ask who made the archive; unpack it with care."),
    "unsupported": ("is packed in a way that is not read", "Unpack it and put it into the matter's folder."),
    "corrupt": ("is damaged", "Obtain the archive again."),
    "too_large": (
        f"unpacks to over {MAX_RATIO} times its size, or over 1 GiB",
        "Ask who made the archive; unpack it with care.",
    ),
}


def looks_like(head: bytes) -> bool:
    """Whether a file whose first 512 bytes these are is an archive. Office documents are .zip files as well."""
    return head.startswith((*_ZIP, _GZIP)) or _is_tar(head)


def read(path: Path, read_member: Callable[[Path], Reading]) -> Reading:
    """The files of an archive as members, in its order; folders are no members.

    Codes of refused members: `encrypted`, `not_a_file`, `unsafe_name`, `unsupported`, `corrupt`, `too_large`, and those
    of `read_members`. UnreadableFile `corrupt`, `empty` or `too_many` when nothing can be taken out.
    """
    with path.open("rb") as file:
        head = file.read(_TAR_BLOCK)
    warnings: list[str] = []
    left_out: list[str] = []
    if head.startswith(_ZIP):
        media_type, parts = "application/zip", _zip_parts(path)
    elif head.startswith(_GZIP):
        media_type, parts = "application/gzip", _gzip_parts(path, warnings)
    else:
        media_type, parts = "application/x-tar", _tar_parts(path, warnings)
    with closing(parts):
        members = read_members(_wanted(parts, left_out), read_member)
    if left_out:
        warnings.append(f"Left out, because a computer made them for itself: {_listed(left_out)}.")
    if not members and not left_out:
        raise UnreadableFile("empty", f"{path.name} holds no files.", "Obtain it again.")
    return Reading(media_type=media_type, extractor="archive 1", pages=(), members=members, warnings=tuple(warnings))


def _wanted(parts: Iterable[Inner], left_out: list[str]) -> Iterator[Inner]:
    for part in parts:
        steps = part.name.replace("\\", "/").split("/")
        if "__MACOSX" in steps[:-1] or steps[-1] in _MADE_BY_THE_COMPUTER:
            left_out.append(printable(part.name))
        else:
            yield part


def _zip_parts(path: Path) -> Generator[Inner, None, None]:
    if _zip_records(path) > MAX_RECORDS:
        raise UnreadableFile("too_many", f"{path.name} holds over {MAX_RECORDS} files.", "Unpack it in parts.")
    try:
        archive = zipfile.ZipFile(path)
    except _BROKEN as error:
        raise refused(path.name, "corrupt") from error
    with archive:
        for info in archive.infolist():
            if not info.is_dir():
                code = _zip_refusal(info)
                size = min(info.compress_size, path.stat().st_size)
                name = info.orig_filename
                yield Inner(name, _why(name, code) if code else _unpacked(name, size, _opening(archive, info)))


def _zip_records(path: Path) -> int:
    """At most so many entries can the directory have: the signature of one is counted wherever it stands."""
    count, seam = 0, b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            count += (seam + chunk).count(_ZIP_RECORD)
            seam = chunk[1 - len(_ZIP_RECORD) :]
    return count


def _zip_refusal(info: zipfile.ZipInfo) -> str | None:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if _unsafe(info.orig_filename):
        return "unsafe_name"
    if mode not in (0, stat.S_IFREG):
        return "not_a_file"
    if info.flag_bits & 1:
        return "encrypted"
    # Only deflate gives its output in pieces as small as one asks for.
    return None if info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else "unsupported"


def _opening(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _gzip_parts(path: Path, warnings: list[str]) -> Generator[Inner, None, None]:
    """A .gz holds one file; when that is a .tar, its files are the members."""
    size = path.stat().st_size
    try:
        with gzip.open(path) as stream:
            packed_tar = _is_tar(stream.read(_TAR_BLOCK))
    except _BROKEN as error:
        raise refused(path.name, "corrupt") from error
    content = _unpacked(path.name, size, lambda: gzip.GzipFile(path))
    if not packed_tar:
        yield Inner(path.stem if path.suffix.lower() == ".gz" else path.name, content)
        return
    with TemporaryDirectory(prefix="lexforge-") as folder:
        unpacked = Path(folder) / file_name(path.stem)
        with unpacked.open("wb") as file:
            for chunk in content:
                file.write(chunk)
                if file.tell() > Limits().total:
                    raise refused(path.name, "too_large")
        yield from _tar_parts(unpacked, warnings)


def _unpacked(name: str, size: int, opening: Callable[[], IO[bytes] | gzip.GzipFile]) -> Iterator[bytes]:
    """The content in pieces; UnreadableFile when it is damaged, or more than `size` packed bytes may give."""
    count = 0
    try:
        with opening() as stream:
            while chunk := stream.read(CHUNK):
                count += len(chunk)
                if count > max(_RATIO_FREE, MAX_RATIO * size):
                    raise refused(name, "too_large")
                yield chunk
    except _BROKEN as error:
        raise refused(name, "corrupt") from error


class _Guarded(io.BufferedReader):
    """A .tar of which nothing is read in large pieces, whatever size its records promise for themselves."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _LARGEST_RECORD:
            raise tarfile.ReadError("a record of this size is not read")
        return super().read(size)


def _tar_parts(path: Path, warnings: list[str]) -> Generator[Inner, None, None]:
    """The files of a .tar. Where the chain of its records breaks, one more part stands for the rest."""
    with _Guarded(io.FileIO(path)) as file:
        try:
            archive = tarfile.TarFile(fileobj=file)
        except _BROKEN as error:
            raise refused(path.name, "corrupt") from error
        with archive:
            try:
                for info in archive:
                    archive.members = []  # type: ignore[attr-defined]  # it would keep them all
                    if not info.isdir():
                        yield Inner(info.name, _tar_content(archive, info))
                file.seek(archive.offset)
                end = file.read(_TAR_BLOCK)
            except _BROKEN:
                end = b"broken"
        if not end:
            warnings.append("The archive has no end mark; files may be missing at its end.")
        elif end.strip(b"\0"):
            yield Inner("the rest of the archive", _why("The rest of the archive", "corrupt"))


def _tar_content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Iterator[bytes] | Failure:
    if _unsafe(info.name):
        return _why(info.name, "unsafe_name")
    if not info.isreg():
        return _why(info.name, "not_a_file")
    return _unpacked(info.name, info.size, lambda: archive.extractfile(info) or io.BytesIO())


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _unsafe(name: str) -> bool:
    steps = name.replace("\\", "/").split("/")
    return steps[0] == "" or ".." in steps or "\0" in name or _DRIVE.match(name) is not None


def _listed(names: list[str], most: int = 20) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def refused(name: str, code: str) -> UnreadableFile:
    """The error for `code`, one of the stable reasons in the table above."""
    message, advice = _REFUSALS[code]
    return UnreadableFile(code, f"{printable(name)} {message}.", advice)


def _why(name: str, code: str) -> Failure:
    return failure(refused(name, code))
