"""The parts of an email (MIME, RFC 2045 to 2049): which are its text, which are attached, and what is left out."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from email import policy
from email.errors import CloseBoundaryNotFoundDefect, HeaderParseError
from email.header import decode_header
from email.message import Message

from lexforge.domain.evidence import Hidden
from lexforge.ingest.container.members import Inner, printable
from lexforge.ingest.reading import Failure
from lexforge.ingest.web import page as web_page

OLE_OBJECT = "application/x-ole-storage"
"""Kind of a part that stands for an object which Outlook keeps without a file."""

_DEEPEST = 50
_SMALL_PICTURE = 10_000
"""Bytes; a picture that is smaller and has no name is a logo or a line."""

LONGEST_HEADER = 256 * 1024
"""Characters; the names of several thousand people."""

_FOLD = re.compile(r"[\r\n]+[ \t]*")
_AS_SENT = policy.compat32.clone(max_line_length=None)  # headers stay folded as they were
_ENDINGS = {
    "application/pdf": ".pdf",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "text/calendar": ".ics",
    "text/html": ".html",
    "text/plain": ".txt",
}
_SIGNATURES = {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
_SMIME = {"application/pkcs7-mime", "application/x-pkcs7-mime"}
_NO_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Codecs that a message may name but none is written in; two of them take time that grows with the square."""

_NOT_READ = {
    "multipart/encrypted": "encrypted",
    "message/external-body": "not_included",
    OLE_OBJECT: "ole_object",
}
_REFUSALS = {
    "encrypted": ("is encrypted", "Ask the one who received it to save it decrypted."),
    "unsupported": ("is wrapped in a signature that is not opened", "Open it in a mail program and save it as PDF."),
    "ole_object": ("is an object of another program that is not a file", "Open it in Outlook and save it as PDF."),
    "not_included": ("is not in the email, which only says where it was", "Ask its sender for the file."),
}


@dataclass
class Parts:
    """What was found in a message, in its order; `text` is what its reader sees first."""

    texts: list[str] = field(default_factory=list)
    hidden: list[Hidden] = field(default_factory=list)
    attached: list[Inner] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    small_pictures: int = 0

    @property
    def text(self) -> str:
        """All texts that stand in the message itself."""
        return "\n\n".join(text for text in (text.strip() for text in self.texts) if text)


def parts_of(message: Message) -> Parts:
    """Text, attachments and what is left out of a parsed message. Nothing is fetched, decrypted or run."""
    parts = Parts()
    _add(message, parts, depth=0, shown=True)
    if any(CloseBoundaryNotFoundDefect in map(type, part.defects) for part in message.walk()):
        parts.warnings.append("The email ends before its last part does; it may be cut off.")
    if parts.small_pictures:
        parts.warnings.append(f"Left out: {parts.small_pictures} small pictures without a name (logos, lines).")
    if "-----BEGIN PGP MESSAGE-----" in parts.text:
        parts.warnings.append("The text holds a part that is encrypted with PGP.")
    return parts


def lenient(data: bytes, charset: str | None = None) -> str:
    """Text of bytes in `charset`; where that is wrong or unknown, in UTF-8, UTF-16 with a mark, or Windows-1252."""
    text = _strict(data, charset) if charset else None
    if text is None:
        text = _strict(data, "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig")
    return data.decode("cp1252", "replace") if text is None else text


def file_name_of(part: Message) -> str | None:
    """The name a sender gave an attachment, None when there is none."""
    try:
        raw = part.get_filename()
    except (TypeError, ValueError, LookupError):  # parameters that are cut in pieces and numbered wrongly
        return None
    return decoded(unfolded(raw)) or None if raw else None


def unfolded(raw: str) -> str:
    """A header on one line, still encoded. Bytes that no header may have are taken for UTF-8 or Windows-1252."""
    return _FOLD.sub(" ", lenient(raw[:LONGEST_HEADER].encode("utf-8", "surrogateescape"))).strip()


def decoded(raw: str) -> str:
    """The text of a header with encoded words (RFC 2047); as it stands when they are broken."""
    try:
        found = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    if isinstance(found[0][0], str):
        return raw
    words = (lenient(chunk, charset) if charset else chunk.decode("raw_unicode_escape") for chunk, charset in found)
    return "".join(words).encode("utf-8", "replace").decode().strip()


def _add(part: Message, parts: Parts, depth: int, shown: bool) -> None:
    kind = part.get_content_type()
    if depth > _DEEPEST:
        parts.warnings.append(f"Parts of the email more than {_DEEPEST} levels down are not read.")
    elif code := _refusal(part):
        _refuse(part, parts, code)
    elif part.is_multipart() and part.get_content_maintype() == "multipart":
        children = [child for child in part.get_payload() if isinstance(child, Message)]
        seen = _best(children) if kind == "multipart/alternative" else None
        for child in children:
            _add(child, parts, depth + 1, shown and (seen is None or child is seen))
    elif kind in _SIGNATURES:
        parts.warnings.append("The email carries a digital signature, which is not checked.")
    elif _is_text(part):
        if shown:
            _add_text(part, parts)
    else:
        _attach(part, parts)


def _refusal(part: Message) -> str | None:
    """Why a part of this kind is not read, None for all others."""
    kind = part.get_content_type()
    if kind in _SMIME:
        return "unsupported" if "signed-data" in str(part.get_param("smime-type")).lower() else "encrypted"
    return _NOT_READ.get(kind)


def _best(children: list[Message]) -> Message | None:
    """Of several forms of one text the plain one, or the last, which its sender liked best, when that is empty."""
    plain = [c for c in children if c.get_content_type() == "text/plain" and _is_text(c) and _content(c).strip()]
    forms = [c for c in children if c.get_content_maintype() == "multipart" or c.get_content_type() == "text/html"]
    return next(iter([*plain, *reversed(forms), *children]), None)


def _is_text(part: Message) -> bool:
    """Whether a part is text of the message itself: no file name, not marked as attached, and a kind that is shown."""
    if part.get_content_type() == "message/delivery-status":
        return True
    if part.is_multipart() or part.get_content_disposition() == "attachment" or file_name_of(part):
        return False
    return part.get_content_maintype() in ("text", "multipart") and part.get_content_type() != "text/calendar"


def _add_text(part: Message, parts: Parts) -> None:
    if part.get_content_type() == "message/delivery-status":
        parts.texts += [inner.as_string() for inner in part.get_payload() if isinstance(inner, Message)]
    elif part.get_content_type() == "text/html":
        text, hidden = web_page.visible_text(_text(part, parts))
        parts.texts.append(text)
        parts.hidden += hidden
    else:
        parts.texts.append(_text(part, parts))


def _text(part: Message, parts: Parts) -> str:
    data = _content(part)
    text = _strict(data, _charset(part) or "utf-8")
    if text is None:
        parts.warnings.append("The text is not in the character set that the email names; some letters may be wrong.")
        text = lenient(data)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _strict(data: bytes, charset: str) -> str | None:
    """Text that any file can hold: half of a surrogate pair, which some codecs let through, becomes a question mark."""
    try:
        if codecs.lookup(charset).name in _NO_CHARSETS:
            return None
        return data.decode(charset).encode("utf-8", "replace").decode()
    except (LookupError, ValueError):
        return None


def _charset(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except (LookupError, ValueError, TypeError):
        return None


def _content(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _attach(part: Message, parts: Parts) -> None:
    kind, name = part.get_content_type(), file_name_of(part)
    if part.is_multipart():
        name = name or "attached message"
        ending = "" if name.lower().endswith(".eml") else ".eml"
        parts.attached.append(Inner(printable(name + ending), _message_bytes(part)))
        return
    data = _content(part)
    if name is None and kind.startswith("image/") and len(data) < _SMALL_PICTURE:
        parts.small_pictures += 1
    else:
        parts.attached.append(Inner(printable(name or f"unnamed{_ENDINGS.get(kind, '.bin')}"), data))


def _message_bytes(part: Message) -> bytes:
    """An attached message as it was sent; some programs encode it, though RFC 2046 forbids it."""
    inner = part.get_payload(0)
    if not isinstance(inner, Message):
        return b""
    if not inner.keys() and "Content-Transfer-Encoding" in part:
        inner["Content-Transfer-Encoding"] = str(part["Content-Transfer-Encoding"])
        return _content(inner)
    return inner.as_bytes(policy=_AS_SENT)


def _refuse(part: Message, parts: Parts, code: str) -> None:
    """A part that cannot be read is a member that says so."""
    what, advice = _REFUSALS[code]
    name = printable(file_name_of(part) or "unnamed part")
    parts.attached.append(Inner(name, Failure(code=code, message=f"{name} {what}.", advice=advice)))
    parts.warnings.append(f"A part of the email {what}.")
