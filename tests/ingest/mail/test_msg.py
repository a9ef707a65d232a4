"""Outlook messages: read like the email that was sent, with what Outlook keeps where no email was."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lexforge.domain.evidence import Concealment
from lexforge.errors import UnreadableFile
from lexforge.ingest.mail import msg
from lexforge.ingest.reading import Reading
from tests.ingest.container import families
from tests.ingest.container.families import tree
from tests.ingest.mail.outlook_file import Tree, Value, compound, properties

SENT = datetime(2021, 5, 4, 21, 12, tzinfo=UTC)
SUBJECT, BODY, HTML, RTF, CLASS, HEADERS = 0x0037, 0x1000, 0x1013, 0x1009, 0x001A, 0x007D
SENDER, ADDRESS, TIME, ID, CODE_PAGE = 0x0C1A, 0x5D01, 0x0039, 0x1035, 0x3FFD
NAME, SMTP, TYPE = 0x3001, 0x39FE, 0x0C15
DATA, LONG_NAME, SHORT_NAME, METHOD, KIND = 0x3701, 0x3707, 0x3704, 0x3705, 0x370E
EMBEDDED = "__substg1.0_3701000D"
OWN: dict[int, Value] = {
    CLASS: "IPM.Note",
    SUBJECT: "Wet flour – again",
    SENDER: "Pia Fennick",
    ADDRESS: "pia@orchard.example",
    TIME: SENT,
    ID: "<1@orchard.example>",
    BODY: "The café refused it too.\r\n",
}
TRANSPORT = (
    "Received: from a by b\r\nFrom: =?utf-8?q?Bo_Lind?= <bo@x.example>\r\nTo: Ann Orr <ann@x.example>,\r\n"
    " Cy Dent <cy@x.example>\r\nDate: Mon, 3 May 2021 23:30:00 -0500\r\nMessage-ID: <2@x.example>\r\n"
)


def recipient(number: int, name: str, kind: int = 1) -> dict[str, Tree]:
    values: dict[int, Value] = {NAME: name, SMTP: f"{name.partition(' ')[0].lower()}@x.example", TYPE: kind}
    return {f"__recip_version1.0_#{number:08X}": properties(8, values)}


def attachment(number: int, values: dict[int, Value], **more: Tree) -> dict[str, Tree]:
    return {f"__attach_version1.0_#{number:08X}": {**properties(8, values), **more}}


def message(*parts: dict[str, Tree], header: int = 32, text: str = "001F", **changes: Any) -> dict[str, bytes | Tree]:
    """A message with `OWN` values; `x1000=None` is one without a plain text."""
    values = OWN | {int(key[1:], 16): value for key, value in changes.items()}
    streams: dict[str, bytes | Tree] = {**properties(header, {k: v for k, v in values.items() if v is not None}, text)}
    for part in parts:
        streams |= part
    return streams


def read(tmp_path: Path, storage: Tree) -> Reading:
    path = tmp_path / "a.msg"
    path.write_bytes(compound(storage))
    assert msg.looks_like(path)
    return msg.read(path, families.read)


def test_a_message_that_never_left_outlook(tmp_path: Path) -> None:
    people = [recipient(0, "Rufus Brine"), recipient(1, "Ann Orr", 2), recipient(2, "Una Tallow")]
    reading = read(tmp_path, message(*people))
    assert reading.media_type == "application/vnd.ms-outlook"
    assert reading.message_id == "<1@orchard.example>"
    who = reading.correspondence
    assert who is not None
    assert (who.author, who.recipients) == ("Pia Fennick", ("Rufus Brine", "Una Tallow"))
    assert (who.sent, who.subject) == ("May 4, 2021", "Wet flour – again")
    assert reading.texts[0].splitlines() == [
        'From: "Pia Fennick" <pia@orchard.example>',
        'To: "Rufus Brine" <rufus@x.example>, "Una Tallow" <una@x.example>',
        'Cc: "Ann Orr" <ann@x.example>',
        "Date: Tue, 04 May 2021 21:12:00 +0000",
        "Subject: Wet flour – again",
        "",
        "The café refused it too.",
    ]
    assert reading.members == ()
    assert reading.warnings == ()


def test_the_headers_it_was_sent_with_count_first(tmp_path: Path) -> None:
    reading = read(tmp_path, message(recipient(0, "Rufus Brine"), x007D=TRANSPORT))
    who = reading.correspondence
    assert who is not None
    assert (who.author, who.recipients, who.sent) == ("Bo Lind", ("Ann Orr", "Cy Dent"), "May 3, 2021")
    assert who.subject == "Wet flour – again", "which the headers do not have"
    assert reading.message_id == "<2@x.example>"


def test_texts_in_an_old_code_page(tmp_path: Path) -> None:
    reading = read(tmp_path, message(text="001E", x3FFD=1252))
    assert "The café refused it too." in reading.texts[0]
    assert "Wet flour – again" in reading.texts[0]


@pytest.mark.parametrize("code_page", [None, 99999])
def test_a_code_page_that_nobody_knows(tmp_path: Path, code_page: int | None) -> None:
    assert "café" in read(tmp_path, message(text="001E", x3FFD=code_page)).texts[0]


def test_html_is_read_where_there_is_no_plain_text(tmp_path: Path) -> None:
    html = '<p>Caf\xe9.</p><div style="display:none">For machines only.</div>'.encode("cp1252")
    reading = read(tmp_path, message(x1000=None, x1013=html, x3FFD=1252))
    assert reading.texts[0].endswith("\n\nCafé.\n")
    assert [h.concealment for h in reading.pages[0].hidden] == [Concealment.NOT_SHOWN]


WARNED = [
    ({"x1000": None, "x1009": b"compressed"}, "rich text", "text in RTF only"),
    ({"x001A": "IPM.Note.SMIME"}, "S/MIME", "signed or encrypted"),
]


@pytest.mark.parametrize(("changes", "word", "reason"), WARNED, ids=[w[2] for w in WARNED])
def test_warnings(tmp_path: Path, changes: dict[str, Any], word: str, reason: str) -> None:
    assert [word in warning for warning in read(tmp_path, message(**changes)).warnings] == [True]


def test_attachments_are_members(tmp_path: Path) -> None:
    parts = [
        attachment(0, {DATA: b"A note.", LONG_NAME: "n\xf6te.txt", METHOD: 1, KIND: "text/plain"}),
        attachment(1, {DATA: bytes(5000), SHORT_NAME: "LARGE~1.BIN", KIND: "no kind\r\nX-Evil: 1"}),
        attachment(2, {DATA: b"odd", KIND: "multipart/mixed"}),
    ]
    reading = read(tmp_path, message(*parts))
    assert tree(reading) == {"x/n\xf6te.txt": "A note.", "x/LARGE~1.BIN": "\0" * 5000, "x/unnamed.bin": "odd"}
    assert "Attachment: n\xf6te.txt" in reading.texts[0]


def test_a_message_inside_a_message(tmp_path: Path) -> None:
    note = attachment(0, {DATA: b"A note.", LONG_NAME: "note.txt"})
    inner = message(note, header=24, x0037="Inner \xfc", x1000="Inside it was dry.")
    outer = attachment(0, {METHOD: 5, NAME: "Dock\r\nBcc: x"}, **{EMBEDDED: inner})
    reading = read(tmp_path, message(outer))
    assert list(tree(reading)) == ["x/Dock Bcc: x.eml", "x/Dock Bcc: x.eml/note.txt"]
    below = reading.members[0].outcome
    assert isinstance(below, Reading)
    assert below.correspondence is not None
    assert below.correspondence.subject == "Inner \xfc"
    assert below.message_id == "<1@orchard.example>"
    assert "Inside it was dry." in below.texts[0]
    assert "Inside it was dry." not in reading.texts[0]


def test_attachments_that_are_not_there_say_so(tmp_path: Path) -> None:
    parts = [
        attachment(0, {METHOD: 4, LONG_NAME: "on the server.docx"}),
        attachment(1, {METHOD: 6, LONG_NAME: "drawing"}, **{EMBEDDED: {"CONTENTS": b"x"}}),
    ]
    assert tree(read(tmp_path, message(*parts))) == {"x/on the server.docx": "not_included", "x/drawing": "ole_object"}


def shared_stream(count: int) -> bytes:
    """Streams that all name the same sectors, so that together they are many times the file."""
    data = bytearray(compound(message(*[attachment(n, {DATA: bytes(5000)}) for n in range(count)])))
    name = "__substg1.0_37010102".encode("utf-16-le").ljust(64, b"\0")
    place = data.index(name)
    while place >= 0:
        data[place + 116 : place + 128] = data[data.index(name) + 116 :][:4] + (400_000).to_bytes(8, "little")
        place = data.find(name, place + 1)
    return bytes(data)


NOT_SOUND = [
    (b"From: Bo Lind\n\nHi.\n", "no compound file"),
    (b"", "empty"),
    (bytes.fromhex("d0cf11e0a1b11ae1"), "only the magic"),
    (compound({"WordDocument": b"x" * 5000}), "another kind of document"),
    (compound(message())[:1500], "cut off"),
    (shared_stream(3), "streams that share their bytes"),
]


@pytest.mark.parametrize(("data", "reason"), NOT_SOUND, ids=[n[1] for n in NOT_SOUND])
def test_what_is_no_sound_message(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "a.msg"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile) as caught:
        msg.read(path, families.read)
    assert caught.value.code == "corrupt"
    assert "a.msg" in caught.value.message


def test_a_document_is_no_message(tmp_path: Path) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(compound({"WordDocument": b"x" * 5000}))
    assert not msg.looks_like(path)


def test_random_damage_is_read_or_refused(tmp_path: Path) -> None:
    whole = compound(message(recipient(0, "Rufus Brine"), attachment(0, {DATA: b"x", LONG_NAME: "n"}), x007D=TRANSPORT))
    path = tmp_path / "a.msg"
    for step in range(120):
        data = bytearray(whole)
        for place in range(step * 7, len(data), 1009):
            data[place] = (data[place] * 31 + step) % 256
        path.write_bytes(data)
        msg.looks_like(path)
        try:
            reading = msg.read(path, families.read)
        except UnreadableFile as error:
            assert error.code == "corrupt"
            continue
        assert reading.model_dump_json()
