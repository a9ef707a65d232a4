"""Finding the model file that a board file pins, and proving that it is that file."""

from __future__ import annotations

import importlib.util
import os
import re
from importlib import import_module
from pathlib import Path

from lexforge.config import cache
from lexforge.domain.record import Record
from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import UNPINNED, SeatConfig
from lexforge.llm.identity import file_sha256
from lexforge.llm.known_files import known

_SHARD = re.compile(r"-00001-of-(\d{5})\.gguf$")


class FileHash(Record):
    """SHA-256 of a whole file."""

    sha256: str

    @classmethod
    def of(cls, path: Path) -> FileHash:
        """The hash of `path`, remembered while the file stays as it is; SeatUnavailable `file_unreadable`."""
        try:
            return known(path, cls, lambda p: cls(sha256=file_sha256(p)))
        except OSError as error:
            raise SeatUnavailable(
                "file_unreadable", f"{path} cannot be read: {error.strerror}.", "Check its permissions and its disk."
            ) from None


def locate(seat: SeatConfig, name: str) -> Path:
    """The verified model file of a seat (its first shard).

    SeatUnavailable `file_missing`, `unpinned` or `hash_differs`.
    """
    shards = find(seat, name)
    found = tuple(FileHash.of(path).sha256 for path in shards)
    if UNPINNED in seat.weights_sha256:
        pins = ", ".join(f'"{sha256}"' for sha256 in found)
        raise SeatUnavailable(
            "unpinned",
            f"The board file does not pin the model file of the {name}: {shards[0]}.",
            f"If this is the file you mean, write weights_sha256 = [{pins}] there.",
        )
    if len(found) != len(seat.weights_sha256):
        raise SeatUnavailable(
            "hash_differs",
            f"The model of the {name} comes in {len(found)} files, its board file pins {len(seat.weights_sha256)}.",
            "Give `weights_sha256` one hash for each of them, in order.",
        )
    if found != seat.weights_sha256:
        pairs = zip(shards, found, seat.weights_sha256, strict=True)
        wrong, sha256 = next((p, f) for p, f, pinned in pairs if f != pinned)
        raise SeatUnavailable(
            "hash_differs",
            f"The model file of the {name} is not the one its board file pins: {wrong} has sha256 {sha256}.",
            "If you meant to change the model, pin the new sha256; nothing is drafted with a file nobody chose.",
        )
    return shards[0]


def find(seat: SeatConfig, name: str) -> tuple[Path, ...]:
    """All shards of a seat's model in order, not verified; SeatUnavailable `file_missing`."""
    scheme, _, rest = seat.model.partition(":")
    if scheme == "package":
        path = _in_package(rest, name)
    elif scheme == "assemble":
        path = _assembled(rest, seat.weights_sha256[0], name)
    else:
        path = Path(seat.model).expanduser()
    shards = shards_of(path)
    for shard in shards:
        if not shard.is_file():
            raise SeatUnavailable(
                "file_missing",
                f"The model file of the {name} is missing: {shard}.",
                "Correct `model` in the board file.",
            )
    return shards


def shards_of(first: Path) -> tuple[Path, ...]:
    """The files that belong to `first` by llama.cpp's naming, `…-00001-of-00003.gguf`; itself where it stands alone."""
    match = _SHARD.search(first.name)
    if match is None:
        return (first,)
    count, stem = int(match[1]), first.name[: match.start()]
    return tuple(first.with_name(f"{stem}-{n:05}-of-{count:05}.gguf") for n in range(1, count + 1))


def _in_package(reference: str, name: str) -> Path:
    """`NAME/FILE` inside an installed package, without importing it (its code may want what is not installed)."""
    package, _, file = reference.partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise _not_installed(package, name)
    return Path(spec.origin).parent / file


def _assembled(package: str, sha256: str, name: str) -> Path:
    """The file that a package of weights puts together from its parts, kept in the cache folder."""
    path = cache() / "weights" / f"{package if sha256 == UNPINNED else sha256}.gguf"
    if path.is_file() and sha256 != UNPINNED:
        return path
    if importlib.util.find_spec(package) is None:
        raise _not_installed(package, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two seats or two runs may assemble at once: each into a file of its own, renamed when whole.
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        import_module(package).assemble(partial, overwrite=True)
        partial.replace(path)
    except (OSError, ValueError) as error:
        raise SeatUnavailable(
            "file_missing",
            f"The model file of the {name} could not be assembled: {error}.",
            f"Check the free space of {path.parent} and install {package} again.",
        ) from None
    finally:
        partial.unlink(missing_ok=True)
    return path


def _not_installed(package: str, name: str) -> SeatUnavailable:
    return SeatUnavailable(
        "file_missing",
        f"The model file of the {name} comes with the package {package}, which is not installed.",
        "Run `make install`, or pin a model file of your own in a board file.",
    )
