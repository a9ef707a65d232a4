"""Email files, and the heads of letters and memoranda: who wrote to whom, and when."""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses
from pathlib import Path

from lexforge.domain.evidence import Correspondence
from lexforge.errors import UnreadableFile
from lexforge.ingest.text import decoded

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_HEADER_LINE = re.compile(rb"^(From|To|Date|Subject|Message-ID|Received|Return-Path|MIME-Version):", re.I | re.M)
_HEAD_LINE = re.compile(r"[ \t=]*(From|To|Cc|Date|Sent|Subject|Re|Customer)(?::|[ \t]{2,}|(?<=Sent) )[ \t]*(.*)$", re.I)
_HEAD_LENGTH = 1500
"""Characters at the start of a document in which its From/To/Date lines are looked for."""


def looks_like(head: bytes) -> bool:
    """Whether bytes begin like an internet message: at least three header fields before the first empty line."""
    start = head.replace(b"\r\n", b"\n").split(b"\n\n")[0]
    return len({name.lower() for name in _HEADER_LINE.findall(start)}) >= 3 and b"Message-ID".lower() in start.lower()


def read(path: Path) -> tuple[Correspondence, str]:
    """Headers and the text of an .eml file (RFC 5322); the shown text repeats the headers, as a print would."""
    message = BytesParser(policy=policy.default).parsebytes(path.read_bytes())
    if not isinstance(message, EmailMessage) or not (message["From"] or message["Date"]):
        raise UnreadableFile(
            "corrupt", f"{path.name} is not an email: it has no sender and no date.", "Obtain it again."
        )
    body = message.get_body(preferencelist=("plain", "html"))
    text = _body_text(body, path.name) if isinstance(body, EmailMessage) else ""
    shown = [f"{name}: {message[name]}" for name in _HEADERS if message[name]]
    attached = [part.get_filename() or "unnamed" for part in message.iter_attachments()]
    shown += [f"Attachment: {name}" for name in attached]
    date = message["Date"]
    correspondence = Correspondence(
        author=next(iter(_names([str(message["From"] or "")])), None),
        recipients=tuple(_names([str(message["To"] or "")])),
        sent=date.datetime.strftime("%B %-d, %Y") if date is not None and date.datetime else None,
        subject=str(message["Subject"]) if message["Subject"] else None,
    )
    return correspondence, "\n".join(shown) + "\n\n" + text.strip() + "\n"


def _body_text(body: EmailMessage, name: str) -> str:
    payload = body.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = body.get_content_charset()
    try:
        text = payload.decode(charset) if charset else decoded(payload, name)
    except (LookupError, UnicodeDecodeError):
        text = decoded(payload, name)
    text = text.replace("\r\n", "\n")
    return re.sub(r"<[^>]+>", " ", text) if body.get_content_type() == "text/html" else text


def head_of(text: str) -> Correspondence | None:
    """Author, recipients and date from the first block of lines such as `From: …` in a document, or None.

    Only lines that stand together with the `From` line count: a production's own `Date:` line above it is the date of
    the release. A name is taken only if it reads like one; what OCR has garbled is not offered as exact.
    """
    lines = text[:_HEAD_LENGTH].splitlines()
    start = next((n for n, line in enumerate(lines) if _field(line) == "from"), None)
    if start is None:
        return None
    first = start
    while first > 0 and _field(lines[first - 1]):
        first -= 1
    fields: dict[str, str] = {}
    blanks = 0
    for line in lines[first:]:
        match = _HEAD_LINE.match(line)
        if match and match.group(1).lower() not in fields:
            fields[match.group(1).lower()] = match.group(2).strip()
            blanks = 0
        elif line.strip() or blanks:  # a letter's head may have an empty line between its lines, not more
            break
        else:
            blanks += 1
    if len(fields) < 2:
        return None
    return Correspondence(
        author=next(iter(_typed_names(fields["from"])), None),
        recipients=tuple(_typed_names(fields.get("to", ""))),
        sent=fields.get("sent") or fields.get("date") or None,
        subject=fields.get("subject") or fields.get("re") or None,
    )


def _field(line: str) -> str | None:
    match = _HEAD_LINE.match(line)
    return match.group(1).lower() if match else None


_NAME = re.compile(r"[A-Z][A-Za-z.'’-]*(?:,? [A-Za-z][A-Za-z.'’-]*)+")


def _names(fields: list[str]) -> list[str]:
    """Persons in the address fields of a message, in order: display names, never addresses."""
    return [name.strip(" '\"") for name, _ in getaddresses(fields) if _NAME.fullmatch(name.strip(" '\""))]


def _typed_names(field: str) -> list[str]:
    """Persons in a typed line such as "Ivo Brandlestock, Senior Engineer" or "Doe, Jane; Roe, Richard"."""
    names = []
    for person in re.split(r"\s*;\s*|\s+and\s+", field):
        name, _, rest = re.split(r"\s*[<‹\[(]", person)[0].strip(" '\"").partition(",")
        # One word before the comma is a family name; more are a whole name, and a title follows.
        name = name if " " in name.strip() else f"{rest.strip()} {name}"
        if _NAME.fullmatch(name.strip()):
            names.append(name.strip())
    return names
