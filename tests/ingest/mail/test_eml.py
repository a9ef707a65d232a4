"""Emails: who wrote to whom and when, what was said, what was attached, and what nobody could see."""

from __future__ import annotations

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest

from lexforge.domain.evidence import Concealment
from lexforge.errors import UnreadableFile
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing
from lexforge.ingest.mail import eml as email
from lexforge.ingest.mail import eml_parts as email_parts
from lexforge.ingest.mail.correspondence import head_of
from lexforge.ingest.reading import Failure, Reading
from tests.ingest.container import families
from tests.ingest.container.families import tree

EML = b"""\
Message-ID: <1@orchard.example>
Date: Tue, 04 May 2021 16:12:00 -0500
From: Pia Fennick <pia@orchard.example>
To: Rufus Brine <rufus@basalt.example>, "Tallow, Una" <una@tallow.example>
Cc: Ann Orr <ann@orr.example>
Subject: =?utf-8?q?Wet_flour_=E2=80=93_again?=
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: 8bit

The caf\xe9 refused it too.
"""


def read(tmp_path: Path, data: bytes) -> Reading:
    path = tmp_path / "a.eml"
    path.write_bytes(data)
    return email.read(path, families.read)


def refusal(tmp_path: Path, data: bytes) -> str:
    with pytest.raises(UnreadableFile) as caught:
        read(tmp_path, data)
    assert "a.eml" in caught.value.message
    assert caught.value.advice
    return caught.value.code


def mail(body: bytes, kind: str = "text/plain; charset=utf-8", more: bytes = b"") -> bytes:
    return b"From: Bo Lind <bo@x.example>\nContent-Type: " + kind.encode() + b"\n" + more + b"\n" + body


def parted(*parts: tuple[str, bytes], kind: str = "mixed", boundary: str = "cut") -> bytes:
    """A message of parts, each with its content type (and more headers) and its body."""
    cuts = b"".join(b"--%s\nContent-Type: %s\n\n%s\n" % (boundary.encode(), h.encode(), body) for h, body in parts)
    return mail(cuts + b"--%s--\n" % boundary.encode(), f'multipart/{kind}; boundary="{boundary}"')


def test_an_email_file(tmp_path: Path) -> None:
    reading = read(tmp_path, EML)
    who, shown = reading.correspondence, reading.texts[0]
    assert who is not None
    assert who.author == "Pia Fennick"
    assert who.recipients == ("Rufus Brine", "Tallow, Una")
    assert who.sent == "May 4, 2021"
    assert who.subject == "Wet flour – again"
    assert reading.message_id == "<1@orchard.example>"
    assert reading.media_type == "message/rfc822"
    assert "From: Pia Fennick <pia@orchard.example>" in shown
    assert "Cc: Ann Orr <ann@orr.example>" in shown
    assert "The café refused it too." in shown
    assert reading.members == ()
    assert reading.warnings == ()


HEADERS = [
    (b"Subject: caf\xc3\xa9", "subject", "café", "UTF-8 where RFC 5322 allows only ASCII"),
    (b"Subject: caf\xe9", "subject", "café", "Windows-1252 where RFC 5322 allows only ASCII"),
    (b"Subject: =?utf-8?b?Y2Fm?= =?utf-8?b?w6k=?=", "subject", "café", "a word in two pieces"),
    (b"Subject: =?utf-8?b?Y2Fmw?=", "subject", "=?utf-8?b?Y2Fmw?=", "a word that is broken"),
    (b"Subject: =?no-such-set?q?caf=C3=A9?=", "subject", "café", "a character set nobody knows"),
    (b"Subject: =?punycode?q?caf-dma?=", "subject", "caf-dma", "a codec that is no character set"),
    (b"Subject: \\ud800 =?utf-8?q?a?=", "subject", "? a", "half a surrogate pair"),
    (b"Subject: one\n two", "subject", "one two", "a folded line"),
    (b"From: =?utf-8?q?Lind=2C_Bo?= <bo@x.example>", "author", "Lind, Bo", "a comma inside an encoded name"),
    (b"From: bo@x.example", "author", None, "an address is no name"),
    (b"Sender: Bo Lind <bo@x.example>", "author", "Bo Lind", "a sender but no author"),
    (b"From: " + b"(" * 5000, "author", None, "comments within comments"),
    (b"Date: 4 May 2021 23:59:00 -0500", "sent", "May 4, 2021", "the day where the sender was"),
    (b"Date: yesterday", "sent", None, "a date that is none"),
    (b"Date: Tue, 99 May 20021 16:12:00 -9900", "sent", None, "a date that cannot be"),
]


@pytest.mark.parametrize(("line", "field", "expected", "reason"), HEADERS, ids=[h[3] for h in HEADERS])
def test_headers(tmp_path: Path, line: bytes, field: str, expected: str | None, reason: str) -> None:
    who = read(tmp_path, line + b"\n\nHi.\n").correspondence
    assert who is not None
    assert getattr(who, field) == expected


IDS = [
    (b"<a@b>", "<a@b>", "as it should be"),
    (b"<a@b> (made by hand)", "<a@b>", "with a comment"),
    (b"\n <a@b>", "<a@b>", "folded"),
    (b"a@b", "a@b", "without brackets"),
    (b"", None, "empty"),
]


@pytest.mark.parametrize(("value", "expected", "reason"), IDS, ids=[i[2] for i in IDS])
def test_message_ids(tmp_path: Path, value: bytes, expected: str | None, reason: str) -> None:
    assert read(tmp_path, b"From: bo@x.example\nMessage-ID: " + value + b"\n\nHi.\n").message_id == expected


BODIES = [
    (mail(b"caf\xc3\xa9"), "café", 0, "as it says"),
    (mail(b"caf\xe9"), "café", 1, "Windows-1252 that says it is UTF-8"),
    (mail(b"caf\xc3\xa9", "text/plain; charset=no-such-set"), "café", 1, "a character set nobody knows"),
    (mail(b"caf\xc3\xa9", "text/plain; charset=hex"), "café", 1, "a codec that makes no text"),
    (mail("café".encode("utf-16"), "text/plain"), "café", 1, "UTF-16 without a word"),
    (mail(b"a\r\nb\rc"), "a\nb\nc", 0, "line ends of three systems"),
    (mail(b"Zm", "text/plain", b"Content-Transfer-Encoding: base64\n"), "f", 0, "base64 that is cut off"),
    (mail(b"not in parts", "multipart/mixed; boundary=x"), "not in parts", 0, "parts that are announced and not there"),
    (b"\xef\xbb\xbf\r\nFrom: Bo Lind <b@x.example>\r\n\r\nHi.\r\n", "Hi.", 0, "a mark and an empty line before it"),
]


@pytest.mark.parametrize(("data", "body", "warnings", "reason"), BODIES, ids=[b[3] for b in BODIES])
def test_bodies(tmp_path: Path, data: bytes, body: str, warnings: int, reason: str) -> None:
    reading = read(tmp_path, data)
    assert reading.texts[0].partition("\n\n")[2].strip() == body
    assert len([w for w in reading.warnings if "character set" in w]) == warnings


HTML = b"<html><body><p>First.</p><p>Second,<br>third.</p><script>x()</script></body></html>"
PLAIN = "text/plain; charset=utf-8"


def body_of(reading: Reading) -> list[str]:
    return [line for line in reading.texts[0].partition("\n\n")[2].splitlines() if line.strip()]


def test_html_becomes_lines_of_text(tmp_path: Path) -> None:
    assert body_of(read(tmp_path, mail(HTML, "text/html"))) == ["First.", "Second,", "third."]


def test_plain_text_counts_before_html(tmp_path: Path) -> None:
    data = parted((PLAIN, b"Plain."), ("text/html", HTML), kind="alternative")
    assert body_of(read(tmp_path, data)) == ["Plain."]


def test_html_counts_where_plain_text_is_empty(tmp_path: Path) -> None:
    data = parted((PLAIN, b" \n"), ("text/html", HTML), kind="alternative")
    assert body_of(read(tmp_path, data))[0] == "First."


def test_words_that_no_reader_of_the_mail_saw_are_apart(tmp_path: Path) -> None:
    html = b'<p>Seen.</p><div style="display:none">For machines only.</div>'
    reading = read(tmp_path, mail(html, "text/html"))
    assert body_of(reading) == ["Seen."]
    assert [h.concealment for h in reading.pages[0].hidden] == [Concealment.NOT_SHOWN]
    assert "For machines only." in reading.pages[0].hidden[0].text


def test_text_after_an_attachment_belongs_to_the_message(tmp_path: Path) -> None:
    attached = f"{PLAIN}\nContent-Disposition: attachment; filename=note.txt", b"A note."
    reading = read(tmp_path, parted((PLAIN, b"Before."), attached, (PLAIN, b"After.")))
    assert body_of(reading) == ["Before.", "After."]
    assert tree(reading) == {"x/note.txt": "A note."}
    assert "Attachment: note.txt" in reading.texts[0]


def test_an_attachment_beside_the_html_form_is_not_lost(tmp_path: Path) -> None:
    """As Apple Mail sends it: the attachment stands inside the form of the text that is not used."""
    inner = parted(("text/html", HTML), (f"{PLAIN}; name=note.txt", b"A note."), kind="mixed", boundary="in")
    head, _, body = inner.partition(b"\n\n")
    rich = head.split(b"Content-Type: ")[1].decode(), body
    reading = read(tmp_path, parted((PLAIN, b"Plain."), rich, kind="alternative"))
    assert body_of(reading) == ["Plain."]
    assert tree(reading) == {"x/note.txt": "A note."}


PICTURE = base64.encodebytes(bytes(3000))
CODED = "\nContent-Transfer-Encoding: base64"


def test_small_pictures_without_a_name_are_left_out_and_said(tmp_path: Path) -> None:
    large = base64.encodebytes(bytes(20_000))
    data = parted(
        ("text/html", HTML),
        ("image/png" + CODED, PICTURE),
        ("image/png; name=chart.png" + CODED, PICTURE),
        ("image/png" + CODED, large),
    )
    reading = read(tmp_path, data)
    assert list(tree(reading)) == ["x/chart.png", "x/unnamed.png"]
    assert any("1 small picture" in warning for warning in reading.warnings)


FILE_NAMES = [
    ('; filename="a b.txt"', "a b.txt", "quoted"),
    ("; filename*=utf-8''caf%C3%A9.txt", "café.txt", "RFC 2231"),
    ('; filename*0="long "; filename*1="name.txt"', "long name.txt", "RFC 2231 in pieces"),
    ('; filename="=?utf-8?q?caf=C3=A9.txt?="', "café.txt", "RFC 2047, where it may not stand"),
    ('; filename="..\\\\..\\\\evil.txt"', "../../evil.txt", "a way out of the folder"),
    ("; filename*0*=x; filename*0=y; filename*z=q", "xy", "pieces that are numbered wrongly"),
    ("", "unnamed.txt", "none"),
]


@pytest.mark.parametrize(("parameter", "name", "reason"), FILE_NAMES, ids=[f[2] for f in FILE_NAMES])
def test_names_of_attachments(tmp_path: Path, parameter: str, name: str, reason: str) -> None:
    data = parted((PLAIN, b"Hi."), (f"text/plain\nContent-Disposition: attachment{parameter}", b"A note."))
    reading = read(tmp_path, data)
    assert [m.name for m in reading.members] == [name]
    assert families.outcome(reading.members[0]) == "A note."
    assert f"Attachment: {name}" in reading.texts[0]


def test_an_attached_message_is_a_member_with_its_own_attachments(tmp_path: Path) -> None:
    inner = EmailMessage()
    inner["From"], inner["Subject"], inner["Message-ID"] = "Cy Dent <cy@x.example>", "Dock", "<2@x.example>"
    inner.set_content("It was wet at the dock.")
    inner.add_attachment(b"A note.", maintype="text", subtype="plain", filename="note.txt")
    outer = EmailMessage()
    outer["From"] = "Bo Lind <bo@x.example>"
    outer.set_content("See below.")
    outer.add_attachment(inner, filename="Dock")
    reading = read(tmp_path, outer.as_bytes())
    assert list(tree(reading)) == ["x/Dock.eml", "x/Dock.eml/note.txt"]
    below = reading.members[0].outcome
    assert isinstance(below, Reading)
    assert below.message_id == "<2@x.example>"
    assert body_of(below) == ["It was wet at the dock."]
    assert "dock" not in reading.texts[0].partition("\n\n")[2]


def test_an_attached_message_in_base64(tmp_path: Path) -> None:
    data = parted((PLAIN, b"Hi."), ("message/rfc822" + CODED, base64.encodebytes(EML)))
    below = read(tmp_path, data).members[0].outcome
    assert isinstance(below, Reading)
    assert below.message_id == "<1@orchard.example>"


REFUSED = [
    (("application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", b"x"), "encrypted", "S/MIME, encrypted"),
    (("application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", b"x"), "unsupported", "S/MIME, signed"),
    (('multipart/encrypted; boundary="in"', b"--in\n\nx\n--in--"), "encrypted", "PGP"),
    (("message/external-body; access-type=URL; URL=x", b"Content-Type: text/plain\n\n"), "not_included", "elsewhere"),
]


@pytest.mark.parametrize(("part", "code", "reason"), REFUSED, ids=[r[2] for r in REFUSED])
def test_what_cannot_be_opened_says_so(tmp_path: Path, part: tuple[str, bytes], code: str, reason: str) -> None:
    reading = read(tmp_path, parted((PLAIN, b"Hi."), part))
    assert body_of(reading) == ["Hi."]
    assert list(tree(reading).values()) == [code]
    assert reading.warnings


WARNED = [
    (mail(b"-----BEGIN PGP MESSAGE-----\n\nx\n"), "PGP", "encrypted in the text"),
    (parted((PLAIN, b"Hi."), ("application/pgp-signature", b"x"), kind="signed"), "signature", "signed"),
    (parted((PLAIN, b"Hi."), (PLAIN, b"The end is mis"))[:-9], "cut off", "cut off"),
]


@pytest.mark.parametrize(("data", "word", "reason"), WARNED, ids=[w[2] for w in WARNED])
def test_warnings(tmp_path: Path, data: bytes, word: str, reason: str) -> None:
    reading = read(tmp_path, data)
    assert [word in warning for warning in reading.warnings] == [True]
    assert reading.members == ()


def wrapped(depth: int) -> bytes:
    body = b"Content-Type: text/plain\n\nDeep down.\n"
    for level in range(depth):
        cut = b"--cut%d" % level
        body = b'Content-Type: multipart/mixed; boundary="cut%d"\n\n%s\n%s%s--\n' % (level, cut, body, cut)
    return b"From: Bo Lind <bo@x.example>\n" + body


def test_parts_within_parts_are_read_as_deep_as_mail_programs_make_them(tmp_path: Path) -> None:
    assert "Deep down." in read(tmp_path, wrapped(40)).texts[0]


def test_deeper_parts_are_warned_of(tmp_path: Path) -> None:
    reading = read(tmp_path, wrapped(60))
    assert "Deep down." not in reading.texts[0]
    assert any("levels" in warning for warning in reading.warnings)


def test_parts_that_only_an_attack_makes_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, wrapped(5000)) == "too_deep"


def test_lines_that_every_open_part_would_be_compared_with(tmp_path: Path) -> None:
    assert refusal(tmp_path, wrapped(300) + b"\n" * 1_000_000) == "too_deep"


LARGE = [
    (mail(b"\n" * 9_000_000), "lines without end"),
    (mail(b"\n--cut" * 100_001, 'multipart/mixed; boundary="cut"'), "parts without end"),
]


@pytest.mark.parametrize(("data", "reason"), LARGE, ids=[r[1] for r in LARGE])
def test_what_would_fill_the_memory_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    assert refusal(tmp_path, data) == "too_large"


def test_a_header_without_end_is_cut_and_that_is_said(tmp_path: Path) -> None:
    reading = read(tmp_path, b"To: " + b"Ann Orr <a@x.example>,\n " * 20_000 + b"\nFrom: bo@x.example\n\nHi.\n")
    assert reading.correspondence is not None
    assert 5_000 < len(reading.correspondence.recipients) < 20_000
    assert "header" in reading.warnings[0]


def test_parameters_without_end_take_no_time(tmp_path: Path) -> None:
    """They are cut before the parser, whose time grows with the square of their length, sees them."""
    assert "Hi." in read(tmp_path, mail(b"Hi.", "text/plain; " + "a=b; " * 2_000_000)).texts[0]


def test_an_email_too_large_for_any_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(email, "LARGEST", 10)
    assert refusal(tmp_path, EML) == "too_large"


def test_what_has_no_header_of_an_email_is_none(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"Dear Ann,\n\nthe flour was wet.\n") == "corrupt"


def test_random_damage_is_read_or_refused(tmp_path: Path) -> None:
    inner = parted((PLAIN, b"Hi."), ("image/png; name=a.png" + CODED, PICTURE), ("message/rfc822", EML))
    for step in range(150):
        data = bytearray(inner)
        for place in range(step, len(data), 997):
            data[place] = (data[place] * 31 + step) % 256
        try:
            outcome: Reading | Failure = read(tmp_path, bytes(data))
        except UnreadableFile as error:
            assert error.code in {"corrupt", "too_large", "too_deep"}
            continue
        assert outcome.model_dump_json()


def test_no_charset_is_taken_that_makes_no_text() -> None:
    for codec in ("punycode", "idna", "unicode_escape", "raw_unicode_escape", "hex"):
        assert email_parts.lenient("café".encode(), codec) == "café"
    assert email_parts.lenient(b"+2AA-", "utf-7") == "?", "half a surrogate pair"


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
