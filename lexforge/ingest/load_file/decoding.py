"""The bytes of a load file to numbered lines, with every byte that does not fit reported and none dropped silently."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from lexforge.errors import UnreadableFile

MAX_BYTES = 256 * 1024 * 1024
MAX_HEADER = 1024 * 1024
MAX_LINES = 10_000_000
MAX_DEFECTS = 10_000

_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
)
_THORN_UTF8 = b"\xc3\xbe"
_THORN_CP1252 = b"\xfe"


@dataclass(frozen=True, slots=True, order=True)
class Defect:
    """One flaw of a production: `line` counts physical lines of `file` from 1, 0 where no line is to blame.

    `code` is stable, `message` a sentence with the remedy where there is one; `file` is the load file's path or name.
    """

    line: int
    code: str
    message: str
    file: str = ""


class DefectLog:
    """Collects the defects of one file; beyond `MAX_DEFECTS` it only counts, so that garbage cannot fill the memory."""

    def __init__(self, file: str = "") -> None:
        self._file = file
        self._found: list[Defect] = []
        self._more = 0

    def add(self, line: int, code: str, message: str) -> None:
        """Note one flaw."""
        if len(self._found) < MAX_DEFECTS:
            self._found.append(Defect(line, code, message, self._file))
        else:
            self._more += 1

    def listed(self) -> tuple[Defect, ...]:
        """The defects by line, with a last one that says how many are not listed."""
        found = sorted(self._found)
        if self._more:
            found.append(Defect(found[-1].line, "more_defects", f"{self._more} more defects are not listed."))
        return tuple(found)


def open_lines(path: Path, log: DefectLog) -> tuple[list[str], str]:
    """Lines without their ends (CRLF, LF or CR), and the encoding: `utf-8[-sig]`, `utf-16-le`, `utf-16-be`, `cp1252`.

    UnreadableFile for what is no file, is empty, is larger than 256 MiB or 10 million lines, or whose first line is
    longer than 1 MiB. NUL characters are taken out; each line that held one is reported.
    """
    data = _bytes_of(path)
    if not data.strip(b"\0 \t\r\n"):
        raise UnreadableFile("empty", f"{path.name} holds nothing.", "Ask the producing party for it again.")
    if data.count(b"\n") + data.count(b"\r") > 2 * MAX_LINES:
        raise UnreadableFile("too_large", f"{path.name} has more than 10 million lines.", "Ask for it in volumes.")
    lines, encoding = _decoded(data, log)
    if max(len(line) for line in lines[:1]) > MAX_HEADER:
        raise _endless(path)
    return _without_nul(lines, log), encoding


def shown(text: str, most: int = 60) -> str:
    """Text of a load file for a message: in quotation marks, cut, with a mark for what cannot be printed."""
    return f"“{printable(text if len(text) <= most else f'{text[:most]}…')}”"


def printable(text: str) -> str:
    """Text on one line, with a mark for each character that cannot be printed."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in text)


def first_lines(data: bytes) -> list[str]:
    """The lines at the start of a file of which only `data` was read; nothing is reported."""
    lines, _ = _decoded(data, DefectLog())
    return [line.replace("\0", "") for line in lines]


def _bytes_of(path: Path) -> bytes:
    try:
        if not path.is_file():  # a pipe or a device would block for ever
            raise UnreadableFile("missing", f"{path.name} is not a file.", "Check the production's folder.")
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableFile("too_large", f"{path.name} is larger than 256 MiB.", "Ask for it in volumes.")
        with path.open("rb") as file:
            head = file.read(2 * MAX_HEADER)
            if len(head) == 2 * MAX_HEADER and b"\n" not in head and b"\r" not in head:
                raise _endless(path)
            return head + file.read(MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not valid"
        raise UnreadableFile(
            "unreadable", f"{path.name} cannot be opened: {reason}.", "Check its permissions."
        ) from None


def _endless(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "no_header", f"The first line of {path.name} is too long to name fields.", "Ask for a load file with a header."
    )


def _decoded(data: bytes, log: DefectLog) -> tuple[list[str], str]:
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            return (_by_line(body, log, utf8=True) if codec == "utf-8" else _wide(body, codec, log)), name
    for codec, at in (("utf-16-le", 1), ("utf-16-be", 0)):
        if data[:4096].count(b"\0") * 3 > len(data[:4096]) and not any(data[at:64:2]):
            log.add(1, "no_byte_order_mark", "The file is UTF-16 without a byte order mark; the order was guessed.")
            return _wide(data, codec, log), codec
    utf8 = _is_utf8(data)
    return _by_line(data, log, utf8=utf8), "utf-8" if utf8 else "cp1252"


def _is_utf8(data: bytes) -> bool:
    """The qualifiers of the header decide; without them what decodes, and at last what most lines are."""
    header = data[: MAX_HEADER * 2].lstrip(b"\r\n").replace(b"\r", b"\n").split(b"\n", 1)[0]
    if _THORN_CP1252 in header:
        return False
    if _THORN_UTF8 in header or _utf8_or_none(data) is not None:
        return True
    votes = [_utf8_or_none(line) is not None for line in data.split(b"\n") if not line.isascii()]
    return 2 * sum(votes) > len(votes)


def _utf8_or_none(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _wide(data: bytes, codec: str, log: DefectLog) -> list[str]:
    lines = _split(data.decode(codec, "replace"))
    _report_lost(lines, log)
    return lines


def _by_line(data: bytes, log: DefectLog, *, utf8: bool) -> list[str]:
    """Whole where the encoding holds; otherwise line by line, each in the encoding that fits it."""
    whole = _utf8_or_none(data) if utf8 else (None if _THORN_UTF8 in data else data.decode("cp1252", "replace"))
    if whole is not None:
        lines = _split(whole)
    else:
        raw = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        lines = [_mixed(line, number, log, utf8=utf8) for number, line in enumerate(raw, 1)]
    _report_lost(lines, log)
    return lines


def _mixed(raw: bytes, number: int, log: DefectLog, *, utf8: bool) -> str:
    as_utf8 = _utf8_or_none(raw)
    if utf8:
        if as_utf8 is not None:
            return as_utf8
    elif as_utf8 is None or _THORN_UTF8 not in raw:  # byte FE, the qualifier of cp1252, never occurs in UTF-8
        return raw.decode("cp1252", "replace")
    own, other = ("UTF-8", "Windows-1252") if utf8 else ("Windows-1252", "UTF-8")
    log.add(
        number,
        "mixed_encoding",
        f"Line {number} is {other} in a file that is {own}; it was read as {other}. Check its accents and dashes.",
    )
    return raw.decode("cp1252", "replace") if as_utf8 is None else as_utf8


def _report_lost(lines: list[str], log: DefectLog) -> None:
    for number, line in enumerate(lines, 1):
        if "\ufffd" in line:
            log.add(
                number, "undecodable", f"Line {number} holds bytes that are no character; each became a \ufffd mark."
            )


def _without_nul(lines: list[str], log: DefectLog) -> list[str]:
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            log.add(number, "nul", f"Line {number} holds NUL bytes, which were taken out.")
            lines[number - 1] = line.replace("\0", "")
    return lines
