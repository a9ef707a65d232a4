"""Text inside other text: which document stands wholly or in part within a longer one.

A pasted paragraph or a quoted mail is invisible to Jaccard's index. An eighth of all runs, chosen by their hash and so
the same eighth everywhere (FracMinHash, Irber 2022), finds documents that have runs in common; the share is then
counted over all runs. Runs that many documents have, such as a firm's disclaimer, weigh less the more they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexforge.ingest.copies.minhash import Hashes, Runs, distinct

CONTAINED = 0.8
"""Least share of a document's runs that stand in another one when it counts as wholly within it."""
BLOCK = 0.25
"""Least share at which two documents are said to have a block of text in common."""
LEAST_RUNS = 16
"""Shorter documents (under 20 words) are within others by chance: "Thank you for your email of today"."""
_FEW = 16
"""Occurrences up to which a run has its full weight; beyond, all its occurrences together have that of so many."""
_LOOKED_AT = 512
"""Other documents looked up for each document, rarest runs first: no common run can make the work quadratic."""
_CONFIRMED = 4
"""Longer documents for which the share is counted exactly, the most promising first."""
_LONG_ONES_KEPT = 16
_PROMISING = BLOCK / 2
_SAMPLED = np.uint32(2**32 // 8)
_PAIRS_A_BLOCK = 2_000_000

Numbers = NDArray[np.int64]
Weights = NDArray[np.float64]


class Inside(NamedTuple):
    """`share` (.25 to 1) of the runs of document `inner`, by weight, stand in document `outer`, which is no shorter."""

    inner: int
    outer: int
    share: float


@dataclass(frozen=True)
class _Postings:
    """The sampled runs that several documents have, ordered by hash and then by place: place 0 is the longest document.

    `first` is where the entries with the same hash begin, so the longer documents that have the run stand in
    `place[first[n]:n]`; `weight` is the run's. `alone` counts, for each place, the sampled runs that it alone has.
    """

    place: Numbers
    first: Numbers
    weight: Weights
    alone: Numbers


@dataclass(frozen=True)
class _Common:
    """Runs that occur more than a few times in all documents, sorted, and how often."""

    runs: Hashes
    occurrences: Numbers

    def weight(self, runs: Hashes) -> Weights:
        """The weight of each of these runs: 1, or less for a common one."""
        weights = np.ones(len(runs))
        if len(self.runs):
            at = np.minimum(np.searchsorted(self.runs, runs), len(self.runs) - 1)
            known = self.runs[at] == runs
            weights[known] = _weight(self.occurrences[at[known]])
        return weights


def _common(hashes: Hashes) -> _Common:
    ordered = np.sort(hashes)
    runs = distinct(ordered[_FEW:][ordered[_FEW:] == ordered[:-_FEW]])
    return _Common(runs, np.searchsorted(ordered, runs, "right") - np.searchsorted(ordered, runs))


def inside(runs: Runs, chosen: list[int]) -> list[Inside]:
    """For each of the chosen documents the longer ones that hold at least a quarter of it, the greatest share first.

    Of two documents of one length the one that comes first in `chosen` counts as the longer. At most four are named.
    """
    sizes = np.diff(runs.starts)
    documents = np.array([n for n in chosen if sizes[n] >= LEAST_RUNS], dtype=np.int64)
    documents = documents[np.argsort(-sizes[documents], kind="stable")]
    common = _common(runs.hashes)
    of = lru_cache(_LONG_ONES_KEPT)(runs.of)  # a print of a whole mailbox holds thousands of mails
    found: list[Inside] = []
    for place, outers in _candidates(_postings(runs, documents)):
        found += _confirmed(of, common, int(documents[place]), documents[outers].tolist())
    return found


def _confirmed(of: Callable[[int], Hashes], common: _Common, inner: int, outers: list[int]) -> list[Inside]:
    own = of(inner)
    weight = common.weight(own)
    shares = ((outer, float(weight[_is_in(own, of(outer))].sum() / weight.sum())) for outer in outers)
    return sorted(
        (Inside(inner, outer, share) for outer, share in shares if share >= BLOCK), key=lambda one: -one.share
    )


def _is_in(runs: Hashes, ordered: Hashes) -> NDArray[np.bool_]:
    """Which of the runs are among those of a sorted array that is not empty."""
    at = np.minimum(np.searchsorted(ordered, runs), len(ordered) - 1)
    return np.equal(ordered[at], runs)


def _weight(occurrences: NDArray[np.int64]) -> Weights:
    return np.minimum(1.0, _FEW / np.maximum(occurrences, 1))


def _postings(runs: Runs, documents: Numbers) -> _Postings:
    sampled = [own[own < _SAMPLED] for own in (runs.of(int(n)) for n in documents)]
    places = np.repeat(np.arange(len(sampled), dtype=np.uint64), [len(own) for own in sampled])
    entries = np.concatenate([np.zeros(0, np.uint32), *sampled]).astype(np.uint64) << np.uint64(32) | places
    entries.sort()
    alike = np.zeros(len(entries) + 1, dtype=bool)  # whether an entry has the hash of the one before it
    alike[1:-1] = entries[1:] >> np.uint64(32) == entries[:-1] >> np.uint64(32)
    several = alike[1:] | alike[:-1]
    place = (entries & np.uint64(0xFFFFFFFF)).astype(np.int64)
    first = _first_alike(entries[several] >> np.uint64(32))
    found_in = np.bincount(first)[first] if len(first) else first
    alone = np.bincount(place[~several], minlength=len(documents))
    return _Postings(place=place[several], first=first, weight=_weight(found_in), alone=alone)


def _first_alike(values: NDArray[np.uint64] | Numbers) -> Numbers:
    """For each of some sorted values, where the first one equal to it stands."""
    new = np.ones(len(values), dtype=bool)
    new[1:] = values[1:] != values[:-1]
    return np.asarray(np.maximum.accumulate(np.where(new, np.arange(len(values)), 0)), dtype=np.int64)


def _candidates(postings: _Postings) -> Iterator[tuple[int, Numbers]]:
    """A place, and the places of the longer documents that seem to hold most of it, in order of place."""
    order = np.lexsort((-postings.weight, postings.place))
    inner = postings.place[order]
    longer = (np.arange(len(order)) - postings.first)[order]
    before = longer.cumsum() - longer
    looked_at = np.clip(_LOOKED_AT - (before - before[_first_alike(inner)]), 0, longer)
    known = np.where(looked_at == longer, postings.weight[order], 0.0)
    total: Weights = np.asarray(postings.alone, dtype=np.float64)
    total = total + np.bincount(inner, weights=known, minlength=len(postings.alone))
    block = (looked_at.cumsum() // _PAIRS_A_BLOCK)[_first_alike(inner)]  # so no document is in two blocks
    for part in np.split(np.arange(len(order)), np.flatnonzero(np.diff(block)) + 1):
        yield from _promising(postings, order[part], looked_at[part], total)


def _promising(
    postings: _Postings, entries: Numbers, looked_at: Numbers, total: Weights
) -> Iterator[tuple[int, Numbers]]:
    if not len(entries):
        return
    each = np.repeat(np.arange(len(entries)), looked_at)
    offset = np.arange(len(each)) - (looked_at.cumsum() - looked_at)[each]
    outer = postings.place[postings.first[entries][each] + offset]
    pair = postings.place[entries][each] << 32 | outer
    pairs, which = np.unique(pair, return_inverse=True)
    inner, outer = pairs >> 32, pairs & 0xFFFFFFFF
    # What was left out for the budget is not known; of a document of boilerplate alone, everything is taken for found.
    share = np.bincount(which, weights=postings.weight[entries][each]) / np.maximum(total[inner], 1e-9)
    likely = np.flatnonzero(share >= _PROMISING)
    likely = likely[np.lexsort((outer[likely], -share[likely], inner[likely]))]
    for part in np.split(likely, np.flatnonzero(np.diff(inner[likely])) + 1):
        if len(part):
            yield int(inner[part[0]]), outer[part[:_CONFIRMED]]
