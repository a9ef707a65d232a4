"""Case names compared word by word, as a Bluebook editor would (rules 10.2.1, 10.2.2, tables T6 and T10).

A word may stand for another only as its abbreviation ("Ass'n", "Nat'l", "Cnty.") or as initials ("HUD", "U.S.").
Business designations and procedural words carry no identity and are passed over. There is no similarity score:
measured, every threshold that accepts genuine variants also accepts wrong parties.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lexforge.gate.tokens import words_of

VERSUS = re.compile(r"\s+(?:vs?\.|versus)\s+", re.I)
SILENT = frozenset({
    "inc", "incorporated", "co", "company", "corp", "corporation", "llc", "llp", "lp", "ltd", "limited", "plc", "na",
    "the", "of", "a", "an", "and", "et", "al", "ux", "for", "in", "re", "ex", "rel", "matter", "on", "behalf",
    "also", "see", "cf", "but", "eg", "accord", "compare", "with", "to", "s",
})  # fmt: skip
SAME = {"us": ("united", "states"), "usa": ("united", "states"), "cty": ("county",), "cmty": ("community",)}


def name_words(name: str) -> tuple[str, ...]:
    """The words of a party's name that carry identity; single letters in a row are one word ("R. H." is "rh").

    A word that is cut off keeps its full stop ("auth."), because only such a word may stand for a longer one.
    """
    text = name.replace("&", " and ")
    joined: list[str] = []
    letters = ""
    for word in words_of(text):
        if len(word.norm) == 1 and word.norm.isalpha():
            letters += word.norm
            continue
        if letters:
            joined.append(letters)
            letters = ""
        joined.append(word.norm + "." if text[word.end : word.end + 1] == "." else word.norm)
    if letters:
        joined.append(letters)
    return tuple(word for word in joined if word.rstrip(".") not in SILENT)


def parties(name: str) -> tuple[tuple[str, ...], ...]:
    """The words of each side: two sides for "A v. B", one for "In re A"."""
    sides = VERSUS.split(name, maxsplit=1)
    return tuple(words for words in map(name_words, sides) if words)


def abbreviates(short: str, long: str) -> bool:
    """Whether `short` is `long` or an abbreviation of it: same first letter, letters in order, end kept or cut off.

    An abbreviation shows itself by its full stop or apostrophe; "Orr" is not short for "Orrin".
    """
    bare = short.replace("'", "").rstrip(".")
    whole = long.replace("'", "").rstrip(".")
    if bare == whole:
        return True
    if not short.endswith(".") and "'" not in short:
        return False
    if len(bare) < 2 or len(bare) > len(whole) or bare[0] != whole[0]:
        return False
    if bare == whole + "s" or whole.startswith(bare):
        return True
    stem = bare[:-1] if bare.endswith("s") and whole.endswith("s") else bare
    letters = iter(whole)
    return bare[-1] == whole[-1] and all(letter in letters for letter in stem)


def alike(one: str, other: str) -> bool:
    """Whether two words can be the same word of a name, either of them abbreviated."""
    return abbreviates(one, other) or abbreviates(other, one)


def _initials(word: str, there: Sequence[str], at: int) -> int:
    """How many words from `at` on the letters of `word` are the initials of; 0 when they are not."""
    size = len(word)
    if size < 2 or not word.isalpha():
        return 0
    taken = there[at : at + size]
    return size if len(taken) == size and all(w[:1] == c for w, c in zip(taken, word, strict=True)) else 0


def _step(wanted: Sequence[str], i: int, there: Sequence[str], j: int) -> tuple[int, int] | None:
    """Words taken from both sides when `wanted[i]` and `there[j]` begin the same thing; None when they do not."""
    if alike(wanted[i], there[j]):
        return 1, 1
    if span := _initials(wanted[i], there, j):
        return 1, span
    if span := _initials(there[j], wanted, i):
        return span, 1
    expanded = SAME.get(wanted[i].rstrip("."))
    if expanded and tuple(there[j : j + len(expanded)]) == expanded:
        return 1, len(expanded)
    return None


def stands_at(wanted: Sequence[str], there: Sequence[str], at: int) -> int | None:
    """Where `there` goes on when all words of `wanted` stand from `at` on without a word between; else None."""
    i, j = 0, at
    while i < len(wanted):
        if j >= len(there):
            return None
        step = _step(wanted, i, there, j)
        if step is None:
            return None
        i, j = i + step[0], j + step[1]
    return j


def contains(there: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where `there` goes on after the first place at which `wanted` stands in it; None when it stands nowhere."""
    for at in range(len(there)):
        after = stands_at(wanted, there, at)
        if after is not None:
            return after
    return None
