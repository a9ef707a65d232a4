"""What is refused, and that the refusal names it."""

from __future__ import annotations

import pytest

from lexforge.errors import RunError
from lexforge.measure.runs import MeasuredRun
from lexforge.measure.sides import Side, left_out, require_comparable, shared_keys
from tests.measure.made import call, calls, run, sides

PLAIN = calls(1, 1)
A = run(PLAIN)
SLOTS_TOGETHER = (PLAIN[0], PLAIN[1].model_copy(update={"began_ms": 1990.0}), PLAIN[2])


def test_runs_that_are_alike_are_compared() -> None:
    require_comparable(*sides(A, run(PLAIN, 2)))


REFUSED: list[tuple[str, MeasuredRun, tuple[str, ...], str]] = [
    ("another runtime", run(PLAIN, 2, runtime="b2"), (), "the workhorse's runtime is b1 and b2 in orchard:1"),
    (
        "another weights file",
        run(PLAIN, 2, weights_sha256="b" * 64),
        (),
        "the workhorse's weights_sha256 is aaaaaaaaaaaa and bbbbbbbbbbbb in",
    ),
    (
        "other arguments",
        run(PLAIN, 2, argv=["-c", "4096", "-fa", "-ctk", "q8_0"]),
        (),
        "the workhorse's argv is without that and -ctk q8_0 in",
    ),
    ("more differs than was named", run(PLAIN, 2, runtime="b2", slots=2), ("runtime",), "slots is 1 and 2"),
    ("a key of one side only", run(PLAIN, 2, kv="q8_0"), (), "the workhorse's kv is None and q8_0"),
    ("named and alike", run(PLAIN, 2), ("runtime",), "runtime was said to vary and is the same on both sides"),
    (
        "another cache state",
        run((*PLAIN[:2], call(2000, section="s2", cached_tokens=25)), 2),
        (),
        "the cached share of draft s2 (workhorse) is 0% and 20% in orchard:1 and orchard:2",
    ),
    (
        "another concurrency",
        run(SLOTS_TOGETHER, 2),
        (),
        "the workhorse had at most 1 and 2 calls at once in orchard:1 and orchard:2",
    ),
    ("another matter", run(PLAIN, 2, matter="quarry"), (), "the runs are of different matters: orchard, quarry"),
    (
        "nothing in common",
        run((PLAIN[0], call(1000, section="s9")), 2),
        (),
        "no section was worked on in all of them (side A: draft s1 (workhorse), draft s2 (workhorse); side B: draft s9",
    ),
    ("a warm-up and nothing else", run(PLAIN[:1], 2), (), "side B: nothing after the warm-up"),
    ("the same run twice", A, (), "orchard:1 is named more than once"),
]


@pytest.mark.parametrize(("flaw", "other", "varying", "named"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refused(flaw: str, other: MeasuredRun, varying: tuple[str, ...], named: str) -> None:
    with pytest.raises(RunError) as refusal:
        require_comparable(*sides(A, other), varying)
    assert named in refusal.value.message, flaw


ALLOWED: list[tuple[str, MeasuredRun, tuple[str, ...]]] = [
    ("the key that was named", run(PLAIN, 2, runtime="b2"), ("runtime",)),
    ("both keys that were named", run(PLAIN, 2, runtime="b2", argv=[]), ("runtime", "argv")),
    ("more calls at once", run(SLOTS_TOGETHER, 2), ("slots",)),
    ("more slots and calls at once", run(SLOTS_TOGETHER, 2, slots=2), ("slots",)),
    ("cached almost alike", run((*PLAIN[:2], call(2000, section="s2", cached_tokens=10)), 2), ()),
    ("a section more", run(calls(1, 1, 1), 2), ()),
]


@pytest.mark.parametrize(("what", "other", "varying"), ALLOWED, ids=[a[0] for a in ALLOWED])
def test_allowed(what: str, other: MeasuredRun, varying: tuple[str, ...]) -> None:
    require_comparable(*sides(A, other), varying)


def test_all_differences_are_told_and_the_options_that_would_allow_them() -> None:
    with pytest.raises(RunError) as refusal:
        require_comparable(*sides(A, run(PLAIN, 2, runtime="b2", slots=2)))
    assert "runtime is b1 and b2" in refusal.value.message
    assert "slots is 1 and 2" in refusal.value.message
    assert "--varying runtime --varying slots." in refusal.value.advice


def test_a_seat_that_is_in_no_pair_may_be_another() -> None:
    """Both seats of the run have another runtime; a refusal of the reasoner's would name it."""
    with pytest.raises(RunError) as refusal:
        require_comparable(*sides(A, run(PLAIN, 2, runtime="b2")))
    assert "reasoner" not in refusal.value.message


@pytest.mark.parametrize("varying", [(), ("runtime",)])
def test_a_sides_own_runs_may_differ_in_nothing(varying: tuple[str, ...]) -> None:
    mixed = Side(letter="A", runs=(A, run(PLAIN, 2, runtime="b2")))
    with pytest.raises(RunError, match="runtime is b1 and b2 in orchard:1 and orchard:2"):
        require_comparable(mixed, Side(letter="B", runs=(run(PLAIN, 3),)), varying)


def test_only_what_all_runs_worked_on_is_shared() -> None:
    a, b = sides(run(calls(1, 1, 1)), run(calls(1, 1), 2))
    assert [key[2] for key in shared_keys(a, b)] == ["s1", "s2"]
    assert [key[2] for key in left_out(a, b)] == ["s3"]


@pytest.mark.parametrize(("flaw", "other", "varying", "named"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refused_the_other_way_round(flaw: str, other: MeasuredRun, varying: tuple[str, ...], named: str) -> None:
    with pytest.raises(RunError):
        require_comparable(*sides(other, A), varying)
