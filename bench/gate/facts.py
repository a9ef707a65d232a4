"""Faults in dates, weekdays, Bates numbers and sums, in sentences taken from the sources."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from random import Random

from bench.gate.material import Document, Material
from bench.gate.planted import Planted, changed_number, occurrences, seeded, some, until_new

MONTHS = tuple(calendar.month_name)[1:]
WEEKDAYS = tuple(calendar.day_name)
DAY = re.compile(rf"\b(?P<month>{'|'.join(MONTHS)}) (?P<day>\d{{1,2}}), (?P<year>1[6-9]\d\d|20\d\d)\b")
DATED = re.compile(
    rf"(?<=[a-z]{{3}}[.?!] )[A-Z][^.?!\"“”\[\]()§]{{10,160}}{DAY.pattern}[^.?!\"“”\[\]()§]{{4,120}}[a-z]{{3}}\.(?= |\Z)"
)
NOISE = re.compile(r",\d{1,2} |-(?:January|February|March|April|May|June|July|August|Sept|Octo|Nov|Dec)|[a-z] [4-9]\d,")
"""Footnote marks and what a scan made of a date."""
MODEL = re.compile(r"\b[A-Z]{2,4}-\d{4,6}\b")
SUM = re.compile(
    r"(?<=[a-z]{3}[.?!] )[A-Z][^.?!\"“”\[\]()§]{10,160}(?P<sum>\$\d[\d,]*(?:\.\d\d)?)[^.?!\"“”\[\]()§]{4,120}[a-z]{3}\."
)
COUNTER = re.compile(r"(?P<prefix>.*?)(?P<counter>\d{3,})\Z")


def plant(material: Material, most: int) -> Iterator[Planted]:
    """All kinds for dates, Bates numbers and sums."""
    dated = [(d, m) for d in material.documents for m in occurrences(DATED, d.pages) if not NOISE.search(m.group())]
    yield from _dates(material, dated, most)
    yield from _weekdays(dated, most)
    yield from _other_dates(dated, most)
    yield from _sums(material, most)
    yield from _stamps(material, most)
    yield from _models(material, most)


def _with_date(match: re.Match[str], **parts: str) -> str:
    """The sentence with another date."""
    values = {part: parts.get(part, match[part]) for part in ("month", "day", "year")}
    start, end = match.start("month") - match.start(), match.end("year") - match.start()
    return f"{match.group()[:start]}{values['month']} {values['day']}, {values['year']}{match.group()[end:]}"


def _day(match: re.Match[str]) -> str:
    return f"{match['month']} {match['day']}, {match['year']}"


def _dates(material: Material, dated: list[tuple[Document, re.Match[str]]], most: int) -> Iterator[Planted]:
    """Day, month or year changed to a day that no source has in words."""
    makers: dict[str, Callable[[Random, re.Match[str]], str]] = {
        "day changed": lambda r, m: _with_date(m, day=str(r.randint(1, 28))),
        "wrong month": lambda r, m: _with_date(m, month=r.choice(MONTHS)),
        "digits of the year changed": lambda r, m: _with_date(m, year=m["year"][:2] + changed_number(r, m["year"][2:])),
        "day that cannot be": lambda r, m: _with_date(m, month="February", day=str(r.randint(30, 31))),
    }

    def stands(sentence: str) -> bool:
        day = DAY.search(sentence)
        return day is None or material.holds(day.group())

    for kind, maker in makers.items():
        random = seeded(kind)
        for document, match in some(random, dated, most):
            altered = until_new(partial(maker, random, match), stands)
            if altered is not None:
                yield Planted(f"date: {kind}", match.group(), _at(document, match.group()), _at(document, altered))


def _at(document: Document, sentence: str) -> str:
    """The sentence with the page that has it, where the document is produced under Bates numbers."""
    for page, text in zip(document.source.pages, document.pages, strict=True):
        if page.bates and sentence in text:
            return f"{sentence[:-1]} ({page.bates[0]})."
    return sentence


def _weekdays(dated: list[tuple[Document, re.Match[str]]], most: int) -> Iterator[Planted]:
    random = seeded("weekdays")
    for _, match in some(random, dated, most):
        try:
            right = date(int(match["year"]), MONTHS.index(match["month"]) + 1, int(match["day"])).weekday()
        except ValueError:
            continue
        at = match.start("month") - match.start()
        text = match.group()
        if re.search(r"(?:day,? |\S)\Z", text[:at]) or int(match["year"]) < 1753:
            continue
        wrong = WEEKDAYS[(right + random.randint(1, 6)) % 7]
        clean, altered = (f"{text[:at]}{day}, {text[at:]}" for day in (WEEKDAYS[right], wrong))
        yield Planted("date: wrong weekday", _day(match), clean, altered)


def _other_dates(dated: list[tuple[Document, re.Match[str]]], most: int) -> Iterator[Planted]:
    """A date that the same document has for something else."""
    random = seeded("other dates")
    for document, match in some(random, dated, most):
        days = {m.group() for m in DAY.finditer(document.text)} - {_day(match)}
        if days:
            other = random.choice(sorted(days))
            yield Planted(
                "date: of another event", match.group(), _at(document, match.group()),
                _at(document, match.group()).replace(_day(match), other),
            )  # fmt: skip


def _sums(material: Material, most: int) -> Iterator[Planted]:
    random = seeded("sums")
    found = list(occurrences(SUM, [page for document in material.documents for page in document.pages]))
    for match in some(random, found, most):
        old = match["sum"]
        other = until_new(partial(changed_number, random, old), material.holds)
        if other is not None:
            yield Planted("amount: digits changed", match.group(), match.group(), match.group().replace(old, other))


def _moved(stamp: str, by: int) -> str:
    parts = COUNTER.match(stamp)
    if parts is None:
        return stamp
    return f"{parts['prefix']}{int(parts['counter']) + by:0{len(parts['counter'])}d}"


def _misread(random: Random, stamp: str) -> str:
    """Another letter in the prefix."""
    at = random.choice([at for at, c in enumerate(stamp) if c.isalpha()])
    return stamp[:at] + random.choice([c for c in "ABDEHKMNRTWXY" if c != stamp[at].upper()]) + stamp[at + 1 :]


def _stamps(material: Material, most: int) -> Iterator[Planted]:
    random = seeded("stamps")
    produced = [document for document in material.documents if document.bates]
    every = [stamp for document in produced for stamp in document.bates]
    highest = max((COUNTER.match(s)["counter"] for s in every if COUNTER.match(s)), key=int, default="0")  # type: ignore[index]
    for stamp in some(random, every, most):
        said = "It was produced at {}.".format
        near = next((m for by in range(1, 60) if (m := _moved(stamp, by)) not in every and not material.holds(m)), None)
        far = _moved(stamp, int(highest) + random.randint(1, 900))
        yield Planted("Bates: out of range", stamp, said(stamp), said(far))
        if near is not None:
            yield Planted("Bates: off by a few", stamp, said(stamp), said(near))
        other = until_new(partial(_misread, random, stamp), material.holds)
        if other is not None:
            yield Planted("Bates: wrong prefix", stamp, said(stamp), said(other))
    yield from _ranges(produced, every, random, most)
    yield from _wrong_page(produced, random, most)


def _ranges(produced: list[Document], every: list[str], random: Random, most: int) -> Iterator[Planted]:
    for document in some(random, (d for d in produced if len(d.bates) > 1), most):
        first, last = document.bates[0], document.bates[-1]
        if last != _moved(first, len(document.bates) - 1):
            continue
        beyond = next((m for by in range(1, 300) if (m := _moved(last, by)) not in every), last)
        said = "It was produced at {}–{}.".format
        yield Planted("Bates: range beyond the production", first, said(first, last), said(first, beyond))


def _wrong_page(produced: list[Document], random: Random, most: int) -> Iterator[Planted]:
    """A sentence with its date, given to a page of another document that does not have the date."""
    pairs = [(d, m) for d in produced for m in occurrences(DATED, d.pages)]
    for document, match in some(random, pairs, most):
        clean = _at(document, match.group())
        others = [d for d in produced if _day(match) not in d.text]
        if others and clean != match.group():
            stamp = clean[len(match.group()) + 1 : -2]
            altered = clean.replace(stamp, random.choice(others).bates[0])
            yield Planted("Bates: page of another document", match.group(), clean, altered)


def _models(material: Material, most: int) -> Iterator[Planted]:
    """A model number that the evidence has in passing, cited as if it were a page of the production."""
    stamps = {stamp for document in material.documents for stamp in document.bates}
    produced = [document.text for document in material.documents if document.bates]
    found = [m.group() for m in occurrences(MODEL, produced) if m.group() not in stamps]
    for model in some(seeded("models"), found, most):
        clean = f"The unit bore the model number {model}."
        yield Planted("Bates: model number cited as one", model, clean, f"The note was produced at {model}.")
