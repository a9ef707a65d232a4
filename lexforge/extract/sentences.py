"""Sentences of running prose. A full stop behind an abbreviation or an initial ends nothing."""

from __future__ import annotations

import re

_STOP = re.compile(r"[.?!]+[\"'”’)\]]*(?=\s+[\"'“‘(\[⟦]?[A-Z0-9§¶⟦]|\s*\Z)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|Hon|Jr|Sr|St|Gen|Gov|Sen|Rep|Lt|Col|Capt|Sgt|Amb|Inc|Co|Corp|Ltd|Bros|No|Nos|vs?|"
    r"cf|etc|approx|dept|est|Ex|Exs|Fed|Cir|Supp|App|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Ave|Blvd)|\.[A-Za-z])\.$"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, in order, without the white space between them.

    The last piece is returned even when no full stop ends it.
    """
    spans, start = [], 0
    for stop in _STOP.finditer(text):
        if stop.group()[0] == "." and _ABBREVIATED.search(text[max(start, stop.start() - 12) : stop.start() + 1]):
            continue
        spans.append((start, stop.end()))
        start = stop.end()
    spans.append((start, len(text)))
    stripped = ((s + len(text[s:e]) - len(text[s:e].lstrip()), s + len(text[s:e].rstrip())) for s, e in spans)
    return [(s, e) for s, e in stripped if s < e]


def sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentence_spans(text)]
