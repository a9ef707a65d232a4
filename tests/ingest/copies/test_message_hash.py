"""By what a message is known: the published hash of its id, and what must be equal before two are one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexforge.domain.evidence import Correspondence
from lexforge.ingest.copies.message_hash import NOTE, body_of, content_hash, letters, message_id_hash, moment
from lexforge.ingest.fingerprint import words

IDS = [
    ("<CALckR-a8UDkRjO4xJyjd_s0GPxQWw@mail.gmail.com>", "the vector that the specification gives"),
    ("CALckR-a8UDkRjO4xJyjd_s0GPxQWw@mail.gmail.com", "a load file without the brackets"),
    (" <CALckR-a8UDkRjO4xJyjd_s0GPxQWw@mail.gmail.com> (added by relay)", "a comment beside it"),
    ("<CALckR-a8UDkRjO4xJyjd_\r\n s0GPxQWw@mail.gmail.com>", "a folded line"),
]


@pytest.mark.parametrize(("message_id", "why"), IDS, ids=[why for _, why in IDS])
def test_the_hash_of_a_message_id(message_id: str, why: str) -> None:
    assert message_id_hash(message_id) == "1de319c276884bd0c9e2f1621ada26cc", why


@pytest.mark.parametrize("empty", ["", "  ", "<>", "< >"])
def test_an_empty_message_id_is_none(empty: str) -> None:
    assert message_id_hash(empty) is None


def test_case_belongs_to_a_message_id() -> None:
    assert message_id_hash("<A@x.example>") != message_id_hash("<a@x.example>")


@given(st.text(max_size=40))
def test_any_message_id_has_a_hash_or_none(message_id: str) -> None:
    hashed = message_id_hash(message_id)
    assert hashed is None or len(hashed) == 32


HEAD = Correspondence(
    author="Pia Fennick <pia@orchard.example>",
    recipients=("Rufus Brine", "Tallow, Una"),
    sent="Tue, 04 May 2021 16:12:00 -0500",
    subject="Wet flour",
)
BODY = "the flour arrived wet again and the miller will not take it back " * 6

ALIKE = [
    ({"sent": "Tue, 4 May 2021 21:12:00 GMT"}, "another zone, one moment"),
    ({"sent": "2021-05-04T21:12:00.431+00:00"}, "ISO 8601, with milliseconds"),
    ({"author": "PIA@ORCHARD.EXAMPLE"}, "the address without its display name"),
    ({"recipients": ("Una Tallow", "Brine, Rufus")}, "recipients and parts of names in another order"),
    ({"subject": "WET  FLOUR!"}, "typography of the subject"),
]
UNLIKE = [
    ({"sent": "Tue, 04 May 2021 16:12:01 -0500"}, "a second later"),
    ({"sent": "Tue, 04 May 2021 16:12:00"}, "without a zone nobody knows the moment"),
    ({"author": "una@tallow.example"}, "another sender"),
    ({"recipients": ("Rufus Brine",)}, "another circle of readers"),
    ({"subject": "Re: Wet flour"}, "an answer is another message"),
]


@pytest.mark.parametrize(("change", "why"), ALIKE, ids=[why for _, why in ALIKE])
def test_one_message(change: dict[str, object], why: str) -> None:
    assert content_hash(HEAD.model_copy(update=change), BODY) == content_hash(HEAD, BODY), why


@pytest.mark.parametrize(("change", "why"), UNLIKE, ids=[why for _, why in UNLIKE])
def test_two_messages(change: dict[str, object], why: str) -> None:
    assert content_hash(HEAD.model_copy(update=change), BODY) != content_hash(HEAD, BODY), why


def test_body_and_attachments_count() -> None:
    assert content_hash(HEAD, BODY + "not") != content_hash(HEAD, BODY)
    assert content_hash(HEAD, BODY, ["a.pdf"]) != content_hash(HEAD, BODY)
    assert content_hash(HEAD, BODY, ["b.pdf", "a.pdf"]) == content_hash(HEAD, BODY, ["a.pdf", "b.pdf"])


UNKNOWN = [
    (None, BODY, "no head at all"),
    (HEAD.model_copy(update={"author": None}), BODY, "no sender"),
    (HEAD.model_copy(update={"sent": None}), BODY, "no date"),
    (HEAD.model_copy(update={"sent": "May 4, 2021"}), "thank you", "thanks may be said twice on one day"),
]


@pytest.mark.parametrize(("head", "body", "why"), UNKNOWN, ids=[why for _, _, why in UNKNOWN])
def test_messages_that_cannot_be_told_apart_have_no_hash(head: Correspondence | None, body: str, why: str) -> None:
    assert content_hash(head, body) is None, why


def test_a_note_with_a_time_and_a_long_mail_with_a_day_are_known() -> None:
    assert content_hash(HEAD, "thankyou") is not None
    assert content_hash(HEAD.model_copy(update={"sent": "May 4, 2021"}), "x" * NOTE) is not None


def test_digits_are_no_letters() -> None:
    assert letters("") == letters("1234") == 0
    assert letters("a1é2") == 2


BODIES = [
    ("From: Pia\nTo: Una\n\nHello.", "hello", "a head as it is shown above a mail"),
    ("Hello.\n\nFrom: Pia\nTo: Una\n\nYes.", "hellofrompiatounayes", "a quoted head belongs to the body"),
    ("To: the point\nHello.", "tothepointhello", "no empty line, so no head"),
    ("", "", "nothing"),
]


@pytest.mark.parametrize(("text", "expected", "why"), BODIES, ids=[why for *_, why in BODIES])
def test_the_body_below_a_head(text: str, expected: str, why: str) -> None:
    assert body_of(text, "".join(words(text))) == expected, why


MOMENTS = [
    ("Tue, 04 May 2021 16:12:00 -0500", "2021-05-04T21:12:00+00:00", "RFC 5322"),
    ("04 May 2021 16:12 +0000", "2021-05-04T16:12:00+00:00", "without weekday and seconds"),
    ("2021-05-04 16:12:00Z", "2021-05-04T16:12:00+00:00", "ISO 8601"),
    ("2021-05-04T16:12:00", "2021-05-04T16:12:00", "no zone is not taken for UTC"),
    ("Wednesday, March 23, 2011 9:17 PM", "wednesday march 23 2011 9 17 pm", "as printed"),
    ("Tue, 99 May 2021 16:12:00 -0500", "tue 99 may 2021 16 12 00 0500", "no such day"),
    ("0001-01-01T00:00:00+14:00", "0001 01 01t00 00 00 14 00", "before the first year"),
    ("", "", "none"),
]


@pytest.mark.parametrize(("sent", "expected", "why"), MOMENTS, ids=[why for *_, why in MOMENTS])
def test_moments(sent: str, expected: str, why: str) -> None:
    assert moment(sent) == expected, why


@given(st.text(max_size=60))
def test_any_date_has_a_form(sent: str) -> None:
    assert moment(sent) == moment(sent)
