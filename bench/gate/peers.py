"""The planted lines given to three peers, in an environment of their own.

    .venv-bench/bin/python -m bench.gate.peers LINES [--json OUT]

LINES is what `python -m bench.gate --lines` wrote. eyecite and citeurl only extract: counted is whether they see the
planted citation at all (what nobody sees, nobody can check). caselaw-guard decides: it is given a list of every place
in a reporter that the corpus cites, in place of its service on the web, and blocks a line unless all it finds is there;
counted as caught is a line that it blocks while it lets the twin pass.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caselaw_guard import verify_text
from caselaw_guard.adapters.base import CitationAdapter, LookupResult
from caselaw_guard.models import CitationMatch, VerificationStatus
from citeurl import list_cites
from eyecite import get_citations

Span = tuple[int, int]


class Listed(CitationAdapter):
    """A closed list of places in reporters."""

    name = "listed"
    jurisdictions = frozenset({"us"})

    def __init__(self, known: list[str]) -> None:
        self.known = {_compact(key) for key in known}

    def lookup(self, citation: CitationMatch) -> LookupResult:
        """Verified when volume, reporter and page stand in the list."""
        groups = citation.groups
        key = _compact("".join(groups.get(part, "") for part in ("volume", "reporter", "page")))
        found = key in self.known
        return LookupResult(status=VerificationStatus.VERIFIED if found else VerificationStatus.NOT_FOUND)


@dataclass
class Count:
    """What the peers make of one kind."""

    altered: int = 0
    clean: int = 0
    eyecite_sees: int = 0
    citeurl_sees: int = 0
    guard_caught: int = 0
    guard_false: int = 0
    guard_vacuous: int = field(default=0)


def _compact(text: str) -> str:
    return "".join(text.split()).lower()


def difference(clean: str, altered: str) -> Span:
    """Where the altered line differs from its twin: first and last character, at least one wide."""
    start = 0
    while start < min(len(clean), len(altered)) and clean[start] == altered[start]:
        start += 1
    end = 0
    while end < min(len(clean), len(altered)) - start and clean[-1 - end] == altered[-1 - end]:
        end += 1
    return start, max(start + 1, len(altered) - end)


def eyecite_spans(text: str) -> list[Span]:
    """Citations with name and year, as eyecite reads them; a bare section sign is none."""
    return [c.full_span() for c in get_citations(text) if type(c).__name__ != "UnknownCitation"]


def citeurl_spans(text: str) -> list[Span]:
    """Citations as citeurl reads them."""
    return [cite.span for cite in list_cites(text)]


def _sees(spans: Callable[[str], list[Span]], text: str, at: Span) -> bool:
    return any(start < at[1] and at[0] < end for start, end in spans(text))


def run(given: dict[str, Any]) -> dict[str, Count]:
    """Every line to every peer."""
    adapters = [Listed(given["known"])]
    counts: dict[str, Count] = {}
    for line in given["lines"]:
        count = counts.setdefault(line["kind"], Count())
        count.clean += 1
        twin_passes = verify_text(line["clean"], adapters=adapters).pass_
        count.guard_false += not twin_passes
        if line["altered"] is None:
            continue
        count.altered += 1
        at = difference(line["clean"], line["altered"])
        count.eyecite_sees += _sees(eyecite_spans, line["altered"], at)
        count.citeurl_sees += _sees(citeurl_spans, line["altered"], at)
        report = verify_text(line["altered"], adapters=adapters)
        count.guard_caught += twin_passes and not report.pass_
        count.guard_vacuous += not report.results
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.gate.peers", description="The same lines given to three peers.")
    parser.add_argument("lines", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    counts = run(json.loads(asked.lines.read_text(encoding="utf-8")))
    print(
        f"{'kind':42} {'eyecite sees':>14} {'citeurl sees':>14} {'guard caught':>14} {'guard false':>14} {'empty':>8}"
    )
    for kind, c in counts.items():
        seen = [f"{n}/{c.altered}" if c.altered else "-" for n in (c.eyecite_sees, c.citeurl_sees, c.guard_caught)]
        false = f"{c.guard_false}/{c.clean}"
        print(f"{kind:42} {seen[0]:>14} {seen[1]:>14} {seen[2]:>14} {false:>14} {c.guard_vacuous:>8}")
    if asked.json:
        asked.json.write_text(json.dumps({kind: vars(c) for kind, c in counts.items()}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
