"""A calibration run: probe models and real ones, through the engine of a seat, on its board."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from lexforge.domain.record import Record
from lexforge.llm.boards import Board, Engine, SeatConfig
from lexforge.llm.planner.calibration import Calibration, Fit, fit, predict
from lexforge.llm.planner.geometry import read_geometry
from lexforge.llm.planner.measure import (
    ROUNDS,
    TOKENS,
    TOKENS_ACCELERATOR,
    Decoder,
    Measurement,
    Pace,
    embedded,
    measure,
)
from lexforge.llm.planner.model import Geometry, LayerKind
from lexforge.llm.planner.probe_model import MEGABYTES, MEGABYTES_ACCELERATOR, WORDY, expert_probes, probes
from lexforge.llm.planner.server_probe import own_server

CONTEXT = 2048
"""Tokens of a slot while measuring; what a depth costs is fitted, not read off."""

Progress = Callable[[str], None]


class Shown(Record):
    """A real model: seconds measured, and foretold by a fit that did not see it (None: that did not know its types)."""

    model: str
    depth: int
    measured: float
    predicted: float | None


class Effort(Record):
    """How much is measured: answers of each model, and megabytes (1e6) of a larger probe; 0: as the board needs."""

    rounds: int = ROUNDS
    megabytes: int = 0


def calibrate(
    models: Sequence[Path],
    board: Board,
    seat: SeatConfig,
    effort: Effort,
    progress: Progress = lambda _: None,
) -> Calibration:
    """Measure probes of the types that `models` consist of, and these, and fit; SeatUnavailable when one does not load.

    On a CPU all models are loaded and asked in turn; on accelerators one after another, because they share memory.
    """
    geometries = [read_geometry(path) for path in models]
    kinds = tuple(sorted({kind for geometry in geometries for kind in geometry.active}))
    routed = sorted({kind for geometry in geometries for kind in geometry.routed})
    recurrent = any(geometry.count(LayerKind.RECURRENT) for geometry in geometries)
    size = effort.megabytes or (MEGABYTES_ACCELERATOR if board.accelerators else MEGABYTES)
    short = seat.model_copy(update={"context": CONTEXT})
    with tempfile.TemporaryDirectory(prefix="lf-") as folder:
        files = {path.name: path for path in models}
        apart = (*expert_probes(routed, size), *((WORDY,) if board.accelerators else ()))
        for probe in (*probes(kinds, recurrent, size), *apart):
            files[probe.name] = probe.write(Path(folder))
        found = _measured(files, board, short, effort.rounds, progress)
    return Calibration(
        board=board.name,
        date=datetime.now(UTC).date().isoformat(),
        build=_build(seat),
        threads=seat.threads,
        kv_type=seat.kv_type.value,
        measurements=found,
        decode=fit(found),
        prefill=fit(found, prefill=True),
    )


def _measured(
    files: dict[str, Path], board: Board, seat: SeatConfig, rounds: int, progress: Progress
) -> tuple[Measurement, ...]:
    together = [files] if not board.accelerators else [{name: path} for name, path in files.items()]
    found: list[Measurement] = []
    for some in together:
        with ExitStack() as engines:
            decoders: dict[str, tuple[Geometry, Decoder]] = {}
            for name, path in some.items():
                progress(f"loading {name}")
                engine = embedded if seat.engine is Engine.EMBEDDED else own_server
                decoders[name] = (read_geometry(path), engines.enter_context(engine(path, seat, board)))
            found += measure(
                decoders,
                seat.kv_type,
                Pace(rounds, TOKENS_ACCELERATOR if board.accelerators else TOKENS),
                progress=lambda done, of: progress(f"round {done} of {of}"),
            )
    return tuple(found)


def _build(seat: SeatConfig) -> str:
    if seat.engine is Engine.EMBEDDED:
        return f"llama-cpp-python {version('llama-cpp-python')}"
    return seat.program


def shown(calibration: Calibration) -> tuple[Shown, ...]:
    """Each real model beside what the others alone say of it."""
    found = []
    for one in calibration.measurements:
        if not one.probe:
            others = [m for m in calibration.measurements if m.model != one.model]
            without: Fit | None = fit(others) if others else None
            told = predict(without, one.load) if without else None
            found.append(
                Shown(model=one.model, depth=one.depth, measured=one.seconds, predicted=told.seconds if told else None)
            )
    return tuple(found)
