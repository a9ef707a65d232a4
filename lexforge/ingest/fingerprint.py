"""Fingerprints of text: hashes of every five consecutive words, and the quarter of them that stands for the whole.

Marks and file hashes die with the first change of format; runs of words live through Word, PDF, print and paste. What
is kept of a draft is only what is *new* in it. A draft repeats its sources, so whoever keeps all of its runs takes the
sources themselves for drafts: on real correspondence that happened to four files of five and worse.

A quarter of the runs, always the same quarter, decides about whole files. A single paragraph is too short for that: in
the demo's draft, one of about 50 words has 11 to 22 new runs, but only 1 to 7 of them in the quarter. So all runs are
kept, and paragraphs are judged by all of them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Set

RUN = 5
"""Words that are hashed together: fewer meet by chance, more do not survive an edit."""
_QUARTER = 2**64 // 4
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_WORD = re.compile(r"[^\W_]+")
_BEYOND_ASCII = re.compile(r"[^\W\x00-\x7f]")
_APART = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}


def words(text: str) -> list[str]:
    """Letters and digits only, without case and typography, so that no change of format changes a word."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    if not plain.isascii() and _BEYOND_ASCII.search(plain):
        return _WORD.findall(plain)
    # Of the other characters none is part of a word. Most texts are so, and cut up in a third of the time.
    return plain.encode("ascii", "replace").decode("ascii").translate(_APART).split()


def shingles(text: str) -> frozenset[int]:
    """The hash of every run of words; signed 64-bit numbers, as SQLite keeps them."""
    return of_words(words(text))


def of_words(found: list[str]) -> frozenset[int]:
    """The same for a text that is already in words."""
    runs = (" ".join(found[n : n + RUN]).encode() for n in range(len(found) - RUN + 1))
    return frozenset(int.from_bytes(hashlib.blake2b(run, digest_size=8).digest(), "big", signed=True) for run in runs)


def sample(prints: Iterable[int]) -> frozenset[int]:
    """The fixed quarter of them. Whether a run belongs to it depends on its hash alone, so texts can be compared."""
    return frozenset(number for number in prints if 0 <= number < _QUARTER)


def fingerprint(text: str) -> frozenset[int]:
    """What stands for a whole text."""
    return sample(shingles(text))


def novel(draft: str, known_texts: Iterable[str]) -> frozenset[int]:
    """All runs of a draft that stand in none of the texts it was made from.

    Each source is passed as one text and not page by page, because a quotation may run across a page break.
    """
    new = set(shingles(draft))
    for text in known_texts:
        new -= shingles(text)
    return frozenset(new)


def containment(text: str, prints: Set[int]) -> float:
    """Share of the text's fingerprint that is among `prints`; 0 for a text that is too short to have one."""
    own = fingerprint(text)
    return len(own & prints) / len(own) if own else 0.0
