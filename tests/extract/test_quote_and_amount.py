"""Quotations and sums; documents and parties are invented."""

import pytest

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import AmountValue, MentionKind, QuotationValue
from lexforge.extract import amount
from lexforge.extract.bates import BatesRegistry
from lexforge.extract.mentions import find_mentions


def quotations(text: str) -> list[tuple[str, QuotationValue]]:
    found = find_mentions(text, BatesRegistry(), DateOrder.MONTH_FIRST)
    return [(m.text, m.value) for m in found if isinstance(m.value, QuotationValue)]


MARKS = [
    ("curly", "He wrote “the lamp is lit.”", "the lamp is lit.", True),
    ("straight", 'He wrote "the lamp is lit."', "the lamp is lit.", True),
    ("nested singles stay inside", "He wrote “she said ‘no’ to it.”", "she said ‘no’ to it.", True),
    ("one-sided", "He wrote “the lamp is lit.\n\nNext came Roe.", "the lamp is lit.", False),
    ("continued in the next paragraph", "He wrote:\n\n“One lamp.\n\n“Two lamps.”", "One lamp.", True),
    ("over a page mark", "He wrote “the lamp\n\n      -14-\n\nis lit.”", "the lamp is lit.", True),
]


@pytest.mark.parametrize("row", MARKS, ids=[row[0] for row in MARKS])
def test_marks(row: tuple[str, str, str, bool]) -> None:
    _, text, words, closed = row
    value = quotations(text)[0][1]
    assert (value.words, value.closed) == (words, closed)


def test_inches_open_nothing() -> None:
    assert quotations('a 27" monitor and a 30" one') == []


def test_block_quotation_needs_no_marks() -> None:
    text = (
        "The lease says:\n\n    "
        + "the tenant shall keep every lamp lit at night and\n    trim each wick by noon\n\nSo it is."
    )
    (found,) = quotations(text)
    assert found[1].block
    assert found[1].words.startswith("the tenant shall") and found[1].words.endswith("by noon")


def test_defined_terms_are_marked() -> None:
    terms = [value.term for _, value in quotations("the Lamp Lease (the “Lease”) says “keep the lamps lit at night”.")]
    assert terms == [True, False]


ATTRIBUTED = [
    ("case behind", "The court wrote “keep it lit.” Vane v. Roe, 12 F.4th 34, 35 (2d Cir. 2021).", "Vane v. Roe"),
    ("case before", "In Vane v. Roe, the court wrote that “keep it lit.”", "Vane v. Roe"),
    ("record cite behind", "He says “keep it lit.” (Quill Decl. ¶ 4.)", "Quill Decl."),
    ("named work before", "The Lamp Inspection Report states: “keep it lit.”", "Lamp Inspection Report"),
    ("nearest wins", "Vane v. Roe, 12 F.4th 34 (2d Cir. 2021). Quill Decl. ¶ 4 says “keep it lit.”", "Quill Decl."),
    ("nobody named", "He said “keep it lit.”", None),
]


@pytest.mark.parametrize("row", ATTRIBUTED, ids=[row[0] for row in ATTRIBUTED])
def test_attribution(row: tuple[str, str, str | None]) -> None:
    _, text, name = row
    assert quotations(text)[0][1].attributed_to == name


def test_mentions_inside_a_quotation_are_still_found() -> None:
    found = find_mentions("He wrote “it was lit on March 3, 2021.”", BatesRegistry(), DateOrder.MONTH_FIRST)
    assert [m.kind for m in found] == [MentionKind.QUOTATION, MentionKind.DATE]


AMOUNTS = [
    ("separators", "$31,100", "31100", "USD"),
    ("cents are kept", "$2,019.00", "2019.00", "USD"),
    ("scale word", "$1.2 million", "1200000", "USD"),
    ("scale letter", "$5K", "5000", "USD"),
    ("currency word", "45 million dollars", "45000000", "USD"),
    ("euro", "€5,000.50", "5000.50", "EUR"),
    ("code", "GBP 300", "300", "GBP"),
]


@pytest.mark.parametrize("row", AMOUNTS, ids=[row[0] for row in AMOUNTS])
def test_amount(row: tuple[str, str, str, str]) -> None:
    _, text, value, currency = row
    (mention,) = amount.find(f"paid {text} for lamps")
    assert mention.text == text
    assert mention.value == AmountValue(amount=value, currency=currency)
