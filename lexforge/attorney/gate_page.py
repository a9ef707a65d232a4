"""The gate's report as one HTML page that stands alone: the paper with every mention marked, its source beside it.

Nothing here escapes: the template does, and so every value is handed over as plain text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from lexforge.domain.draft import OWN_MARK
from lexforge.domain.evidence import Bundle, Fate, Notice
from lexforge.domain.findings import Finding, GateReport, Reason, Support
from lexforge.domain.mentions import MentionKind

SUPPORTS = 3
"""Places shown for one mention; a date can stand on forty pages, and the JSON report has them all."""
CONTEXT = 160
"""Characters looked at on each side of the supporting words for the ends of their sentence."""

BLOCK = 700
"""Characters after which a passage without blank lines is cut at its next line end, so that notes stay beside it."""

_CUT = re.compile(r"\n[ \t]*\n\s*|\f")
_SENTENCE_END = re.compile(r"(?:(?<=[a-z]{3})|(?<=[\d)\]”’\"]))[.?!][”’\"')\]]*\s+(?=[A-Z“\"(\[0-9¶])|\n[ \t]*\n")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

KIND_WORDS = {
    MentionKind.CITATION: "citation",
    MentionKind.RECORD_CITE: "record cite",
    MentionKind.DATE: "date",
    MentionKind.BATES: "Bates number",
    MentionKind.QUOTATION: "quotation",
    MentionKind.AMOUNT: "amount",
    MentionKind.UNCHECKED: "unread words",
}


@dataclass(frozen=True)
class Paper:
    """What was checked: its name, its text as read, and what `Finding.place` counts ("page", "paragraph").

    `unit` is "line" for plain text, whose findings have no place: the line is counted here. `notices` tell of text that
    nobody can see, which is no part of `text` and was not checked.
    """

    title: str
    text: str
    unit: str = "line"
    notices: tuple[Notice, ...] = ()

    @cached_property
    def _line_ends(self) -> list[int]:
        return [at for at, character in enumerate(self.text) if character == "\n"]

    def where(self, finding: Finding) -> str:
        """The place in the words of a reader: "page 3", "paragraph 7", "line 12", "the whole paper"."""
        if finding.start == finding.end:
            return "the whole paper"
        line = bisect_right(self._line_ends, finding.start - 1) + 1
        return f"{self.unit} {line if finding.place is None else finding.place}"

    def excerpt(self, finding: Finding, longest: int = 160) -> str:
        """The marked words on one line, cut in the middle when they are longer than `longest` characters."""
        return shortened(self.text[finding.start : finding.end], longest)


@dataclass(frozen=True)
class Quote:
    """A place in the bundle: `line` names it; `text` stands between `before` and `after` on that page."""

    line: str
    before: str
    text: str
    after: str


@dataclass(frozen=True)
class Note:
    """One finding as the page shows it. `state` is "blocked", "allowed" or "grounded"; `word` says it."""

    number: int
    state: str
    word: str
    kind: str
    where: str
    excerpt: str
    message: str
    quotes: tuple[Quote, ...]
    more: int
    nearest: Quote | None
    placed: bool


Said = TypeVar("Said", Note, Finding)


@dataclass(frozen=True)
class Piece:
    """A run of text under one set of mentions; `opens` and `closes` are those that begin before and end after it."""

    text: str
    state: str = ""
    opens: tuple[Note, ...] = ()
    closes: tuple[Note, ...] = ()


@dataclass
class Row:
    """A stretch of the paper, and the notes on what begins in it. `label` is set where a new page begins."""

    label: str = ""
    pieces: list[Piece] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def gate_page(report: GateReport, paper: Paper, bundle: Bundle, policy: str) -> str:
    """The page, from nothing but its arguments: the same report gives the same bytes. `policy` is its name."""
    # Jinja costs 60 ms to import, and most gate runs write no page.
    from lexforge.templating import render_html  # noqa: PLC0415

    texts = {(s.id, page.number): page.text for s in bundle.sources for page in s.pages}
    notes = [_note(number, finding, paper, texts) for number, finding in enumerate(report.findings, 1)]
    return render_html(
        "documents/gate.html.j2",
        title=visible(paper.title),
        report=report,
        mark=f"{OWN_MARK}:{report.content_sha256[:16]}",
        policy=visible(policy),
        counts={state: len([n for n in notes if n.state == state]) for state in ("blocked", "allowed", "grounded")},
        flags=[note for note in notes if note.state == "blocked"],
        allowed=by_message(note for note in notes if note.state == "allowed"),
        sources=len(bundle.sources),
        unread=[
            (visible(f.path), f.fate.value, visible(f.detail))
            for f in bundle.files
            if f.fate in {Fate.FAILED, Fate.QUARANTINED}
        ],
        rows=_rows(report.findings, notes, paper),
    )


def by_message(notes: Iterable[Said]) -> list[list[Said]]:
    """What says the same, together: ten defined terms are one line of a table."""
    groups: dict[str, list[Said]] = {}
    for note in notes:
        groups.setdefault(note.message, []).append(note)
    return list(groups.values())


def state_of(finding: Finding) -> str:
    """One of "blocked", "allowed" (it passed without being proved) and "grounded"."""
    if finding.is_blocked:
        return "blocked"
    return "allowed" if finding.reason is Reason.ALLOWED else "grounded"


def visible(text: str) -> str:
    """Text with every control, direction-changing and invisible character shown by its number.

    A source or an opponent's paper may carry terminal commands, or turn the reading order of a line around.
    """
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def shortened(text: str, longest: int) -> str:
    """The words on one line; the middle of what is longer than `longest` characters is left out."""
    words = visible(" ".join(text.split()))
    if len(words) <= longest:
        return words
    half = (longest - 3) // 2
    return f"{words[:half].rstrip()} … {words[-half:].lstrip()}"


def _note(number: int, finding: Finding, paper: Paper, texts: dict[tuple[str, int], str]) -> Note:
    state = state_of(finding)
    words = {
        "blocked": f"BLOCKED: {finding.reason.value.replace('_', ' ')}",
        "allowed": "allowed, not proved",
        "grounded": "grounded",
    }
    return Note(
        number=number,
        state=state,
        word=words[state],
        kind=KIND_WORDS[finding.kind],
        where=paper.where(finding),
        excerpt=paper.excerpt(finding),
        message=visible(finding.message),
        quotes=tuple(_quote(support, texts) for support in finding.support[:SUPPORTS]),
        more=max(0, len(finding.support) - SUPPORTS),
        nearest=_quote(finding.nearest, texts) if finding.nearest else None,
        placed=finding.end > finding.start,
    )


def source_line(support: Support) -> str:
    """Where it stands: "evidence/letter.txt, page 1, BASALT-000017"."""
    parts = [support.path, support.at, support.bates]
    return visible(", ".join(part for part in parts if part))


def _quote(support: Support, texts: dict[tuple[str, int], str]) -> Quote:
    """The supporting words within about a sentence of their page; alone when the bundle has no such page."""
    page = texts.get((support.source, support.page), "")
    before = after = ""
    if page[support.start : support.end] == support.text:
        before, after = _lead(page, support.start), _tail(page, support.end)
    return Quote(source_line(support), visible(before), shortened(support.text, 400), visible(after))


def _lead(page: str, end: int) -> str:
    """What stands before `end` in its sentence, on one line, with the space that parts it from what follows."""
    first = max(0, end - CONTEXT)
    ends = [found.end() for found in _SENTENCE_END.finditer(page, first, end)]
    lead = page[ends[-1] if ends else first : end]
    cut = "… " if not ends and first else ""
    words = " ".join(lead.split())
    if cut and not page[first - 1].isspace():
        words = words.partition(" ")[2]
    return f"{cut}{words}{' ' if words and lead[-1:].isspace() else ''}"


def _tail(page: str, start: int) -> str:
    """What stands after `start` in its sentence, on one line, with the space that parts it from what precedes."""
    last = min(len(page), start + CONTEXT)
    end = _SENTENCE_END.search(page, start, last)
    tail = page[start : end.end() if end else last]
    words = " ".join(tail.split())
    cut = end is None and last < len(page)
    if cut and not page[last].isspace():
        words = words.rpartition(" ")[0]
    return f"{' ' if words and tail[:1].isspace() else ''}{words}{' …' if cut else ''}"


def _rows(findings: Sequence[Finding], notes: Sequence[Note], paper: Paper) -> Iterator[Row]:
    """The paper cut into rows, no mention across two of them; the words of all rows are those of the paper."""
    placed = sorted(
        ((f.start, f.end, note) for f, note in zip(findings, notes, strict=True) if f.end > f.start),
        key=lambda item: (item[0], -item[1], item[2].number),
    )
    at = page = 0
    for start, end in _stretches(paper.text, [item[:2] for item in placed]):
        inside = []
        while at < len(placed) and placed[at][0] < end:
            inside.append(placed[at])
            at += 1
        # Blank lines at the end of a row would only be white space on the page.
        shown = max([start + len(paper.text[start:end].rstrip()), *(last for _, last, _ in inside)])
        row = Row(pieces=_pieces(paper.text, start, shown, inside), notes=[note for _, _, note in inside])
        if paper.unit == "page" and (not page or paper.text[start - 1] == "\f"):
            page += 1
            row.label = f"Page {page}"
        yield row


def _stretches(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Ends of paragraphs and pages, and of lines in long passages, wherever no span would be cut."""
    start = reach = at = 0
    for cut, hard in _cuts(text):
        while at < len(spans) and spans[at][0] < cut:
            reach = max(reach, spans[at][1])
            at += 1
        if reach <= cut and cut > start and (hard or cut - start >= BLOCK):
            yield start, cut
            start = cut
    if start < len(text):
        yield start, len(text)


def _cuts(text: str) -> Iterator[tuple[int, bool]]:
    """Offsets at which a row may end, and whether it should end there whatever its length."""
    hard = {found.end() for found in _CUT.finditer(text)}
    soft = {found.end() for found in re.finditer("\n", text)} - hard
    return ((cut, cut in hard) for cut in sorted(hard | soft))


def _pieces(text: str, start: int, end: int, spans: Sequence[tuple[int, int, Note]]) -> list[Piece]:
    """Runs between all beginnings and ends of mentions: overlapping marks never cross, they lie side by side.

    A run that any blocked mention covers looks blocked; the words after it say which mention is what.
    """
    edges = sorted({start, end, *(edge for first, last, _ in spans for edge in (first, last))})
    pieces = []
    for left, right in pairwise(edges):
        over = {note.state for first, last, note in spans if first < right and left < last}
        pieces.append(
            Piece(
                text=visible(text[left:right].replace("\f", "\n")),
                state=next((state for state in ("blocked", "allowed", "grounded") if state in over), ""),
                opens=tuple(note for first, _, note in spans if first == left),
                closes=tuple(note for _, last, note in reversed(spans) if last == right),
            )
        )
    return pieces
