"""Probe models: small random-weight files whose bytes, rows and layers vary apart, so that a speed can be fitted.

Decoding costs time for each byte read, for each row multiplied and for each layer begun. One model cannot tell these
apart; a few shapes can: long rows (almost only bytes), short rows, and many thin layers (almost only layers).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lexforge.domain.record import Record
from lexforge.llm.planner.measure import PROBE
from lexforge.llm.planner.model_file import KINDS, write_model
from lexforge.llm.planner.shapes import (
    DenseShape,
    HybridShape,
    dense_metadata,
    dense_tensors,
    hybrid_metadata,
    hybrid_tensors,
)

VOCABULARY = 1024
HEAD_WIDTH = 64
MEGABYTES = 96
"""Of the larger probes on a CPU: more than its caches hold, or the figure is that of the caches."""
MEGABYTES_ACCELERATOR = 1024
"""On an accelerator: reading them must take longer than starting their kernels."""
_LONG, _SHORT, _THIN = 2048, 512, 64
_NARROWEST = 256
"""The K types come in blocks of so many weights."""


class Probe(Record):
    """One probe: a name for people, and its shape."""

    name: str
    shape: DenseShape | HybridShape

    def write(self, folder: Path) -> Path:
        """Its file in `folder`."""
        path = folder / f"{self.name.removeprefix(PROBE)}.gguf"
        if isinstance(self.shape, DenseShape):
            write_model(path, dense_metadata(self.shape), dense_tensors(self.shape))
        else:
            write_model(path, hybrid_metadata(self.shape), hybrid_tensors(self.shape))
        return path


def probes(kinds: tuple[str, ...], recurrent: bool, megabytes: int = MEGABYTES) -> tuple[Probe, ...]:
    """A thin probe, and for each GGML type one with long and one with short rows; a hybrid one where wanted.

    `megabytes` are of 1e6 bytes. Types that cannot be written are left out; a calibration then says nothing of them.
    """
    found = [_dense("thin", "Q8_0", 64, _THIN, _THIN)]
    for kind in kinds:
        if kind in KINDS and kind != "F32":
            found += [_sized("long", kind, _LONG, megabytes), _sized("short", kind, _SHORT, megabytes)]
    if recurrent:
        found += [Probe(name=f"{PROBE}hybrid", shape=_HYBRID), Probe(name=f"{PROBE}state", shape=_STATE)]
    return tuple(found)


def expert_probes(kinds: Iterable[str], megabytes: int = MEGABYTES) -> tuple[Probe, ...]:
    """For each GGML type of experts a hybrid probe in which they are most of what a token reads."""
    written = [kind for kind in kinds if kind in KINDS]
    layers = max(4, megabytes // 80)
    return tuple(
        Probe(
            name=f"{PROBE}experts-{kind}",
            shape=_HYBRID.model_copy(
                update={
                    **{"layers": layers, "width": 1536, "heads": 12, "head_width": 128, "experts": 16},
                    **{"experts_used": 8, "expert_width": 768, "v_heads": 16, "qk_heads": 8, "state": 128},
                    "expert_kind": kind,
                }
            ),
        )
        for kind in written
    )


WORDY = Probe(
    name=f"{PROBE}vocabulary",
    shape=DenseShape(
        layers=2,
        width=256,
        heads=4,
        kv_heads=1,
        head_width=HEAD_WIDTH,
        feed_forward=256,
        vocabulary=262_144,
        kind="Q8_0",
    ),
)
"""For boards with accelerators: there the CPU chooses each token from the vocabulary while the cards wait. On a CPU
board this probe made the prediction of gemma-3-270m worse (22 to 30 % off instead of 9 to 12), it is not known why;
there the constant takes the choosing in."""

_HYBRID = HybridShape(
    layers=40,
    width=128,
    heads=4,
    kv_heads=2,
    head_width=64,
    experts=8,
    experts_used=2,
    expert_width=64,
    v_heads=4,
    qk_heads=2,
    state=64,
    vocabulary=VOCABULARY,
    kind="Q8_0",
    expert_kind="Q8_0",
)

_STATE = _HYBRID.model_copy(update={"layers": 16, "v_heads": 32, "qk_heads": 16, "state": 128})
"""The same with a recurrent state of real size: without it its cost could not be told from the experts'."""


def _sized(name: str, kind: str, width: int, megabytes: float) -> Probe:
    """Four layers of a width (less for a small file), and so wide a feed-forward part that it has the wanted size."""
    weights = megabytes * 1e6 / KINDS[kind].size * KINDS[kind].values / 4
    while width > _NARROWEST and 4 * width**2 > weights:
        width //= 2
    feed_forward = max(1, round((weights - 2.5 * width**2) / 3 / width / 256)) * 256
    return _dense(f"{name}-{kind}", kind, 4, width, feed_forward)


def _dense(name: str, kind: str, layers: int, width: int, feed_forward: int) -> Probe:
    heads = width // HEAD_WIDTH
    shape = DenseShape(
        layers=layers,
        width=width,
        heads=heads,
        kv_heads=max(1, heads // 4),
        head_width=HEAD_WIDTH,
        feed_forward=feed_forward,
        vocabulary=VOCABULARY,
        kind=kind,
    )
    return Probe(name=PROBE + name, shape=shape)
