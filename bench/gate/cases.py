"""Faults in case citations, their pins and the short forms that go back to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from bench.gate.material import Material
from bench.gate.planted import Planted, changed_number, occurrences, seeded, some, until_new

WORD = r"(?:[A-Z][\w'’&-]*\.?|Inc\.|Co\.|Corp\.|&)"
SIDE = rf"{WORD}(?:,? (?:{WORD}|of|the|for)){{0,5}}"
REPORTER = r"U\. ?S\.|S\. ?Ct\.|F\. ?[23]d|F\.4th|F\. ?Supp\.(?: ?[23]d)?"
CASE = re.compile(
    rf"(?<![\w.'’&-])(?P<name>{SIDE} v\. {SIDE}), (?P<volume>\d{{1,4}}) (?P<reporter>{REPORTER}) (?P<page>\d{{1,4}})"
    r"(?P<pin>, \d{1,4})? \((?P<court>[^()\d]{0,16}|[^()]{0,10}Cir\. )(?P<year>1[89]\d\d|20\d\d)\)"
)
LEAD = re.compile(r"^(?:(?:See|Cf\.|But|Accord|In|Under|Compare|Also|And|E\.g\.|Id\.|As|Thus|Court)\b[.,]? ?)+")
CIRCUIT = re.compile(r"\b(1st|2d|3d|4th|5th|6th|7th|8th|9th|10th|11th) Cir\.")
CIRCUITS = ("1st", "2d", "3d", "4th", "5th", "6th", "7th", "8th", "9th", "10th", "11th")
INVENTED = ("Varnholt", "Quessenby", "Ostrander Lading Co.", "Pimlott", "Thackwell Mills, Inc.", "Grebe", "Ullswater")
FARTHEST = 450


@dataclass(frozen=True)
class Cite:
    """A full citation as a source has it; `found` has its parts by name."""

    text: str
    name: str
    found: re.Match[str]
    source: str

    def with_part(self, part: str, other: str) -> str:
        """The same citation with one part replaced."""
        start, end = self.found.span(part)
        shift = self.found.end() - len(self.text)
        return self.text[: start - shift] + other + self.text[end - shift :]

    @property
    def key(self) -> str:
        """Volume, reporter and page."""
        return f"{self.found['volume']} {self.found['reporter']} {self.found['page']}"


def cites(material: Material) -> list[Cite]:
    """Every full case citation of the corpus that is written in one piece."""
    found = []
    for document in material.documents:
        for match in occurrences(CASE, document.pages):
            name = LEAD.sub("", match["name"])
            if " v. " in name and name[0].isupper():
                found.append(Cite(match.group()[len(match["name"]) - len(name) :], name, match, document.source.id))
    return found


def plant(material: Material, most: int) -> Iterator[Planted]:
    """All kinds for citations of cases."""
    every = cites(material)
    for kind, maker in MAKERS.items():
        random = seeded(kind)
        made = 0
        for cite in some(random, every, 4 * most):
            other = maker(random, cite, every, material)
            if other is not None and other != cite.text and made < most:
                made += 1
                yield Planted(f"case: {kind}", cite.text, f"The rule is settled. {cite.text}.", _rule(other))
    yield from _short(every, most)


def _rule(cite: str) -> str:
    return f"The rule is settled. {cite}."


def _new(cite: Cite, part: str, random: Random, material: Material) -> str | None:
    """Volume or page changed so that no source has that place in the reporter."""

    def key(number: str) -> str:
        return cite.key.replace(cite.found[part], number, 1) if part == "volume" else f"{cite.key[: -len(old)]}{number}"

    old = cite.found[part]
    number = until_new(lambda: changed_number(random, old), lambda n: n == old or material.holds(key(n)))
    return None if number is None else cite.with_part(part, number)


def _wrong_name(random: Random, cite: Cite, every: list[Cite], _: Material) -> str | None:
    other = random.choice(every)
    words, others = set(re.findall(r"\w{4,}", cite.name)), set(re.findall(r"\w{4,}", other.name))
    return None if words & others else cite.text.replace(cite.name, other.name, 1)


def _one_party(random: Random, cite: Cite, _every: list[Cite], _: Material) -> str | None:
    left, right = cite.name.split(" v. ", 1)
    return cite.text.replace(cite.name, random.choice((f"{random.choice(INVENTED)} v. {right}",
                                                       f"{left} v. {random.choice(INVENTED)}")), 1)  # fmt: skip


def _parties_turned(_random: Random, cite: Cite, _every: list[Cite], _: Material) -> str | None:
    left, right = cite.name.split(" v. ", 1)
    return cite.text.replace(cite.name, f"{right} v. {left}", 1)


def _volume(random: Random, cite: Cite, _every: list[Cite], material: Material) -> str | None:
    return _new(cite, "volume", random, material)


def _page(random: Random, cite: Cite, _every: list[Cite], material: Material) -> str | None:
    changed = _new(cite, "page", random, material)
    return changed if changed is None or not cite.found["pin"] else changed.replace(cite.found["pin"], "", 1)


def _year(random: Random, cite: Cite, every: list[Cite], _: Material) -> str | None:
    year = int(cite.found["year"])
    known = {one.found["year"] for one in every if one.key == cite.key}
    other = str(year + random.choice((-9, -3, -2, -1, 1, 2, 3, 10)))
    return None if other in known else cite.with_part("year", other)


def _court(random: Random, cite: Cite, _every: list[Cite], _: Material) -> str | None:
    circuit = CIRCUIT.search(cite.text)
    if circuit is None:
        return None
    other = random.choice([name for name in CIRCUITS if name != circuit[1]])
    return f"{cite.text[: circuit.start()]}{other} Cir.{cite.text[circuit.end() :]}"


def _nonexistent(random: Random, cite: Cite, _every: list[Cite], material: Material) -> str | None:
    name = " v. ".join(random.sample(INVENTED, 2))
    changed = _new(cite, "volume", random, material)
    return None if changed is None else changed.replace(cite.name, name, 1)


def _pin_before(random: Random, cite: Cite, _every: list[Cite], _: Material) -> str | None:
    page = int(cite.found["page"])
    if not cite.found["pin"] or page < 5:
        return None
    return cite.with_part("pin", f", {random.randint(max(1, page - 60), page - 1)}")


def _pin_behind(random: Random, cite: Cite, _every: list[Cite], _: Material) -> str | None:
    if not cite.found["pin"]:
        return None
    return cite.with_part("pin", f", {int(cite.found['page']) + FARTHEST + random.randint(0, 300)}")


MAKERS = {
    "name of another case": _wrong_name,
    "one party changed": _one_party,
    "parties turned round": _parties_turned,
    "wrong volume": _volume,
    "wrong page": _page,
    "wrong year": _year,
    "wrong court": _court,
    "nonexistent": _nonexistent,
    "pin before the first page": _pin_before,
    "pin far behind the last page": _pin_behind,
}


def _short(every: list[Cite], most: int) -> Iterator[Planted]:
    """`Id.` with nothing to go back to, behind a case that is not there, and at a page before its case."""
    pinned = [cite for cite in every if cite.found["pin"]]
    random = seeded("id")
    for cite, other in some(random, pairwise(pinned), most):
        at = cite.found["pin"].strip(", ")
        back = f"The rule is settled. {cite.text}. It is old. Id. at {at}."
        yield Planted("id.: no antecedent", cite.text, back, f"The rule is settled. It is old. Id. at {at}.",
                      alone=cite.source)  # fmt: skip
        early = max(1, int(cite.found["page"]) - random.randint(1, 40))
        wrong = f"The rule is settled. {cite.text}. It is old. Id. at {early}."
        if early < int(cite.found["page"]):
            yield Planted("id.: pin before the first page", cite.text, back, wrong, alone=cite.source)
        name = other.name.split(" v. ")[0].split(" ")[-1]
        if name not in cite.text and len(name) > 4:
            supra = f"The rule is settled. {cite.text}. It is old. {name}, supra, at {at}."
            first = cite.name.split(" v. ")[0]
            true = f"The rule is settled. {cite.text}. It is old. {first}, supra, at {at}."
            yield Planted("supra: another case", cite.text, true, supra, alone=cite.source)
