"""Licensed changes that a writer may make in a quotation (Bluebook rule 5), and its layout in the paper."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from random import Random

from bench.gate.altered import ELLIPSES, quoted
from bench.gate.material import Document, Material
from bench.gate.planted import Planted, seeded

GUARDED = re.compile(
    r"\b(?:not|no|never|nor|neither|none|cannot|without|unless|except|only|shall|must|may|should|can|will)\b|n['’]t|\d"
)
LIGATURES = {"ffi": "ﬃ", "fi": "ﬁ", "fl": "ﬂ"}
SUBSTITUTES = ("[the company]", "[the court]", "[it]", "[the parties]", "[defendant]")
ENDING = re.compile(r"(?P<stem>[a-z]{4,})(?:s|ed)\Z")
Maker = Callable[[Random, str], str | None]


def plant(material: Material, most: int) -> Iterator[Planted]:
    """All licensed changes made in the paper, at most `most` of each."""
    every = [(document, sentence) for document in material.documents for sentence in document.sentences]
    for kind, maker in MAKERS.items():
        random = seeded("licensed", kind)
        made = 0
        for document, sentence in random.sample(every, len(every)):
            changed = maker(random, sentence)
            if changed is not None and made < most:
                made += 1
                yield Planted(f"licensed: {kind}", sentence, _paragraph(document, sentence, changed))


def _paragraph(document: Document, sentence: str, changed: str) -> str:
    return quoted(document, sentence).replace(sentence, changed)


def _free(words: list[str], first: int, last: int) -> bool:
    """Whether none of these words may turn the sense round."""
    left = " ".join(words[first:last]).lower()
    return GUARDED.search(left) is None and "-" not in left


def _verbatim(_: Random, sentence: str) -> str:
    return sentence


def _marks(_: Random, sentence: str) -> str | None:
    """Straight marks for curly ones or the other way round, other dashes, hard spaces, ligatures."""
    changed = sentence.translate({ord("’"): "'", ord("'"): "’", ord("—"): "--", ord("–"): "-"})
    for letters, one in LIGATURES.items():
        changed = changed.replace(letters, one)
    changed = changed.replace(" of ", "\u00a0of ").replace("--", "—" if "--" in sentence else "--")
    return changed if changed != sentence else None


def _wrapped(_: Random, sentence: str) -> str:
    return "\n".join(textwrap.wrap(sentence, 58, break_on_hyphens=False))


def _hyphenated(random: Random, sentence: str) -> str | None:
    long = list(re.finditer(r"\b[a-z]{8,}\b", sentence))
    if not long:
        return None
    at = random.choice(long).start() + random.randint(3, 5)
    return f"{sentence[:at]}-\n{sentence[at:]}"


def _page_break(random: Random, sentence: str) -> str:
    words = sentence.split()
    at = random.randint(3, len(words) - 3)
    return f"{' '.join(words[:at])}\n\n                    -{random.randint(2, 40)}-\n\f\n{' '.join(words[at:])}"


def _first_letter(_: Random, sentence: str) -> str | None:
    return f"[{sentence[0].lower()}]{sentence[1:]}" if sentence[1].islower() else None


def _later_start(random: Random, sentence: str) -> str | None:
    """It begins within the sentence, with a capital in brackets."""
    words = sentence.split()
    at = random.randint(2, max(2, len(words) - 8))
    rest = " ".join(words[at:])
    if not rest[0].islower() or GUARDED.search(words[at - 1].lower()) or len(words) - at < 6:
        return None
    return f"[{rest[0].upper()}]{rest[1:]}"


def _fragment(random: Random, sentence: str) -> str | None:
    words = sentence.rstrip(".").split()
    first = random.randint(1, max(1, len(words) - 9))
    if GUARDED.search(words[first - 1].lower()) or len(words) < first + 6:
        return None
    return " ".join(words[first : first + random.randint(6, 9)]).rstrip(",;:")


def _bracketed_ending(random: Random, sentence: str) -> str | None:
    words = sentence.split()
    places = [at for at in range(1, len(words) - 1) if ENDING.match(words[at])]
    if not places:
        return None
    at = random.choice(places)
    stem = ENDING.sub(lambda m: m["stem"], words[at])
    return " ".join([*words[:at], f"{stem}[{random.choice(('ing', 'ed', 's'))}]", *words[at + 1 :]])


def _substituted(random: Random, sentence: str) -> str | None:
    words = sentence.split()
    size, first = random.randint(1, 4), random.randint(2, max(2, len(words) - 7))
    if not _free(words, first, first + size) or len(words) < first + size + 2:
        return None
    return " ".join([*words[:first], random.choice(SUBSTITUTES), *words[first + size :]])


def _inserted(random: Random, sentence: str) -> str:
    words = sentence.split()
    at = random.randint(2, len(words) - 2)
    return " ".join([*words[:at], random.choice(("[sic]", "[here]", "[of Maine]")), *words[at:]])


def _shortened(random: Random, sentence: str) -> str | None:
    words = sentence.split()
    size = random.randint(2, 12)
    if len(words) < size + 7:
        return None
    first = random.randint(3, len(words) - size - 3)
    if not _free(words, first, first + size):
        return None
    return " ".join([*words[:first], random.choice(ELLIPSES), *words[first + size :]])


def _cut_at_the_end(random: Random, sentence: str) -> str | None:
    words = sentence.rstrip(".").split()
    keep = random.randint(6, max(6, len(words) - 2))
    return f"{' '.join(words[:keep]).rstrip(',;:')} . . . ." if len(words) > keep else None


MAKERS: dict[str, Maker] = {
    "verbatim": _verbatim,
    "typography": _marks,
    "line breaks": _wrapped,
    "line-end hyphen in the paper": _hyphenated,
    "page break in the paper": _page_break,
    "[t]he": _first_letter,
    "begins later, [C]apital": _later_start,
    "fragment": _fragment,
    "bracketed ending": _bracketed_ending,
    "bracketed substitution": _substituted,
    "bracketed insertion": _inserted,
    "ellipsis within the sentence": _shortened,
    "cut at the end": _cut_at_the_end,
}
