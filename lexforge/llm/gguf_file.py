"""A GGUF file without the weights in it: its metadata, and where its tensors lie.

Format: llama.cpp, ggml/docs/gguf.md (versions 2 and 3, little-endian). Strings and long arrays are skipped, so that
the header of a model with a vocabulary of 250,000 tokens is read in a fraction of a second; `gguf.GGUFReader`, which
keeps everything, takes seconds.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, NamedTuple

import gguf

from lexforge.errors import SeatUnavailable

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_KEPT = 4096
"""Longest array whose values are kept: one value a layer is wanted, one a token is not."""
_DIMENSIONS = 4


class Tensor(NamedTuple):
    """One tensor as the header describes it: `shape` in GGML's order (row length first), `type` a GGML type number."""

    name: str
    shape: tuple[int, ...]
    type: int
    offset: int

    @property
    def values(self) -> int:
        """How many weights."""
        return math.prod(self.shape)

    @property
    def kind(self) -> str:
        """The name of its GGML type; ValueError for one that llama.cpp does not have."""
        return str(gguf.GGMLQuantizationType(self.type).name)

    @property
    def size(self) -> int:
        """Bytes; ValueError for an unknown type."""
        values, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(self.type)]
        return int(self.values // values * size)


class Skipped(NamedTuple):
    """An array that was not kept; only its length is known."""

    length: int


class Outline(NamedTuple):
    """Metadata by key, the tensors, and where their data start (bytes)."""

    metadata: dict[str, Any]
    tensors: tuple[Tensor, ...]
    data_start: int
    file_size: int


def _require_whole(path: Path, outline: Outline) -> None:
    """SeatUnavailable `file_unreadable` when weights are missing at the end, or have a type nobody knows."""
    for tensor in outline.tensors:
        try:
            end = outline.data_start + tensor.offset + tensor.size
        except ValueError:
            raise unreadable(
                path, f"tensor {tensor.name} has the unknown type {tensor.type}", "Use one of llama.cpp's own types."
            ) from None
        if end > outline.file_size:
            raise unreadable(path, f"it is cut off: {outline.file_size} bytes of at least {end} are there")


def unreadable(path: Path, why: str, advice: str = "Copy or download the file again.") -> SeatUnavailable:
    """The error for a file that is no model file, or a damaged one."""
    return SeatUnavailable("file_unreadable", f"The model file {path} cannot be read: {why}.", advice)


def read_outline(path: Path) -> Outline:
    """Header of one file (of one shard, where there are several); SeatUnavailable `file_unreadable`."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            outline = _Reader(file, size).header()
    except OSError as error:
        raise unreadable(path, error.strerror or "no access", "Correct the path in the board file.") from None
    except _Malformed as error:
        raise unreadable(path, str(error)) from None
    except (struct.error, UnicodeDecodeError):
        raise unreadable(path, "its header is damaged") from None
    _require_whole(path, outline)
    return outline


class _Malformed(ValueError):
    """Says in what way."""


class _Reader:
    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._size = size

    def header(self) -> Outline:
        if self._file.read(4) != b"GGUF":
            raise _Malformed("it is not a GGUF file")
        if (version := self._one("I")) not in (2, 3):
            raise _Malformed(f"it has GGUF version {version}, versions 2 and 3 are known")
        tensor_count, key_count = self._count(self._one("Q"), 24), self._count(self._one("Q"), 13)
        metadata = {self._string(): self._value(self._one("I")) for _ in range(key_count)}
        tensors = tuple(self._tensor() for _ in range(tensor_count))
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment <= 0:
            raise _Malformed("its header is damaged")
        return Outline(metadata, tensors, -(-self._file.tell() // alignment) * alignment, self._size)

    def _one(self, code: str) -> Any:
        return struct.unpack(f"<{code}", self._file.read(struct.calcsize(f"<{code}")))[0]

    def _count(self, count: int, least: int) -> int:
        """A count whose items take at least `least` bytes each: more than the file holds means damage, not patience."""
        if count * least > self._size:
            raise _Malformed("its header is cut off or damaged")
        return count

    def _string(self) -> str:
        return self._file.read(self._count(self._one("Q"), 1)).decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise _Malformed(f"its header holds an unknown value type {kind}")
        return self._one(_SCALARS[kind])

    def _array(self) -> list[Any] | Skipped:
        kind = self._one("I")
        if kind == _STRING:
            return self._skip_strings(self._count(self._one("Q"), 8))
        if kind not in _SCALARS:
            raise _Malformed(f"its header holds an array of unknown type {kind}")
        each = struct.calcsize(f"<{_SCALARS[kind]}")
        count = self._count(self._one("Q"), each)
        if count > _KEPT:
            self._file.seek(count * each, 1)
            return Skipped(count)
        return list(struct.unpack(f"<{count}{_SCALARS[kind]}", self._file.read(count * each)))

    def _skip_strings(self, count: int) -> Skipped:
        read: Callable[[int], bytes] = self._file.read
        length_of = struct.Struct("<Q").unpack
        for _ in range(count):
            read(self._count(length_of(read(8))[0], 1))
        return Skipped(count)

    def _tensor(self) -> Tensor:
        name, dimensions = self._string(), self._one("I")
        if not 1 <= dimensions <= _DIMENSIONS:
            raise _Malformed(f"its tensor {name!r} has {dimensions} dimensions")
        shape = struct.unpack(f"<{dimensions}Q", self._file.read(8 * dimensions))
        return Tensor(name, shape, self._one("I"), self._one("Q"))


def bits_per_weight(type_name: str) -> float:
    """Bits of one weight in a GGML type, its scales included."""
    values, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[type_name]]
    return float(8 * size / values)


def file_type_name(number: int) -> str:
    """`general.file_type` as board files write it: 15 is `Q4_K_M` (llama.cpp, enum llama_ftype)."""
    try:
        return str(gguf.LlamaFileType(number).name).removeprefix("MOSTLY_").removeprefix("ALL_")
    except ValueError:
        return str(number)
