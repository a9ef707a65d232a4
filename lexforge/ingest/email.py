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
_HEAD_LINE = re.compile(r"^[ \t=]*(From|To|Date|Sent|Subject|Re)[ \t]*:?[ \t]+(\S.*?)[ \t]*$", re.I | re.M)
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
    """Author, recipients and date from lines such as `From: …` at the top of a document, or None.

    A name is taken only if it reads like one: what OCR has garbled is not offered as exact.
    """
    fields: dict[str, str] = {}
    for line in _HEAD_LINE.finditer(text[:_HEAD_LENGTH]):
        fields.setdefault(line.group(1).lower(), line.group(2))
    if "from" not in fields or not ({"to", "date", "sent"} & fields.keys()):
        return None
    return Correspondence(
        author=next(iter(_typed_names(fields["from"])), None),
        recipients=tuple(_typed_names(fields.get("to", ""))),
        sent=fields.get("date") or fields.get("sent"),
        subject=fields.get("subject") or fields.get("re"),
    )


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
        name = name if " " in name.strip() else f"{name}, {rest.strip()}"
        if _NAME.fullmatch(name.strip()):
            names.append(name.strip())
    return names
