"""A board's speed, fitted to measurements taken on it, and what it predicts for another model.

Seconds for a token = bytes / B (per GGML type, and for experts apart, because each has kernels of its own) + rows * r +
layers * tau (+ recurrent layers * tau') + KV bytes / K + vocabulary * v (sampling, which a CPU does) + c, none of them
negative (scipy.optimize.nnls, Lawson and Hanson 1974), fitted for the least relative error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from lexforge.config import home, validated
from lexforge.domain.record import Record
from lexforge.errors import MatterError
from lexforge.llm.planner.measure import Load, Measurement

ROUTED = "experts"
_REST = ("rows", "layers", "recurrent", "kv", "vocabulary", "constant")
LONG_PROMPT = 100
"""Tokens."""
LEAST_ERROR = 0.05
"""What is claimed at best, by choice: a few models that happen to agree prove no more."""


class Fit(Record):
    """Seconds by feature: a byte of a GGML type, a row, a layer, a recurrent layer more, a byte of KV, the constant.

    `error` is the largest relative error of a real model that is predicted from everything measured but itself; where
    there is none, of the fit.
    """

    cost: dict[str, float]
    error: float

    def seconds(self, load: Load, prefill: bool = False) -> float | None:
        """Seconds for one token; None when the model has a type that was not measured."""
        features = _features(load, prefill)
        if any(kind not in self.cost for kind in features):
            return None
        return sum(self.cost[name] * amount for name, amount in features.items())


class Calibration(Record):
    """What is kept of a board: where and when it was measured, with what, and the two fits."""

    board: str
    date: str
    build: str
    threads: int
    kv_type: str
    measurements: tuple[Measurement, ...]
    decode: Fit
    prefill: Fit


class Prediction(Record):
    """Seconds for one token, and the range that the error of the calibration leaves."""

    seconds: float
    low: float
    high: float


def predict(fitted: Fit, load: Load, prefill: bool = False) -> Prediction | None:
    """What a fit says of a model's load; None when the model has a type that was not measured."""
    seconds = fitted.seconds(load, prefill)
    if seconds is None:
        return None
    return Prediction(seconds=seconds, low=seconds * (1 - fitted.error), high=seconds * (1 + fitted.error))


def fit(measurements: Sequence[Measurement], prefill: bool = False) -> Fit:
    """The fit to decode (or prefill) seconds; MatterError when there are no measurements.

    Prefill is looked at where the prompt is long, as it is in use: a handful of tokens costs more each.
    """
    if prefill:
        measurements = [m for m in measurements if m.depth >= LONG_PROMPT] or measurements
    if not measurements:
        raise MatterError("There is nothing to calibrate from.", "Name a model that the engine can answer with.")
    cost = _solved(measurements, prefill)
    missed: list[float | None] = []
    for model in {m.model for m in measurements if not m.probe}:
        if others := [m for m in measurements if m.model != model]:
            without = Fit(cost=_solved(others, prefill), error=0)
            missed += [_miss(without, m, prefill) for m in measurements if m.model == model]
    told = [miss for miss in missed if miss is not None]
    if not told:
        told = [miss for m in measurements if (miss := _miss(Fit(cost=cost, error=0), m, prefill)) is not None]
    return Fit(cost=cost, error=max(LEAST_ERROR, *told))


def _miss(fitted: Fit, measurement: Measurement, prefill: bool) -> float | None:
    seconds = fitted.seconds(measurement.load, prefill)
    return None if seconds is None else abs(seconds / _taken(measurement, prefill) - 1)


def _taken(measurement: Measurement, prefill: bool) -> float:
    return measurement.prefill_seconds if prefill else measurement.seconds


def _features(load: Load, prefill: bool) -> dict[str, float]:
    """Amounts by feature.

    F32 vectors are a part of what a layer costs; a prompt's tokens share its reads of KV and are not sampled.
    """
    sizes = load.body if prefill else load.active
    found: dict[str, float] = {kind: size - load.routed.get(kind, 0) for kind, size in sizes.items() if kind != "F32"}
    found |= {f"{ROUTED} {kind}": size for kind, size in load.routed.items()}
    alone = (0.0, 0.0) if prefill else (load.kv, load.vocabulary)
    rest = (load.rows, load.layers, load.recurrent, *alone, 1.0)
    return found | dict(zip(_REST, rest, strict=True))


def _solved(measurements: Sequence[Measurement], prefill: bool) -> dict[str, float]:
    rows = [_features(m.load, prefill) for m in measurements]
    names = sorted({name for row in rows for name in row})
    taken = np.array([_taken(m, prefill) for m in measurements])
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in rows]) / taken[:, None]
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1.0
    solution, _ = nnls(matrix / scale, np.ones(len(rows)))
    return {name: float(value) for name, value in zip(names, solution / scale, strict=True)}


def calibration_file(board: str) -> Path:
    """Where a board's calibration is kept."""
    return home() / "calibration" / f"{board}.json"


def store(calibration: Calibration) -> Path:
    """Write it, readable by the user alone: it says what hardware there is."""
    path = calibration_file(calibration.board)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(calibration.model_dump_json(indent=1))
    partial.replace(path)
    return path


def stored(board: str) -> Calibration | None:
    """The calibration of a board, or None; MatterError when its file cannot be used."""
    path = calibration_file(board)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise MatterError(f"{path} cannot be read.", "Delete it and run `lexforge boards calibrate` again.") from None
    return validated(raw, Calibration, path)
