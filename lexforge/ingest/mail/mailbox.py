"""Mailboxes (.mbox, RFC 4155): every message is a member, read as an email."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

from lexforge.errors import UnreadableFile
from lexforge.ingest.container.members import Inner, read_members
from lexforge.ingest.reading import Reading

_FIELD = re.compile(rb"[!-9;-~]+:|>From ")
_TIME = re.compile(rb"\b\d{1,2}:\d{2}\b")
_YEAR = re.compile(rb"\b(?:19|20)\d{2}\b")
_QUOTED = re.compile(rb">+From ")
_LONGEST = 64 * 1024
"""Bytes; a longer line is taken in pieces."""


def looks_like(head: bytes) -> bool:
    """Whether bytes begin like a mailbox: a `From ` line with a time, and a header field below it."""
    first, _, rest = head.partition(b"\n")
    return _separates(first, rest[:_LONGEST])


def read(path: Path, read_member: Callable[[Path], Reading]) -> Reading:
    """The messages of a mailbox as members `message 1.eml`, `message 2.eml`; one is in memory at a time.

    UnreadableFile `corrupt` when it does not begin with a message.
    """
    with path.open("rb") as file:
        if not looks_like(file.read(2 * _LONGEST)):
            raise UnreadableFile("corrupt", f"{path.name} is not a mailbox.", "Obtain it again.")
        file.seek(0)
        members = read_members(_messages(file), read_member)
    return Reading(media_type="application/mbox", extractor="mailbox 1", pages=(), members=members)


def _messages(file: BinaryIO) -> Iterator[Inner]:
    for number, lines in groupby(_numbered(file), itemgetter(0)):
        yield Inner(f"message {number}.eml", (line for _, line in lines))


def _numbered(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each line with the number of its message. `From ` lines divide messages and belong to none of them.

    A line that a mailbox had to quote (`>From `) is given as its writer had it.
    """
    number, whole = 0, True
    line = file.readline(_LONGEST)
    while line:
        following = file.readline(_LONGEST)
        if whole and _separates(line, following):
            number += 1
        else:
            yield number, line[1:] if whole and _QUOTED.match(line) else line
        whole = line.endswith(b"\n")
        line = following


def _separates(line: bytes, following: bytes) -> bool:
    """Not every writer quotes `From ` in a text, so a line counts only with a date, and a header field after it."""
    return bool(line.startswith(b"From ") and _FIELD.match(following) and _TIME.search(line) and _YEAR.search(line))
