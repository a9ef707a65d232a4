"""`lexforge compare` over scripted drafts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lexforge.cli.compare import command
from lexforge.errors import RunError
from tests.cli.test_throughput import draft


def invoke(*words: str | Path) -> Result:
    runner = CliRunner(env={"COLUMNS": "200"})
    return runner.invoke(command, [str(word) for word in words], catch_exceptions=False)


def compare(*words: str | Path) -> str:
    done = invoke(*words)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def copies(matter: Path, tmp_path: Path) -> list[Path]:
    """The matter in three places under its one name, drafted in each by the same models."""
    places = [matter] + [Path(shutil.copytree(matter, tmp_path / str(n) / matter.name)) for n in range(2)]
    for place in places:
        draft(place)
    return places


def test_runs_with_other_models_are_refused_by_name(matter: Path) -> None:
    draft(matter)
    draft(matter, "two")
    with pytest.raises(RunError) as refusal:
        compare(f"{matter}:1", f"{matter}:2")
    assert f"the reasoner's architecture is one and two in {matter}:1 and {matter}:2" in refusal.value.message
    assert "--varying architecture" in refusal.value.advice


def test_other_models_that_were_meant(matter: Path) -> None:
    draft(matter)
    draft(matter, "two")
    text = compare(f"{matter}:1", f"{matter}:2", "--varying", "architecture")
    assert "Meant to differ: architecture" in text
    assert "A: one run, so it is unknown how far it would differ from itself" in text
    assert text.index("Each side against itself") < text.index("Pairs: ") < text.index("Tests over the pairs")
    assert "too few pairs" in text


def test_repetitions_are_compared_with_themselves_first(copies: list[Path]) -> None:
    text = compare(f"{copies[0]},{copies[1]}", copies[2])
    assert "A: 2 runs; 6 of 6 requests that were answered more than once got the same answer each time" in text
    assert "Pairs: 4, of which 4 asked exactly the same questions on both sides" in text


def test_a_run_is_no_repetition_of_itself(copies: list[Path]) -> None:
    with pytest.raises(RunError, match="is named more than once"):
        compare(f"{copies[0]},{copies[0]}:1", copies[1])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("a,,b", "c"), "a name is missing in"),
        (("a", "b", "--varying", "speed"), "'speed' is not one of"),
        (("a",), "Missing argument 'RUN_B'"),
    ],
    ids=["no name between commas", "no such key", "one side only"],
)
def test_a_command_line_that_is_wrong(words: tuple[str, ...], told: str) -> None:
    done = invoke(*words)
    assert done.exit_code == 2
    assert told in done.output
