"""Faults in statutes, regulations and rules, and in citations of the record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from random import Random

from bench.gate.material import Material
from bench.gate.planted import Planted, changed_number, occurrences, seeded, some, until_new

SUBSECTIONS = r"(?P<sub>(?:\((?:[a-z]|\d{1,2}|[A-Z]|[ivx]+)\))*)"
STATUTE = re.compile(
    rf"(?P<title>\d{{1,2}}) (?:U\. ?S\. ?C\.|C\. ?F\. ?R\.) (?:§ ?)?(?P<section>\d{{1,5}}){SUBSECTIONS}(?![\w.–-])"
)
RULE = re.compile(
    rf"(?:Fed\. ?R\. ?(?:Civ|Crim|App|Bankr)\. ?P\.|Fed\. ?R\. ?Evid\.) (?P<section>\d{{1,4}}){SUBSECTIONS}"
)
PARAGRAPH = re.compile(
    r"(?:(?:Am\. )?Compl\.|[A-Z][a-z]+ (?:Decl|Aff)\.) ¶ ?(?P<section>\d{1,3})(?![\d–-])"
    r"|(?:[A-Z][a-z]+ )?(?:Tr\.|Dep\.) (?:at )?(?P<page>\d{1,4})(?![\d:–-])|ECF No\. (?P<number>\d{1,3})\b"
    r"|\b(?:App\.|J\. ?A\.) (?P<leaf>\d{1,4})(?![\d–-])"
)
DECLARATION = re.compile(r"DECLARATION OF (?:[A-Z.]+ ){0,3}(?P<last>[A-Z]{3,})\b")
LETTER = re.compile(r"\(([a-z])\)")


def plant(material: Material, most: int) -> Iterator[Planted]:
    """All kinds for enacted law and for the record."""
    statutes = list(occurrences(STATUTE, material.texts))
    rules = list(occurrences(RULE, material.texts))
    yield from _changed("statute: wrong section", statutes, "section", material, most)
    yield from _changed("statute: wrong title", statutes, "title", material, most)
    yield from _subsections("statute: wrong subsection", statutes, material, most)
    yield from _changed("rule: wrong number", rules, "section", material, most)
    yield from _subsections("rule: wrong subsection", rules, material, most)
    for part, what in (("section", "paragraph"), ("page", "page"), ("number", "docket entry"), ("leaf", "leaf")):
        found = [m for m in occurrences(PARAGRAPH, material.texts) if m[part]]
        yield from _far(f"record: {what} out of range", found, part, material, most)
    yield from _declarations(material, most)


def _replaced(match: re.Match[str], part: str, other: str) -> str:
    start, end = match.start(part) - match.start(), match.end(part) - match.start()
    return match.group()[:start] + other + match.group()[end:]


def _planted(kind: str, words: str, altered: str) -> Planted:
    return Planted(kind, words, f"The point is governed by {words}.", f"The point is governed by {altered}.")


def _compact(text: str) -> str:
    return re.sub(r"[\s§]", "", text).lower()


def _changed(kind: str, found: list[re.Match[str]], part: str, material: Material, most: int) -> Iterator[Planted]:
    """A number changed so that no source has the citation, with or without subsections."""
    random = seeded(kind)
    everything = _compact(material.comparable)
    for match in some(random, found, most):

        def stands(number: str, match: re.Match[str] = match) -> bool:
            return _compact(_replaced(match, part, number).removesuffix(match["sub"])) in everything

        other = until_new(partial(changed_number, random, match[part]), stands)
        if other is not None:
            yield _planted(kind, match.group(), _replaced(match, part, other))


def _subsections(kind: str, found: list[re.Match[str]], material: Material, most: int) -> Iterator[Planted]:
    """A lettered subsection changed to one that no source names under that section."""
    random = seeded(kind)
    everything = _compact(material.comparable)
    for match in some(random, (m for m in found if LETTER.match(m["sub"])), most):
        start, end = match.start("sub") - match.start() + 1, match.start("sub") - match.start() + 2
        text = match.group()

        def stands(changed: str, end: int = end) -> bool:
            return _compact(changed[: end + 1]) in everything

        other = until_new(partial(_other_letter, random, text, start, end), stands)
        if other is not None:
            yield _planted(kind, text, other)


def _far(kind: str, found: list[re.Match[str]], part: str, material: Material, most: int) -> Iterator[Planted]:
    random = seeded(kind)
    for match in some(random, found, most):
        far = until_new(partial(_farther, random, match, part), material.holds)
        if far is not None:
            yield Planted(kind, match.group(), f"It was so. {match.group()}.", f"It was so. {far}.")


def _other_letter(random: Random, text: str, start: int, end: int) -> str:
    return text[:start] + random.choice("hjklmnpqrtuwyz") + text[end:]


def _farther(random: Random, match: re.Match[str], part: str) -> str:
    return _replaced(match, part, str(int(match[part]) + random.randint(300, 900)))


def _declarations(material: Material, most: int) -> Iterator[Planted]:
    """Paragraphs behind the last one of a declaration in the bundle."""
    random: Random = seeded("declarations")
    for document in material.documents:
        title = DECLARATION.search(document.text[:1200])
        last = 0
        while re.search(rf"(?m)^\s*{last + 1}\.\s", "\n".join(p.text for p in document.source.pages)):
            last += 1
        if title is None or last < 2:
            continue
        name = title["last"].capitalize()
        for number in some(random, range(1, last + 1), most):
            yield Planted(
                "record: paragraph behind the last", f"{number}.", f"It was so. {name} Decl. ¶ {number}.",
                f"It was so. {name} Decl. ¶ {last + random.randint(1, 40)}.",
            )  # fmt: skip
