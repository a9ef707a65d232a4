"""Email files (RFC 5322): who wrote to whom, when, and the text."""

from __future__ import annotations

import re
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import getaddresses
from pathlib import Path

from lexforge.domain.evidence import Correspondence
from lexforge.errors import UnreadableFile
from lexforge.ingest.correspondence import NAME
from lexforge.ingest.text import decoded

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_HEADER_LINE = re.compile(rb"^(From|To|Date|Subject|Message-ID|Received|Return-Path|MIME-Version):", re.I | re.M)


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


def _names(fields: list[str]) -> list[str]:
    """Persons in the address fields of a message, in order: display names, never addresses."""
    return [name.strip(" '\"") for name, _ in getaddresses(fields) if NAME.fullmatch(name.strip(" '\""))]
