"""Rooflines, published figures, estimates, alarms and advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.llm import boards
from lexforge.llm.boards import Board, KvType, SeatName
from lexforge.llm.planner.advice import advice, alarm, published_alarms
from lexforge.llm.planner.model import Geometry
from lexforge.llm.planner.speed import Basis, estimate, figures, roofline, speed
from tests.llm.planner.models import CPU, DENSE, FOUR_V100, QWEN_35B, QWEN_122B, dense, hybrid, seat


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Geometry:
    return hybrid(tmp_path_factory.mktemp("m") / "35b.gguf", QWEN_35B)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Geometry:
    return hybrid(tmp_path_factory.mktemp("m") / "122b.gguf", QWEN_122B)


def test_a_split_has_the_roofline_of_one_card(large: Geometry) -> None:
    one = FOUR_V100.model_copy(update={"accelerators": (0,)})
    assert roofline(large, FOUR_V100, KvType.F16) == roofline(large, one, KvType.F16)
    assert roofline(large, FOUR_V100, KvType.F16) == pytest.approx(93, abs=2)


def test_deep_in_a_slot_and_with_a_larger_cache_it_is_lower(small: Geometry) -> None:
    rates = [
        roofline(small, FOUR_V100, kv, d) for kv, d in ((KvType.F16, 0), (KvType.Q8_0, 65_536), (KvType.F16, 65_536))
    ]
    assert rates == sorted(rates, reverse=True)


def test_without_bandwidth_there_is_no_roofline_and_no_alarm(small: Geometry) -> None:
    assert roofline(small, CPU, KvType.F16) == 0
    assert alarm(1e6, small, CPU, KvType.F16) == ""


@pytest.mark.parametrize(
    ("rate", "alarmed", "reason"),
    [
        (98.8, False, "what was published for this model on this card"),
        (275, False, "just below what reading the weights takes"),
        (300, True, "more than the bandwidth of one card allows"),
    ],
)
def test_a_figure_above_the_roofline_raises_an_alarm(rate: float, alarmed: bool, reason: str, small: Geometry) -> None:
    said = alarm(rate, small, FOUR_V100, KvType.F16)
    assert bool(said) is alarmed, reason
    assert "speculative decoding or several requests" in said or not alarmed


def test_every_published_figure_names_its_source_and_its_date() -> None:
    assert all(figure.source and figure.date.startswith("20") for figure in figures())


def test_published_figures_are_told_by_shape_and_card(small: Geometry, large: Geometry, tmp_path: Path) -> None:
    def published(geometry: Geometry, board: Board) -> list[float]:
        return [figure.decode for figure in speed(geometry, board, KvType.F16, 0, None).published]

    assert published(small, FOUR_V100) == [98.8]
    assert published(large, FOUR_V100) == [50]
    assert published(large, CPU) == []
    assert published(dense(tmp_path / "m.gguf", DENSE), FOUR_V100) == []
    assert published_alarms(large, FOUR_V100) == ()
    slow = FOUR_V100.model_copy(update={"bandwidth_gb_s": 90})
    assert "several requests" in published_alarms(large, slow)[0]


def test_an_estimate_comes_from_the_other_model_on_that_card(large: Geometry) -> None:
    found = estimate(large, FOUR_V100)
    assert found is not None
    low, likely, high = found
    assert likely == pytest.approx(51, abs=1)
    assert low < 50 < high, "the published figure, which it did not see"


def test_uncalibrated_says_so(small: Geometry) -> None:
    found = speed(small, FOUR_V100, KvType.F16, 0, None)
    assert found.basis is Basis.UNCALIBRATED
    assert found.decode is None
    assert estimate(small, CPU) is None


ADVISED = [
    ({}, FOUR_V100, {"4 servers of one card each instead of one over 4", "ubatch = 2048", "slots = 4"}, "35B at Q6_K"),
    ({"ubatch": 2048, "slots": 4, "split": "none"}, FOUR_V100, set(), "nothing left to say"),
    ({"ubatch": 2048, "slots": 4, "split": "none", "kv_type": "q8_0"}, FOUR_V100, {'kv_type = "f16"'}, "f16 fits"),
    (
        {"ubatch": 2048, "slots": 4, "split": "none", "cache_ram_mib": 512},
        FOUR_V100,
        {"cache_ram_mib = 0"},
        "the prompt cache stalls",
    ),
    ({"engine": "embedded"}, CPU, set(), "the embedded engine has none of these settings"),
]


@pytest.mark.parametrize(("settings", "board", "expected", "reason"), ADVISED, ids=[row[3] for row in ADVISED])
def test_advice(settings: dict[str, object], board: Board, expected: set[str], reason: str, tmp_path: Path) -> None:
    shape = QWEN_35B.model_copy(update={"kind": "Q6_K", "expert_kind": "Q6_K"})
    found = advice(hybrid(tmp_path / "m.gguf", shape), board, seat(**settings))
    assert {one.what for one in found} == expected, reason
    assert all(any(sign.isdigit() for sign in one.why) or "stalls" in one.why for one in found), "a measured reason"


def test_the_large_model_is_told_how_to_be_split(large: Geometry) -> None:
    found = advice(large, FOUR_V100, seat(context=32_768))
    assert found[0].what == "tensor_split = [12, 12, 12, 13]"


@pytest.mark.parametrize("name", ["v100-two-boards", "rtx5090-r9700"])
def test_the_example_boards_load_and_hold_two_models_on_two_boards(name: str, tmp_path: Path) -> None:
    found = boards.load(name, tmp_path)
    assert len({seat.board for seat in found.seats.values()}) == 2
    assert all(board.memory_gib == 32 and board.bandwidth_gb_s for board in found.boards)
    assert found.seats[SeatName.WORKHORSE].model != found.seats[SeatName.REASONER].model
