"""Which of a produced document's files its text is read from, and which Bates numbers each page of it bears.

In this order, the first that has words:

1. a text file for each page;
2. the text of the whole, with as many pages (between form feeds) as the document has;
3. the native file: page by page where the counts agree, else with the numbers of all pages on its first page;
4. the text of the whole as one page that bears all numbers;
5. text files for some of the pages;
6. the page images, read by OCR.

Text that the producing party made comes first, page by page: it is what that party says stands on its numbered pages,
and a native has no such pages. The exception is a slip sheet in place of a native that is there. Images are read only
where there is nothing else, so nobody can tell from this text whether an image shows less of it, being redacted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from lexforge.ingest import transcript
from lexforge.ingest.load_file.documents import ProducedDocument
from lexforge.ingest.load_file.file_checks import SLIP_SHEET
from lexforge.ingest.load_file.numbers import number_of
from lexforge.ingest.reading import Failure, PageReading, Reading, pages_of

Outcomes = Mapping[str, Reading | Failure]
"""What reading gave, by path; a file that is not there, or was not read, is missing."""
_SLIP_WORDS = 60
_LONGEST_NUMBER = 100
_EMPTY = "empty"
"""Code of a text file without a word, which is that of a page without one."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document's text: the `files` it was read from, in order, its `pages`, and the numbers of each page."""

    files: tuple[str, ...]
    pages: tuple[PageReading, ...]
    numbers: tuple[tuple[str, ...], ...]

    @property
    def has_words(self) -> bool:
        """Whether it can prove anything."""
        return any(page.text.strip() for page in self.pages)


def text_of(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    """The text of a document; None when none of the files that were read has a word."""
    found = (choose(document, outcomes) for choose in _IN_ORDER)
    return next((text for text in found if text is not None and text.has_words), None)


def _every_page(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    """A text for each page; an empty one is that of an empty page."""
    paths = [page.text for page in document.pages]
    return None if not all(path and _is_text(outcomes.get(path)) for path in paths) else _pages(document, outcomes)


def _is_text(outcome: Reading | Failure | None) -> bool:
    return isinstance(outcome, Reading) or (outcome is not None and outcome.code == _EMPTY)


def _pages(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    """The text of each page that has one."""
    if not any(page.text for page in document.pages):
        return None
    files, pages = dict[str, None](), []
    for page in document.pages:
        outcome = outcomes.get(page.text or "")
        again = page.text in files
        if page.text and _is_text(outcome):
            files[page.text] = None
        pages.append(_as_one(outcome.pages) if isinstance(outcome, Reading) and not again else PageReading(text=""))
    return Text(tuple(files), _without_line_numbers(pages), _numbers(document, len(pages)))


def _without_line_numbers(pages: Sequence[PageReading]) -> tuple[PageReading, ...]:
    """A transcript shows itself only by several pages, and each was read from a file of its own."""
    known = None if any(page.places for page in pages) else transcript.pages([page.text for page in pages])
    return known if known is not None and len(known) == len(pages) else tuple(pages)


def _whole_by_page(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    reading = outcomes.get(document.text or "")
    if document.text is None or not isinstance(reading, Reading) or _stands_for_native(document, reading, outcomes):
        return None
    pages = _trimmed(reading.pages, len(document.pages))
    if len(pages) != len(document.pages):
        return None
    return Text((document.text,), pages, _numbers(document, len(pages)))


def _stands_for_native(document: ProducedDocument, reading: Reading, outcomes: Outcomes) -> bool:
    """Whether a text only says that the document was produced natively, and the native is there to be read."""
    native = _native(document, outcomes)
    if native is None or not native.has_words:
        return False
    said = "\n".join(reading.texts)
    return len(said.split()) <= _SLIP_WORDS and SLIP_SHEET.search(said.encode(errors="replace")) is not None


def _native(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    """The native, unless it was read as plain text and should be something else: then it is damaged."""
    reading = outcomes.get(document.native or "")
    if isinstance(reading, Reading) and reading.note and reading.media_type == "text/plain":
        return None
    return _any_native(document, outcomes)


def _any_native(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    reading = outcomes.get(document.native or "")
    if document.native is None or not isinstance(reading, Reading):
        return None
    return Text((document.native,), reading.pages, _numbers(document, len(reading.pages)))


def _whole(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    reading = outcomes.get(document.text or "")
    if document.text is None or not isinstance(reading, Reading):
        return None
    pages = (_as_one(reading.pages),) if document.pages else reading.pages
    return Text((document.text,), pages, _numbers(document, len(pages)))


def _images(document: ProducedDocument, outcomes: Outcomes) -> Text | None:
    """The images in order. One of several pages stands for as many numbers as name it."""
    named: dict[str, list[str]] = {}
    for page in document.pages:
        if page.image is not None:
            named.setdefault(page.image, []).append(page.bates)
    files: list[str] = []
    pages: list[PageReading] = []
    numbers: list[tuple[str, ...]] = []
    for path, given in named.items():
        outcome = outcomes.get(path)
        if not isinstance(outcome, Reading):
            continue
        files.append(path)
        pages += outcome.pages
        numbers += _spread(given, len(outcome.pages))
    return Text(tuple(files), tuple(pages), tuple(numbers)) if files else None


_IN_ORDER: tuple[Callable[[ProducedDocument, Outcomes], Text | None], ...] = (
    _every_page,
    _whole_by_page,
    _native,
    _whole,
    _pages,
    _images,
    _any_native,
)


def _numbers(document: ProducedDocument, count: int) -> tuple[tuple[str, ...], ...]:
    return _spread([page.bates for page in document.pages], count)


def _spread(numbers: Iterable[str], count: int) -> tuple[tuple[str, ...], ...]:
    """One number to a page where there are as many of both; else all of them on the first page.

    What is no Bates number stands on no page; the report on the load file says so.
    """
    given = [(number,) if _is_number(number) else () for number in numbers]
    if len(given) == count:
        return tuple(given)
    return (tuple(dict.fromkeys(chain.from_iterable(given))), *[()] * (count - 1))


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_NUMBER and text.isprintable() and number_of(text) is not None


def _trimmed(pages: tuple[PageReading, ...], count: int) -> tuple[PageReading, ...]:
    """Without empty pages beyond `count`: a form feed may end the last page too."""
    while len(pages) > max(count, 1) and not pages[-1].text.strip():
        pages = pages[:-1]
    return pages


def _as_one(pages: tuple[PageReading, ...]) -> PageReading:
    kept = _trimmed(pages, 1)
    return kept[0] if len(kept) == 1 else pages_of(["\n\n".join(page.text for page in kept)])[0]
