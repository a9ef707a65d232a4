"""Measuring with real engines: the embedded one, and a llama-server that lives for the measurement."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import KvType
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.measure import PROBE, Pace, Timing, embedded, measure
from lexforge.llm.planner.probe_model import WORDY, Probe, probes
from lexforge.llm.planner.server_probe import own_server
from tests.llm.llama_server import program, smollm2
from tests.llm.planner.models import CPU, DENSE, dense, seat


def test_probes_differ_in_bytes_rows_and_layers_apart(tmp_path: Path) -> None:
    found = {probe.name.removeprefix(PROBE): probe for probe in probes(("Q8_0", "Q4_K"), recurrent=True, megabytes=24)}
    shapes = {name: read_geometry(probe.write(tmp_path)) for name, probe in found.items()}
    assert set(shapes) == {
        "thin",
        "long-Q8_0",
        "short-Q8_0",
        "long-Q4_K",
        "short-Q4_K",
        "hybrid",
        "state",
    }
    assert read_geometry(WORDY.write(tmp_path)).vocabulary > 100 * shapes["thin"].vocabulary
    long, short, thin = shapes["long-Q8_0"], shapes["short-Q8_0"], shapes["thin"]
    assert long.size == pytest.approx(24e6, rel=0.1)
    assert short.active_rows / short.size > 1.4 * long.active_rows / long.size
    assert len(thin.layers) > 10 * len(long.layers)
    assert thin.size < long.size / 10
    assert shapes["long-Q4_K"].active.keys() == {"Q4_K", "F32"}


@pytest.mark.parametrize("kind", ["F16", "Q8_0", "Q4_1", "Q4_K", "Q6_K"])  # one of each layout of blocks
def test_what_is_written_is_decoded(kind: str, tmp_path: Path) -> None:
    shape = DENSE.model_copy(update={"kind": kind, "layers": 2})
    path = Probe(name="one", shape=shape).write(tmp_path)
    with embedded(path, seat(engine="embedded", context=512), CPU) as decode:
        found = decode(16, 4)
    assert found is not None, "a probe must never end its answer by itself"
    assert found.decode > 0
    assert 10 < found.depth < 30


def test_the_embedded_engine_and_a_server_of_its_own_are_both_measured(tmp_path: Path) -> None:
    config = seat(program=program(tmp_path), context=1024, slots=2)
    path = smollm2()
    with embedded(path, config, CPU) as first, own_server(path, config, CPU) as second:
        decoders = {"embedded": (read_geometry(path), first), "server": (read_geometry(path), second)}
        found = measure(decoders, KvType.F16, Pace(rounds=1, depths=(16,)))
    assert [one.model for one in found] == ["embedded", "server"]
    assert all(one.seconds > 0 and one.prefill_seconds > 0 and not one.probe for one in found)
    assert found[0].load.active == found[1].load.active


@pytest.mark.parametrize(
    ("timings", "kept", "reason"),
    [
        ([Timing(16, 3.0, 1.0), Timing(16, 2.0, 1.0), Timing(16, 5.0, 1.0)], 2.0, "the least disturbed answer counts"),
        ([None, Timing(16, 3.0, 1.0)], 3.0, "an answer that ended at once says nothing"),
        ([None, None], None, "a model that never goes on is left out"),
    ],
)
def test_the_least_disturbed_answer_counts(
    timings: list[Timing | None], kept: float | None, reason: str, tmp_path: Path
) -> None:
    left = iter(timings)
    decoders = {"m": (dense(tmp_path / "m.gguf", DENSE), lambda depth, tokens: next(left))}
    found = measure(decoders, KvType.F16, Pace(rounds=len(timings), depths=(16,)))
    assert (found[0].seconds if found else None) == kept, reason


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(SeatUnavailable, match="no-such-server") as refused,
        own_server(smollm2(), seat(program="no-such-server"), CPU),
    ):
        pass
    assert refused.value.code == "program_missing"


def test_a_file_that_does_not_load_is_named(tmp_path: Path) -> None:
    dense(tmp_path / "cut.gguf", DENSE)
    os.truncate(tmp_path / "cut.gguf", 30_000)
    with pytest.raises(SeatUnavailable, match=r"cut\.gguf"), embedded(tmp_path / "cut.gguf", seat(), CPU):
        pass
