"""Hashes by which one message is known in two collections: by its Message-ID, and by what it says.

Neither is enough. Exports invent Message-IDs for messages that had none, so copies carry different ones; and gateways
change messages on the way, so one id stands on different contents.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from lexforge.domain.evidence import Correspondence
from lexforge.ingest.fingerprint import words

NOTE = 250
"""Letters below which a text says too little to be known by it: real notes of 248 letters were different messages."""
_IN_BRACKETS = re.compile(r"<[^<>]+>")
_INTERNET_DATE = re.compile(r"(?:\w{3}, )?\d{1,2} \w{3} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UT)\b")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_DIGIT = re.compile(r"\d")
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_TIME = re.compile(r"\b\d{1,2}[:.]\d\d\b")
_SHOWN_HEAD = re.compile(r"(?:(?:From|To|Cc|Date|Sent|Subject|Attachment): .*\n)+\n", re.I)


def message_id_hash(message_id: str) -> str | None:
    """The Message Identification Hash (EDRM MIH 1.0): MD5, 32 hex digits, of a Message-ID with its angle brackets.

    Brackets that a load file left out are added; comments and folding around them do not count. None for an empty one.
    """
    found = _IN_BRACKETS.search(message_id)
    bare = re.sub(r"[\s<>]+", "", found.group() if found else message_id)
    return hashlib.md5(f"<{bare}>".encode(errors="surrogatepass"), usedforsecurity=False).hexdigest() if bare else None


def letters(said: str) -> int:
    """How many letters there are in the letters and digits of a text; a page of numbers has none."""
    return len(said.translate(_NO_DIGITS)) if said.isascii() else len(said) - len(_DIGIT.findall(said))


def body_of(text: str, said: str) -> str:
    """Letters and digits of a message below the head that is shown above it; `said` are those of the whole `text`."""
    head = _SHOWN_HEAD.match(text)
    return said[len("".join(words(head.group()))) :] if head else said


def content_hash(head: Correspondence | None, body: str, attachments: Iterable[str] = ()) -> str | None:
    """SHA-256 of date sent, sender, recipients, subject, `body` (`body_of`) and attachments (names or hashes).

    None where they do not tell messages apart: without a sender or a date, and for a short note whose date has no time
    of day, since two people may thank each other twice on one day. Recipients and attachments count in any order.
    `Re:` and `Fw:` belong to the subject: an answer is another message.
    """
    if head is None or not head.author or not head.sent:
        return None
    if letters(body) < NOTE and not _TIME.search(head.sent):
        return None
    return _sha256([head_key(head), body, sorted(attachments)])


def head_key(head: Correspondence | None) -> str:
    """SHA-256 of who wrote to whom, when and on what; empty without a head. The same words sent twice are two messages.

    An address counts before a name, and the parts of a name in any order.
    """
    if head is None:
        return ""
    people = sorted({_person(name) for name in head.recipients})
    return _sha256([moment(head.sent or ""), _person(head.author or ""), people, words(head.subject or "")])


def moment(sent: str) -> str:
    """A date sent in UTC to the second, where it names its zone (RFC 5322 or ISO 8601); else its words as printed."""
    try:
        if _INTERNET_DATE.match(sent.strip()):
            read = parsedate_to_datetime(sent.strip())
        elif _ISO_DATE.match(sent.strip()):
            read = datetime.fromisoformat(sent.strip())
        else:
            return " ".join(words(sent))
        return (
            read.replace(microsecond=0).astimezone(UTC).isoformat() if read.tzinfo else read.isoformat("T", "seconds")
        )
    except (ValueError, OverflowError):
        return " ".join(words(sent))


def _person(name: str) -> str:
    """The address where there is one, else the parts of the name in alphabetical order ("Roe, Ann" is "Ann Roe")."""
    address = re.search(r"[^\s<>\"'(),;:]+@[^\s<>\"'(),;:]+", name)
    return address.group().casefold() if address else " ".join(sorted(words(name)))


def _sha256(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
