"""What reads as private, and what does not."""

from __future__ import annotations

import pytest

from lexforge.domain.filing import Private
from lexforge.draft.privacy import find_private

T, B, A = Private.TAXPAYER_NUMBER, Private.BIRTH_DATE, Private.ACCOUNT_NUMBER

FOUND: list[tuple[str, str, list[tuple[str, Private]]]] = [
    ("the form alone says what it is", "His number is 123-45-6789.", [("123-45-6789", T)]),
    ("an en dash from a PDF", "SSN 123–45–6789", [("123–45–6789", T)]),
    ("a first 9: a taxpayer number of an individual", "ITIN 912-70-1234", [("912-70-1234", T)]),
    ("without hyphens the words must say it", "Social Security number is 123456789", [("123456789", T)]),
    ("an employer's number is a taxpayer's", "under EIN 12-3456789,", [("12-3456789", T)]),
    ("a birth in running text", "He was born in Ohio on April 9, 1980.", [("April 9, 1980", B)]),
    ("a form's label", "Date of birth: 4/9/1980", [("4/9/1980", B)]),
    ("a label after the date", "Ann Ames (April 9, 1980, date of birth)", [("April 9, 1980", B)]),
    ("day and month without the year are more than the year", "Her birthday is April 9.", [("April 9", B)]),
    ("an account by its number", "Account No. 12345678", [("12345678", A)]),
    ("a bank's account needs no word “number”", "from checking account 1234567 to", [("1234567", A)]),
    ("the bank stands between", "a bank account at Chase, number 123456789.", [("123456789", A)]),
    ("each of a list", "savings accounts 12345678 and 23456789", [("12345678", A), ("23456789", A)]),
    ("a card, by its check digit", "Visa 4111 1111 1111 1111", [("4111 1111 1111 1111", A)]),
    ("an account abroad, by its check digits", "to DE89 3704 0044 0532 0130 00.", [("DE89 3704 0044 0532 0130 00", A)]),
    ("two of different kinds", "DOB 4/9/1980, SSN 123-45-6789", [("4/9/1980", B), ("123-45-6789", T)]),
]

LEFT: list[tuple[str, str]] = [
    ("a Bates number", "A true copy is HARLOW-000123456."),
    ("a Bates number of the same shape", "HARLOW-123-45-6789"),
    ("a Bates number after the word account", "the account statement at HARLOW 00012345"),
    ("a docket number", "Case No. 2:99-cv-00123-ABC"),
    ("a docket number of the same shape", "Index No. 123-45-6789"),
    ("a part number of the same shape", "Part No. 123-45-6789"),
    ("a telephone number", "Telephone: (555) 010-0100 or 555-010-0100"),
    ("a ZIP code with four more digits", "Port Example, New Avalon 12345-6789"),
    ("an area that is never given out", "666-45-6789"),
    ("last four digits are what the rule allows", "account ending in 4421, account no. 4421, SSN xxx-xx-6789"),
    ("a masked number", "credit card number xxxx-xxxx-xxxx-1111"),
    ("a customer's account is not financial", "customer account number 12345678"),
    ("the telephone of whoever has the account", "the bank account holder's phone number is 555-010-0100"),
    ("another number beside an account", "paid on account of invoice number 1234567"),
    ("a Bates number without its prefix", "the account statement, Bates number 0001234"),
    ("numbers taken into account", "took into account the numbers 2019 2020 2021"),
    ("a sum", "The account numbers come to $1,200,000 and 12,345,678 units."),
    ("the year of birth is what the rule allows", "born in 1980"),
    ("born of something is no birth", "a dispute born of the April 9, 2021 delivery"),
    ("costs are borne, not born", "borne on April 9, 2021 by Harlow"),
    ("what is born digital was not born", "born-digital files produced on April 9, 2021"),
    ("a date in the next sentence", "She was born in Ohio. On April 9, 2021, she wrote."),
    ("sixteen digits with a wrong check digit", "4111111111111112"),
    ("an ordinary date", "On April 9, 2021, the account was closed."),
    ("a bank's routing number is the bank's", "routing number 021000021"),
]


@pytest.mark.parametrize(("why", "text", "expected"), FOUND, ids=[case[0] for case in FOUND])
def test_found(why: str, text: str, expected: list[tuple[str, Private]]) -> None:
    assert [(text[start:end], kind) for start, end, kind in find_private(text)] == expected, why


@pytest.mark.parametrize(("why", "text"), LEFT, ids=[case[0] for case in LEFT])
def test_left_alone(why: str, text: str) -> None:
    assert find_private(text) == [], why
