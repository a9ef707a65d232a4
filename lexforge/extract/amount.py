"""Sums of money: figures with a sign or a currency word, with their scale ("$1.2 million")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from lexforge.domain.mentions import AmountValue, Mention, MentionKind
from lexforge.extract.fold import Spot, fold

_FIGURE = r"(?P<{0}>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_SCALE = r"(?:[ -]?(?P<{0}>thousand|million|billion|trillion|[Mm]n|[Bb]n|[KMB](?![\w])))?"
_SIGNED = re.compile(
    r"(?P<sign>(?:US|CA|AU|C|A)?\$|€|£|¥|(?:USD|EUR|GBP|CAD|AUD|CHF|JPY) ?\$?) ?"
    + _FIGURE.format("figure")
    + _SCALE.format("scale")
    + r"(?![\d])"
)
_WORDED = re.compile(
    r"(?<![\w.,$])"
    + _FIGURE.format("figure")
    + _SCALE.format("scale")
    + r" (?P<sign>(?:U\.S\. )?dollars|euros?|pounds sterling|USD|EUR|GBP|cents)\b"
)
_SCALES = {"t": 3, "k": 3, "m": 6, "b": 9}
_CURRENCIES = {
    "$": "USD",
    "US$": "USD",
    "CA$": "CAD",
    "C$": "CAD",
    "AU$": "AUD",
    "A$": "AUD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
}
_WORDS = {
    "dollars": "USD",
    "U.S. dollars": "USD",
    "euro": "EUR",
    "euros": "EUR",
    "pounds sterling": "GBP",
    "cents": "USD",
}


def find(text: str) -> tuple[Mention, ...]:
    """Amounts in `text`, sorted and disjoint; `amount` has no separators and no trailing zeros after its scale."""
    folded = fold(text)
    return folded.mentions(scan(folded.text))


def scan(text: str) -> list[Spot]:
    """Amounts in a folded text."""
    return sorted(_spots(text), key=lambda spot: spot.start)


def _spots(text: str) -> Iterator[Spot]:
    for pattern in (_SIGNED, _WORDED):
        for found in pattern.finditer(text):
            yield Spot(found.start(), found.end(), MentionKind.AMOUNT, _value(found))


def _value(found: re.Match[str]) -> AmountValue:
    sign = found["sign"].strip()
    amount = Decimal(found["figure"].replace(",", ""))
    if found["scale"]:
        scale = found["scale"].lower()
        amount = amount.scaleb(12 if scale == "trillion" else _SCALES[scale[0]])
    if sign == "cents":
        amount = amount.scaleb(-2)
    written = format(amount, "f")
    if "." in written and found["scale"]:
        written = written.rstrip("0").rstrip(".")
    currency = _CURRENCIES.get(sign) or _WORDS.get(sign) or sign.rstrip("$ ").upper()
    return AmountValue(amount=written, currency=currency)
