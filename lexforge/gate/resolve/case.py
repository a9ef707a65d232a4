"""Cases: name, volume, reporter, page, court, year and pin must belong together, in an opinion or where it is cited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lexforge.domain.findings import Reason, Support
from lexforge.domain.mentions import CitationForm, CitationValue
from lexforge.gate.index import BundleIndex
from lexforge.gate.resolve.authority import Authority
from lexforge.gate.resolve.cited import CitedThere, places_citing, same_court
from lexforge.gate.resolve.names import parties
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot
from lexforge.gate.resolve.source_dates import MONTHS
from lexforge.gate.tokens import norms_of

LONGEST_OPINION = 400
USUAL_OPINION = 75
COMMON_PARTIES = frozenset({"united", "states", "state", "people", "commonwealth", "city", "county", "court", "board"})
APPENDIX_FORMS: tuple[tuple[str, ...], ...] = (("f", "app'x"), ("fed", "appx"), ("fed", "app'x"), ("f", "appx"))
SAME_REPORTER: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = dict.fromkeys(APPENDIX_FORMS, APPENDIX_FORMS)
PARAGRAPH_PIN = re.compile(r"¶¶?\s*(\d+)(?:\s*[-–—]\s*(\d+))?")
PAGE_PIN = re.compile(r"(\*{0,2})(\d[\d,]*)(?:[-–—]\*{0,2}(\d+))?")
NOTE = re.compile(r"(?:\bnn?\.|\bnotes?)\s*\d+(?:[-–—,& ]+\d+)*")
NOMINATIVE = re.compile(r"\b\d{1,3} U\. ?S\. \(\d{1,2} [A-Z][a-z]+\.?\) \d{1,4}\b")
FULL_DATE = re.compile(r"\b([A-Z][a-z]{2,8})\.?\s+(\d{1,2}),?\s+((?:1[6-9]|20)\d\d)")


def key_of(value: CitationValue) -> tuple[str, ...]:
    """Volume, reporter and first page as folded words; empty when one is missing."""
    if not value.reporter or not value.page:
        return ()
    return norms_of(f"{value.volume or ''} {value.reporter} {value.page}")


def _as_written(value: CitationValue, text: str) -> str:
    """Volume to page as the draft has them, where the reporter's name was put in its usual form."""
    found = re.search(rf"\b{re.escape(value.volume or '')}\s[^\d].{{0,40}}?\s{re.escape(value.page or '')}\b", text)
    return found.group() if found else ""


def spellings(key: tuple[str, ...], written: str = "") -> Iterator[tuple[str, ...]]:
    """The ways in which a key can be printed: "550 U.S. 544", "550 US 544", "302 Fed. Appx. 248" for "F. App'x"."""
    own = norms_of(written)
    seen: list[tuple[str, ...]] = []
    for form in (key, own, (key[0], "".join(key[1:-1]), key[-1]) if len(key) > 3 else key):
        seen += [form, *((form[0], *other, form[-1]) for other in SAME_REPORTER.get(form[1:-1], ()))]
    yield from (form for at, form in enumerate(seen) if form and form not in seen[:at])


def pin_pages(pin: str | None) -> list[int]:
    """Page numbers of a pin, ranges by both ends; footnote numbers and star pages of databases are left out."""
    pages: list[int] = []
    for star, first, last in PAGE_PIN.findall(NOTE.sub("", PARAGRAPH_PIN.sub("", pin or ""))):
        if star:
            continue
        begin = first.replace(",", "")
        pages.append(int(begin))
        if last:
            pages.append(int(begin[: -len(last)] + last if len(last) < len(begin) else last))
    return pages


def pin_paragraphs(pin: str | None) -> list[int]:
    """Paragraph numbers of a pin, ranges by both ends."""
    return [int(number) for pair in PARAGRAPH_PIN.findall(pin or "") for number in pair if number]


def written_names(value: CitationValue, text: str) -> tuple[str, ...]:
    """The name as it was read and as it is written before the volume ("Doe v. Local No. 7" has a number in it)."""
    if not value.name:
        return ()
    volume = re.search(rf"[\s,]+{re.escape(value.volume)}\s+\D", text[len(value.name) :]) if value.volume else None
    if volume is None or not text.startswith(value.name):
        return (value.name,)
    return value.name, text[: len(value.name) + volume.start()]


class CaseResolver:
    """Cases against one bundle; opinions are read once and kept."""

    def __init__(self, index: BundleIndex) -> None:
        self.index = index
        self.authorities = [Authority(held) for held in index.sources]

    def opinions(self, value: CitationValue) -> list[Authority]:
        """The sources that are the cited opinion itself, by reporter or by docket number."""
        key = key_of(value)
        if key:
            return [a for a in self.authorities if any(a.bears(form) for form in spellings(key))]
        if value.docket:
            return [a for a in self.authorities if a.is_docket(value.docket)]
        return []

    def named(self, name: str) -> list[Authority]:
        """The sources whose caption shows this case name."""
        return [a for a in self.authorities if a.is_named(name)]

    def spoken_of(self, value: CitationValue, text: str) -> tuple[Spot, ...]:
        """Where documents of the bundle that cite this case speak of it, by its number or by one of its parties."""
        spots: list[Spot] = []
        words = {word for side in parties(value.name or "") for word in side[:1] if len(word) >= 4}
        words = {word.rstrip(".") for word in words} - COMMON_PARTIES
        name = norms_of(value.name or "")
        forms = [*_keys(value, text), name] if len(name) > 2 else list(_keys(value, text))
        for held in self.index.sources:
            stream = held.full
            cited = [stream.span(at, at + len(form) - 1) for form in forms for at in stream.find(form)]
            if cited:
                places = stream.find(key_of(value)[:-1])
                spots += [Spot(held, *stream.span(at, at + 1)) for at in places] if key_of(value) else []
                spots += [Spot(held, *span) for span in cited]
                spots += [Spot(held, *stream.span(at, at)) for word in words for at in stream.positions.get(word, ())]
        return tuple(spots)

    def resolve(self, value: CitationValue, text: str) -> Outcome:
        """One full citation; `text` is the citation as written."""
        early = _before_first_page(value)
        if early is not None:
            return early
        own = self.opinions(value)
        for authority in own:
            fault = _fault_of_opinion(value, text, authority)
            if fault is None:
                place = authority.held.support(*_title_span(authority))
                return grounded(f"The cited opinion is in the bundle: {authority.held.source.path}.", place)
        every = (place for key in _keys(value, text) for place in places_citing(self.index.sources, key))
        places = [place for place in every if not any(_is_heading(place, authority) for authority in own)]
        outcome = _judge_places(value, written_names(value, text), places)
        if outcome is not None and (outcome.is_grounded or not own):
            return outcome
        if own:
            reason, message = _fault_of_opinion(value, text, own[0]) or (Reason.INCONSISTENT, "")
            return blocked(reason, message, nearest=own[0].held.support(*_title_span(own[0]))[0])
        return self._missing(value, text)

    def resolve_name(self, name: str) -> Outcome:
        """A case named in running text without a citation: it must be in the bundle or be cited there."""
        for authority in self.named(name):
            place = authority.held.support(*_title_span(authority))
            return grounded(f"{name} is in the bundle: {authority.held.source.path}.", place)
        found = self._name_places(name)
        if found:
            return grounded(f"{name} is cited in {found[0].path}.", found)
        return blocked(Reason.NOT_FOUND, f"No document of the bundle is, or cites, {name}.")

    def _name_places(self, name: str) -> tuple[Support, ...]:
        wanted = norms_of(name)
        for held in self.index.sources:
            for first in held.full.find(wanted):
                return held.support(*held.full.span(first, first + len(wanted) - 1))
        return ()

    def _missing(self, value: CitationValue, text: str) -> Outcome:
        """Say what the bundle has under the same name, if anything."""
        near = self._name_places(value.name) if value.name else ()
        if near:
            held = self.index.by_id[near[0].source]
            page = next(p for p in held.source.pages if p.number == near[0].page)
            shown = " ".join(page.text[near[0].start : near[0].end + 60].split())
            return blocked(
                Reason.NOT_FOUND,
                f"The bundle holds no “{text}”; {near[0].path} has “{shown}”.",
                nearest=near[0],
            )
        return blocked(Reason.NOT_FOUND, f"No document of the bundle is, or cites, “{text}”.")


def _keys(value: CitationValue, text: str) -> Iterator[tuple[str, ...]]:
    """What to look for: volume, reporter, page; the same with an early reporter in brackets; else the docket number."""
    key = key_of(value)
    if key:
        early = NOMINATIVE.search(text)
        yield from spellings(key, early.group() if early else _as_written(value, text))
    elif value.docket and value.form is CitationForm.DOCKET:
        yield norms_of(value.docket)


def _is_heading(place: CitedThere, authority: Authority) -> bool:
    """Whether this is the citation printed above the opinion itself, which proves nothing about its pages."""
    start, end = authority.heading
    return place.held is authority.held and start <= place.start < max(end, 1)


def _title_span(authority: Authority) -> tuple[int, int]:
    full = authority.held.full
    return full.span(0, min(len(full.norms), 24) - 1)


def _before_first_page(value: CitationValue) -> Outcome | None:
    """A pin that lies before the first page, or further behind it than any opinion is long."""
    if not value.page or not value.page.isdigit() or value.form is not CitationForm.CASE:
        return None
    first = int(value.page)
    for page in pin_pages(value.pin):
        if page < first:
            return blocked(Reason.OUT_OF_RANGE, f"Page {page} lies before the first page of the case, {first}.")
        if page > first + LONGEST_OPINION:
            return blocked(Reason.OUT_OF_RANGE, f"Page {page} lies too far behind the first page of the case, {first}.")
    return None


def _fault_of_opinion(value: CitationValue, text: str, authority: Authority) -> tuple[Reason, str] | None:
    """What in the citation does not agree with the opinion itself; None when all of it does."""
    path = authority.held.source.path
    if value.name and not authority.is_named(value.name):
        return Reason.INCONSISTENT, f"{path} bears that number, but its parties are not “{value.name}”."
    if value.year is not None and value.year not in authority.years:
        return Reason.INCONSISTENT, f"{path} is not dated {value.year}."
    stated = FULL_DATE.search(text)
    if stated and stated[1].lower() in MONTHS:
        day = (int(stated[3]), MONTHS[stated[1].lower()], int(stated[2]))
        if day not in authority.dates:
            return Reason.INCONSISTENT, f"{path} does not bear the date {stated[0]}."
    if value.court and not authority.is_from(value.court):
        return Reason.INCONSISTENT, f"{path} does not come from the {value.court}."
    return _fault_of_pin(value, authority)


def _fault_of_pin(value: CitationValue, authority: Authority) -> tuple[Reason, str] | None:
    path = authority.held.source.path
    for number in pin_paragraphs(value.pin):
        if number > authority.last_paragraph or number < 1:
            last = authority.last_paragraph
            return Reason.OUT_OF_RANGE, f"{path} has no paragraph {number}; its numbered paragraphs end at {last}."
    first = int(value.page) if value.page and value.page.isdigit() else None
    for page in pin_pages(value.pin):
        low, high = (1, authority.last_slip_page) if first is None else authority.reporter_pages(first)
        if not low <= page <= high:
            return Reason.OUT_OF_RANGE, f"{path} has no page {page}; it runs from {low} to {high}."
    return None


def _unsupported_pin(value: CitationValue, places: Sequence[CitedThere]) -> str | None:
    """A pin that only the opinion could prove, when no document cites the case there.

    A page soon after the first one needs no proof: where the opinion is not in the bundle, its last page is not known.
    """
    first = int(value.page) if value.page and value.page.isdigit() else None
    pages = [page for page in pin_pages(value.pin) if first is None or page > first + USUAL_OPINION]
    known = {number for place in places for number in place.pins}
    unknown = [number for number in (*pin_paragraphs(value.pin), *pages) if number not in known]
    return f"No document of the bundle is that opinion or cites it at {unknown[0]}." if unknown else None


def _judge_places(value: CitationValue, names: Sequence[str], places: Sequence[CitedThere]) -> Outcome | None:
    """Whether some document cites this case under this name, with this year and court; None when none cites it."""
    if not places:
        return None
    near = places[0].support[0]
    named = [p for p in places if not names or any(map(p.is_named, names))]
    if not named:
        there = " ".join(places[0].before.split()[-9:])
        message = f"{near.path} gives that place in the reporter to another case: “{there}”, not “{value.name}”."
        return blocked(Reason.INCONSISTENT, message, nearest=near)
    dated = [p for p in places if p.year is not None]
    stated = value.year is not None and str(value.year) != value.volume
    if stated and not any(p.year == value.year for p in dated):
        years = ", ".join(sorted({str(p.year) for p in dated})) or "no year"
        return blocked(Reason.INCONSISTENT, f"{near.path} gives {years} for this case, not {value.year}.", nearest=near)
    if value.court and not any(same_court(p.court, value.court) for p in dated):
        courts = ", ".join(sorted({p.court for p in dated if p.court})) or "no court"
        message = f"{near.path} gives {courts} for this case, not {value.court}."
        return blocked(Reason.INCONSISTENT, message, nearest=near)
    fault = _unsupported_pin(value, places)
    if fault is not None:
        return blocked(Reason.OUT_OF_RANGE, fault, nearest=near)
    best = named[0]
    return grounded(f"{best.held.source.path} cites it so.", best.support)
