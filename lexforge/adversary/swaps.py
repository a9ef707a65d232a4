"""Two names, or two dates, or before and after, exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lexforge.adversary.edits import Change, Prose
from lexforge.domain.mentions import DateValue, Mention, MentionKind

Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Two people or parties that can be taken for one another, each with all the names it goes by."""

_DIRECTED = frozenset(
    "to from by against for informed told warned notified advised asked demanded paid sold owed owes sued gave sent "
    "refused blamed accused promised assured supplied shipped delivered reimbursed billed invoiced hired fired "
    "employed retained answered instructed ordered required urged terminated released indemnified guaranteed "
    "licensed leased lent loaned defrauded misled breached represented".split()
)
"""Words between two names that say which of them did it and to which it was done."""
_MUTUAL = frozenset(
    "with between both jointly together mutually alike meet meets met exchanged equal same identical similar "
    "comparable equivalent related next close adjacent near opposite opposed opposing married connected bound "
    "versus than".split()
)
"""Words that may make it all one which name comes first; where one of them stands, nothing is exchanged."""
_JOINING = frozenset("and or nor but while as & also".split())
_CLAUSE = re.compile(r"[;:()]")
_COUNTED = frozenset("both either neither between".split())


def exchanged_roles(prose: Prose, pairs: Sequence[Pair]) -> tuple[Change, ...]:
    """The first two names that a directed word stands between, exchanged; nothing where there are none."""
    for one, other in pairs:
        for start, _, sentence in prose.sentences():
            for first, second in _neighbours(sentence, one, other):
                if _is_directed(sentence, first, second):
                    return _exchanged(start, first, second)
    return ()


def _neighbours(
    sentence: str, one: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Mentions of both sides that follow each other, in order."""
    if {name.lower() for name in one} & {name.lower() for name in other}:
        return
    both = [(found, True) for found in _named(sentence, one)] + [(found, False) for found in _named(sentence, other)]
    both.sort(key=lambda item: item[0].start())
    for (first, is_one), (second, is_one_too) in pairwise(both):
        if is_one is not is_one_too and first.end() <= second.start():
            yield first, second


def _named(sentence: str, names: Sequence[str]) -> Iterator[re.Match[str]]:
    longest = sorted(filter(None, names), key=lambda name: (-len(name), name))
    if not longest:
        return iter(())
    # A capitalised word behind it makes it part of another name: Castellan Street.
    pattern = rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])(?! [A-Z])"
    return re.finditer(pattern, sentence)


def _is_directed(sentence: str, first: re.Match[str], second: re.Match[str]) -> bool:
    between = sentence[first.end() : second.start()]
    words = re.findall(r"[a-z&]+", between.lower().replace("’s", " ").replace("'s", " "))
    if not words or _CLAUSE.search(between) or words[0] in _JOINING or words[-1] in _JOINING:
        return False
    before = re.findall(r"[a-z]+", sentence[: first.start()].lower())[-1:]
    return bool(_DIRECTED & set(words)) and not _MUTUAL & set(words) and not _COUNTED & set(before)


def _exchanged(start: int, first: re.Match[str], second: re.Match[str]) -> tuple[Change, ...]:
    return (
        Change(start + first.start(), start + first.end(), first[0], second[0]),
        Change(start + second.start(), start + second.end(), second[0], first[0]),
    )


_JOINED_DATES = re.compile(r"^(?:[\s,]|and|or|to|through|until|between|on|[-–—&])*$")
_BEFORE_AFTER = re.compile(
    r"(?<![\w-])(?P<word>before|after|Before|After)\b(?! (?:and|or) (?:before|after)| all\b)"
    r"(?! (?:the |this |that |any |a )?(?:[Hh]on(?:orable|\.)|[Cc]ourt|[Jj]udge|[Jj]ustice|[Jj]ury|[Mm]agistrate"
    r"|[Tt]ribunal|[Bb]oard|[Aa]rbitrator|[Pp]anel|[Cc]ommission|you|us|me|him|her|them|it)\b)"
)
_SET_PHRASE = re.compile(
    r"(?:\b(?:and|or) (?:before|after) $|\b(?:before|after) (?:and|or) $"
    r"|\b(?:looks?|looked|named|sought|as|than|n?ever) $)"
)
_OPPOSITE = {"before": "after", "after": "before", "Before": "After", "After": "Before"}


def exchanged_order(prose: Prose) -> tuple[Change, ...]:
    """Two whole dates that no list or range joins exchanged, else the first `before` or `after` of time."""
    dates = [mention for mention in prose.of_kind(MentionKind.DATE) if _is_whole(mention)]
    for first, second in pairwise(dates):
        between = prose.text[first.end : second.start]
        if _parts(first) != _parts(second) and not _JOINED_DATES.match(between):
            return (
                Change(first.start, first.end, first.text, second.text),
                Change(second.start, second.end, second.text, first.text),
            )
    for start, _, sentence in prose.sentences():
        for found in _BEFORE_AFTER.finditer(sentence):
            if not _SET_PHRASE.search(sentence[: found.start()]):
                word = found["word"]
                return (Change(start + found.start(), start + found.end(), word, _OPPOSITE[word]),)
    return ()


def _is_whole(mention: Mention) -> bool:
    """Whether the date says its own year: one that takes it from its neighbour cannot stand elsewhere."""
    value = mention.value
    return isinstance(value, DateValue) and None not in _parts(mention) and str(value.year) in mention.text


def _parts(mention: Mention) -> tuple[int | None, int | None, int | None]:
    value = mention.value
    return (value.year, value.month, value.day) if isinstance(value, DateValue) else (None, None, None)
