"""Writing GGUF files of a wanted shape: probe models with random weights, or only the header of a model.

Format: llama.cpp, ggml/docs/gguf.md, version 3. Block layouts: ggml/src/ggml-common.h. No tokenizer worth the name is
written: a byte a token, and padding up to the wanted vocabulary.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

Value = bool | int | float | str | Sequence[str] | Sequence[int]

_ALIGNMENT = 32
_SILENT = 129
"""Tokens that a probe must not say: the end, and the bytes that are no text by themselves."""
_PIECE = 1 << 22
"""Bytes of random weights that are repeated over a tensor."""


class Kind(NamedTuple):
    """A GGML type: its number, the weights and the bytes of one block, and how its f16 scales make weights.

    `scale` and `offset` are places in the block (-1: none). `top` is about the largest integer that the scale is
    multiplied with, `shift` what the offset is as a multiple of the scale, so that weights lie around zero.
    """

    number: int
    values: int
    size: int
    scale: int = -1
    top: int = 0
    offset: int = -1
    shift: float = 0


KINDS = {
    "F32": Kind(0, 1, 4),
    "F16": Kind(1, 1, 2),
    "Q4_0": Kind(2, 32, 18, 0, 8),
    "Q4_1": Kind(3, 32, 20, 0, 8, 2, -7.5),
    "Q5_0": Kind(6, 32, 22, 0, 16),
    "Q5_1": Kind(7, 32, 24, 0, 16, 2, -15.5),
    "Q8_0": Kind(8, 32, 34, 0, 128),
    "Q3_K": Kind(11, 256, 110, 108, 4 * 32),
    "Q4_K": Kind(12, 256, 144, 0, 8 * 64, 2, 7.5),
    "Q5_K": Kind(13, 256, 176, 0, 16 * 64, 2, 15.5),
    "Q6_K": Kind(14, 256, 210, 208, 32 * 128),
}
"""Types that can be written."""


class Planned(NamedTuple):
    """A tensor to write: `shape` in GGML's order (row length first)."""

    name: str
    shape: tuple[int, ...]
    kind: str

    @property
    def size(self) -> int:
        """Bytes."""
        kind = KINDS[self.kind]
        return int(np.prod(self.shape)) // kind.values * kind.size


def write_header(path: Path, metadata: Mapping[str, Value], tensors: Sequence[Planned]) -> None:
    """The header, and behind it a hole of the size of the weights: a true shape that takes no space on a disk."""
    with path.open("wb") as file:
        file.truncate(_header(file, metadata, tensors) + sum(map(_padded, tensors)))


def write_model(path: Path, metadata: Mapping[str, Value], tensors: Sequence[Planned], seed: int = 1) -> None:
    """The header and random weights of about unit gain, norms of one; what must never be said has a row of zeros."""
    rng = np.random.default_rng(seed)
    pieces: dict[tuple[str, int], bytes] = {}
    with path.open("wb") as file:
        start = _header(file, metadata, tensors)
        file.write(bytes(start - file.tell()))
        for tensor in tensors:
            wanted = (tensor.kind, tensor.shape[0])
            if len(tensor.shape) > 1 and wanted not in pieces:
                pieces[wanted] = _random_blocks(KINDS[tensor.kind], tensor.shape[0], rng)
            _write_weights(file, tensor, memoryview(pieces.get(wanted, b"")))


def _padded(tensor: Planned) -> int:
    return -(-tensor.size // _ALIGNMENT) * _ALIGNMENT


def _header(file: IO[bytes], metadata: Mapping[str, Value], tensors: Sequence[Planned]) -> int:
    """Write everything before the weights; returns where they start."""
    file.write(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        file.write(_string(key) + _value(value))
    offset = 0
    for tensor in tensors:
        file.write(_string(tensor.name) + struct.pack("<I", len(tensor.shape)))
        file.write(struct.pack(f"<{len(tensor.shape)}QIQ", *tensor.shape, KINDS[tensor.kind].number, offset))
        offset += _padded(tensor)
    return -(-file.tell() // _ALIGNMENT) * _ALIGNMENT


def _string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    return _array(value)


def _array(values: Sequence[str] | Sequence[int]) -> bytes:
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        return struct.pack("<IIQ", 9, 8, len(texts)) + b"".join(map(_string, texts))
    return struct.pack(f"<IIQ{len(values)}i", 9, 5, len(values), *(int(value) for value in values))


def _write_weights(file: IO[bytes], tensor: Planned, piece: memoryview) -> None:
    if len(tensor.shape) == 1:
        given = np.full(tensor.shape, _constant(tensor.name), np.float32).tobytes()
        file.write(given + bytes(_padded(tensor) - len(given)))
        return
    table = tensor.name in ("token_embd.weight", "output.weight")
    first = Planned("", (tensor.shape[0], _SILENT), tensor.kind).size if table else 0
    file.write(bytes(first))
    left = tensor.size - first
    while left > 0:
        left -= file.write(piece[: min(left, len(piece))])
    file.write(bytes(_padded(tensor) - tensor.size))


def _constant(name: str) -> float:
    """A recurrent layer must forget (a negative decay); everything else that is a vector scales by one."""
    return -0.5 if name.endswith("ssm_a") else 1.0


def _random_blocks(kind: Kind, row: int, rng: np.random.Generator) -> bytes:
    """About `_PIECE` bytes of valid blocks whose weights are near 1/sqrt(row).

    The scales vary from block to block as they do in a trained model. With one and the same scale everywhere llama.cpp
    decodes a quarter faster on a CPU, because it turns f16 into f32 by a table and then needs but one entry of it.
    """
    if kind.scale < 0:
        type_ = np.float32 if kind.size == 4 else np.float16
        return rng.normal(0, row**-0.5, _PIECE // kind.size).astype(type_).tobytes()
    blocks: npt.NDArray[np.uint8] = rng.integers(0, 256, (_PIECE // kind.size, kind.size), dtype=np.uint8)
    scales = row**-0.5 / kind.top * rng.lognormal(0, 0.3, len(blocks))
    _put(blocks, kind.scale, scales)
    if kind.offset >= 0:
        _put(blocks, kind.offset, kind.shift * scales)
    return blocks.tobytes()


def _put(blocks: npt.NDArray[np.uint8], place: int, values: npt.NDArray[np.float64]) -> None:
    blocks[:, place : place + 2] = values.astype(np.float16).view(np.uint8).reshape(-1, 2)


def byte_tokenizer(vocabulary: int) -> dict[str, Value]:
    """Metadata of a tokenizer with one token a byte (llama.cpp's `gpt2`), token 0 ending the text, words behind."""
    tokens = ["<end>", *_byte_names()]
    tokens += [f"w{number}" for number in range(vocabulary - len(tokens))]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": tokens[:vocabulary],
        "tokenizer.ggml.token_type": [3] + [1] * (vocabulary - 1),
        "tokenizer.ggml.merges": ["a b"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
    }


def _byte_names() -> list[str]:
    """The printable stand-in of each byte in a byte-level BPE vocabulary (GPT-2's table); the upper half first."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    names = [chr(byte) if byte in printable else chr(next(spare)) for byte in range(256)]
    return names[128:] + names[:128]
