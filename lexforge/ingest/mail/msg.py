"""Outlook messages (.msg, MS-OXMSG): turned into an internet message, which is then read like an email."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import encoders
from email.message import Message
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.parser import HeaderParser
from email.utils import format_datetime
from pathlib import Path

from olefile import OleFileIO, isOleFile  # type: ignore[import-untyped]
from oxmsg.domain import constants
from oxmsg.domain.encodings import encoding_from_codepage
from oxmsg.domain.model import (
    ATTACH_HDR_OFFSET,
    MSG_HDR_OFFSET,
    RECIP_HDR_OFFSET,
    UnrecognizedCodePageError,
    UnsupportedEncodingError,
)
from oxmsg.storage import Storage

from lexforge.errors import UnreadableFile
from lexforge.ingest.mail.eml import LARGEST, reading_of
from lexforge.ingest.mail.eml_parts import OLE_OBJECT, lenient
from lexforge.ingest.reading import Reading

_MEDIA_TYPE = "application/vnd.ms-outlook"
_PROPERTIES = "__properties_version1.0"
_EMBEDDED_HDR_OFFSET = 24  # MS-OXMSG 2.4.1.2: a message inside another has no room for its own identifiers
_EMBEDDED = "__SUBSTG1.0_3701000D"
_OF_THE_TEXT = (constants.PID_BODY, constants.PID_HTML, constants.PID_BODY_HTML)
_LATIN = 1252
_RECIPIENT_TYPE = 0x0C15
_FIELDS = {1: "To", 2: "Cc", 3: "Bcc"}
_FROM_TRANSPORT = ("From", "Sender", "To", "Cc", "Date", "Subject", "Message-ID")
_NAMES = (constants.PID_ATTACH_LONG_FILENAME, constants.PID_ATTACH_FILENAME, constants.PID_DISPLAY_NAME)
_KIND = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_BROKEN = (OSError, ValueError, TypeError, LookupError, AttributeError, struct.error, RecursionError)
"""What the library raises on damaged input."""

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


def looks_like(path: Path) -> bool:
    """Whether an OLE file (magic `d0cf11e0`) is a message, and not a document."""
    try:
        if not isOleFile(path):
            return False
        with OleFileIO(path) as ole:
            return bool(ole.exists(_PROPERTIES))
    except _BROKEN:
        return False


def read(path: Path, read_member: Callable[[Path], Reading]) -> Reading:
    """One page with headers and text as a print would have them; attachments as members.

    The headers of the transport count before Outlook's own fields, since they are what was sent. UnreadableFile
    `corrupt` for anything that is not a message, `too_large` for one that is larger than an email may be.
    """
    if path.stat().st_size > LARGEST:
        raise UnreadableFile(
            "too_large", f"{path.name} is larger than {LARGEST // 2**20} MiB.", "Save its attachments on their own."
        )
    try:
        item = _Item(_storage(path), MSG_HDR_OFFSET)
        message = _internet_message(item)
    except _BROKEN as error:
        raise UnreadableFile(
            "corrupt", f"{path.name} is not a sound Outlook message.", "Save it in Outlook again, or print it to PDF."
        ) from error
    reading = reading_of(message, read_member, _MEDIA_TYPE)
    return reading.model_copy(update={"extractor": "msg 1", "warnings": reading.warnings + _warnings(item)})


def _storage(path: Path) -> Storage:
    """The message's tree of storages. Streams may share their bytes, so the sizes they promise are added."""
    if not isOleFile(path):
        raise ValueError("not an OLE file")
    with OleFileIO(path) as ole:
        promised = sum(entry.size for entry in ole.direntries if entry is not None and entry is not ole.root)
        if promised > path.stat().st_size or not ole.exists(_PROPERTIES):
            raise ValueError("no message")
        return Storage.from_ole(ole)


class _Item:
    """A message, a recipient or an attachment: a storage with its properties (MS-OXMSG 2.2 to 2.4)."""

    def __init__(self, storage: Storage, header: int) -> None:
        self.storage = storage
        self._streams = {stream.name.upper(): stream.bytes_ for stream in storage.streams}
        fixed = self._streams.get(_PROPERTIES.upper(), b"")[header:]
        fixed = fixed[: len(fixed) // 16 * 16]
        self._fixed = {tag >> 16: value for tag, value in struct.iter_unpack("<I4xQ", fixed)}

    def binary(self, pid: int) -> bytes | None:
        """A property of bytes."""
        return self._streams.get(f"__SUBSTG1.0_{pid:04X}0102")

    def text(self, pid: int) -> str:
        """A property of text, in UTF-16 or in the code page of the message; empty when there is none."""
        name = f"__SUBSTG1.0_{pid:04X}"
        if (data := self._streams.get(f"{name}001F")) is not None:
            return data.decode("utf-16-le", "replace").rstrip("\0")
        return lenient(self._streams.get(f"{name}001E", b""), self.charset(pid)).rstrip("\0")

    def charset(self, pid: int) -> str | None:
        """What a property that is not in UTF-16 is written in; the text of a message may differ from its fields."""
        pages = [constants.PID_INTERNET_CODEPAGE, constants.PID_MESSAGE_CODEPAGE]
        numbers = map(self.number, pages if pid in _OF_THE_TEXT else reversed(pages))
        try:
            return encoding_from_codepage(next(filter(None, numbers), _LATIN))
        except (UnrecognizedCodePageError, UnsupportedEncodingError):
            return None

    def number(self, pid: int) -> int | None:
        """A property of 32 bits."""
        value = self._fixed.get(pid)
        return None if value is None else value & 0xFFFFFFFF

    def time(self, pid: int) -> datetime | None:
        """A point in time (FILETIME: 100 ns since 1601), in UTC."""
        value = self._fixed.get(pid)
        try:
            return _EPOCH + timedelta(microseconds=value // 10) if value else None
        except OverflowError:
            return None


def _internet_message(item: _Item) -> Message:
    message = MIMEMultipart()
    transport = HeaderParser().parsestr(item.text(constants.PID_TRANSPORT_MESSAGE_HEADERS))
    own = _own_fields(item)
    for name in _FROM_TRANSPORT:
        if value := transport.get(name) or own.get(name):
            message[name] = " ".join(str(value).split())
    if body := _body(item):
        message.attach(body)
    for storage in item.storage.iter_attachment_storages():
        message.attach(_attachment(_Item(storage, ATTACH_HDR_OFFSET)))
    return message


def _own_fields(item: _Item) -> dict[str, str]:
    """Headers as Outlook keeps them, of a message that was never sent or came through no internet."""
    sent = item.time(constants.PID_CLIENT_SUBMIT_TIME) or item.time(constants.PID_MESSAGE_DELIVERY_TIME)
    address = item.text(constants.PID_SENDER_SMTP_ADDRESS) or item.text(constants.PID_SENDER_EMAIL_ADDRESS)
    fields: dict[str, list[str]] = {"From": [_person(item.text(constants.PID_SENDER_NAME), address)]}
    for storage in item.storage.iter_recipient_storages():
        recipient = _Item(storage, RECIP_HDR_OFFSET)
        field = _FIELDS.get(recipient.number(_RECIPIENT_TYPE) or 1, "To")
        address = recipient.text(constants.PID_SMTP_ADDRESS) or recipient.text(constants.PID_EMAIL_ADDRESS)
        fields.setdefault(field, []).append(_person(recipient.text(constants.PID_DISPLAY_NAME), address))
    return {
        **{name: ", ".join(filter(None, people)) for name, people in fields.items()},
        "Date": format_datetime(sent) if sent else "",
        "Subject": item.text(constants.PID_SUBJECT).lstrip("\1"),
        "Message-ID": item.text(constants.PID_INTERNET_MESSAGE_ID),
    }


def _person(name: str, address: str) -> str:
    quoted = name.strip(" '\"").replace("\\", "").replace('"', "'")
    return f'"{quoted}" <{address}>' if quoted else address


def _body(item: _Item) -> Message | None:
    if (text := item.text(constants.PID_BODY)).strip():
        return MIMEText(text, "plain", "utf-8")
    data = item.binary(constants.PID_HTML)
    html = lenient(data, item.charset(constants.PID_HTML)) if data is not None else item.text(constants.PID_BODY_HTML)
    return MIMEText(html, "html", "utf-8") if html.strip() else None


def _attachment(item: _Item) -> Message:
    embedded = next((storage for storage in item.storage.storages if storage.name.upper() == _EMBEDDED), None)
    data = item.binary(constants.PID_ATTACH_DATA_BINARY)
    if embedded and any(stream.name == _PROPERTIES for stream in embedded.streams):
        part: Message = MIMEMessage(_internet_message(_Item(embedded, _EMBEDDED_HDR_OFFSET)))
    elif data is not None and not embedded:
        kind = item.text(constants.PID_ATTACH_MIME_TAG)
        part = _part(kind if _KIND.fullmatch(kind) else "application/octet-stream")
        part.set_payload(data)
        encoders.encode_base64(part)
    else:
        part = _part(OLE_OBJECT if embedded else "message/external-body")
    name = next(filter(None, map(item.text, _NAMES)), None)
    part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name) if name else None)
    return part


def _part(kind: str) -> Message:
    part = Message()
    part["Content-Type"] = kind
    return part


def _warnings(item: _Item) -> tuple[str, ...]:
    warnings = []
    kind = item.text(constants.PID_MESSAGE_CLASS)
    if "SMIME" in kind.upper():
        warnings.append("The message is signed or encrypted (S/MIME); what is inside the signature is not opened.")
    if _body(item) is None and item.binary(constants.PID_RTF_COMPRESSED):
        warnings.append("The text of the message is kept in rich text only, which is not read; print it to PDF.")
    return tuple(warnings)
