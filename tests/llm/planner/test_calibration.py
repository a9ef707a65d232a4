"""Fitting a board's speed to measurements, and predicting another model with it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from lexforge.errors import MatterError
from lexforge.llm.planner.calibration import LEAST_ERROR, Calibration, calibration_file, fit, predict, store, stored
from lexforge.llm.planner.measure import Load, Measurement

BANDWIDTH, LAYER, ROW, KV, CONSTANT = 1.75e12, 60e-6, 0.0, 2.5e12, 0.22e-3


def load(size: float, layers: int, kv: float = 0, kind: str = "Q8_0", rows: int = 0) -> Load:
    sizes = {kind: round(size)}
    return Load(layers=layers, recurrent=0, rows=rows, vocabulary=0, active=sizes, routed={}, body=sizes, kv=kv)


def truth(one: Load) -> float:
    """Seconds on an invented board."""
    size = sum(one.active.values())
    return size / BANDWIDTH + LAYER * one.layers + ROW * one.rows + one.kv / KV + CONSTANT


def measured(one: Load, name: str = "probe", noise: float = 0, depth: int = 16) -> Measurement:
    seconds = truth(one) * (1 + noise)
    return Measurement(
        model=name,
        probe=name.startswith("probe"),
        load=one,
        depth=depth,
        seconds=seconds,
        prefill_seconds=seconds / 40,
    )


PROBES = [
    measured(load(1e9, 4)),
    measured(load(1e9, 4, kv=1e9), depth=65_536),
    measured(load(4e9, 4)),
    measured(load(5e7, 64)),
    measured(load(1e6, 1)),
]


def test_a_model_that_was_not_measured_is_predicted() -> None:
    other = load(9.6e9, 48, kv=0.5e9)
    found = predict(fit(PROBES), other)
    assert found is not None
    assert found.seconds == pytest.approx(truth(other), rel=0.01)
    assert found.low < truth(other) < found.high


def test_no_part_of_the_time_is_ever_negative() -> None:
    noisy = [measured(one.load, noise=0.2 * (-1) ** number) for number, one in enumerate(PROBES)]
    assert min(fit(noisy).cost.values()) >= 0


def test_a_type_that_was_not_measured_is_not_predicted() -> None:
    assert predict(fit(PROBES), load(1e9, 40, kind="Q4_K")) is None


def test_each_type_has_a_speed_of_its_own() -> None:
    slow = [measured(load(size, 4, kind="Q4_1"), noise=1.0) for size in (1e9, 4e9)]
    cost = fit([*PROBES, *slow]).cost
    assert cost["Q4_1"] > 1.5 * cost["Q8_0"]


@pytest.mark.parametrize(
    ("noise", "error", "reason"),
    [
        (0.0, LEAST_ERROR, "a perfect fit still claims no more than measurements repeat"),
        (0.5, 1 - 1 / 1.5, "a real model that the others miss by a third is what the error says"),
    ],
)
def test_the_error_is_that_of_real_models_predicted_from_the_others(noise: float, error: float, reason: str) -> None:
    real = measured(load(3e9, 40), name="model.gguf", noise=noise)
    assert fit([*PROBES, real]).error == pytest.approx(error, abs=0.02), reason


def test_one_model_alone_is_no_calibration_of_others() -> None:
    only = fit([measured(load(2.4e9, 40), name="model.gguf")])
    assert only.error >= LEAST_ERROR
    with pytest.raises(MatterError, match="nothing to calibrate"):
        fit([])


def calibration(board: str = "cpu") -> Calibration:
    return Calibration(
        board=board,
        date="2026-12-01",
        build="b1",
        threads=1,
        kv_type="f16",
        measurements=tuple(PROBES),
        decode=fit(PROBES),
        prefill=fit(PROBES, prefill=True),
    )


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_it_is_kept_for_the_user_alone(own_home: Path) -> None:
    assert stored("cpu") is None
    path = store(calibration())
    assert path.is_relative_to(own_home)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stored("cpu") == calibration()
    assert stored("other") is None
    assert [p.name for p in path.parent.iterdir()] == ["cpu.json"], "nothing half written stays"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"board": "cpu"}'])
def test_a_damaged_calibration_is_an_error_with_advice(text: str, own_home: Path) -> None:
    calibration_file("cpu").parent.mkdir(parents=True)
    calibration_file("cpu").write_text(text, encoding="utf-8")
    with pytest.raises(MatterError) as refused:
        stored("cpu")
    assert refused.value.advice
