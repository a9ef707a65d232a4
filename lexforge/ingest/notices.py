"""What the attorney must know of her sources beside how each file ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lexforge.domain.evidence import Concealment, Hidden, Notice, Role, Source, StampOrigin
from lexforge.extract.bates_registry import BatesStamp, learn, stamps
from lexforge.ingest.reading import PageReading, Reading

LONGEST_SHOWN = 120
"""Characters of hidden text in a notice."""
MOST_GAPS = 5
"""Gaps of one series that are named one by one."""
_WEAK = (StampOrigin.MARGIN, StampOrigin.OCR)
_CONCEALED = {
    Concealment.COVERED: "under a box or a picture: a redaction that failed, or was meant to be read by machines",
    Concealment.INVISIBLE: "set not to be drawn",
    Concealment.BACKGROUND: "in the colour of what is behind it",
    Concealment.OFF_PAGE: "off the page",
    Concealment.MICRO: "too small to be read",
    Concealment.NOT_SHOWN: "not shown or printed",
}
_DUTY = (
    "It was kept out of everything. If it is privileged, see Fed. R. Civ. P. 26(b)(5)(B) before you read on; if it "
    "speaks to a machine, ask who put it there."
)


def of_reading(path: str, reading: Reading) -> Iterator[Notice]:
    """What one file shows by itself: warnings of its reader, hidden text, pages without text, redactions."""
    for warning in reading.warnings:
        yield Notice(path=path, code="warning", message=warning)
    for number, page in enumerate(reading.pages, 1):
        yield from (_of_hidden(path, number, hidden) for hidden in page.hidden)
    yield from _unread(path, reading.pages)
    redacted = [n for n, page in enumerate(reading.pages, 1) if page.redactions]
    if redacted:
        told = f"Words are covered by boxes on {_pages(redacted)}; what is there can prove nothing."
        yield Notice(path=path, code="redacted", message=told, page=redacted[0])


def _of_hidden(path: str, number: int, hidden: Hidden) -> Notice:
    words = " ".join(hidden.text.split())
    shown = words if len(words) <= LONGEST_SHOWN else words[:LONGEST_SHOWN].rstrip() + " …"
    message = f"Text is hidden here, {_CONCEALED[hidden.concealment]}: “{shown}”. {_DUTY}"
    return Notice(path=path, code=f"hidden_{hidden.concealment.value}", message=message, page=number)


def _unread(path: str, pages: Sequence[PageReading]) -> Iterator[Notice]:
    """Pages that are pictures: those without text, and those whose text a program guessed."""
    without = [n for n, page in enumerate(pages, 1) if page.scanned and not page.by_ocr and len(page.text.split()) < 5]
    guessed = [n for n, page in enumerate(pages, 1) if page.by_ocr]
    if without and any(page.text.strip() for page in pages):  # without any text the file fails, and is told there
        message = f"No text could be read on {_pages(without)}: {_they(without)} pictures. {how_to_read_pictures()}"
        yield Notice(path=path, code="page_without_text", message=message, page=without[0])
    if guessed:
        message = f"The text of {_pages(guessed)} was read from a picture by OCR; compare what you quote."
        yield Notice(path=path, code="read_by_ocr", message=message, page=guessed[0])


def how_to_read_pictures() -> str:
    """What to do about a page that is a picture: install the program, or obtain a better scan where it is installed."""
    from lexforge.ingest.picture import tesseract  # noqa: PLC0415 - it brings a picture library

    if tesseract.available() is None:
        return tesseract.HOW_TO_INSTALL
    return "Obtain a better scan."


def _they(numbers: Sequence[int]) -> str:
    return "they are" if len(numbers) > 1 else "it is one of the"


def _pages(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 3, 5 and 8`, or the first ones and how many more."""
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    if len(numbers) > 8:
        return f"pages {', '.join(str(n) for n in numbers[:8])} and {len(numbers) - 8} more"
    return f"pages {', '.join(str(n) for n in numbers[:-1])} and {numbers[-1]}"


def of_bates(sources: Sequence[Source]) -> Iterator[Notice]:
    """Gaps in the numbers of the production, one line a series, and numbers that stand on two documents."""
    evidence = [source for source in sources if source.role is Role.EVIDENCE]
    registry = learn(["\n".join(page.bates) for page in source.pages] for source in evidence)
    held: dict[tuple[str, int], dict[int, list[tuple[str, Source]]]] = defaultdict(lambda: defaultdict(list))
    for source in evidence:
        for page in source.pages:
            for stamp in stamps("\n".join(page.bates), registry):
                held[stamp.prefix, stamp.width][stamp.number].append((stamp.text, source))
    for _, numbers in sorted(held.items()):
        yield from _gaps(numbers)
        yield from _twice(numbers)


def _gaps(numbers: dict[int, list[tuple[str, Source]]]) -> Iterator[Notice]:
    pairs = [(low, high) for low, high in pairwise(sorted(numbers)) if high - low > 1]
    if not pairs:
        return
    missing = sum(high - low - 1 for low, high in pairs)
    shown = "; ".join(f"between {numbers[low][0][0]} and {numbers[high][0][0]}" for low, high in pairs[:MOST_GAPS])
    more = f"; and {len(pairs) - MOST_GAPS} gaps more" if len(pairs) > MOST_GAPS else ""
    told = f"{missing} numbers of this series are on no document here: {shown}{more}. Ask for them."
    yield Notice(path=numbers[pairs[0][0]][0][1].path, code="bates_gap", message=told)


def _twice(numbers: dict[int, list[tuple[str, Source]]]) -> Iterator[Notice]:
    for _, holders in sorted(numbers.items()):
        text, first = holders[0]
        other = next((held for _, held in holders if held.id != first.id and held.copy_of is None), None)
        if other is not None:
            told = f"{text} stands on {first.name} and on {other.name}; a cite to it names both."
            yield Notice(path=other.path, code="bates_twice", message=told)


def unconfirmed(path: str, pages: Sequence[PageReading]) -> Iterator[Notice]:
    """What looks like a Bates number in the margin of a file none of whose pages was given one."""
    texts = ["\n".join(c.text for c in page.candidates if c.origin in _WEAK) for page in pages]
    registry = learn([texts])
    seen = [(n, stamp.text) for n, text in enumerate(texts, 1) for stamp in stamps(text, registry) if _padded(stamp)]
    if seen:
        number, text = seen[0]
        told = f"“{text}” may be a Bates number, but no other page bears it out, so it cannot be cited as one."
        told += " Name the file by its numbers, or add the load file of the production."
        yield Notice(path=path, code="bates_unconfirmed", message=told, page=number)


def _padded(stamp: BatesStamp) -> bool:
    return len(str(stamp.number)) < stamp.width
