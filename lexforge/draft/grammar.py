"""GBNF grammars for one sentence: no digit, quotation mark or section sign can be sampled outside a slot.

GBNF is llama.cpp's grammar format (grammars/README.md there). Every repetition is bounded, or the sampler could run to
the token limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations

from lexforge.domain.draft import SectionBrief, SlotKind
from lexforge.draft.frames import frames
from lexforge.draft.slots import SlotTable, by_relevance
from lexforge.extract.sentences import sentences
from lexforge.llm.boards import Wording

MOST_RUNS = 2
"""Runs offered for one passage, those that speak most of the point; the pair of them is offered too."""
_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*,?")
_SLOT = re.compile(r"⟦[DBCXNAR]\d+⟧,?")
_SPEAKER = frozenset("i we you my our your me us mine ours yours myself ourselves yourself".split())
_DANGLING = frozenset(
    "and but or because so that which who until when if unless while the a an of to in on at for by with from".split()
)
SHORTEST_RUN = 5


def sentence_grammar(table: SlotTable, brief: SectionBrief, point: str, wording: Wording, names: Iterable[str]) -> str:
    """The grammar for one sentence on one passage. `names` are words that keep their capital letter."""
    pattern = brief.pattern
    openings = _alternatives(frames(table, pattern))
    end = _literal(_citing_end(table, pattern))
    bodies = [f'": " quotation {end}'] if table.keys(SlotKind.QUOTATION) else []
    rules = [f"frame ::= {openings}", _quotation_rule(table)]
    if wording is Wording.CLOSED:
        runs = _joined(_runs(table, point, frozenset(names)))
        if runs:
            bodies.append(f'" that " run {end}')
            rules.append(f"run ::= {_alternatives(runs)}")
    else:
        bodies.append(f'" that" (" " item){{5,40}} {end}')
        rules += _open_rules(table, names)
    if not bodies:
        return f"root ::= {_literal(_pointer(table, pattern))}\n"
    return "\n".join([f"root ::= frame ( {' | '.join(bodies)} )", *[rule for rule in rules if rule]]) + "\n"


def _pointer(table: SlotTable, pattern: str) -> str:
    """The sentence for a passage that cannot be put into words: the record is only pointed to."""
    if pattern == "document":
        return frames(table, pattern)[0].removesuffix(", which states") + "."
    return f"See {_reference(table) or table.slotted}."


def _open_rules(table: SlotTable, names: Iterable[str]) -> list[str]:
    slots = _alternatives(f"⟦{s.key}⟧" for s in table.slots if s.kind is not SlotKind.QUOTATION)
    capitals = _alternatives(sorted({*names, *_capitals(table.slotted)}))
    parts = ["word", *(["slot"] if slots else []), *(["name"] if capitals else [])]
    rules = [f'item ::= ({" | ".join(parts)}) ","?', "word ::= [a-z] [a-z'-]{0,14}"]
    rules += [f"slot ::= {slots}"] if slots else []
    return rules + ([f"name ::= {capitals}"] if capitals else [])


def _quotation_rule(table: SlotTable) -> str:
    keys = table.keys(SlotKind.QUOTATION)
    return f"quotation ::= {_alternatives(f'⟦{key}⟧' for key in keys)}" if keys else ""


def _reference(table: SlotTable) -> str:
    key = table.own.get("bates") or table.own.get("place") or table.own.get("citation")
    return f"⟦{key}⟧" if key else ""


def _citing_end(table: SlotTable, pattern: str) -> str:
    """How the sentence ends: with the record cite, unless its frame has already named the place."""
    reference = _reference(table)
    return f" ({reference})." if reference and pattern == "fact" else "."


def _runs(table: SlotTable, point: str, names: frozenset[str]) -> list[str]:
    """What may follow "that": whole sentences of the passage, in its order, and their first clauses."""
    capitals = names | _capitals(table.slotted)
    offered = _reportable(table.slotted)
    runs = []
    for sentence in sorted(by_relevance(offered, point)[:MOST_RUNS], key=offered.index):
        words = sentence.split()
        if words[0].strip(",") not in capitals and not words[0].startswith("⟦"):
            words[0] = words[0][0].lower() + words[0][1:]
        runs += [" ".join(words), *_first_clause(words)]
    return runs


def _reportable(slotted: str) -> list[str]:
    """Sentences that can be reported after "that": no first person, and nothing exact outside slots."""
    whole = (sentence.rstrip(".!?") for sentence in sentences(slotted) if sentence[-1] in ".!?")
    return [sentence for sentence in whole if _is_reportable(sentence.split())]


def _is_reportable(words: list[str]) -> bool:
    plain = all(_PLAIN_WORD.fullmatch(word) or _SLOT.fullmatch(word) for word in words)
    speaks = any(word.strip(",").lower() in _SPEAKER for word in words)
    return len(words) >= SHORTEST_RUN and plain and not speaks


def _first_clause(words: list[str]) -> list[str]:
    """The sentence up to its first comma, where that is a clause by itself."""
    for n, word in enumerate(words[:-1], 1):
        if word.endswith(",") and n >= SHORTEST_RUN and words[n - 1].strip(",").lower() not in _DANGLING:
            return [" ".join([*words[: n - 1], word.rstrip(",")])]
    return []


def _joined(runs: list[str]) -> list[str]:
    """Single runs, and pairs in the passage's order; a run is not joined to its own first clause."""
    pairs = (f"{a}, and that {b}" for a, b in combinations(runs, 2) if not b.startswith(a) and not a.startswith(b))
    return [*runs, *pairs]


def _capitals(slotted: str) -> frozenset[str]:
    """Words written with a capital in the middle of a sentence: names, which keep it."""
    return frozenset(re.findall(r"(?<=[a-z,] )[A-Z][A-Za-z'’-]+", slotted))


def _alternatives(texts: Iterable[str]) -> str:
    return " | ".join(_literal(text) for text in texts)


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
