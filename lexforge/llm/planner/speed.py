"""How fast a model will decode on a board: calibrated where the board is, else a roofline and what others published.

A split by layer is sequential: one token passes one accelerator after another, so only one card's bandwidth counts.
"""

from __future__ import annotations

from enum import StrEnum
from importlib import resources
from pathlib import Path

from lexforge.config import read_toml
from lexforge.domain.record import Record
from lexforge.llm.boards import Board, KvType
from lexforge.llm.planner.calibration import Calibration, Prediction, predict
from lexforge.llm.planner.measure import kv_read, load_of
from lexforge.llm.planner.model import Geometry

ONE_POINT_ERROR = 0.28
"""An estimate from one figure of another model, where it could be checked: 160 tok/s foretold, 125 measured (models of
the true shapes of Qwen3.6-35B-A3B and Qwen3.5-122B-A10B with random weights on one H200, llama.cpp b11434, 2026)."""


class Figure(Record):
    """A published figure: tokens per second of one request on a card, of a model told by its shape."""

    card: str
    accelerators: int
    architecture: str
    layers: int
    width: int
    quantisation: str
    bytes: float
    decode: float
    prefill: float = 0
    depth: int = 0
    source: str
    date: str
    note: str = ""

    def is_of(self, geometry: Geometry) -> bool:
        """Whether it is of this model, in whatever quantisation."""
        shape = (geometry.architecture, len(geometry.layers), geometry.width)
        return (self.architecture, self.layers, self.width) == shape


class _Table(Record):
    figures: tuple[Figure, ...]


class Basis(StrEnum):
    """Where a speed comes from."""

    CALIBRATED = "calibrated"
    UNCALIBRATED = "uncalibrated: roofline and published range"


class Speed(Record):
    """Tokens per second at a depth. `roofline` is what memory bandwidth allows (0: bandwidth not known).

    `decode` and `prefill` are calibrated predictions; `estimate` is drawn from one published figure of another model,
    as lowest, likely and highest.
    """

    basis: Basis
    depth: int
    roofline: float
    decode: tuple[float, float, float] | None = None
    prefill: tuple[float, float, float] | None = None
    estimate: tuple[float, float, float] | None = None
    published: tuple[Figure, ...] = ()


def roofline(geometry: Geometry, board: Board, kv_type: KvType, depth: int = 0) -> float:
    """Tokens per second if reading weights and KV cache once at one card's bandwidth were all; 0: not known."""
    return board.bandwidth_gb_s * 1e9 / (geometry.bytes_per_token + kv_read(geometry, kv_type, depth))


def speed(geometry: Geometry, board: Board, kv_type: KvType, depth: int, calibration: Calibration | None) -> Speed:
    """All that is known of a model's speed on a board."""
    known = Speed(
        basis=Basis.UNCALIBRATED,
        depth=depth,
        roofline=roofline(geometry, board, kv_type, depth),
        published=tuple(figure for figure in figures() if figure.card == board.card and figure.is_of(geometry)),
        estimate=estimate(geometry, board),
    )
    if calibration is None:
        return known
    load = load_of(geometry, kv_type, depth)
    found = predict(calibration.decode, load)
    if found is None:
        return known
    prefill = predict(calibration.prefill, load, prefill=True)
    changed = {"basis": Basis.CALIBRATED, "decode": _rates(found), "prefill": _rates(prefill) if prefill else None}
    return known.model_copy(update=changed)


def _rates(prediction: Prediction) -> tuple[float, float, float]:
    """Lowest, likely and highest tokens per second."""
    fastest = prediction.low if prediction.low > 0 else prediction.seconds
    return 1 / prediction.high, 1 / prediction.seconds, 1 / fastest


def estimate(geometry: Geometry, board: Board) -> tuple[float, float, float] | None:
    """From one published figure of another model of the same architecture on the same card; None without such a one.

    What that took beyond reading its bytes, shared out over its layers, is what a layer costs.
    """
    others = [f for f in figures() if f.card == board.card and not f.is_of(geometry)]
    same_kind = [f for f in others if f.architecture == geometry.architecture]
    if not same_kind or not board.bandwidth_gb_s:
        return None
    bandwidth = board.bandwidth_gb_s * 1e9
    layer = max(0.0, 1 / same_kind[0].decode - same_kind[0].bytes / bandwidth) / same_kind[0].layers
    likely = 1 / (geometry.bytes_per_token / bandwidth + layer * len(geometry.layers))
    return likely / (1 + ONE_POINT_ERROR), likely, likely * (1 + ONE_POINT_ERROR)


def figures() -> tuple[Figure, ...]:
    """The published figures that come with LexForge."""
    path = Path(str(resources.files("lexforge.llm.planner") / "published.toml"))
    return read_toml(path, _Table).figures
