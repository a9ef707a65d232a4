"""What a short form refers to, over law and record together (Bluebook rules 4.1, 4.2, 10.9; B4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from lexforge.domain.mentions import CitationForm, CitationValue, Mention, MentionKind

_FULL = frozenset(CitationForm) - {CitationForm.SHORT, CitationForm.ID, CitationForm.SUPRA}
_OPENS_PARENTHETICAL = re.compile(
    r"\((?:(?:see|accord|cf\.|e\.g\.,?|also) )*(?:quoting|citing|cited in|quoted in|discussing|rejecting|following"
    r"|overruling|collecting|noting|holding|citation)\b",
    re.I,
)
_PARENTHESIS = re.compile(r"[()]|\n[ \t]*\n")
_SMALL = frozenset("the of and for in on a an v vs et al re ex rel co corp inc ltd llc no".split())


@dataclass(slots=True)
class _Known:
    """Full citations met so far: the last index of each name, volume and section, and what `id.` means now."""

    names: dict[str, int] = field(default_factory=dict)
    volumes: dict[tuple[str | None, str | None], dict[str | None, int]] = field(default_factory=dict)
    sections: dict[str | None, int] = field(default_factory=dict)
    last: int | None = None


def resolved(text: str, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """`mentions` with `antecedent` (an index into the result) and `in_parenthetical` filled in on citations.

    `id.` refers to the last authority, record cite or Bates number before it that is no parenthetical; after parallel
    citations, to the first of them. `supra` and short case forms need an earlier full citation with that name, or that
    volume and reporter. None where there is none.
    """
    spans = _parentheticals(text, mentions)
    result: list[Mention] = []
    known = _Known()
    for index, mention in enumerate(mentions):
        inside = _inside(spans, mention.start)
        result.append(_with_antecedent(mention, known, inside))
        if isinstance(mention.value, CitationValue):
            _learn(known, mention.value, index)
        if not inside:
            known.last = _new_last(index, result, known.last)
    return tuple(result)


def _with_antecedent(mention: Mention, known: _Known, inside: bool) -> Mention:
    if not isinstance(mention.value, CitationValue):
        return mention
    found = _antecedent(mention.value, known)
    if found is None and not inside:
        return mention
    value = mention.value.model_copy(update={"antecedent": found, "in_parenthetical": inside})
    return mention.model_copy(update={"value": value})


def _learn(known: _Known, value: CitationValue, index: int) -> None:
    if value.form not in _FULL:
        return
    if value.reporter is not None:
        if value.section is not None:
            known.sections[value.section] = index
        known.volumes.setdefault((value.volume, value.reporter), {})[value.name] = index
    if value.name is not None and (value.reporter is not None or value.docket is not None):
        known.names.pop(value.name, None)  # the last met comes last
        known.names[value.name] = index


def _new_last(index: int, result: Sequence[Mention], last: int | None) -> int | None:
    """Index of what an `id.` after the mention at `index` would mean."""
    mention = result[index]
    value = mention.value
    if mention.kind in (MentionKind.RECORD_CITE, MentionKind.BATES):
        return index
    if not isinstance(value, CitationValue):
        return last
    if value.form in (CitationForm.ID, CitationForm.SHORT, CitationForm.SUPRA):
        is_internal = value.form is CitationForm.SUPRA and value.name is None
        return last if is_internal else value.antecedent
    if value.form is CitationForm.CASE and value.reporter is None:
        return last
    return last if _is_parallel_to(result, index, last) else index


def _is_parallel_to(result: Sequence[Mention], index: int, last: int | None) -> bool:
    """Whether the citation at `index` only repeats the case at `last` in another reporter."""
    if last is None:
        return False
    one, other = result[last].value, result[index].value
    if not isinstance(one, CitationValue) or not isinstance(other, CitationValue):
        return False
    adjacent = result[index].start - result[index - 1].end <= 4
    return adjacent and one.name is not None and one.name == other.name and one.year == other.year


def _antecedent(value: CitationValue, known: _Known) -> int | None:
    if value.form is CitationForm.ID:
        return known.last
    if value.form is CitationForm.SUPRA:
        return None if value.name is None else _named(value.name, known.names)
    if value.form is CitationForm.SHORT:
        return _same_volume(value, known)
    if value.form is CitationForm.STATUTE and value.reporter is None:
        return known.sections.get(value.section)
    return None


def _named(name: str, names: dict[str, int]) -> int | None:
    wanted = _words(name)
    return next((names[other] for other in reversed(names) if _within(wanted, _words(other))), None)


def _same_volume(value: CitationValue, known: _Known) -> int | None:
    """The last full citation of that volume and reporter whose name does not contradict."""
    found: int | None = None
    for name, index in known.volumes.get((value.volume, value.reporter), {}).items():
        agrees = value.name is None or name is None or _within(_words(value.name), _words(name))
        if agrees and (found is None or index > found):
            found = index
    return found


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    words = re.findall(r"[A-Za-z0-9&]+(?:['’][A-Za-z]+)*", name.replace(".", "").lower())
    return tuple(word for word in words if word not in _SMALL)


def _within(wanted: Sequence[str], name: Sequence[str]) -> bool:
    """Whether all wanted words stand in the name, in order; Grp. stands for Group (table T6)."""
    if not wanted:
        return False
    rest = iter(name)
    return all(any(_stands_for(word, other) for other in rest) for word in wanted)


def _stands_for(short: str, word: str) -> bool:
    if short == word:
        return True
    short, word = short.replace("'", "").replace("’", ""), word.replace("'", "").replace("’", "")
    if len(short) > len(word):
        short, word = word, short
    if len(short) < 2 or short[0] != word[0]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in short)


def _parentheticals(text: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Spans of explanatory parentheses: opened right behind a citation, or by "quoting", "citing" and the like."""
    ends = {mention.end for mention in mentions if mention.kind is not MentionKind.QUOTATION}
    covered = [(mention.start, mention.end) for mention in mentions if mention.kind is not MentionKind.QUOTATION]
    spans: list[tuple[int, int]] = []
    stack: list[tuple[int, bool]] = []
    at = 0
    for found in _PARENTHESIS.finditer(text):
        position = found.start()
        while at < len(covered) and covered[at][1] <= position:
            at += 1
        if at < len(covered) and covered[at][0] <= position < covered[at][1]:
            continue
        if found[0][0] == "\n":
            stack.clear()  # an unclosed parenthesis must not swallow the rest of the paper
        elif found[0] == "(":
            stack.append((position, _explains(text, position, ends)))
        elif stack:
            opened, explains = stack.pop()
            if explains:
                spans.append((opened, position + 1))
                ends.add(position + 1)
    return sorted(spans)


def _explains(text: str, position: int, ends: set[int]) -> bool:
    before = position
    while before > 0 and text[before - 1].isspace() and position - before < 40:
        before -= 1
    return (before in ends and before < position) or _OPENS_PARENTHETICAL.match(text, position) is not None


def _inside(spans: Sequence[tuple[int, int]], offset: int) -> bool:
    low, high = 0, len(spans)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if spans[middle][0] <= offset else (low, middle)
    return any(start <= offset < end for start, end in spans[max(0, low - 4) : low])
