"""Near-duplicates: which texts share most of their runs of five words (MinHash, Broder 1997, with numpy).

A document's signature is the smallest value of its runs under each of 128 permutations; two signatures agree in about
the share of runs that the documents have in common (Jaccard's index). Signatures are cut in bands, and documents that
agree in a whole band are compared. Each such pair is judged by the runs themselves, so a signature never decides alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexforge.ingest.fingerprint import RUN

PERMUTATIONS = 128
BANDS, ROWS = 21, 6
"""A pair at .8 shares a band with probability .998 and one at .7 with .93; 16 bands of 8 rows find .95 and .61."""
NEAR = 0.7
"""Least share of common runs (Jaccard's index) of near-duplicates: about one word in thirty changed."""
_LIKELY = 0.6
"""Least agreement of two signatures. 128 of them err by .04, so this loses next to nothing at NEAR."""
_LOOKED_AT = 512
"""Earlier documents whose signatures are compared for each document, those that share most bands first."""
_CONFIRMED = 16
"""Of these, how many are judged by their runs, the most promising first: thousands of forms may seem almost alike."""
_WORDS_A_BLOCK = 2**18
_RUNS_A_BLOCK = 2**15
_WORDS_REMEMBERED = 1_000_000

Hashes = NDArray[np.uint32]


@dataclass(frozen=True)
class Runs:
    """The runs of many documents: those of document i are `hashes[starts[i]:starts[i + 1]]`, 4 bytes each.

    By chance two of a pair of documents of 400 words are equal once in 27,000 pairs, which moves no verdict.
    """

    starts: NDArray[np.int64]
    hashes: Hashes

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, document: int) -> Hashes:
        """The different runs of one document, sorted."""
        return distinct(self.hashes[self.starts[document] : self.starts[document + 1]])


class Near(NamedTuple):
    """Document `member` is a near-duplicate of document `principal`; `similarity` is Jaccard's index of their runs."""

    member: int
    principal: int
    similarity: float


class _WordHashes(dict[str, int]):
    """Words to 64-bit hashes; each word is hashed when it is first seen."""

    def __missing__(self, word: str) -> int:
        self[word] = value = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return value


def _odd_numbers(count: int) -> Hashes:
    """Fixed odd numbers that look random; multiplying by one permutes the 32-bit numbers."""
    digests = (hashlib.blake2b(b"%d" % n, digest_size=4).digest() for n in range(count))
    return np.array([int.from_bytes(digest, "big") | 1 for digest in digests], dtype=np.uint32)


_FACTORS = _odd_numbers(PERMUTATIONS)
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)


def runs_of(documents: Iterable[Sequence[str]]) -> Runs:
    """The runs of documents that are given as words (`fingerprint.words`); they are read once, a block at a time."""
    counts: list[NDArray[np.int64]] = []
    hashes: list[Hashes] = []
    for lengths, words in _blocks(documents):
        counts.append(np.maximum(lengths - (RUN - 1), 0))
        hashes.append(_hashed(words, lengths))
    starts = np.concatenate([np.zeros(1, np.int64), *counts]).cumsum()
    return Runs(starts=starts, hashes=np.concatenate([np.zeros(0, np.uint32), *hashes]))


def _blocks(documents: Iterable[Sequence[str]]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
    known = _WordHashes()
    lengths: list[int] = []
    parts: list[NDArray[np.uint64]] = []
    held = 0
    for words in documents:
        parts.append(np.fromiter(map(known.__getitem__, words), np.uint64, len(words)))
        lengths.append(len(words))
        held += len(words)
        if held >= _WORDS_A_BLOCK:
            yield np.array(lengths, dtype=np.int64), np.concatenate(parts)
            lengths, parts, held = [], [], 0
            if len(known) > _WORDS_REMEMBERED:  # what OCR has garbled is seen once and never again
                known.clear()
    if lengths:
        yield np.array(lengths, dtype=np.int64), np.concatenate(parts)


def _hashed(words: NDArray[np.uint64], lengths: NDArray[np.int64]) -> Hashes:
    """A hash for every run of words that lies within one document."""
    size = len(words) - RUN + 1
    if size <= 0:
        return np.zeros(0, np.uint32)
    rolled = words[:size].copy()
    for offset in range(1, RUN):
        rolled *= _BASE
        rolled += words[offset : offset + size]
    rolled ^= rolled >> np.uint64(29)
    rolled *= _MIX
    whole = np.ones(len(words), dtype=bool)
    ends = lengths.cumsum()
    for back in range(1, RUN):
        whole[ends[ends >= back] - back] = False
    return np.asarray(rolled[whole[:size]] >> np.uint64(32), dtype=np.uint32)


def distinct(hashes: Hashes) -> Hashes:
    """Each value once, sorted."""
    ordered = np.sort(hashes)
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.asarray(ordered[new], dtype=np.uint32)


def jaccard(one: Hashes, other: Hashes) -> float:
    """Share of common values among all values of two arrays of distinct values; 0 for two empty ones."""
    both = len(one) + len(other)
    union = len(distinct(np.concatenate([one, other])))
    return (both - union) / union if union else 0.0


def signatures(runs: Runs, chosen: NDArray[np.int64]) -> Hashes:
    """One row of 128 numbers for each chosen document; each must have at least one run."""
    counts = (runs.starts[1:] - runs.starts[:-1])[chosen]
    result = np.empty((len(chosen), PERMUTATIONS), dtype=np.uint32)
    block = counts.cumsum() // _RUNS_A_BLOCK
    for rows in np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(block)) + 1):
        parts = [runs.hashes[runs.starts[n] : runs.starts[n + 1]] for n in chosen[rows]]
        if parts:
            result[rows] = _smallest(np.concatenate(parts), counts[rows].cumsum() - counts[rows])
    return result


def _smallest(hashes: Hashes, firsts: NDArray[np.int64]) -> Hashes:
    """The smallest value under each permutation, of each document whose runs begin at `firsts`."""
    smallest = np.empty((PERMUTATIONS, len(firsts)), dtype=np.uint32)
    permuted = np.empty_like(hashes)
    for number, factor in enumerate(_FACTORS):
        np.multiply(hashes, factor, out=permuted)
        np.minimum.reduceat(permuted, firsts, out=smallest[number])
    return smallest.T


def _places(signed: Hashes) -> NDArray[np.int64]:
    """For each document and band the number of the bucket that it shares with another document, or -1."""
    places = np.full((len(signed), BANDS), -1, dtype=np.int64)
    used = 0
    for band in range(BANDS):
        key = np.zeros(len(signed), dtype=np.uint64)
        for row in range(band * ROWS, (band + 1) * ROWS):
            key *= _BASE
            key += signed[:, row]
            key ^= key >> np.uint64(32)
        _, bucket, size = np.unique(key, return_inverse=True, return_counts=True)
        shared = size[bucket] > 1
        places[shared, band] = bucket[shared] + used
        used += len(size)
    return places


def near(runs: Runs, chosen: Sequence[int]) -> list[Near]:
    """Near-duplicates among the chosen documents, which stand in order of preference.

    A document belongs to the earlier one that it is most similar to, unless that one belongs to another itself: nobody
    is a member by being like a member. Documents without runs are like nothing.
    """
    has_runs = np.diff(runs.starts) > 0
    documents = np.array([n for n in chosen if has_runs[n]], dtype=np.int64)
    signed = signatures(runs, documents)
    places = _places(signed)
    found: list[Near] = []
    principals: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero((places >= 0).any(axis=1)).tolist():
        buckets = [bucket for bucket in places[row].tolist() if bucket >= 0]
        shared = Counter(other for bucket in buckets for other in principals[bucket])
        best = _best(runs, documents, signed, row, sorted(other for other, _ in shared.most_common(_LOOKED_AT)))
        if best is not None:
            found.append(best)
            continue
        for bucket in buckets:
            principals[bucket].append(row)
    return found


def _best(runs: Runs, documents: NDArray[np.int64], signed: Hashes, row: int, rows: list[int]) -> Near | None:
    """The most similar of the principals at `rows`, the earlier one of two alike; None when none is similar enough."""
    if not rows:
        return None
    agreement = (signed[rows] == signed[row]).mean(axis=1)
    likely = [n for n in np.argsort(-agreement, kind="stable")[:_CONFIRMED].tolist() if agreement[n] >= _LIKELY]
    own = runs.of(int(documents[row]))
    best: Near | None = None
    for principal in (int(documents[rows[n]]) for n in sorted(likely)):
        similarity = jaccard(own, runs.of(principal))
        if similarity >= NEAR and (best is None or similarity > best.similarity):
            best = Near(int(documents[row]), principal, similarity)
    return best
