"""Whether a model fits a board: weights, KV cache, recurrent state and compute buffers of each accelerator.

The sizes of weights, KV cache and state are llama.cpp's own, to the byte. Those of the compute buffers are a formula
fitted to the sizes that llama.cpp prints (`sched_reserve`; CPU backend, builds of 2026-10) for SmolLM2, gemma-3 and
hybrid models of four shapes, the true shapes of Qwen3.6-35B-A3B and Qwen3.5-122B-A10B among them, at 512 to 131,072
tokens a slot, 1 to 8 slots and ubatch 128 to 2048: there it is never less than 1 % below, and up to 4 % above for a
server seat with flash attention, up to 12 % for others. Buffers of GPU backends were not measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from lexforge.domain.record import Record
from lexforge.llm.boards import Board, Engine, SeatConfig
from lexforge.llm.gguf_file import bits_per_weight
from lexforge.llm.planner.model import KV_BYTES, Geometry, Layer, LayerKind, Sizes

GIB = 1 << 30
CUDA_OVERHEAD = GIB // 2
"""Of each accelerator: the CUDA context, its kernels, cuBLAS workspaces and scratch that llama.cpp takes as it goes. No
header says how much; this is an allowance, not a measurement."""

COPIES = 4
"""llama.cpp keeps the inputs of a graph four times when it spreads over several accelerators, so that they can work
on one batch after another (ggml-backend.cpp, GGML_SCHED_MAX_COPIES)."""

QUANTISATIONS = {"F16": 16.0, "Q8_0": 8.5, "Q6_K": 6.56, "Q5_K_M": 5.70, "Q4_K_M": 4.89, "Q3_K_M": 4.0}
"""Bits of one weight. Mixtures as llama.cpp measured them on Llama 3.1 8B (tools/quantize/README.md); other models and
the mixtures of others ("UD") differ by up to a tenth."""

_SIZES = ("input_sizes", "output_sizes", "active", "routed")
_CELLS = 256
"""The KV cache grows in steps of so many tokens (llama.cpp, GGML_PAD)."""


class Part(Record):
    """What one accelerator (or the machine) must hold, in bytes."""

    weights: int = 0
    kv: int = 0
    state: int = 0
    compute: int = 0
    overhead: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.kv + self.state + self.compute + self.overhead


class Room(Record):
    """A model on a board: what each accelerator holds, and the bytes each has (0: not known)."""

    parts: tuple[Part, ...]
    capacity: int

    @property
    def fits(self) -> bool:
        """Whether the fullest accelerator holds its part."""
        return self.capacity > 0 and self.headroom >= 0

    @property
    def headroom(self) -> float:
        """What is left on the fullest accelerator, GiB; negative: what is missing."""
        return (self.capacity - max(part.total for part in self.parts)) / GIB


class Candidate(Record):
    """One way to serve a model."""

    quantisation: str
    context: int
    room: Room


def room(geometry: Geometry, board: Board, seat: SeatConfig) -> Room:
    """What serving a model with a seat's settings takes on a board."""
    return _room_of(geometry, board, seat, seat.tensor_split)


def capacity(board: Board) -> int:
    """Bytes of one accelerator, or of this machine where the board has none."""
    if board.memory_gib or board.accelerators:
        return round(board.memory_gib * GIB)
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def candidates(
    geometry: Geometry, board: Board, seat: SeatConfig, contexts: Sequence[int], quantisations: Iterable[str]
) -> tuple[Candidate, ...]:
    """Every quantisation with every context, with the seat's other settings; both in the order given."""
    found = []
    for name in quantisations:
        scaled = geometry if name == geometry.file_type else as_quantised(geometry, name)
        for context in contexts:
            asked = seat.model_copy(update={"context": context})
            found.append(Candidate(quantisation=name, context=context, room=room(scaled, board, asked)))
    return tuple(found)


def as_quantised(geometry: Geometry, name: str) -> Geometry:
    """About the same model in another quantisation: all its matrices at that many bits a weight, F32 left alone."""
    layers = tuple(layer.model_copy(update={"sizes": _scaled(layer.sizes, name)}) for layer in geometry.layers)
    changed = {key: _scaled(getattr(geometry, key), name) for key in _SIZES}
    size = sum(layer.size for layer in layers) + sum(changed["output_sizes"].values())
    size += 0 if geometry.tied else sum(changed["input_sizes"].values())
    return geometry.model_copy(update={"layers": layers, "file_type": name, "size": size, **changed})


def _scaled(sizes: Sizes, name: str) -> Sizes:
    weights = sum(8 * size / bits_per_weight(kind) for kind, size in sizes.items() if kind != "F32")
    scaled = {name: round(weights * QUANTISATIONS[name] / 8)}
    return scaled | ({"F32": sizes["F32"]} if "F32" in sizes else {})


def parts(geometry: Geometry, seat: SeatConfig, accelerators: int, split: tuple[int, ...] = ()) -> tuple[Part, ...]:
    """What each accelerator holds when layers go to them in order; one part, the machine's, when there are none.

    `split` says how many each gets, the head counting as one more layer (llama.cpp's `-ts`); without it they share
    evenly. The embedding stays with the host.
    """
    count = max(1, accelerators) if seat.split == "layer" else 1
    held, start = [], 0
    for share in split or even_split(geometry, count):
        held.append(geometry.layers[start : start + share])
        start += share
    return tuple(
        Part(
            weights=sum(layer.size for layer in layers) + _ends(geometry, accelerators, number == count - 1),
            kv=round(sum(kv_size(layer, geometry, seat) for layer in layers)),
            state=4 * geometry.state_values * seat.slots * sum(layer.kind is LayerKind.RECURRENT for layer in layers),
            compute=compute_size(geometry, seat, count),
            overhead=CUDA_OVERHEAD if accelerators else 0,
        )
        for number, layers in enumerate(held)
    )


def even_split(geometry: Geometry, count: int) -> tuple[int, ...]:
    """Layers of each accelerator when `-ts` is 1,1,...; the head counts as one more.

    llama.cpp (`llama_model_base::load_tensors`) gives the i-th of n + 1 to accelerator i * count / (n + 1), so that the
    first ones get one more.
    """
    total = len(geometry.layers) + 1
    owners = [number * count // total for number in range(total)]
    return tuple(owners.count(number) for number in range(count))


def best_split(geometry: Geometry, board: Board, seat: SeatConfig) -> tuple[tuple[int, ...], Room]:
    """The split that leaves the fullest accelerator most room, among those a few layers away from the even one."""
    even = even_split(geometry, len(board.accelerators))
    tried = [even]
    for first in range(len(even) - 1):
        for last in range(first + 1, len(even)):
            tried += [_moved(split, first, last) for split in tuple(tried) if split[first] > 1]
    rooms = [(split, _room_of(geometry, board, seat, split)) for split in dict.fromkeys(tried)]
    return max(rooms, key=lambda one: one[1].headroom)


def _moved(split: tuple[int, ...], first: int, last: int) -> tuple[int, ...]:
    return tuple(share - (number == first) + (number == last) for number, share in enumerate(split))


def _room_of(geometry: Geometry, board: Board, seat: SeatConfig, split: tuple[int, ...]) -> Room:
    return Room(parts=parts(geometry, seat, len(board.accelerators), split), capacity=capacity(board))


def _ends(geometry: Geometry, accelerators: int, last: bool) -> int:
    """Embedding and head, where they lie: on a CPU both (once, when tied), on accelerators the head on the last."""
    embedding, head = sum(geometry.input_sizes.values()), sum(geometry.output_sizes.values())
    if accelerators:
        return head if last else 0
    return head + (0 if geometry.tied else embedding)


def kv_size(layer: Layer, geometry: Geometry, seat: SeatConfig) -> float:
    """Bytes of KV cache that one layer keeps for all slots."""
    cells = _padded(seat.context)
    if layer.kind is LayerKind.WINDOW and seat.engine is Engine.SERVER:  # the embedded engine keeps all of it
        cells = min(cells, _padded(geometry.window + seat.ubatch))
    return seat.slots * cells * (layer.k_width + layer.v_width) * KV_BYTES[seat.kv_type]


def compute_size(geometry: Geometry, seat: SeatConfig, accelerators: int = 1) -> int:
    """Bytes of the compute buffer of one accelerator: the largest step of one physical batch.

    The mask of attention grows with context times ubatch, whoever else is waiting: at the same total context fewer
    slots need bigger buffers. Without flash attention the scores of every head are kept as well. The embedded engine
    keeps logits for the whole batch, a server one row a slot.
    """
    tokens = min(seat.ubatch, seat.context * seat.slots)
    mask = _padded(seat.context) * tokens * (2 if seat.flash_attention else 4)
    if geometry.count(LayerKind.WINDOW):
        mask += min(_padded(seat.context), _padded(geometry.window + tokens)) * tokens * 2
    scores = 0 if seat.flash_attention else _padded(seat.context) * tokens * geometry.heads * 4
    width = 4 * tokens * _widest(geometry)
    state = 4 * geometry.state_values * seat.slots
    inputs = mask if accelerators == 1 else COPIES * (mask + 4 * tokens * geometry.width)
    attention = inputs + scores + width + state
    if seat.engine is Engine.SERVER:
        return attention
    return max(attention, 4 * tokens * geometry.vocabulary + width)


def _widest(geometry: Geometry) -> int:
    """Values a token that are alive at once in the widest step of a layer: feed-forward, experts, or recurrence."""
    width = geometry.width
    dense = 3 * geometry.feed_forward + geometry.heads * geometry.key_width + 3 * width
    experts = geometry.experts_used * (width + 3 * geometry.expert_width) + 4 * width
    recurrent = 2 * (geometry.mixed_width + geometry.inner_width) + 3 * width
    wide = [experts if geometry.experts else dense, recurrent if geometry.state_values else 0]
    return max(wide)


def _padded(tokens: int) -> int:
    return -(-tokens // _CELLS) * _CELLS
