"""Two sides of runs compared section by section: how far each agrees with itself, then exact paired tests."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from lexforge.domain.record import Record
from lexforge.domain.run import Call
from lexforge.measure.sides import Side, left_out, require_comparable, shared_keys, warm
from lexforge.measure.throughput import Key, decode_rate, prefill_rate, wait_per_token

FEWEST_PAIRS = 6
"""With fewer pairs that differ no two-sided sign or signed-rank test comes below 0.05: 2 / 2^5 is 0.0625."""
MOST_EXACT = 25
"""Pairs up to which the signed-rank test is exact; beyond, and with ties or zeros, it is the normal approximation."""
SIGNIFICANT = 0.05


class Metric(StrEnum):
    """What is compared. The two rates say what the engine does, the wait what the caller notices of it all.

    Prefill and decode are told apart because settings move them separately (`-ub` the one, KV types and drafting the
    other); the wait, for each token of the answer, has queue, transport and what the cache saved in it, and is
    the one for which less is better.
    """

    PREFILL = "prefill tok/s"
    DECODE = "decode tok/s"
    WAIT = "wait ms/tok"


_MEASURES: dict[Metric, Callable[[Sequence[Call]], float | None]] = {
    Metric.PREFILL: prefill_rate,
    Metric.DECODE: decode_rate,
    Metric.WAIT: wait_per_token,
}


class Pair(Record):
    """What both sides did for one seat, step and section: metric → value of A and of B, None for too few tokens.

    `same_questions`: both sides asked exactly the same.
    """

    key: Key
    same_questions: bool
    values: dict[Metric, tuple[float | None, float | None]]

    def log_ratio(self, metric: Metric) -> float | None:
        """ln(B / A), so that exchanging the sides only changes the sign; rounded, so that equal ratios are equal."""
        a, b = self.values[metric]
        return round(math.log(b) - math.log(a), 12) if a and b else None


class Agreement(Record):
    """How far a side's runs agree among themselves.

    Of `asked_twice` requests that it answered more than once, `alike` always got the same answer. `spread` is metric →
    the largest value of its runs through the smallest; empty with one run.
    """

    letter: str
    runs: int
    asked_twice: int
    alike: int
    spread: dict[Metric, float]


class PairedTest(Record):
    """One metric over all pairs: `median_ratio` is B through A.

    `higher` of `differing` pairs are higher in B, `equal` ones decide nothing. The p values are two-sided, and None
    where too few pairs differ for any p below 0.05.
    """

    metric: Metric
    pairs: int
    too_few_tokens: int
    equal: int
    higher: int
    median_ratio: float | None
    sign_p: float | None = None
    wilcoxon_p: float | None = None
    wilcoxon_exact: bool = False

    @property
    def differing(self) -> int:
        """Pairs that the tests are about."""
        return self.pairs - self.equal


class Comparison(Record):
    """Everything that is told of two sides; `left_out` is what not all of their runs worked on."""

    agreements: tuple[Agreement, Agreement]
    pairs: tuple[Pair, ...]
    left_out: tuple[Key, ...]
    tests: tuple[PairedTest, ...]

    def verdict(self, test: PairedTest) -> str:
        """What may be said of a metric, in words."""
        if test.median_ratio is None or test.sign_p is None or test.wilcoxon_p is None:
            return (
                f"too few pairs: {test.differing} differ, and below {FEWEST_PAIRS} no test can reach p < {SIGNIFICANT}"
            )
        size = max(test.median_ratio, 1 / test.median_ratio)
        for agreement in self.agreements:
            own = agreement.spread.get(test.metric)
            if own is not None and size <= own:
                return f"no larger than side {agreement.letter}'s runs differ among themselves ({own:.2f} x)"
        below = [p < SIGNIFICANT for p in (test.sign_p, test.wilcoxon_p)]
        if all(below):
            return f"B is {'higher' if test.median_ratio > 1 else 'lower'}, {self._certainty(test.metric)}"
        return "the two tests disagree" if any(below) else "no difference shown"

    def _certainty(self, metric: Metric) -> str:
        unknown = [agreement.letter for agreement in self.agreements if metric not in agreement.spread]
        if not unknown:
            return "by more than the sides' own spread"
        return f"but how far {' and '.join(unknown)} would differ from itself is unknown"


def compare(a: Side, b: Side, varying: Sequence[str] = ()) -> Comparison:
    """Compare B with A; RunError unless nothing differs but the identity keys `varying`."""
    require_comparable(a, b, varying)
    keys = shared_keys(a, b)
    pairs = tuple(_pair(key, a, b) for key in keys)
    return Comparison(
        agreements=(agreement(a, keys), agreement(b, keys)),
        pairs=pairs,
        left_out=left_out(a, b),
        tests=tuple(tested(metric, pairs) for metric in Metric),
    )


def _pair(key: Key, a: Side, b: Side) -> Pair:
    of_a, of_b = ([warm(run)[key] for run in side.runs] for side in (a, b))
    questions = [sorted(call.request for call in calls) for calls in (*of_a, *of_b)]
    pooled = [[call for calls in of_side for call in calls] for of_side in (of_a, of_b)]
    return Pair(
        key=key,
        same_questions=all(asked == questions[0] for asked in questions),
        values={metric: (measure(pooled[0]), measure(pooled[1])) for metric, measure in _MEASURES.items()},
    )


def agreement(side: Side, keys: Sequence[Key]) -> Agreement:
    """How far a side agrees with itself, over `keys` where it is about time, over all calls where about answers."""
    answers: dict[tuple[str, str], list[str]] = {}
    for call in (call for run in side.runs for call in run.calls):
        answers.setdefault((call.fingerprint, call.request), []).append(call.answer)
    twice = [given for given in answers.values() if len(given) > 1]
    return Agreement(
        letter=side.letter,
        runs=len(side.runs),
        asked_twice=len(twice),
        alike=sum(len(set(given)) == 1 for given in twice),
        spread=_spread(side, keys) if len(side.runs) > 1 else {},
    )


def _spread(side: Side, keys: Sequence[Key]) -> dict[Metric, float]:
    found = {}
    for metric, measure in _MEASURES.items():
        of_runs = [measure([call for key in keys for call in warm(run)[key]]) for run in side.runs]
        values = [value for value in of_runs if value]
        if len(values) == len(of_runs):
            found[metric] = max(values) / min(values)
    return found


def tested(metric: Metric, pairs: Iterable[Pair]) -> PairedTest:
    """The sign test and the signed-rank test on the logarithms of the pairs' ratios."""
    ratios = [pair.log_ratio(metric) for pair in pairs]
    known = [ratio for ratio in ratios if ratio is not None]
    differing = [ratio for ratio in known if ratio]
    higher = sum(ratio > 0 for ratio in differing)
    test = PairedTest(
        metric=metric,
        pairs=len(known),
        too_few_tokens=len(ratios) - len(known),
        equal=len(known) - len(differing),
        higher=higher,
        median_ratio=math.exp(statistics.median(known)) if known else None,
    )
    if len(differing) < FEWEST_PAIRS:
        return test
    return test.model_copy(update=_p_values(known, differing, higher))


def _p_values(known: list[float], differing: list[float], higher: int) -> dict[str, float | bool]:
    # Seven tenths of a second to load, which no other command should wait for.
    from scipy import stats  # noqa: PLC0415

    tied = len({abs(ratio) for ratio in differing}) < len(known)
    exact = len(known) <= MOST_EXACT and not tied
    ranked = stats.wilcoxon(differing, method="exact" if exact else "asymptotic")
    return {
        "sign_p": float(stats.binomtest(higher, len(differing), 0.5).pvalue),
        "wilcoxon_p": float(ranked.pvalue),
        "wilcoxon_exact": exact,
    }
