"""The shape of a model as far as memory and speed depend on it, read from the header of its GGUF file.

Names of keys and tensors are llama.cpp's (gguf-py/gguf/constants.py, src/llama-arch.cpp). Nothing is concluded from the
name of a file or of a model.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from lexforge.llm.gguf_file import Outline, Skipped, Tensor, file_type_name, read_outline, unreadable
from lexforge.llm.planner.model import Geometry, Layer, LayerKind, Sizes
from lexforge.llm.weights import shards_of

_WINDOW_EVERY = {
    "gemma2": 2,
    "gemma3": 6,
    "gemma3n": 5,
    "gpt-oss": 2,
    "cohere2": 4,
    "exaone4": 4,
    "olmo2": 4,
    "llama4": 4,
}
"""Architectures whose every n-th layer sees everything and the others a window, where the header does not say which
(llama.cpp, src/models/*.cpp, `load_swa_pattern`)."""
_BLOCK = re.compile(r"^blk\.(\d+)\.(.+)$")
_ROW_ONLY = ("token_embd.weight", "per_layer_token_embd.weight")
"""Tables of which decoding reads one row."""


def read_geometry(path: Path) -> Geometry:
    """The geometry of a model, given its file or the first of its shards; SeatUnavailable `file_unreadable`."""
    first = read_outline(path)
    headers = [first, *(read_outline(other) for other in _other_shards(path, first))]
    tensors = [tensor for header in headers for tensor in header.tensors]
    _require_complete(path, first, headers)
    try:
        return _geometry(first.metadata, tensors)
    except KeyError as missing:
        raise unreadable(path, f"its header lacks {missing.args[0]}") from None
    except (TypeError, ValueError, IndexError):
        raise unreadable(path, "its header does not describe a model that the planner knows") from None


def _other_shards(path: Path, header: Outline) -> tuple[Path, ...]:
    """The other files of a split model; its header says that there are any, and how many."""
    count = header.metadata.get("split.count", 1)
    if count <= 1:
        return ()
    others = shards_of(path)[1:]
    if len(others) != count - 1 or header.metadata.get("split.no") != 0:
        advice = f"Name it ...-00001-of-{count:05}.gguf and the others after it."
        raise unreadable(path, f"it is one of {count} shards, and not named as the first", advice)
    if missing := [other.name for other in others if not other.is_file()]:
        raise unreadable(
            path, f"of its {count} shards {', '.join(missing)} is missing", "Put all shards in one folder."
        )
    return others


def _require_complete(path: Path, first: Outline, headers: list[Outline]) -> None:
    expected = first.metadata.get("split.tensors.count", sum(len(h.tensors) for h in headers))
    if expected != sum(len(header.tensors) for header in headers):
        raise unreadable(path, "its shards do not belong together")


def _sizes(tensors: list[Tensor]) -> Sizes:
    sizes: Counter[str] = Counter()
    for tensor in tensors:
        sizes[tensor.kind] += tensor.size
    return dict(sizes)


def _rows(tensors: list[Tensor]) -> int:
    """Rows of all matrices: each costs a dot product of its own."""
    return sum(tensor.values // tensor.shape[0] for tensor in tensors if len(tensor.shape) > 1)


class _Keys:
    """Metadata of one architecture; a key may hold one value or one a layer."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        self._metadata = metadata
        self.architecture = str(metadata["general.architecture"])

    def number(self, key: str, default: int | None = None) -> int:
        found = self._metadata.get(f"{self.architecture}.{key}", default)
        if found is None:
            raise KeyError(f"{self.architecture}.{key}")
        return int(max(found)) if isinstance(found, list) else int(found)

    def per_layer(self, key: str) -> list[Any] | None:
        found = self._metadata.get(f"{self.architecture}.{key}")
        return found if isinstance(found, list) else None

    def vocabulary(self) -> int:
        tokens = self._metadata["tokenizer.ggml.tokens"]
        return tokens.length if isinstance(tokens, Skipped) else len(tokens)


def _geometry(metadata: dict[str, Any], tensors: list[Tensor]) -> Geometry:
    keys = _Keys(metadata)
    blocks, others = _by_block(tensors, keys.number("block_count") - keys.number("nextn_predict_layers", 0))
    embedding = [t for t in others if t.name in _ROW_ONLY]
    head = [t for t in others if t.name not in _ROW_ONLY]
    tied = not any(t.name == "output.weight" for t in head)
    read = head + ([t for t in embedding if t.name == "token_embd.weight"] if tied else [])
    width, heads = keys.number("embedding_length"), keys.number("attention.head_count")
    key_width = keys.number("attention.key_length", width // max(1, heads))
    experts, used = keys.number("expert_count", 0), keys.number("expert_used_count", 0)
    routed = [t for block in blocks for t in block if "_exps." in t.name]
    always = read + [t for block in blocks for t in block if "_exps." not in t.name]
    experts_read = {kind: size * used // experts for kind, size in _sizes(routed).items()}
    active = Counter(_sizes(always)) + Counter(experts_read)
    file_type = int(metadata.get("general.file_type", -1))
    return Geometry(
        architecture=keys.architecture,
        file_type=file_type_name(file_type) if isinstance(file_type, int) else "unknown",
        layers=tuple(_layer(number, block, keys) for number, block in enumerate(blocks)),
        width=width,
        heads=heads,
        kv_heads=keys.number("attention.head_count_kv", heads),
        key_width=key_width,
        value_width=keys.number("attention.value_length", key_width),
        feed_forward=keys.number("feed_forward_length", 0),
        experts=experts,
        experts_used=used,
        expert_width=keys.number("expert_feed_forward_length", 0),
        shared_width=keys.number("expert_shared_feed_forward_length", 0),
        vocabulary=keys.vocabulary(),
        context_trained=keys.number("context_length"),
        window=keys.number("attention.sliding_window", 0),
        state_values=_state_values(keys),
        mixed_width=_mixed_width(keys),
        inner_width=keys.number("ssm.inner_size", 0),
        parameters=sum(t.values for t in tensors),
        active_parameters=sum(t.values for t in always) + sum(t.values for t in routed) * used // max(1, experts),
        size=sum(_sizes(tensors).values()),
        input_sizes=_sizes(embedding),
        output_sizes=_sizes(read),
        tied=tied,
        active=dict(active),
        routed=experts_read,
        active_rows=_rows(always) + _rows(routed) * used // max(1, experts),
    )


def _by_block(tensors: list[Tensor], count: int) -> tuple[list[list[Tensor]], list[Tensor]]:
    """Tensors of each layer, and those outside; layers after `count` only predict ahead: not read in decoding."""
    blocks: list[list[Tensor]] = [[] for _ in range(count)]
    others = []
    for tensor in tensors:
        named = _BLOCK.match(tensor.name)
        if named is None:
            others.append(tensor)
        elif int(named[1]) < count:
            blocks[int(named[1])].append(tensor)
    return blocks, others


def _layer(number: int, block: list[Tensor], keys: _Keys) -> Layer:
    named = {t.name.split(".", 2)[2]: t for t in block}
    sizes = _sizes(block)
    if "ssm_conv1d.weight" in named:
        return Layer(kind=LayerKind.RECURRENT, sizes=sizes)
    kind = LayerKind.WINDOW if _is_windowed(number, keys) else LayerKind.ATTENTION
    if "attn_k.weight" in named:
        value = named.get("attn_v.weight", named["attn_k.weight"])
        return Layer(kind=kind, sizes=sizes, k_width=named["attn_k.weight"].shape[1], v_width=value.shape[1])
    if "attn_qkv.weight" in named:
        width = keys.number("attention.head_count_kv", keys.number("attention.head_count"))
        each = keys.number(
            "attention.key_length", keys.number("embedding_length") // keys.number("attention.head_count")
        )
        return Layer(kind=kind, sizes=sizes, k_width=width * each, v_width=width * each)
    raise ValueError(f"layer {number} has no attention that the planner knows")


def _is_windowed(number: int, keys: _Keys) -> bool:
    if not keys.number("attention.sliding_window", 0):
        return False
    flags = keys.per_layer("attention.sliding_window_pattern")
    if flags is not None:
        return bool(flags[number])
    every = keys.number("attention.sliding_window_pattern", _WINDOW_EVERY.get(keys.architecture, 1))
    return number % every < every - 1


def _mixed_width(keys: _Keys) -> int:
    """Values a token that the convolution of a recurrent layer runs over."""
    inner, state, groups = (keys.number(f"ssm.{key}", 0) for key in ("inner_size", "state_size", "group_count"))
    return inner + 2 * groups * state


def _state_values(keys: _Keys) -> int:
    """Convolution and state of one recurrent layer (llama.cpp, src/llama-hparams.cpp, `n_embd_r` and `n_embd_s`)."""
    kernel = keys.number("ssm.conv_kernel", 0)
    return max(0, kernel - 1) * _mixed_width(keys) + keys.number("ssm.state_size", 0) * keys.number("ssm.inner_size", 0)
