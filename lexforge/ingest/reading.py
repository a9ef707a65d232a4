"""What reading one file gives, before it is known what the rest of the folder holds."""

from __future__ import annotations

from lexforge.domain.evidence import Correspondence, Hidden, Place, StampOrigin
from lexforge.domain.record import Record


class Candidate(Record):
    """Text in which a page's Bates number may stand, and where it was found; the whole production decides."""

    origin: StampOrigin
    text: str


class PageReading(Record):
    """One page as a person would see it: `text` holds nothing hidden, which stands in `hidden` instead.

    `furniture` are `[start, end)` spans of `text` that the production added (stamps, designations), not the author.
    `scanned` says that the page is a picture, and `by_ocr` that its text was read from one.
    """

    text: str
    candidates: tuple[Candidate, ...] = ()
    furniture: tuple[tuple[int, int], ...] = ()
    hidden: tuple[Hidden, ...] = ()
    redactions: int = 0
    designation: str | None = None
    label: str | None = None
    places: tuple[Place, ...] = ()
    scanned: bool = False
    by_ocr: bool = False


class Failure(Record):
    """Why a file could not be read: `code` is stable, `message` names the file, `advice` is the remedy."""

    code: str
    message: str
    advice: str


class Reading(Record):
    """What a file holds: `pages` in order, `own_draft` the id of the draft of ours that marks it.

    `members` are the files inside it (attachments, messages of a mailbox, files of an archive), each read by itself.
    `message_id` is the Message-ID of an email, with its angle brackets. `warnings` are sentences for the report on what
    was seen but not taken in (macros, links to outside, hidden sheets).
    """

    media_type: str
    extractor: str
    pages: tuple[PageReading, ...]
    correspondence: Correspondence | None = None
    message_id: str | None = None
    own_draft: str | None = None
    members: tuple[Member, ...] = ()
    warnings: tuple[str, ...] = ()
    note: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each page."""
        return tuple(page.text for page in self.pages)


class Member(Record):
    """A file inside another: its `name` there (with `/`), its hash, and what it holds or why it could not be read."""

    name: str
    sha256_file: str
    outcome: Reading | Failure


Reading.model_rebuild()


def pages_of(texts: tuple[str, ...] | list[str]) -> tuple[PageReading, ...]:
    """Pages of which nothing but the text is known."""
    return tuple(PageReading(text=text) for text in texts)
