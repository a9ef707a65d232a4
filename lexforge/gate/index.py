"""The bundle made searchable, once for each check."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from functools import cached_property

from lexforge.domain.evidence import Bundle, Page, Role, Source
from lexforge.domain.findings import Support
from lexforge.gate.furniture import footnote_start, furniture_spans, lines_of
from lexforge.gate.tokens import Stream

PAGE_BREAK = "\f"
HEAD_WORDS = 420


class SourceText:
    """One source as a single text with the places of its pages.

    `text` is all pages joined by a form feed, without what was pasted from a draft of ours. `body` leaves page
    furniture, footnotes and footnote marks out, so that a sentence runs on across a page break; `full` has every word.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = PAGE_BREAK.join(page.proving for page in source.pages)
        self._starts: list[int] = []
        start = 0
        for page in source.pages:
            self._starts.append(start)
            start += len(page.text) + 1

    @property
    def is_authority(self) -> bool:
        """Whether it came from `authorities/`."""
        return self.source.role is Role.AUTHORITY

    @cached_property
    def full(self) -> Stream:
        """Every word of the source."""
        return Stream.of(self.text)

    @cached_property
    def _left_out(self) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        texts = [page.proving for page in self.source.pages]
        for begin, text, found in zip(self._starts, texts, furniture_spans(texts), strict=True):
            inside = list(found)
            foot = footnote_start(text, list(lines_of(text)))
            if foot is not None:
                inside.append((foot, len(text)))
            spans += [(begin + s, begin + e) for s, e in sorted(inside)]
        return spans

    @cached_property
    def body(self) -> Stream:
        """The words of the text proper."""
        stream = self.full.only(_outside(self.full, self._left_out))
        norms = stream.norms
        return stream.only([n for n in range(len(norms)) if not (norms[n].isdigit() and stream.is_mark(n))])

    @cached_property
    def head(self) -> Stream:
        """The first words: caption, title or letter head."""
        return self.full.only(range(min(HEAD_WORDS, len(self.full.norms))))

    def page_at(self, offset: int) -> tuple[Page, int]:
        """The page on which `text[offset]` stands, and where that page begins in `text`."""
        place = bisect.bisect_right(self._starts, offset) - 1
        return self.source.pages[place], self._starts[place]

    def placed(self) -> Iterator[tuple[int, Page]]:
        """Every page with the offset at which it begins in `text`."""
        return zip(self._starts, self.source.pages, strict=True)

    def start_of(self, page: Page) -> int:
        """Where this page begins in `text`."""
        return self._starts[self.source.pages.index(page)]

    def support(self, start: int, end: int) -> tuple[Support, ...]:
        """`text[start:end]` as places in the bundle, one for each page it touches."""
        found: list[Support] = []
        while start < end:
            page, begin = self.page_at(start)
            stop = min(end, begin + len(page.text))
            if stop > start:
                found.append(_support(self.source, page, start - begin, stop - begin))
            start = max(stop, start) + 1 if stop < end else end
        return tuple(found)


class Stretch(SourceText):
    """`whole.text[start:end]` as if it were a source of its own; what it supports are places of the whole.

    Its `source.id` is one of its own, so that nobody takes what was read in the whole for what stands here.
    """

    def __init__(self, whole: SourceText, start: int, end: int) -> None:
        self.whole = whole
        self.source = whole.source.model_copy(update={"id": f"{whole.source.id}[{start}:{end}]"})
        self.text = whole.text[start:end]
        self.start = start
        self._starts = [begin - start for begin in whole._starts]

    @cached_property
    def _left_out(self) -> list[tuple[int, int]]:
        end = self.start + len(self.text)
        return [(s - self.start, e - self.start) for s, e in self.whole._left_out if self.start < e and s < end]

    def support(self, start: int, end: int) -> tuple[Support, ...]:
        """`text[start:end]` as places of the whole source."""
        return self.whole.support(start + self.start, end + self.start)


def _support(source: Source, page: Page, start: int, end: int) -> Support:
    return Support(
        source=source.id,
        path=source.path,
        page=page.number,
        start=start,
        end=end,
        text=page.text[start:end],
        bates=page.bates[0] if page.bates else None,
        place=page.place_of(start, end),
    )


def _outside(stream: Stream, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Places of the words that touch none of the spans (sorted)."""
    kept: list[int] = []
    free = 0
    for start, end in spans:
        kept += range(free, max(free, bisect.bisect_right(stream.ends, start)))
        free = max(free, bisect.bisect_left(stream.starts, end))
    return kept + list(range(free, len(stream.starts)))


class BundleIndex:
    """All sources that have text, in bundle order."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.sources: tuple[SourceText, ...] = tuple(SourceText(s) for s in bundle.sources if s.has_text)
        self.by_id = {held.source.id: held for held in self.sources}

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be grounded at all."""
        return not self.sources

    def find(self, wanted: Sequence[str]) -> Iterator[tuple[SourceText, int, int]]:
        """Every place where these words stand in a row: the source and the span in its text."""
        for held in self.sources:
            for first in held.full.find(wanted):
                start, end = held.full.span(first, first + len(wanted) - 1)
                yield held, start, end
