"""Quotations: marked, one-sided and set off as blocks, with the document they are attributed to (Bluebook rule 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lexforge.domain.mentions import CitationValue, Mention, MentionKind, QuotationValue, RecordCiteValue
from lexforge.extract.fold import Folded, fold

_MARK = re.compile(r"[“”„«»]|\"|(?<![\w`])``|(?<=[\w.,?!;:])''(?!\w)")
_OPENS_AFTER = re.compile(r"[\s(\[—–\-/'‘\x00]")
_TERM_BEFORE = re.compile(r"\((?:[^()\"“”]{0,60}[ ,])?$")
_BLOCK = re.compile(r"(?<=:)[ \t]*\n[ \t]*\n(?P<block>(?:(?: {4,}|\t)[^\n]+\n?)+)")
_NAMED_WORK = re.compile(
    r"\b(?P<name>(?:[A-Z][\w.'’\-]*(?:'s|’s)? |of |and |the ){0,8}"
    r"(?:[Rr]eport|[Ll]etter|[Aa]greement|[Mm]emorandum|[Cc]ontract|[Dd]eclaration|[Ee]-?mail|[Mm]essage"
    r"|[Cc]omplaint|[Oo]rder|[Ll]ease|[Pp]olicy|[Mm]inutes"
    r"|[Aa]ct|[Ii]nvoice|[Nn]otice)\b(?: \([^()]{1,40}\))?)"
)
_SENTENCE_END = re.compile(r"[.!?][”\")\]]*\s+[A-Z]")
_REACH_BEFORE = 260
_FOLLOWS = re.compile(
    r"[\s.,;:)\]”\"]*(?:\((?:emphasis|citations?|internal|alteration|footnote|cleaned|quotation)[^()]*\)[\s.]*)?"
    r"(?:\[?\d{1,2}\]?\s)?\(?"
)


def find(text: str, named: Sequence[Mention] = ()) -> tuple[Mention, ...]:
    """Quotations in `text`, sorted and disjoint among themselves; the span includes the marks, `words` do not.

    `words` have single spaces and no page furniture. `named` are the other mentions of the same text, sorted: the one
    just behind the quotation, or the last before it in its paragraph, is what it is attributed to. `closed` is False
    when no closing mark came before the paragraph ended. `term` marks a defined term, as in (the “Agreement”), which
    names and does not quote.
    """
    return scan(fold(text), named)


def scan(folded: Folded, named: Sequence[Mention]) -> tuple[Mention, ...]:
    """Quotations of a folded text, as mentions of the whole one; see `find`."""
    found: list[Mention] = []
    for start, end, closed in _marked(folded.text):
        value = _value(folded.text, start, end, closed)
        found.append(_mention(folded.whole, folded.whole_span(start, end), named, value))
    for span in _blocks(folded.whole):
        if not any(mention.overlaps(*span) for mention in found):
            words = " ".join(folded.whole[slice(*span)].split())
            found.append(_mention(folded.whole, span, named, QuotationValue(words=words, block=True)))
    return tuple(sorted(found, key=lambda mention: mention.start))


def _marked(text: str) -> Iterator[tuple[int, int, bool]]:
    """Spans between marks, and whether each was closed; a paragraph never lends its mark to the next."""
    opened: int | None = None
    limit = -1
    for found in _MARK.finditer(text):
        at = found.start()
        if opened is not None and at >= limit:
            yield opened, _trimmed_end(text, opened, limit), _is_continued(text, limit)
            opened = None
        if opened is None:
            if _may_open(text, at, found[0]):
                opened = at
                limit = _paragraph_end(text, at)
        elif _closes(text, found):
            yield opened, found.end(), True
            opened = None
    if opened is not None:
        yield opened, _trimmed_end(text, opened, limit), False


def _paragraph_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _may_open(text: str, at: int, mark: str) -> bool:
    following = text[at + len(mark) : at + len(mark) + 1]
    nested = text[at + len(mark) : at + len(mark) + 2] in (" '", " ‘", " `")
    if not following or (following.isspace() and mark != "“" and not nested):
        return False
    if mark in "“„«":
        return True
    return at == 0 or _OPENS_AFTER.match(text[at - 1]) is not None


def _closes(text: str, found: re.Match[str]) -> bool:
    mark, end = found[0], found.end()
    if mark in "”»":
        return True
    if mark in "“„":
        return False
    following = text[end : end + 1]
    return not (following.isalnum() and text[found.start() - 1].isspace())


def _is_continued(text: str, limit: int) -> bool:
    """Whether the next paragraph opens with a mark again: a quotation of several paragraphs closes only the last."""
    return text[limit : limit + 60].lstrip()[:1] in ("“", '"')


def _trimmed_end(text: str, start: int, end: int) -> int:
    return start + max(1, len(text[start:end].rstrip()))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Indented paragraphs behind a colon (Bluebook 5.1(a): fifty words or more are set off without marks)."""
    for found in _BLOCK.finditer(text):
        start = found.start("block") + len(found["block"]) - len(found["block"].lstrip())
        end = found.start("block") + len(found["block"].rstrip())
        if len(text[start:end].split()) >= 12:
            yield start, end


def _value(text: str, start: int, end: int, closed: bool) -> QuotationValue:
    words = text[start:end].strip('“”„«»"`')
    if words.endswith("''"):
        words = words[:-2]
    return QuotationValue(words=words, closed=closed, term=_is_term(text, start, end, words))


def _mention(whole: str, span: tuple[int, int], named: Sequence[Mention], value: QuotationValue) -> Mention:
    start, end = span
    value = value.model_copy(update={"attributed_to": _attribution(whole, start, end, named)})
    return Mention(start=start, end=end, kind=MentionKind.QUOTATION, text=whole[start:end], value=value)


def _is_term(text: str, start: int, end: int, words: str) -> bool:
    """(“TRO”), (the “Agreement”), (collectively, “Defendants”): at most six words in a parenthesis of their own."""
    if len(words.split()) > 6 or not _TERM_BEFORE.search(text, max(0, start - 64), start):
        return False
    return re.match(r"[.,]?(?:\)| or [“\"]| and [“\"])", text[end : end + 8]) is not None


def _attribution(text: str, start: int, end: int, named: Sequence[Mention]) -> str | None:
    """The document cited right behind the quotation, else the last one named before it in its paragraph."""
    follows = _FOLLOWS.match(text, end)
    after = end if follows is None else follows.end()
    begin = max(start - _REACH_BEFORE, text.rfind("\n\n", max(0, start - _REACH_BEFORE), start) + 1)
    best: Mention | None = None
    for mention in _near(named, begin, after + 2):
        if _document_name(mention) is None:
            continue
        if mention.start >= end:
            best = mention if mention.start <= after + 1 else best
            break
        if mention.end <= start:
            best = mention
    if best is not None and (best.start >= end or not _SENTENCE_END.search(text, best.end, start)):
        return _document_name(best)
    sentence = begin if best is None else best.end
    works = [found["name"].removeprefix("The ").strip() for found in _NAMED_WORK.finditer(text, sentence, start)]
    return works[-1] if works else None if best is None else _document_name(best)


def _near(named: Sequence[Mention], begin: int, until: int) -> Iterator[Mention]:
    low, high = 0, len(named)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if named[middle].end <= begin else (low, middle)
    for mention in named[low:]:
        if mention.start > until:
            return
        yield mention


def _document_name(mention: Mention) -> str | None:
    value = mention.value
    if isinstance(value, CitationValue):
        return value.name or mention.text
    if isinstance(value, RecordCiteValue):
        return value.document
    return mention.text if mention.kind is MentionKind.BATES else None
