"""Citations of law: cases with their name, court, year and pin; with statutes, rules and short forms beside them.

What belongs to one citation is read only from the stretch between its neighbours, so that no year or party of another
case can bleed in. Bluebook rules 10.2 to 10.9, B10; California Style Manual 1:1; N.Y. Law Reports Style Manual 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lexforge.domain.mentions import CitationForm, CitationValue, Mention, MentionKind
from lexforge.extract.case_name import name_before, names_in_prose, trimmed
from lexforge.extract.fold import Spot, fold, mask
from lexforge.extract.reporters import Core, cores
from lexforge.extract.rule import rules
from lexforge.extract.short_form import short_forms
from lexforge.extract.statute import statutes

_PAGE = r"\*{0,2}\d[\d,]*(?<!,)(?:[-–—]\*{0,2}\d+)?"
_NOTE = r"(?:,? ?(?:& |and )?(?:nn?\.|notes?) ?\d+(?:[-–—]\d+)?(?:(?:, ?| ?& ?| and )\d+)*)"
_MORE = r"(?:, (?:and |& )?| & | and )"
_PIN = (
    rf"(?:(?:slip op\.,? ?)?(?:at )?(?:pp?\. ?)?{_PAGE}{_NOTE}?(?:{_MORE}{_PAGE}(?![\w:]|\.\d){_NOTE}?)*"
    rf"|(?:at )?¶¶? ?\d+(?:[-–—]\d+)?(?:{_MORE}\d+(?:[-–—]\d+)?)*|slip op\.)"
)
_SHORT_REST = re.compile(rf"(?:[-–—]\d+)?{_NOTE}?(?:{_MORE}{_PAGE}(?![\w:]|\.\d){_NOTE}?)*")
_TAIL_PIN = re.compile(rf",? (?P<pin>{_PIN})(?!\w)")
_STAGE = r"(?:[^()\[\]]|\([^()]{1,30}\)|\[[^\[\]]{1,30}\])"
_COURT_YEAR = re.compile(rf",? ?(?:\((?P<a>{_STAGE}{{0,90}}?)\)|\[(?P<b>[^\[\]()]{{0,60}}?)\])")
_YEAR = re.compile(r"\b(1[6-9]\d\d|20\d\d|2100)\b(?!.*\b(?:1[6-9]|20)\d\d\b)")
_MONTH_DAY = re.compile(
    r",? ?(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|Aug(?:ust|\.)?"
    r"|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?) ?(?:\d{1,2},?)? ?$"
)
_NAME_YEAR = re.compile(r" ?\((?P<court>[^()\d]*)(?P<year>(?:1[6-9]|20)\d\d)\),?$")
_NUMBER = (
    r"(?:(?:\d{1,2}:)?\d{2,4}-[A-Za-z]{1,4}-\d{2,6}(?:-[A-Z]{2,4})*|\d{2}-\d{2}-\d{4,6}-[A-Z]{2}|\d{2}-\d{2,5}(?![\w-])"
    r"|\d{2,3}(?=,? (?:slip|Orig))|[A-Z]-?\d{2}-\d{3,6}|[A-Z]\d{5,6})"
)
_DOCKET = re.compile(
    rf"(?:(?:Civil|Civ\.|Criminal|Crim\.|Case|Docket|Index|Cause|App\.) )?Nos?\. ?(?P<docket>{_NUMBER}(?:(?:, | & "
    rf"| and ){_NUMBER})*)"
    r"(?: \([A-Z]{2,4}\)){0,3}"
)


@dataclass(frozen=True, slots=True)
class _Tail:
    """What follows the page: where it ends, pin, court, year; `dated` when the closing parenthesis was there."""

    end: int
    pin: str | None = None
    court: str | None = None
    year: int | None = None
    dated: bool = False


def find(text: str) -> tuple[Mention, ...]:
    """Citations of law in `text`, sorted and disjoint; `antecedent` is not yet resolved (see `mentions.find_mentions`).

    Never raises. A case named in prose without a reporter is a CASE with `reporter` and `docket` None.
    """
    folded = fold(text)
    return folded.mentions(scan(folded.text))


def scan(text: str) -> list[Spot]:
    """Citations in a folded text, in its offsets."""
    spots = list(_cases(text))
    masked = mask(text, spots)
    codes = [*statutes(masked), *rules(masked)]
    spots += _disjoint(codes)
    masked = mask(text, spots)
    spots += _docket_cases(masked)
    masked = mask(text, spots)
    spots += short_forms(masked, text)
    masked = mask(text, spots)
    spots += [_named(masked, start, end) for start, end in names_in_prose(masked)]
    return sorted(spots, key=lambda spot: spot.start)


def _disjoint(spots: list[Spot]) -> list[Spot]:
    """The longest of overlapping spots, first come first served."""
    kept: list[Spot] = []
    for spot in sorted(spots, key=lambda item: (item.start, -item.end)):
        if not kept or spot.start >= kept[-1].end:
            kept.append(spot)
    return kept


def _named(text: str, start: int, end: int) -> Spot:
    tail = _dated(text, _Tail(end), min(len(text), end + 120))
    value = CitationValue(form=CitationForm.CASE, name=text[start:end], court=tail.court, year=tail.year)
    return Spot(start, tail.end, MentionKind.CITATION, value)


def _cases(text: str) -> Iterator[Spot]:
    """Reporter, WL, LEXIS, neutral and journal citations, each with its name in front and its year behind."""
    found = list(cores(text))
    floor = 0
    name: str | None = None
    pending: list[tuple[int, Core, _Tail]] = []
    for index, core in enumerate(found):
        ceiling = found[index + 1].start if index + 1 < len(found) else len(text)
        tail = _tail(text, core, ceiling)
        start = core.start
        continues = bool(pending) and _is_parallel(text[pending[-1][2].end : core.start], pending[-1][2])
        if not continues:
            yield from _flush(text, pending, name)
            pending = []
            start, name = _name(text, core, floor)
        if core.plain and not core.neutral and name is None and not tail.dated:
            continue
        pending.append((start, core, tail))
        floor = tail.end
    yield from _flush(text, pending, name)


def _is_parallel(between: str, before: _Tail) -> bool:
    return not before.dated and between.strip() in (",", "", "[", ", [", ";") and between.strip() != ";"


def _name(text: str, core: Core, floor: int) -> tuple[int, str | None]:
    """Where the citation with its name starts, and the name; an unnamed citation starts at its volume."""
    lead = text[floor : core.start]
    stripped = lead.rstrip()
    if not stripped or not (stripped.endswith((",", ")")) or core.neutral or " v. " in lead[-120:]):
        return core.start, None
    end = floor + len(stripped)
    start = name_before(text, end, floor)
    if start is None:
        return core.start, None
    name = trimmed(text[start:end])
    return (start, name) if name else (core.start, None)


def _tail(text: str, core: Core, ceiling: int) -> _Tail:
    """Pin, court and year between the page and the next citation."""
    newline = text.find("\n", core.end, ceiling)
    ceiling = min(ceiling if newline < 0 else newline, core.end + 260)
    pins = [core.page] if core.short else []
    at = core.end
    if core.short and (more := _SHORT_REST.match(text, at, ceiling)):
        pins[0] += more[0]
        at = more.end()
    while pin := _TAIL_PIN.match(text, at, ceiling):
        if not pin["pin"] or _is_next_volume(text, pin.end(), ceiling):
            break
        pins.append(pin["pin"].removeprefix("at ").strip())
        at = pin.end()
    pin_text = ", ".join(pins) or None
    return _dated(text, _Tail(at, pin_text), ceiling)


def _is_next_volume(text: str, end: int, ceiling: int) -> bool:
    return end >= ceiling and end < len(text) and text[end].isdigit()


def _dated(text: str, tail: _Tail, ceiling: int) -> _Tail:
    """The tail with the parenthesis that holds court and year, if that comes next."""
    found = _COURT_YEAR.match(text, tail.end, ceiling)
    if found is None:
        return tail
    inner = found["a"] if found["a"] is not None else found["b"]
    year = _YEAR.search(inner)
    if year is None or len(inner) - year.end() > 40 or inner[0].islower():
        return tail
    court = _MONTH_DAY.sub("", inner[: year.start()]).strip(" ,") or None
    return _Tail(found.end(), tail.pin, court, int(year[1]), True)


def _flush(text: str, group: list[tuple[int, Core, _Tail]], name: str | None) -> Iterator[Spot]:
    """The citations of one case: parallel ones share its name, court and year."""
    if not group:
        return
    court = next((tail.court for _, _, tail in group if tail.court), None)
    year = next((tail.year for _, _, tail in group if tail.year), None)
    year = year or next((_year(core, None) for _, core, _ in group if _year(core, None)), None)
    if year is None:
        lead = text[group[0][0] : group[0][1].start].rstrip()
        early = _NAME_YEAR.search(lead)
        court, year = (early["court"].strip(" ,") or court, int(early["year"])) if early else (court, None)
    docket = _DOCKET.search(text, group[0][0], group[0][1].start)
    for start, core, tail in group:
        value = CitationValue(
            form=_form(core),
            name=name,
            volume=core.volume or None,
            reporter=core.reporter,
            page=None if core.short else core.page,
            pin=tail.pin,
            court=court,
            year=_year(core, year),
            docket=docket["docket"] if docket else None,
        )
        if docket and start == group[0][0]:
            yield _docket_spot(start, docket, value)
            yield Spot(core.start, tail.end, MentionKind.CITATION, value)
        else:
            yield Spot(start, tail.end, MentionKind.CITATION, value)


def _docket_spot(start: int, docket: re.Match[str], value: CitationValue) -> Spot:
    part = CitationValue(
        form=CitationForm.DOCKET, name=value.name, docket=value.docket, court=value.court, year=value.year
    )
    return Spot(start, docket.end(), MentionKind.CITATION, part)


def _year(core: Core, year: int | None) -> int | None:
    if year is None and re.fullmatch(r"(?:19|20)\d\d", core.volume) and _form(core) in _DATED_FORMS:
        return int(core.volume)
    return year


_DATED_FORMS = (CitationForm.NEUTRAL, CitationForm.WESTLAW)


def _form(core: Core) -> CitationForm:
    if core.short:
        return CitationForm.SHORT
    if core.reporter == "WL" or "LEXIS" in core.reporter:
        return CitationForm.WESTLAW
    if core.neutral or "Slip Op" in core.reporter:
        return CitationForm.NEUTRAL
    return CitationForm.SECONDARY if core.journal else CitationForm.CASE


def _docket_cases(text: str) -> Iterator[Spot]:
    """Slip opinions by docket number (Bluebook 10.8.1); a bare docket number without name or date is none."""
    last = 0
    for found in _DOCKET.finditer(text):
        if found.start() < last:
            continue
        floor = max(last, found.start() - 260)
        lead = text[floor : found.start()].rstrip()
        start = name_before(text, floor + len(lead), floor) if lead.endswith(",") else None
        core = Core(found.start(), found.end(), "", "", "", False, False, False, False)
        tail = _tail(text, core, len(text))
        if start is None and not tail.dated:
            continue
        begin = found.start() if start is None else start
        name = None if start is None else trimmed(text[start : floor + len(lead)])
        value = CitationValue(
            form=CitationForm.DOCKET,
            name=name,
            docket=found["docket"],
            pin=_slip_pin(tail.pin),
            court=tail.court,
            year=tail.year,
        )
        last = tail.end
        yield Spot(begin, tail.end, MentionKind.CITATION, value)


def _slip_pin(pin: str | None) -> str | None:
    cleaned = re.sub(r"slip op\.,? ?(?:at )?", "", pin or "").strip(" ,")
    return cleaned or None
