"""Board files, weights, and the refusals that belong to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.errors import MatterError, SeatUnavailable
from lexforge.llm import boards
from lexforge.llm.boards import SeatConfig, SeatName
from lexforge.llm.weights import locate

SEAT = """
[seats.{name}]
board = "cpu"
model = "/nowhere/model.gguf"
weights_sha256 = "{sha}"
quantisation = "Q8_0"
"""
BOARD = '[[boards]]\nname = "cpu"\n'
WORKHORSE, REASONER = SEAT.format(name="workhorse", sha="0" * 64), SEAT.format(name="reasoner", sha="1" * 64)


def test_the_shipped_board_file_seats_two_different_models(tmp_path: Path) -> None:
    board = boards.load("embedded", tmp_path)
    assert {SeatName.WORKHORSE, SeatName.REASONER} == set(board.seats)
    assert len({seat.weights_sha256 for seat in board.seats.values()}) == 2


def test_the_adversary_is_always_the_other_seat() -> None:
    assert SeatName.WORKHORSE.other is SeatName.REASONER
    assert SeatName.REASONER.other is SeatName.WORKHORSE


FLAWS = {
    "one_seat_missing": (BOARD + WORKHORSE, "no seat reasoner"),
    "board_not_listed": ('[[boards]]\nname = "other"\n' + WORKHORSE + REASONER, "sits on board 'cpu'"),
    "hash_not_pinned": (BOARD + WORKHORSE.replace("0" * 64, "latest"), "weights_sha256"),
    "seat_on_two_boards": (BOARD + WORKHORSE.replace('"cpu"', '["cpu", "gpu"]'), "board"),
    "unknown_seat": (BOARD + SEAT.format(name="cloud", sha="0" * 64), "seats"),
    "split_for_other_cards": (BOARD + WORKHORSE + "tensor_split = [1, 1]\n" + REASONER, "one number for each of the 0"),
    "unknown_engine": (BOARD + WORKHORSE + 'engine = "openai"\n', "engine"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flawed_board_file_is_refused(flaw: str, tmp_path: Path) -> None:
    text, message = FLAWS[flaw]
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(MatterError, match=message):
        boards.load("mine", tmp_path)


def test_a_missing_board_file_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(MatterError, match=r"No board file nowhere\.toml"):
        boards.load("nowhere", tmp_path)


def seat(model: str, sha: str = "0" * 64) -> SeatConfig:
    return SeatConfig(board="cpu", model=model, weights_sha256=sha, quantisation="Q8_0")


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("/nowhere/model.gguf", "no such file"),
        ("package:no_such_package_here/model.gguf", "no such package"),
        ("package:lexforge/model.gguf", "no such file in the package"),
        ("assemble:no_such_package_here", "nothing to assemble"),
    ],
)
def test_missing_weights(model: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SeatUnavailable) as refused:
        locate(seat(model), "workhorse")
    assert refused.value.code == "file_missing"


def test_weights_that_are_not_the_pinned_ones(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF but another one")
    with pytest.raises(SeatUnavailable, match="is not the one its board file pins") as refused:
        locate(seat(str(tmp_path / "model.gguf")), "workhorse")
    assert refused.value.code == "hash_differs"


def test_nothing_half_assembled_remains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module = tmp_path / "broken_weights.py"
    module.write_text("def assemble(path, overwrite):\n    path.write_bytes(b'half')\n    raise OSError('disk full')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SeatUnavailable, match="disk full"):
        locate(seat("assemble:broken_weights"), "reasoner")
    assert list((tmp_path / "lexforge").rglob("*.*")) == []
