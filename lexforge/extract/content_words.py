"""Content words of a text, for telling which of several texts speaks of the same thing."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z]{3,}")
_STOP = frozenset(
    "the and for that with was were are has have had not but from this which its his her their they them any all who "
    "when where into than then out after before because would could should may might must can will shall been being "
    "such other another also only over under between each more most".split()
)


def content_words(text: str) -> list[str]:
    """Words of three letters and more without function words, lower case, plural and past endings folded.

    "warned" and "warns" are one word; no dictionary is used, so irregular forms stay apart.
    """
    return [_folded(word) for word in _WORD.findall(text.lower()) if word not in _STOP]


def _folded(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
