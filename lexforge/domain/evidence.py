"""Sources, pages and passages, and the bundle that seals them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property

from lexforge.domain.draft import blanked
from lexforge.domain.record import Record

ADMITTED = "admitted_record"
"""Reason of a file that stays out of the evidence because it is procedural record; it is not called our own output."""


class Role(StrEnum):
    """The folder a source came from decides what it may prove."""

    EVIDENCE = "evidence"
    AUTHORITY = "authority"


class Fate(StrEnum):
    """How a file ended. Every file in the folder has exactly one."""

    INGESTED = "ingested"
    DUPLICATE = "duplicate"
    QUARANTINED = "quarantined"
    FAILED = "failed"


class Correspondence(Record):
    """Who wrote a document to whom: email headers, or the head of a letter. Dates stay as printed."""

    author: str | None = None
    recipients: tuple[str, ...] = ()
    sent: str | None = None
    subject: str | None = None


class StampOrigin(StrEnum):
    """Where a page's Bates number was read, the most certain first; a later one never overrules an earlier one."""

    LOAD_FILE = "load_file"
    ARTIFACT = "artifact"
    ANNOTATION = "annotation"
    MARGIN = "margin"
    TEXT = "text"
    FILE_NAME = "file_name"
    OCR = "ocr"


class Concealment(StrEnum):
    """Why no human can see a piece of text that a program reads."""

    COVERED = "covered"
    INVISIBLE = "invisible"
    BACKGROUND = "background"
    OFF_PAGE = "off_page"
    MICRO = "micro"
    NOT_SHOWN = "not_shown"


class Hidden(Record):
    """Text nobody can see on the page: a redaction that failed, or words meant for a machine. Never part of a page."""

    concealment: Concealment
    text: str


class Place(Record):
    """Where a reader finds `page.text[start:end]` when the page number does not say: `34:12`, `Payments!A2:F2`."""

    start: int
    end: int
    name: str


def place_of(places: Sequence[Place], start: int, end: int) -> str | None:
    """The place of `text[start:end]`, or its first and last; None when none of these (sorted) places is there."""
    low = bisect_right(places, start, key=lambda place: place.end)
    inside = places[low : bisect_left(places, end, key=lambda place: place.start)]
    if not inside:
        return None
    first, last = inside[0].name, inside[-1].name
    return first if first == last else f"{first}–{last}"


class Passage(Record):
    """A paragraph-sized piece of a page; `page.text[start:end] == text`.

    `correspondence` is set where the words are those of a message quoted in the source and not of its own writer; it
    is empty where nobody can say whose words they are.

    `derived_from` is the id of a draft of ours whose words stand here, pasted into a source that is genuine otherwise.
    Such a passage shows that they were sent; it is offered to no plan and grounds nothing.

    `id` is `E-<8 hex of the file's sha256>:p<page>:¶<n>` (`A-` for an authority): it does not change when the
    file is moved or ingested again. `place` is where a reader finds it when the page does not say.
    """

    id: str
    page: int
    start: int
    end: int
    text: str
    correspondence: Correspondence | None = None
    derived_from: str | None = None
    place: str | None = None


class Page(Record):
    """One page of a source as a person sees it, with every Bates number on it. `number` counts from 1.

    `stamped_by` says how the numbers were read, `label` what the page calls itself (a sheet, a printed page number),
    `designation` how confidential the production says it is. What nobody can see is in `hidden` and not in `text`.
    """

    number: int
    text: str
    bates: tuple[str, ...] = ()
    stamped_by: StampOrigin | None = None
    passages: tuple[Passage, ...] = ()
    label: str | None = None
    places: tuple[Place, ...] = ()
    designation: str | None = None
    redactions: int = 0
    hidden: tuple[Hidden, ...] = ()
    scanned: bool = False
    by_ocr: bool = False

    def place_of(self, start: int, end: int) -> str | None:
        """Where a reader finds `text[start:end]`; None when the page number alone says it."""
        return place_of(self.places, start, end)

    @property
    def proving(self) -> str:
        """`text` of the same length, with spaces for what came from a draft of ours."""
        return blanked(self.text, ((p.start, p.end) for p in self.passages if p.derived_from is not None))


class Source(Record):
    """One file as produced or obtained, or the files of one produced document. `path` is relative to the matter.

    Of several files it is that of the first with the text; `sha256_file` is then the native's, or over the text files.

    A file inside another has the path of that one before its own, and the other's id as `family`. `copy_of` is the id
    of the source that stands for it in prompts; a copy can be cited all the same.
    """

    id: str
    role: Role
    path: str
    sha256_file: str
    media_type: str
    extractor: str
    pages: tuple[Page, ...]
    correspondence: Correspondence | None = None
    family: str | None = None
    copy_of: str | None = None

    @property
    def name(self) -> str:
        """The file name without its folder."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def passages(self) -> Iterator[Passage]:
        """All passages, in reading order."""
        return (passage for page in self.pages for passage in page.passages)

    @property
    def proving_passages(self) -> Iterator[Passage]:
        """The passages that may prove something: all but those that came from a draft of ours."""
        return (passage for passage in self.passages if passage.derived_from is None)

    @property
    def has_text(self) -> bool:
        """Whether anything can be grounded here at all."""
        return any(page.text.strip() for page in self.pages)


class FileRecord(Record):
    """The fate of one file: `reason` is a stable code, `detail` a sentence with the remedy, `words` what it holds."""

    path: str
    role: Role
    fate: Fate
    reason: str
    detail: str = ""
    sha256_file: str | None = None
    source: str | None = None
    words: int = 0


class Notice(Record):
    """What the attorney must know of a file beside its fate: `code` is stable, `message` a sentence with the remedy.

    `page` counts pages and `line` the lines of a load file, both from 1.
    """

    path: str
    code: str
    message: str
    page: int | None = None
    line: int | None = None


class Bundle(Record):
    """Everything a run may rely on. Two bundles with the same hash ground the same things."""

    sources: tuple[Source, ...] = ()
    files: tuple[FileRecord, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def evidence(self) -> tuple[Source, ...]:
        """Sources from `evidence/`."""
        return tuple(s for s in self.sources if s.role is Role.EVIDENCE)

    @property
    def authorities(self) -> tuple[Source, ...]:
        """Sources from `authorities/`."""
        return tuple(s for s in self.sources if s.role is Role.AUTHORITY)

    @cached_property
    def _by_passage(self) -> dict[str, tuple[Source, Page, Passage]]:
        return {
            passage.id: (source, page, passage)
            for source in self.sources
            for page in source.pages
            for passage in page.passages
        }

    def passage(self, passage_id: str) -> Passage:
        """The passage with this id; KeyError when the bundle does not hold it."""
        return self._by_passage[passage_id][2]

    def page_of(self, passage_id: str) -> Page:
        """The page on which this passage stands."""
        return self._by_passage[passage_id][1]

    def source_of(self, passage_id: str) -> Source:
        """The source in which this passage stands."""
        return self._by_passage[passage_id][0]

    def with_fate(self, fate: Fate) -> tuple[FileRecord, ...]:
        """The files that ended so."""
        return tuple(f for f in self.files if f.fate is fate)

    @property
    def own_output(self) -> tuple[FileRecord, ...]:
        """The evidence files that were our own earlier output; an admitted paper is none of them."""
        return tuple(f for f in self._judged if f.fate is Fate.QUARANTINED)

    @property
    def _judged(self) -> list[FileRecord]:
        return [f for f in self.files if f.role is Role.EVIDENCE and f.reason != ADMITTED]

    @property
    def own_output_share(self) -> float:
        """Share of the evidence files (0 to 1) that were our own earlier output."""
        return len(self.own_output) / len(self._judged) if self._judged else 0.0

    @property
    def own_output_words(self) -> float:
        """Share of the words of the evidence (0 to 1) that were ours: whole files, and what was pasted into others.

        Duplicates do not count on either side.
        """
        derived = (p for s in self.evidence for p in s.passages if p.derived_from is not None)
        ours = sum(f.words for f in self.own_output) + sum(len(p.text.split()) for p in derived)
        everything = sum(f.words for f in self._judged if f.fate in (Fate.INGESTED, Fate.QUARANTINED))
        return ours / everything if everything else 0.0
