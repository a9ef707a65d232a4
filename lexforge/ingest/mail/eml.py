"""Email files (RFC 5322): who wrote to whom, when, the text, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path

from lexforge.domain.evidence import Correspondence
from lexforge.errors import UnreadableFile
from lexforge.ingest.container.members import read_members
from lexforge.ingest.mail.correspondence import NAME
from lexforge.ingest.mail.eml_parts import LONGEST_HEADER, Parts, decoded, parts_of, unfolded
from lexforge.ingest.reading import PageReading, Reading

LARGEST = 128 * 2**20
"""Bytes of an email; mail servers stop at 150 MiB at most, and mail is held in memory several times over."""

_LONGEST_PARAMETERS = 8 * 1024  # characters
_MOST_LINES = 4_000_000
_MOST_DELIMITERS = 100_000
_MOST_WORK = 40_000_000  # lines times multiparts: the parser compares each line with every part that is open
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_HEADER_LINE = re.compile(rb"^(From|To|Date|Subject|Message-ID|Received|Return-Path|MIME-Version):", re.I | re.M)
_ONE_IS_NEEDED = ("From", "Sender", "To", "Date", "Subject", "Message-ID", "Received")
_MESSAGE_ID = re.compile(r"<[^<>]+>")
_BOM = b"\xef\xbb\xbf"


class _Bounded(Compat32):
    """Headers as they stand, but cut: the time for parameters grows with the square of their length."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """The name and the value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[: _LONGEST_PARAMETERS if name.lower().startswith("content-") else LONGEST_HEADER]


def looks_like(head: bytes) -> bool:
    """Whether bytes begin like an internet message: at least three header fields before the first empty line."""
    start = head.replace(b"\r\n", b"\n").split(b"\n\n")[0]
    return len({name.lower() for name in _HEADER_LINE.findall(start)}) >= 3 and b"Message-ID".lower() in start.lower()


def read(path: Path, read_member: Callable[[Path], Reading]) -> Reading:
    """An .eml file (RFC 5322, MIME): one page with headers and text as a print would have them; attachments as members.

    UnreadableFile `corrupt` when it has none of an email's headers, `too_large` or `too_deep` when it is built to take
    more memory or time than mail does.
    """
    if path.stat().st_size > LARGEST:
        raise UnreadableFile(
            "too_large", f"{path.name} is larger than {LARGEST // 2**20} MiB.", "Save its attachments on their own."
        )
    message = _parsed(path.read_bytes(), path.name)
    if all(header(message, name) is None for name in _ONE_IS_NEEDED):
        raise UnreadableFile(
            "corrupt", f"{path.name} is not an email: it has no sender and no date.", "Obtain it again."
        )
    return reading_of(message, read_member)


def reading_of(message: Message, read_member: Callable[[Path], Reading], media_type: str = "message/rfc822") -> Reading:
    """What a message holds, whatever kind of file it was taken from."""
    parts = parts_of(message)
    if any(len(str(value)) >= LONGEST_HEADER for _, value in message.raw_items()):
        parts.warnings.append(f"Of a header only the first {LONGEST_HEADER} characters are read.")
    return Reading(
        media_type=media_type,
        extractor="email 2",
        pages=(PageReading(text=_shown(message, parts), hidden=tuple(parts.hidden)),),
        correspondence=_correspondence(message),
        message_id=_message_id(message),
        members=read_members(parts.attached, read_member),
        warnings=tuple(dict.fromkeys(parts.warnings)),
    )


def header(message: Message, name: str) -> str | None:
    """A header as its reader sees it, on one line; the first of that name, None when there is none."""
    raw = _raw(message, name)
    return None if raw is None else decoded(raw)


def _parsed(data: bytes, name: str) -> Message:
    data = data.removeprefix(_BOM).lstrip(b"\r\n")
    lines = data.count(b"\n") + data.count(b"\r")
    if lines > 2 * _MOST_LINES or data.count(b"\n--") > _MOST_DELIMITERS:
        raise UnreadableFile("too_large", f"{name} has more lines than an email has.", "Ask its sender what made it.")
    if lines * len(re.findall(rb"multipart/", data, re.I)) > 2 * _MOST_WORK:
        raise _too_deep(name)
    try:
        return BytesParser(policy=_Bounded()).parsebytes(data)
    except RecursionError:
        raise _too_deep(name) from None


def _too_deep(name: str) -> UnreadableFile:
    return UnreadableFile(
        "too_deep", f"{name} has parts within parts, deeper than mail programs make them.", "Print it to PDF."
    )


def _raw(message: Message, name: str) -> str | None:
    """A header unfolded, still encoded."""
    values = (str(value) for key, value in message.raw_items() if key.lower() == name.lower())
    value = next(values, None)
    return None if value is None else unfolded(value)


def _shown(message: Message, parts: Parts) -> str:
    lines = [f"{name}: {value}" for name in _HEADERS if (value := header(message, name))]
    lines += [f"Attachment: {inner.name}" for inner in parts.attached]
    return "\n".join(lines) + "\n\n" + parts.text + "\n"


def _correspondence(message: Message) -> Correspondence:
    authors = _names(_raw(message, "From")) or _names(_raw(message, "Sender"))
    return Correspondence(
        author=next(iter(authors), None),
        recipients=tuple(_names(_raw(message, "To"))),
        sent=_day(_raw(message, "Date")),
        subject=header(message, "Subject") or None,
    )


def _names(field: str | None) -> list[str]:
    """Persons in an address field, in order: display names, never addresses.

    The field is taken apart before its words are decoded, since a decoded name may hold a comma.
    """
    try:
        found = [decoded(name).strip(" '\"") for name, _ in getaddresses([field or ""])]
    except RecursionError:  # comments within comments
        return []
    return [name for name in found if NAME.fullmatch(name)]


def _day(field: str | None) -> str | None:
    """The day in the sender's own time zone, as in `May 4, 2021`."""
    try:
        sent = parsedate_to_datetime(field or "")
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return f"{sent:%B} {sent.day}, {sent.year}"


def _message_id(message: Message) -> str | None:
    field = _raw(message, "Message-ID") or ""
    found = _MESSAGE_ID.search(field)
    return found.group() if found else field or None
