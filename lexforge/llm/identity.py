"""What actually answered. A name proves nothing; these values are read from the loaded model itself."""

from __future__ import annotations

import hashlib
from pathlib import Path

from lexforge.domain.record import Record, sha256_of
from lexforge.errors import SeatUnavailable
from lexforge.llm.header import Header

PLAIN_TEMPLATE = sha256_of(b"plain")
"""Stands for no chat template at all: plain paragraphs, for a base model."""


class Identity(Record):
    """Two answers may stand under one label only when these are equal.

    `weights_sha256` is of the model file (of the list of hashes, where it comes in shards), read here before the first
    answer if `weights_read`; `parameters` and `vocabulary` are counts, `size` is bytes of tensors, `context` tokens of
    one slot; `template_sha256` is of the chat template that is applied; `argv` is how the server was started, without
    what says only where it listens (empty where it cannot be seen), and for an embedded seat the same in llama.cpp's
    words.
    """

    weights_sha256: str
    weights_read: bool = True
    quantisation: str
    architecture: str
    parameters: int
    size: int
    vocabulary: int
    template_sha256: str
    context: int
    slots: int = 1
    runtime: str
    argv: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The model in words, for people: architecture, size, quantisation, start of the weights' hash.

        Of a file that could not be read here it says so: its server's figures are all that is known of it.
        """
        size, unread = f"{self.parameters / 1e6:.0f}M", "" if self.weights_read else " (file not seen from here)"
        return f"{self.architecture} {size} {self.quantisation} {self.weights_sha256[:8]}{unread}".strip()

    def differences(self, other: Identity) -> tuple[str, ...]:
        """What `other` has differently, each as `name: this, not that`."""
        mine, theirs = self.model_dump(), other.model_dump()
        return tuple(f"{key}: {theirs[key]}, not {mine[key]}" for key in mine if mine[key] != theirs[key])

    @property
    def fingerprint(self) -> str:
        """Hash of all of it; 64 hex digits."""
        return self.content_sha256


def require_file(identity: Identity, quantisation: str, header: Header, seat: str) -> None:
    """SeatUnavailable `wrong_model`, with every difference, unless what was loaded is the pinned file.

    `quantisation` is what the board file says. A name is not compared: a server answers to any.
    """
    if header.quantisation and header.quantisation != quantisation:
        raise SeatUnavailable(
            "wrong_model",
            f"The pinned file of the {seat} is a {header.quantisation} model, its board file says {quantisation}.",
            "Correct `quantisation` or `model` in the board file.",
        )
    expected: dict[str, tuple[int | str, int | str]] = {
        "parameters": (identity.parameters, header.parameters),
        "bytes of tensors": (identity.size, header.size),
        "vocabulary": (identity.vocabulary, header.vocabulary),
        "file type": (identity.quantisation, header.quantisation or quantisation),
    }
    if header.template_sha256 and identity.template_sha256 != PLAIN_TEMPLATE:
        expected["chat template (sha256)"] = (identity.template_sha256, header.template_sha256)
    wrong = [f"{what} {_told(found)}, pinned {_told(due)}" for what, (found, due) in expected.items() if found != due]
    if wrong:
        raise SeatUnavailable(
            "wrong_model",
            f"The {seat} is served by another model than its board file pins: {'; '.join(wrong)}.",
            "Start the server with the pinned file, or correct `model`, `weights_sha256` and `quantisation`.",
        )


def _told(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def digest(hashes: tuple[str, ...]) -> str:
    """One hash for a model: its file's own, or for shards the hash of their hashes in order."""
    return hashes[0] if len(hashes) == 1 else sha256_of(list(hashes))


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read in pieces of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
