"""Who wrote to whom, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.ingest.bundle import ingest, listing
from lexforge.ingest.correspondence import head_of
from lexforge.ingest.email import read

EML = b"""\
Message-ID: <1@orchard.example>
Date: Tue, 04 May 2021 16:12:00 -0500
From: Pia Fennick <pia@orchard.example>
To: Rufus Brine <rufus@basalt.example>, "Tallow, Una" <una@tallow.example>
Subject: =?utf-8?q?Wet_flour_=E2=80=93_again?=
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: 8bit

The caf\xe9 refused it too.
"""


def test_an_email_file(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(EML)
    who, shown = read(path)
    assert who.author == "Pia Fennick"
    assert who.recipients[0] == "Rufus Brine"
    assert who.sent == "May 4, 2021"
    assert who.subject == "Wet flour – again"
    assert "From: Pia Fennick <pia@orchard.example>" in shown
    assert "The café refused it too." in shown


HEADS = [
    (
        "To: Ann Orr, Director\nFrom: Bo Lind, Engineer\nDate: May 4, 2021\n\nText.",
        ("Bo Lind", ("Ann Orr",), "May 4, 2021"),
        "a memorandum; titles after the comma are no names",
    ),
    (
        "Date: 05/13/2015      RELEASED\n\n\n"
        "From:   Lind, Bo J <x@y.example>\nSent:   Friday, May 4, 2012 9:17 PM\nTo:\n\nHi.",
        ("Bo J Lind", (), "Friday, May 4, 2012 9:17 PM"),
        "the production's own date line is not the email's",
    ),
    (
        "From: Bo Lind\n\nTo: Ann Orr\n\nDate: May 4, 2021\n\nDear Ann,",
        ("Bo Lind", ("Ann Orr",), "May 4, 2021"),
        "a letter with empty lines in its head",
    ),
    (
        "From: Su%On, Jac0b J\nSent: Friday, May 4, 2012\nTo: Ann Orr\n",
        (None, ("Ann Orr",), "Friday, May 4, 2012"),
        "a name that OCR has garbled is not offered",
    ),
    (
        "From: Bo Lind\nTo:\nDate: May 4, 2021\n\n\nFrom: Ann Orr\nTo: Cy Dent\n",
        ("Bo Lind", (), "May 4, 2021"),
        "the quoted message below does not lend its recipient",
    ),
]


@pytest.mark.parametrize(("text", "expected", "reason"), HEADS, ids=[h[2] for h in HEADS])
def test_heads(text: str, expected: tuple[object, ...], reason: str) -> None:
    found = head_of(text)
    assert found is not None
    assert (found.author, found.recipients, found.sent) == expected


@pytest.mark.parametrize(
    "text",
    ["From the first day the flour was wet.\nTo be sure, nobody looked.", "A page without a head.", "From: Bo Lind\n"],
)
def test_prose_is_no_head(text: str) -> None:
    assert head_of(text) is None


CHAIN = """\
From: Bo Lind
Sent: Friday, May 4, 2012 9:17 PM
To: Ann Orr

I forward what Cy wrote to me about the flour.

-----Original Message-----
From: Cy Dent
Sent: Thursday, May 3, 2012 8:00 AM
To: Bo Lind

The flour was wet when it came to the dock.

From: Su%On, Jac0b
Sent: Wednesday, May 2, 2012

Nobody can say who wrote these words about flour.
"""


def test_words_of_a_quoted_message_are_its_writers(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "chain.txt").write_text(CHAIN, encoding="utf-8")
    source = ingest(tmp_path, listing(tmp_path)).sources[0]
    whose = {p.text.split("\n")[0]: p.correspondence for p in source.passages}
    assert source.correspondence is not None
    assert source.correspondence.author == "Bo Lind"
    assert whose["I forward what Cy wrote to me about the flour."] is None, "the source's own writer"
    quoted = whose["The flour was wet when it came to the dock."]
    assert quoted is not None
    assert (quoted.author, quoted.recipients) == ("Cy Dent", ("Bo Lind",))
    unknown = whose["Nobody can say who wrote these words about flour."]
    assert unknown is not None
    assert unknown.author is None
