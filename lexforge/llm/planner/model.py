"""What the planner knows of a model: its shape, as far as memory and speed depend on it."""

from __future__ import annotations

from enum import StrEnum

from lexforge.domain.record import Record
from lexforge.llm.boards import KvType

Sizes = dict[str, int]
"""Bytes by GGML type name."""

KV_BYTES = {KvType.F16: 2.0, KvType.Q8_0: 34 / 32, KvType.Q4_0: 18 / 32}
"""Bytes of one value in the KV cache (ggml-common.h: blocks of 32 values with one f16 scale)."""


class LayerKind(StrEnum):
    """What a layer remembers: all tokens, those of a window, or a state of fixed size."""

    ATTENTION = "attention"
    WINDOW = "window"
    RECURRENT = "recurrent"


class Layer(Record):
    """One layer: bytes of its weights by type, and the values it keeps in the KV cache for each token."""

    kind: LayerKind
    sizes: Sizes
    k_width: int = 0
    v_width: int = 0

    @property
    def size(self) -> int:
        """Bytes of its weights."""
        return sum(self.sizes.values())


class Geometry(Record):
    """One model. Counts are of values, sizes are bytes.

    `input_sizes` is the embedding (llama.cpp leaves it in the host's memory), `output_sizes` the head; a model whose
    head is tied to its embedding has it in both. `active` is what decoding one token reads, by type: every weight but
    the embedding, experts in the share used; `routed` is the part of it that experts are; `active_rows` are the rows of
    all those matrices. `state_values` are float32
    values of one recurrent layer and one slot, `mixed_width` what its convolution runs over. `window` is tokens; 0:
    none.
    """

    architecture: str
    file_type: str
    layers: tuple[Layer, ...]
    width: int
    heads: int
    kv_heads: int
    key_width: int
    value_width: int
    feed_forward: int
    experts: int
    experts_used: int
    expert_width: int
    shared_width: int
    vocabulary: int
    context_trained: int
    window: int
    state_values: int
    mixed_width: int
    inner_width: int
    parameters: int
    active_parameters: int
    size: int
    input_sizes: Sizes
    output_sizes: Sizes
    tied: bool
    active: Sizes
    routed: Sizes
    active_rows: int

    @property
    def bytes_per_token(self) -> int:
        """Bytes of weights that decoding one token reads."""
        return sum(self.active.values())

    def count(self, kind: LayerKind) -> int:
        """How many layers are of a kind."""
        return sum(layer.kind is kind for layer in self.layers)

    def kv_per_token(self, kv_type: KvType, kind: LayerKind = LayerKind.ATTENTION) -> float:
        """Bytes of KV cache for one token over all layers of a kind."""
        widths = sum(layer.k_width + layer.v_width for layer in self.layers if layer.kind is kind)
        return widths * KV_BYTES[kv_type]

    @property
    def state_per_slot(self) -> int:
        """Bytes of recurrent state that one slot keeps, however long its context (float32)."""
        return 4 * self.state_values * self.count(LayerKind.RECURRENT)
