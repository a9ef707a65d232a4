"""One planted fault with its clean twin, and what every generator needs to make some."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Planted:
    """A paragraph as the sources allow it (`clean`) and the same paragraph with one fault (`altered`).

    `kind` is "group: fault". `words` stand in a source as they are, white space aside, and the clean paragraph repeats
    them. A licensed change has no altered twin: its paragraph is the licensed one, and `words` is what it changes.
    `alone` names the source whose bundle is enough and says that the paragraph must be a paper of its own.
    """

    kind: str
    words: str
    clean: str
    altered: str | None = None
    alone: str | None = None
    laid_out: bool = False


def seeded(*parts: object) -> Random:
    """A generator that is the same on every machine and in every run."""
    return Random(":".join(map(str, parts)))  # noqa: S311  # nothing secret


def some(random: Random, found: Iterable[T], most: int) -> list[T]:
    """At most `most` of what was found, chosen evenly, in the order in which it was found."""
    every = list(found)
    if len(every) <= most:
        return every
    return [every[at] for at in sorted(random.sample(range(len(every)), most))]


def folded(text: str) -> str:
    """Single spaces."""
    return " ".join(text.split())


def other_digit(random: Random, digit: str) -> str:
    """Another digit; never a zero, which might lead a number."""
    return random.choice([d for d in "123456789" if d != digit])


def changed_number(random: Random, number: str) -> str:
    """The same number with two neighbouring digits transposed, or with one digit changed."""
    pairs = [(at, number[at : at + 2]) for at in range(len(number) - 1)]
    swaps = [at for at, pair in pairs if pair.isdigit() and pair[0] != pair[1] and pair[1] != "0"]
    if swaps and random.random() < 0.5:
        at = random.choice(swaps)
        return number[:at] + number[at + 1] + number[at] + number[at + 2 :]
    at = random.choice([at for at, c in enumerate(number) if c.isdigit()])
    return number[:at] + other_digit(random, number[at]) + number[at + 1 :]


def until_new(make: Callable[[], str], known: Callable[[str], bool], tries: int = 30) -> str | None:
    """The first thing made that is not known; None when all of them are."""
    return next((made for made in (make() for _ in range(tries)) if not known(made)), None)


def occurrences(pattern: re.Pattern[str], texts: Iterable[str]) -> Iterator[re.Match[str]]:
    """Every match in every text, the first of each wording."""
    seen: set[str] = set()
    for text in texts:
        for match in pattern.finditer(text):
            if match.group() not in seen:
                seen.add(match.group())
                yield match
