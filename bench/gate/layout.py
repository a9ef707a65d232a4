"""The same sources laid out as a printer might: star pages, footnote marks, hyphens, page breaks in the sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from bench.gate.altered import quoted
from bench.gate.material import Material, from_bundle
from bench.gate.planted import Planted, seeded, some
from lexforge.domain.evidence import Page, Source
from lexforge.ingest.passages import passages_of

BREAK = "\f"
Maker = Callable[[Random, str], str | None]


def plant(material: Material, most: int) -> tuple[Material, list[Planted]]:
    """The corpus laid out anew, and verbatim quotations of the sentences that the layout runs through."""
    makers = list(MAKERS.items())
    random = seeded("layout")
    pairs = [(d, s) for d in material.documents for s in dict.fromkeys(d.sentences)]
    chosen: dict[str, list[tuple[str, str]]] = {}
    planted = []
    for at, (document, sentence) in enumerate(some(random, pairs, most * len(makers))):
        kind, maker = makers[at % len(makers)]
        changed = maker(random, sentence)
        if changed is not None and sentence in document.text:
            chosen.setdefault(document.source.id, []).append((sentence, changed))
            planted.append(
                Planted(f"licensed: source with {kind}", sentence, quoted(document, sentence), laid_out=True)
            )
    sources = tuple(_laid_out(source, chosen.get(source.id, [])) for source in material.bundle.sources)
    return from_bundle(material.bundle.model_copy(update={"sources": sources})), planted


def _laid_out(source: Source, changes: list[tuple[str, str]]) -> Source:
    """The source with each sentence replaced on the page that has it, and pages cut where a break was put in."""
    pages: list[Page] = []
    for page in source.pages:
        text = page.text.replace(BREAK, "\n")
        for sentence, changed in changes:
            pattern = r"\s+".join(map(re.escape, sentence.split()))
            text = re.sub(pattern, changed.replace("\\", r"\\"), text, count=1)
        for part, words in enumerate(text.split(BREAK)):
            bates = () if part else page.bates
            number = len(pages) + 1
            passages = passages_of(source.id, number, words, bates)
            pages.append(Page(number=number, text=words, bates=bates, passages=passages))
    return source.model_copy(update={"pages": tuple(pages)})


def _between(random: Random, sentence: str, mark: str) -> str:
    words = sentence.split()
    at = random.randint(3, len(words) - 3)
    return f"{' '.join(words[:at])}{mark}{' '.join(words[at:])}"


def _star_page(random: Random, sentence: str) -> str:
    return _between(random, sentence, f" *{random.randint(100, 900)} ")


def _page_break(random: Random, sentence: str) -> str:
    return _between(random, sentence, f"\n\n                        - {random.randint(2, 60)} -\n{BREAK}")


def _line_breaks(random: Random, sentence: str) -> str:
    return _between(random, _between(random, sentence, "\n    "), "  \n")


def _hyphen(random: Random, sentence: str, mark: str = "-\n") -> str | None:
    long = list(re.finditer(r"\b[a-z]{8,}\b", sentence))
    if not long:
        return None
    at = random.choice(long).start() + random.randint(3, 5)
    return sentence[:at] + mark + sentence[at:]


def _soft_hyphen(random: Random, sentence: str) -> str | None:
    return _hyphen(random, sentence, "\u00ad")


def _stuck_mark(random: Random, sentence: str) -> str | None:
    """A footnote mark as it comes out of a PDF, stuck to a word or to a comma behind it."""
    places = [m.end() for m in re.finditer(r"[a-z]{4,},?(?= [a-z])", sentence)]
    if not places:
        return None
    at = random.choice(places)
    return sentence[:at] + str(random.randint(1, 40)) + sentence[at:]


def _ligatures(_: Random, sentence: str) -> str | None:
    changed = sentence.replace("ffi", "ﬃ").replace("fi", "ﬁ").replace("fl", "ﬂ")
    return changed if changed != sentence else None


MAKERS: dict[str, Maker] = {
    "star page": _star_page,
    "page break": _page_break,
    "line breaks": _line_breaks,
    "line-end hyphen": _hyphen,
    "soft hyphen": _soft_hyphen,
    "footnote mark": _stuck_mark,
    "ligatures": _ligatures,
}
