"""A set of documents of which it is known which is a copy of which, made by code and the same every time."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

VOCABULARY = 20_000
COPIED = 0.3
BOILERPLATE = 0.1
MOST_EDITS = 0.4


@dataclass(frozen=True)
class Planted:
    """`texts`, and for each planted copy its index and that of its original, which stands before it."""

    texts: list[str]
    copies: list[tuple[int, int]]


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words and how often each occurs, summed up: the n-th is about 1/n as frequent as the first."""
    rng = random.Random(7)  # noqa: S311
    syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
    words = ["".join(rng.choices(syllables, k=1 + min(4, n.bit_length() // 4))) for n in range(VOCABULARY)]
    return words, list(accumulate(1 / (n + 2.7) for n in range(VOCABULARY)))


def prose(rng: random.Random, count: int) -> list[str]:
    """`count` words of running text."""
    words, summed = vocabulary()
    return rng.choices(words, cum_weights=summed, k=count)


def edited(rng: random.Random, words: list[str], rate: float) -> list[str]:
    """A share of the words replaced, left out or joined by another, in equal parts."""
    fresh = prose(rng, len(words))
    result: list[str] = []
    for word, other in zip(words, fresh, strict=True):
        if rng.random() >= rate:
            result.append(word)
        else:
            result += rng.choice([[other], [], [word, other]])
    return result


def planted(count: int, seed: int = 1) -> Planted:
    """`count` documents of about 400 words: 30 % are copies with 0 to 40 % of their words edited, most with few.

    A tenth of the originals is mostly boilerplate, which they share with hundreds of others that they are no copies of;
    all of them repeat some of the same sentences.
    """
    rng = random.Random(seed)  # noqa: S311
    forms = [prose(rng, 240) for _ in range(5)]
    sentences = [prose(rng, rng.randint(6, 25)) for _ in range(500)]
    documents: list[list[str]] = []
    copies: list[tuple[int, int]] = []
    originals = count - int(count * COPIED)
    for number in range(originals):
        own = prose(rng, int(rng.triangular(80, 900, 220)))
        if number < originals * BOILERPLATE:
            own = forms[number % len(forms)] + prose(rng, rng.randint(140, 300))
        for _ in range(rng.randint(0, 3)):
            at = rng.randrange(len(own))
            own[at:at] = rng.choice(sentences)
        documents.append(own)
    for number in range(originals, count):
        original = rng.randrange(originals)
        copies.append((number, original))
        documents.append(edited(rng, documents[original], MOST_EDITS * rng.random() ** 3))
    return Planted(texts=[" ".join(words) for words in documents], copies=copies)


def similarity(one: str, other: str, run: int = 5) -> float:
    """Jaccard's index of the runs of words, straight from the words."""
    runs = [{tuple(words[n : n + run]) for n in range(len(words) - run + 1)} for words in (one.split(), other.split())]
    return len(runs[0] & runs[1]) / max(len(runs[0] | runs[1]), 1)


def pasted(texts: list[str], count: int, seed: int = 2) -> tuple[list[str], list[tuple[int, int]]]:
    """`count` more documents, two fifths of each a block from one of the others; each one's index and the other's."""
    rng = random.Random(seed)  # noqa: S311
    result, pairs = list(texts), []
    for _ in range(count):
        source = rng.randrange(len(texts))
        block, own = texts[source].split()[-120:], prose(rng, 180)
        pairs.append((len(result), source))
        result.append(" ".join([*own[:90], *block, *own[90:]]))
    return result, pairs
