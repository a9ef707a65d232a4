"""A sum or a number made another one that does not follow from what was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from lexforge.adversary.edits import Change, Prose
from lexforge.domain.mentions import MentionKind

_ONES = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen eighteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_STEP = 3
"""Places by which a number word, and units by which a leading digit is moved: enough to be no rounding."""
NUMBER_WORDS = frozenset((*_ONES, *_TENS, *(f"{ten}-{one}" for ten in _TENS for one in ("one", *_ONES[:8]))))
_WORD = rf"(?:(?:{'|'.join(_TENS)})(?:-(?:one|{'|'.join(_ONES[:8])}))?|{'|'.join(_ONES)})"
_UNIT = r"(?:second|minute|hour|day|week|month|year|percent|mile|foot|page|ton|pound|gallon|dollar)"
_COUNT = re.compile(
    rf"(?<![\w$€£.,/-])(?P<number>\d{{1,3}}(?:,\d{{3}})*(?![\d.,])|\d{{1,6}}(?![\d.,])|(?i:{_WORD}))"
    rf"(?:-{_UNIT}\b| (?:[a-z]+ )?(?!(?:is|was|has|does|this|its|as|us|his|hers|thus|plus|yes|always|perhaps|unless"
    r"|less|across|besides|times)\b)[a-z]{2,}s\b| ?%| per ?cent\b)"
)
_REFERENCE = re.compile(
    r"(?:\b(?:Nos?|Ex|Exs|Exhibits?|Rules?|Sections?|Secs?|pages?|pp?|lines?|paragraphs?|paras?|at|Arts?|Articles?|Counts?|"
    r"Parts?|Lots?|Docket|Dkt|Volumes?|Vol|Unit|Room|Suite|[Cc]hapters?)\.?|[¶§#]+) ?$"
)
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_AT_LEAST = re.compile(
    r"\b(?:at least|more than|over|exceed(?:s|ed|ing)?|(?:no|not) (?:less|fewer) than|above|beyond|minimum of) $"
)
_AT_MOST = re.compile(
    r"\b(?:at most|less than|fewer than|under|up to|within|below|(?:no|not) more than|maximum of|no later than) $"
)
_AWAY = re.compile(r"\bthan $")
_DENIED = re.compile(
    r"\b(?:not|never|no|nor|neither|without|cannot|unless|if|whether|fail(?:s|ed)?|refuse[sd]?|decline[sd]?|unable|lack(?:s|ed)?)\b"
)
"""Behind these, less follows from more: who could not carry nine sacks could not carry twelve."""


class _Way(Enum):
    """Where another number says something else: whoever took nine sacks took six as well, so it is always more.

    Only of what was stated as a most does less say more.
    """

    UP = "up"
    DOWN = "down"


def another_amount(prose: Prose) -> tuple[Change, ...]:
    """The first sum of money changed, else the first number of things; nothing where there is none."""
    for start, end in (*_sums(prose), *_counts(prose)):
        way = _way(prose, start)
        before = prose.text[start:end]
        after = None if way is None else _moved(before, way)
        if after is not None:
            return (Change(start, end, before, after),)
    return ()


def _sums(prose: Prose) -> Iterator[tuple[int, int]]:
    for mention in prose.of_kind(MentionKind.AMOUNT):
        yield mention.start, mention.end


def _counts(prose: Prose) -> Iterator[tuple[int, int]]:
    taken = [(m.start, m.end) for m in prose.mentions]
    for found in _COUNT.finditer(prose.open):
        start, end = found.span("number")
        inside = any(s < end and start < e for s, e in taken)
        if not inside and not _YEAR.fullmatch(found["number"]) and not _REFERENCE.search(prose.open[:start]):
            yield start, end


def _way(prose: Prose, start: int) -> _Way | None:
    """The way a number must be moved; None where no way is safe."""
    sentence = next((s for s, e in _spans(prose) if s <= start < e), None)
    if sentence is None:
        return None
    before = prose.open[sentence:start]
    lower, upper = _AT_LEAST.search(before), _AT_MOST.search(before)
    # "no more than" holds "more than", and "not less than" holds "less than": the longer one is meant.
    bound = min(filter(None, (lower, upper)), key=lambda found: found.start(), default=None)
    if _DENIED.search(before[: bound.start()] if bound else before):
        return None
    if bound is None:
        return None if _AWAY.search(before) else _Way.UP
    return _Way.DOWN if bound is upper else _Way.UP


def _spans(prose: Prose) -> Iterator[tuple[int, int]]:
    return ((start, end) for start, end, _ in prose.sentences())


def _moved(number: str, way: _Way) -> str | None:
    digit = re.search(r"[1-9]", number)
    if digit is None:
        return _moved_word(number, way)
    value = int(digit[0])
    if way is _Way.DOWN:
        new = str(value - _STEP) if value > _STEP else ""
    elif value + _STEP <= 9:
        new = str(value + _STEP)
    else:  # ten times as much and more, where the digits before the first comma allow it
        new = f"1{value}" if re.match(r"\d{1,2}(?!\d)", number[digit.start() :]) else ""
    return number[: digit.start()] + new + number[digit.end() :] if new else None


def _moved_word(number: str, way: _Way) -> str | None:
    head, hyphen, rest = number.partition("-")
    words = _TENS if head.lower() in _TENS else _ONES
    place = words.index(head.lower()) + (-_STEP if way is _Way.DOWN else _STEP)
    if not 0 <= place < len(words):
        return None
    return (words[place].capitalize() if head[0].isupper() else words[place]) + hyphen + rest
