"""What actually answered. A name proves nothing; these values are read from the loaded model itself."""

from __future__ import annotations

import hashlib
from pathlib import Path

from lexforge.domain.record import Record


class Identity(Record):
    """Two answers may stand under one label only when these are equal.

    `weights_sha256` is of the model file; `parameters` and `vocabulary` are counts, `size` is bytes of tensors,
    `context` tokens; `template_sha256` is of the chat template that was applied.
    """

    weights_sha256: str
    quantisation: str
    architecture: str
    parameters: int
    size: int
    vocabulary: int
    template_sha256: str
    context: int
    runtime: str

    @property
    def label(self) -> str:
        """The model in words, for people: architecture, size, quantisation, start of the weights' hash."""
        size = f"{self.parameters / 1e6:.0f}M"
        return f"{self.architecture} {size} {self.quantisation} {self.weights_sha256[:8]}"

    @property
    def fingerprint(self) -> str:
        """Hash of all of it; 64 hex digits."""
        return self.content_sha256


# general.file_type of the GGUF header (llama.cpp, enum llama_ftype): the names people know.
FILE_TYPES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    30: "IQ4_XS",
    32: "BF16",
}


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read in pieces of 1 MiB."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
