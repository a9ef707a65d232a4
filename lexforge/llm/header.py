"""What a model file says of itself: the facts of its GGUF header that a server has to agree with.

The format is documented at https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. A model may come in shards, named
`…-00001-of-00003.gguf`; the first carries the metadata, each its own tensors.
"""

from __future__ import annotations

from pathlib import Path

from lexforge.domain.record import Record, sha256_of
from lexforge.llm.gguf_file import Skipped, file_type_name, read_outline
from lexforge.llm.known_files import known


class Header(Record):
    """Counts of parameters and tokens, bytes of tensors; `template_sha256` of the chat template, "" without one."""

    architecture: str
    quantisation: str
    parameters: int
    size: int
    vocabulary: int
    template_sha256: str


# What llama.cpp calls differently in its answers and in `enum llama_ftype`.
_WORDS = {"Q2_K - Medium": "Q2_K", "IQ3_S mix": "IQ3_M", "MXFP4 MoE": "MXFP4_MOE", "all F32": "F32"}
_SIZES = {"Small": "_S", "Medium": "_M", "Large": "_L"}


def read_header(shards: tuple[Path, ...]) -> Header:
    """The header of a model in one or more shards; SeatUnavailable `file_unreadable` when it is not one."""
    parts = [known(path, Header, _read) for path in shards]
    whole = parts[0]
    return whole.model_copy(update={"parameters": sum(p.parameters for p in parts), "size": sum(p.size for p in parts)})


def _read(path: Path) -> Header:
    outline = read_outline(path)
    told, tokens = outline.metadata, outline.metadata.get("tokenizer.ggml.tokens")
    template, number = told.get("tokenizer.chat_template"), told.get("general.file_type")
    return Header(
        architecture=str(told.get("general.architecture", "")),
        quantisation=file_type_name(number) if isinstance(number, int) else "",
        parameters=sum(tensor.values for tensor in outline.tensors),
        size=sum(tensor.size for tensor in outline.tensors),
        vocabulary=tokens.length if isinstance(tokens, Skipped) else 0,
        template_sha256=sha256_of(str(template).encode()) if template else "",
    )


def file_type(told: str) -> str:
    """llama-server's words for a file type as board files write it: `Q4_K - Medium` is `Q4_K_M` (llama_ftype_name)."""
    told = told.removeprefix("(guessed) ").strip()
    name, _, more = told.partition(" - ")
    return _WORDS.get(told) or _WORDS.get(name) or name + _SIZES.get(more, "")
