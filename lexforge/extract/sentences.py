"""Sentences of running prose. A full stop behind an abbreviation or an initial ends nothing."""

from __future__ import annotations

import re

_STOP = re.compile(r"[.?!]+[\"'”’)\]]*(?=\s+[\"'“‘(\[⟦]?[A-Z0-9§¶⟦]|\s*\Z)")
_ABBREVIATED = frozenset(
    "Mr Mrs Ms Dr Prof Hon Jr Sr St Gen Gov Sen Rep Lt Col Capt Sgt Amb Inc Co Corp Ltd Bros No Nos v vs cf etc approx "
    "dept est Ex Exs Fed Cir Supp App Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Ave Blvd".split()
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, in order, without the white space between them.

    The last piece is returned even when no full stop ends it.
    """
    spans, start = [], 0
    for stop in _STOP.finditer(text):
        if text[stop.start()] == "." and _ends_nothing(text, start, stop.start()):
            continue
        spans.append((start, stop.end()))
        start = stop.end()
    spans.append((start, len(text)))
    stripped = ((s + len(text[s:e]) - len(text[s:e].lstrip()), s + len(text[s:e].rstrip())) for s, e in spans)
    return [(s, e) for s, e in stripped if s < e]


def _ends_nothing(text: str, start: int, stop: int) -> bool:
    """Whether the full stop at `stop` is that of an abbreviation or an initial; the sentence begins at `start`."""
    first = stop
    while first > start and (text[first - 1].isalnum() or text[first - 1] == "_"):
        first -= 1
    word = text[first:stop]
    if len(word) == 1 and word.isascii() and word.isalpha():
        return word.isupper() or word == "v" or (first > start and text[first - 1] == ".")
    return word in _ABBREVIATED


def sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentence_spans(text)]
