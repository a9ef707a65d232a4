"""Changes to a text at known places, and the text with what must not be changed hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lexforge.domain.draft import blanked
from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import Mention, MentionKind
from lexforge.extract.bates_registry import BatesRegistry
from lexforge.extract.mentions import find_mentions
from lexforge.extract.sentences import sentence_spans

_EXACT = (MentionKind.QUOTATION, MentionKind.CITATION, MentionKind.RECORD_CITE, MentionKind.BATES)


class Change(NamedTuple):
    """`text[start:end]`, which reads `before`, is to read `after`."""

    start: int
    end: int
    before: str
    after: str


def changed(text: str, changes: Iterable[Change]) -> str:
    """The text with these disjoint changes made, and nothing else."""
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.after + text[change.end :]
    return text


class Prose:
    """A paragraph and its mentions. `open` is the text of the same length with spaces for what the gate compares.

    Quotations, citations, record cites and Bates numbers are looked up letter by letter by the gate; an error planted
    there would measure nothing that a reader is needed for.
    """

    def __init__(self, text: str, order: DateOrder) -> None:
        self.text = text
        self.mentions: tuple[Mention, ...] = find_mentions(text, BatesRegistry(), order)
        self.open = blanked(text, ((m.start, m.end) for m in self.mentions if m.kind in _EXACT))

    def of_kind(self, kind: MentionKind) -> Iterator[Mention]:
        """The mentions of one kind that stand in the open text."""
        return (m for m in self.mentions if m.kind is kind and self.open[m.start : m.end] == m.text)

    def sentences(self) -> Iterator[tuple[int, int, str]]:
        """(start, end, open text) of each sentence; questions state nothing and are left out."""
        for start, end in sentence_spans(self.text):
            if not self.text[start:end].endswith("?"):
                yield start, end, self.open[start:end]
