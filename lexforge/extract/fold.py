"""A copy of a text in which every break is one character, and the way back to the text it came from.

Citations and dates run across line ends, page marks and filing headers. Patterns are written for the folded copy;
every span found there is carried back, so that `mention.text == whole[mention.start:mention.end]` always holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lexforge.domain.mentions import Mention, MentionKind, MentionValue

MASKED = "\x00"

# Lines that a filing system or a printer put there: page marks, CM/ECF headers, "Page 3 of 12"; a lone number only
# beside a blank line or a page end, because a wrapped line may hold nothing but a pin.
_FURNITURE = (
    r"(?:[ \t]*(?:[-–—]{1,2} ?\d{1,4} ?[-–—]{1,2}|(?:Page |p\. ?)\d{1,4}(?: of \d{1,4})?"
    r"|[^\n]{0,30}\bCase[: #]+[\w:.\-]+(?: \([A-Z]+\))?[ ,]+(?:Doc(?:ument)?\.?:?[ #]+[\w\-]+[^\n]{0,40}?(?:Page|Filed)"
    r"|Page:)[^\n]{0,80})[ \t]*\n\s*"
    r"|(?<=\n\n)[ \t]*\d{1,3}[ \t]*\n\s*|[ \t]*\d{1,3}[ \t]*\n(?=[ \t]*[\n\f])\s*)"
)
_BREAK = re.compile(rf"\s*\n{_FURNITURE}+|\s{{2,}}|[^\S ]")
_PLEADING_BREAK = re.compile(
    rf"\s*\n(?:{_FURNITURE}|[ \t]*\d{{1,2}}[ \t]*\n\s*)*(?:[ \t]*\d{{1,2}}[ \t]{{2,}})?|\s{{2,}}|[^\S ]"
)
_LINE_NUMBER = re.compile(r"^[ \t]*(\d{1,2})(?:[ \t]{2,}|[ \t]*$)", re.MULTILINE)
_STARTS_PARAGRAPH = re.compile(r"(?!v\. )(?:\d{1,3}|[A-Za-z]|[IVX]+)[.)]\s(?![A-Z]\.)|[•*¶]\s?")
_NEEDS_NUMBER = re.compile(r"(?:,|\bat|\bNos?\.|[§¶]|\bvs?\.)$")
_RUNS_ON = re.compile(r"(?:,|\bvs?\.|(?:^|[\s.])[A-Z]\.)$")
_OPENS_SENTENCE = re.compile(r"[A-Z“\"§\[(]")


@dataclass(frozen=True, slots=True)
class Spot:
    """A mention in offsets of the folded copy, before it is carried back."""

    start: int
    end: int
    kind: MentionKind
    value: MentionValue | None


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` with single breaks: a space within a paragraph, a newline between paragraphs. `whole` is the original."""

    whole: str
    text: str
    _folded_points: Sequence[int] = field(repr=False)
    _whole_points: Sequence[int] = field(repr=False)

    def whole_offset(self, offset: int) -> int:
        """Offset in `whole` of the character at `offset` in `text`."""
        at = bisect_right(self._folded_points, offset) - 1
        return self._whole_points[at] + offset - self._folded_points[at]

    def whole_span(self, start: int, end: int) -> tuple[int, int]:
        """Span in `whole` of a non-empty span in `text`."""
        return self.whole_offset(start), self.whole_offset(end - 1) + 1

    def mentions(self, spots: Iterable[Spot]) -> tuple[Mention, ...]:
        """The spots as mentions of `whole`, sorted by (start, end)."""
        ordered = sorted(spots, key=lambda spot: (spot.start, spot.end))
        return tuple(self._mention(spot) for spot in ordered)

    def _mention(self, spot: Spot) -> Mention:
        start, end = self.whole_span(spot.start, spot.end)
        return Mention(start=start, end=end, kind=spot.kind, text=self.whole[start:end], value=spot.value)


def fold(whole: str) -> Folded:
    """Fold white space and page furniture; linear in the length of `whole`."""
    pattern = _PLEADING_BREAK if _is_pleading_paper(whole) else _BREAK
    keeps_blank_lines = not _is_double_spaced(whole)
    parts: list[str] = []
    folded_points, whole_points = [0], [0]
    length = last = 0
    for found in pattern.finditer(whole):
        start, end = found.span()
        kept = whole[last:start]
        separator = _separator(whole, start, end, keeps_blank_lines)
        parts += (kept, separator)
        length += len(kept) + 1
        folded_points += (length - 1, length)
        whole_points += (start, end)
        last = end
    parts.append(whole[last:])
    return Folded(whole, "".join(parts), folded_points, whole_points)


def _separator(whole: str, start: int, end: int, keeps_blank_lines: bool) -> str:
    """A newline where a paragraph ends, a space where only a line or a page does."""
    if whole.count("\n", start, end) < 2 or start == 0 or end >= len(whole):
        return " "
    if _STARTS_PARAGRAPH.match(whole, end):
        return " " if _NEEDS_NUMBER.search(whole, max(0, start - 5), start) else "\n"
    if not _OPENS_SENTENCE.match(whole, end) or _RUNS_ON.search(whole, max(0, start - 5), start):
        return " "
    run = whole[start:end]
    if keeps_blank_lines:
        return "\n" if run.isspace() or whole[start - 1] in '.:;?!”"’)]' else " "
    indent = len(run) - run.rfind("\n") - 1
    ends = whole[start - 1] in '.:;?!”"’)]' and run.isspace() and (indent >= 4 or run.count("\n") > 2)
    return "\n" if ends else " "


def _is_double_spaced(whole: str) -> bool:
    """Typescript with an empty line after each line, where a blank line tells nothing."""
    lines = whole.split("\n", 400)[:400]
    filled = [len(line) for line in lines if line.strip()]
    blank = len(lines) - len(filled)
    return len(filled) > 20 and blank > 0.4 * len(lines) and sum(filled) < 90 * len(filled)


def _is_pleading_paper(whole: str) -> bool:
    """Numbered lines 1 to 28 down the margin (C.D. Cal. L.R. 11-3.2 and its like)."""
    numbers = [int(found[1]) for found in _LINE_NUMBER.finditer(whole[:12_000])]
    steps = sum(1 for before, after in pairwise(numbers) if after == before + 1)
    return steps >= 15 and steps > 0.6 * len(numbers)


def mask(text: str, spots: Iterable[Spot]) -> str:
    """`text` with the characters of `spots` blotted out, same length, so that later patterns cannot read them."""
    parts: list[str] = []
    last = 0
    for spot in sorted(spots, key=lambda item: item.start):
        parts += (text[last : spot.start], MASKED * (spot.end - max(last, spot.start)))
        last = max(last, spot.end)
    parts.append(text[last:])
    return "".join(parts)


def near(
    pattern: re.Pattern[str], trigger: re.Pattern[str], text: str, before: int, after: int
) -> Iterator[re.Match[str]]:
    """Matches of a slow `pattern` in `text`, tried only from `before` to `after` characters around each `trigger`."""
    for low, high in _windows(trigger, text, before, after):
        yield from pattern.finditer(text, low, high)


def _windows(trigger: re.Pattern[str], text: str, before: int, after: int) -> Iterator[tuple[int, int]]:
    """The stretches around the triggers, widened to the next word break, merged where they touch."""
    low = high = -1
    for found in trigger.finditer(text):
        start = max(0, found.start() - before)
        if start > high:
            if high >= 0:
                yield low, high
            low = 0 if start == 0 else text.find(" ", start, found.start()) + 1 or start
        high = min(len(text), found.end() + after)
    if high >= 0:
        yield low, high
