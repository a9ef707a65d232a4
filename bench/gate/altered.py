"""Altered quotations: one change that a lawyer would call a misquotation, in sentences taken from the sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from bench.gate.material import Document, Material
from bench.gate.planted import Planted, changed_number, seeded, some

NEGATION = re.compile(r"(?<=\w )(?:not|never|no|without|nor|unless) ")
AUXILIARY = re.compile(
    r"\b(?:is|was|are|were|has|had|does|did|could|would|may|must|shall|should|will|can|have)\b(?! not)"
)
MODAL = re.compile(r"(?<=\w )(?:shall|must|may|should|can|will)\b(?= \w)")
SWAPPED = {"shall": "may", "must": "may", "may": "must", "should": "shall", "can": "must", "will": "may"}
NUMBER = re.compile(r"(?<=\w )\d[\d,]*\b(?= \w)")
COUNTED = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first", "second", "third")
COUNT = re.compile(rf"(?<=\w )(?:{'|'.join(COUNTED)})\b(?= \w)")
LONG_WORD = re.compile(r"[a-z]{5,}\Z")
ELLIPSES = (". . .", "…", "[...]", "...")
VERBATIM = "begins behind the negation"
Maker = Callable[[Random, str, Material], str | None]


def quoted(document: Document, words: str) -> str:
    """A sentence that gives these words to the document, by its own citation or by the page that has them."""
    if document.name is not None:
        return f"In {document.name}, the court wrote: “{words}”"
    if document.bates:
        page = next((p for p, text in zip(document.source.pages, document.pages, strict=True) if words in text), None)
        stamp = page.bates[0] if page and page.bates else document.bates[0]
        return f"It reads: “{words}” ({stamp})."
    return f"One finds these words: “{words}”"


def plant(material: Material, most: int) -> Iterator[Planted]:
    """All kinds of altered quotations, at most `most` of each."""
    every = [(document, sentence) for document in material.documents for sentence in document.sentences]
    for kind, maker in MAKERS.items():
        random = seeded(kind)
        made = 0
        for document, sentence in _shuffled(random, every):
            altered = maker(random, sentence, material)
            if altered is None or altered == sentence or (material.holds(altered) and kind != VERBATIM):
                continue
            clean, wrong = quoted(document, sentence), quoted(document, sentence).replace(sentence, altered)
            yield Planted(f"quotation: {kind}", sentence, clean, wrong)
            made += 1
            if made == most:
                break
    yield from _moved(material, most)


def _shuffled(random: Random, every: list[tuple[Document, str]]) -> list[tuple[Document, str]]:
    return random.sample(every, len(every))


def _inner(words: list[str]) -> list[int]:
    """Places of plain words of five letters and more that are neither the first nor the last two."""
    return [at for at in range(1, len(words) - 2) if LONG_WORD.match(words[at])]


def _word(random: Random, sentence: str, material: Material) -> str | None:
    """One word for another one of the corpus that ends alike."""
    words = sentence.split()
    places = _inner(words)
    if not places:
        return None
    at = random.choice(places)
    old = words[at]
    like = [w for w in random.choice(material.documents).text.split() if LONG_WORD.match(w) and w[-2:] == old[-2:]]
    like = [w for w in like if w[:4] != old[:4]]
    return " ".join([*words[:at], random.choice(like), *words[at + 1 :]]) if like else None


def _left_out(random: Random, sentence: str, _: Material) -> str | None:
    words = sentence.split()
    places = _inner(words)
    at = random.choice(places) if places else 0
    return " ".join(words[:at] + words[at + 1 :]) if at else None


def _put_in(random: Random, sentence: str, material: Material) -> str | None:
    words = sentence.split()
    places = _inner(words)
    source = [w for w in random.choice(material.documents).text.split() if LONG_WORD.match(w)]
    if not places or not source:
        return None
    at = random.choice(places)
    return " ".join([*words[:at], random.choice(source), *words[at:]])


def _reordered(random: Random, sentence: str, _: Material) -> str | None:
    words = sentence.split()
    places = _inner(words)
    if len(places) < 2:
        return None
    one, other = sorted(random.sample(places, 2))
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _clauses_turned(random: Random, sentence: str, _: Material) -> str | None:
    """The end of the sentence put before its middle."""
    words = sentence.rstrip(".").split()
    if len(words) < 12:
        return None
    first, cut = random.randint(2, 4), random.randint(7, len(words) - 3)
    return " ".join([*words[:first], *words[cut:], *words[first:cut]]) + "."


def _at(
    pattern: re.Pattern[str], change: Callable[[Random, str], str], random: Random, sentence: str, _: Material
) -> str | None:
    found = list(pattern.finditer(sentence))
    if not found:
        return None
    match = random.choice(found)
    return sentence[: match.start()] + change(random, match.group()) + sentence[match.end() :]


def _hidden(random: Random, sentence: str, _: Material, bracket: bool) -> str | None:
    """The words around a negation replaced by an ellipsis, or by words in brackets."""
    words = sentence.split()
    places = [
        at for at in range(3, len(words) - 3) if words[at] in ("not", "never", "without", "unless", "only", "except")
    ]
    if not places:
        return None
    at = random.choice(places)
    first, last = at - random.randint(0, 1), at + random.randint(1, 2)
    instead = random.choice(("[did]", "[that]", "[the party]")) if bracket else random.choice(ELLIPSES)
    return " ".join([*words[:first], instead, *words[last:]])


def _begins_after(random: Random, sentence: str, _: Material) -> str | None:
    """The quotation begins right behind the negation of its sentence."""
    found = [m for m in NEGATION.finditer(sentence) if len(sentence[m.end() :].split()) >= 6]
    return sentence[random.choice(found).end() :] if found else None


def _moved(material: Material, most: int) -> Iterator[Planted]:
    """Word for word, but given to another document."""
    random = seeded("moved")
    named = [document for document in material.documents if document.name or document.bates]
    pairs = [(document, sentence) for document in named for sentence in document.sentences]
    for document, sentence in some(random, pairs, most):
        other = random.choice(named)
        if other is not document and sentence not in other.text and (other.name is None or other.name != document.name):
            clean, wrong = quoted(document, sentence), quoted(other, sentence)
            yield Planted("quotation: moved to another document", sentence, clean, wrong)


MAKERS: dict[str, Maker] = {
    "word changed": _word,
    "word left out": _left_out,
    "word put in": _put_in,
    "negation dropped": partial(_at, NEGATION, lambda _, __: ""),
    "negation added": partial(_at, AUXILIARY, lambda _, word: f"{word} not"),
    "modal swapped": partial(_at, MODAL, lambda _, word: SWAPPED[word]),
    "number changed": partial(_at, NUMBER, changed_number),
    "number in words changed": partial(_at, COUNT, lambda r, word: r.choice([c for c in COUNTED if c != word])),
    "ellipsis hiding a negation": partial(_hidden, bracket=False),
    "bracket hiding a negation": partial(_hidden, bracket=True),
    VERBATIM: _begins_after,
    "two words exchanged": _reordered,
    "clauses reordered": _clauses_turned,
}
