"""Sources, pages and passages, and the bundle that seals them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property

from lexforge.domain.record import Record


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


class Passage(Record):
    """A paragraph-sized piece of a page; `page.text[start:end] == text`.

    `correspondence` is set where the words are those of a message quoted in the source and not of its own writer; it
    is empty where nobody can say whose words they are.

    `id` is `E-<8 hex of the file's sha256>:p<page>:¶<n>` (`A-` for an authority): it does not change when the
    file is moved or ingested again.
    """

    id: str
    page: int
    start: int
    end: int
    text: str
    correspondence: Correspondence | None = None


class Page(Record):
    """One page of a source, with every Bates number stamped on it. `number` counts from 1."""

    number: int
    text: str
    bates: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()


class Source(Record):
    """One file as produced or obtained. `path` is relative to the matter, with `/`."""

    id: str
    role: Role
    path: str
    sha256_file: str
    media_type: str
    extractor: str
    pages: tuple[Page, ...]
    correspondence: Correspondence | None = None

    @property
    def name(self) -> str:
        """The file name without its folder."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def passages(self) -> Iterator[Passage]:
        """All passages, in reading order."""
        return (passage for page in self.pages for passage in page.passages)

    @property
    def has_text(self) -> bool:
        """Whether anything can be grounded here at all."""
        return any(page.text.strip() for page in self.pages)


class FileRecord(Record):
    """The fate of one file: `reason` is a stable code, `detail` a sentence with the remedy."""

    path: str
    role: Role
    fate: Fate
    reason: str
    detail: str = ""
    sha256_file: str | None = None
    source: str | None = None


class Bundle(Record):
    """Everything a run may rely on. Two bundles with the same hash ground the same things."""

    sources: tuple[Source, ...] = ()
    files: tuple[FileRecord, ...] = ()

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
    def own_output_share(self) -> float:
        """Share of the evidence files (0 to 1) that were our own earlier output."""
        evidence = [f for f in self.files if f.role is Role.EVIDENCE]
        ours = [f for f in evidence if f.fate is Fate.QUARANTINED]
        return len(ours) / len(evidence) if evidence else 0.0
