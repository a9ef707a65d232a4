"""Mailboxes: every message is a member, whatever stands in the texts."""

from __future__ import annotations

import mailbox as standard
import tracemalloc
from email.message import EmailMessage
from pathlib import Path

import pytest

from lexforge.errors import UnreadableFile
from lexforge.ingest.mail import mailbox
from lexforge.ingest.reading import Failure, Reading
from tests.ingest.container import families
from tests.ingest.container.families import tree

FROM = b"From bo@x.example Tue May  4 16:12:00 2021\n"


def message(number: int, body: bytes = b"Hi.\n") -> bytes:
    return FROM + b"From: Bo Lind <bo@x.example>\nMessage-ID: <%d@x>\n\n%s\n" % (number, body)


def read(tmp_path: Path, data: bytes) -> Reading:
    path = tmp_path / "a.mbox"
    path.write_bytes(data)
    return mailbox.read(path, families.read)


def bodies(reading: Reading) -> list[str]:
    outcomes = [member.outcome for member in reading.members]
    return ["!" if isinstance(o, Failure) else o.texts[0].partition("\n\n")[2].strip() for o in outcomes]


def test_each_message_is_a_member(tmp_path: Path) -> None:
    reading = read(tmp_path, message(1, b"One.\n") + message(2, b"Two.\n"))
    assert reading.media_type == "application/mbox"
    assert reading.pages == ()
    assert list(tree(reading)) == ["x/message 1.eml", "x/message 2.eml"]
    assert bodies(reading) == ["One.", "Two."]
    ids = [member.outcome.message_id for member in reading.members if isinstance(member.outcome, Reading)]
    assert ids == ["<1@x>", "<2@x>"]


LOOKS = [
    (FROM + b"Subject: x\n", True, "as RFC 4155 has it"),
    (b"From - Tue May 04 16:12:00 2021\r\nX-Mozilla-Status: 1\r\n", True, "as Thunderbird writes it"),
    (b"From 17@xxx Tue May 04 16:12:00 +0000 2021\nX-GM-THRID: 1\n", True, "as a large provider exports it"),
    (b"From MAILER-DAEMON Tue May  4 16:12 2021\n>From bo Tue\n", True, "a time without seconds, a quoted line below"),
    (b"From: Bo Lind\nSubject: x\n", False, "an email"),
    (b"From the first day of May 2021 the flour was wet.\nNobody looked.\n", False, "prose"),
    (b"From 9:30 on 4 May 2021 we waited.\nNobody came.\n", False, "prose with a time, and no header below"),
    (FROM, False, "nothing below"),
    (b"", False, "nothing"),
]


@pytest.mark.parametrize(("head", "expected", "reason"), LOOKS, ids=[look[2] for look in LOOKS])
def test_looks_like(head: bytes, expected: bool, reason: str) -> None:
    assert mailbox.looks_like(head) is expected


TEXTS = [
    (
        b"From the dock it went in at 9:30 in 2021.\nNobody looked.\n",
        "From the dock it went in at 9:30 in 2021.",
        "prose",
    ),
    (b">From the dock it was wet.\n", "From the dock it was wet.", "quoted by the mailbox"),
    (b">>From the dock it was wet.\n", ">From the dock it was wet.", "quoted by its writer, then by the mailbox"),
    (b"> From the dock it was wet.\n", "> From the dock it was wet.", "quoted by its writer alone"),
    (b"x" * 200_000 + FROM + b"To: y\n", "x" * 200_000 + FROM.decode().strip(), "in the middle of a very long line"),
]


@pytest.mark.parametrize(("body", "first", "reason"), TEXTS, ids=[t[2] for t in TEXTS])
def test_from_in_a_text(tmp_path: Path, body: bytes, first: str, reason: str) -> None:
    reading = read(tmp_path, message(1, body) + message(2))
    assert [text.splitlines()[0] for text in bodies(reading)] == [first, "Hi."]


def test_a_mailbox_written_by_the_standard_library(tmp_path: Path) -> None:
    box = standard.mbox(tmp_path / "b.mbox")
    for number in range(3):
        mail = EmailMessage()
        mail["From"], mail["Subject"] = "Bo Lind <bo@x.example>", f"No. {number}"
        mail.set_content(f"From the dock, number {number}.")
        mail.add_attachment(b"A note.", maintype="text", subtype="plain", filename="note.txt")
        box.add(mail)
    box.flush()
    reading = mailbox.read(tmp_path / "b.mbox", families.read)
    assert bodies(reading) == [f"From the dock, number {number}." for number in range(3)]
    assert tree(reading)["x/message 3.eml/note.txt"] == "A note."


def test_a_message_that_cannot_be_read_is_accounted_for(tmp_path: Path) -> None:
    broken = FROM + b"X-Odd: neither from nor to\n\nHi.\n\n"
    assert bodies(read(tmp_path, message(1) + broken + message(3))) == ["Hi.", "!", "Hi."]


def test_what_is_no_mailbox(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(tmp_path, b"Dear Ann,\n")
    assert caught.value.code == "corrupt"
    assert "a.mbox" in caught.value.message


def test_a_mailbox_is_not_held_in_memory(tmp_path: Path) -> None:
    line = b"The flour was wet when it came to the dock.\n"
    path = tmp_path / "a.mbox"
    path.write_bytes(b"".join(message(number, line * 2000) for number in range(40)))

    def read_nothing(path: Path) -> Reading:
        return Reading(media_type="x", extractor="x", pages=())

    tracemalloc.start()
    assert len(mailbox.read(path, read_nothing).members) == 40
    assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 4
    tracemalloc.stop()
