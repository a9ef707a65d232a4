"""A small dispatcher for the tests of files that hold files: no more kinds than these tests need."""

from __future__ import annotations

from pathlib import Path

from lexforge.errors import UnreadableFile
from lexforge.ingest.container import archive
from lexforge.ingest.container.members import flattened
from lexforge.ingest.mail import eml as email
from lexforge.ingest.reading import Failure, Member, Reading, pages_of


def read(path: Path) -> Reading:
    """Archives and emails; everything else is text, and nothing is `empty`."""
    data = path.read_bytes()
    if not data:
        raise UnreadableFile("empty", f"{path.name} is empty.", "Obtain it again.")
    if archive.looks_like(data[:512]):
        return archive.read(path, read)
    if path.suffix == ".eml":
        return email.read(path, read)
    return Reading(media_type="text/plain", extractor="test", pages=pages_of([data.decode("latin-1")]))


def outcome(member: Member) -> str:
    """The code of a failure, or the first page of a text."""
    if isinstance(member.outcome, Failure):
        return member.outcome.code
    return "".join(member.outcome.texts[:1])


def tree(reading: Reading) -> dict[str, str]:
    """What became of each member, by its path."""
    return {placed.path: outcome(placed.member) for placed in flattened("x", reading)}
