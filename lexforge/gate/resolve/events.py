"""Events that documents date themselves: an email says when it was sent, an opinion when it was argued and decided."""

from __future__ import annotations

import re
from enum import StrEnum

from lexforge.domain.matter import DateOrder
from lexforge.gate.index import SourceText
from lexforge.gate.resolve.source_dates import Dated, dates_in

HEAD = 4000
LINE_AFTER = 90


class Event(StrEnum):
    """What happened on the date; the value completes "it was ...”."""

    SENT = "sent"
    ARGUED = "argued"
    DECIDED = "decided"


VERBS = {
    Event.SENT: re.compile(r"\b(?:sent|e-?mailed)\b", re.I),
    Event.ARGUED: re.compile(r"\b(?:argued|heard (?:oral )?arguments?|(?:oral )?argument was (?:heard|held))\b", re.I),
    Event.DECIDED: re.compile(r"\b(?:decided|handed down|issued (?:its|the) (?:opinion|decision))\b", re.I),
}
LABELS = {
    Event.SENT: (re.compile(r"(?m)^[ \t=]*Sent(?:[ \t]on)?\b[ \t]*:?"), re.compile(r"(?m)^[ \t]*Date[ \t]*:")),
    Event.ARGUED: (re.compile(r"\bArgued\b[ \t]*:?"), re.compile(r"\b(?:Heard|Submitted)\b[ \t]*:?")),
    Event.DECIDED: (re.compile(r"\bDecided\b[ \t]*:?"),),
}
WRITTEN_LINE = re.compile(r"(?m)^[ \t>]*On\b[^\n]{6,90}\bwrote:")


def event_before(text: str, start: int, date_start: int) -> Event | None:
    """The last such verb between the beginning of the sentence and the date; None when there is none."""
    best: tuple[int, Event] | None = None
    for event, verb in VERBS.items():
        for match in verb.finditer(text, start, date_start):
            if best is None or match.start() > best[0]:
                best = (match.start(), event)
    return None if best is None else best[1]


def labelled_dates(held: SourceText, event: Event, order: DateOrder) -> list[Dated]:
    """Dates that the document puts behind the label of the event; the weaker label counts only without the stronger.

    A release stamp ("Date:" on every page of a production) is weaker than the header of the email itself ("Sent:").
    """
    text = held.text if event is Event.SENT else held.text[:HEAD]
    for label in LABELS[event]:
        found: list[Dated] = []
        for match in label.finditer(text):
            line = text[match.end() : match.end() + LINE_AFTER]
            stop = line.find("\n", len(line) - len(line.lstrip()))
            line = line if stop < 0 else line[:stop]
            shift = match.end()
            found += [Dated(d.value, d.start + shift, d.end + shift) for d in dates_in(line, order)]
        if found:
            return found + (_quoted_headers(text, order) if event is Event.SENT else [])
    return []


def _quoted_headers(text: str, order: DateOrder) -> list[Dated]:
    """Dates of messages that are answered below: "On Monday, ... wrote:"."""
    return [
        Dated(d.value, d.start + match.start(), d.end + match.start())
        for match in WRITTEN_LINE.finditer(text)
        for d in dates_in(match.group(), order)
    ]
