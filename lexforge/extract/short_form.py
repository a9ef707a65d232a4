"""Short forms that name no reporter: id., ibid., supra, infra, "§" aside (Bluebook rules 4.1, 4.2, 10.9, B4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexforge.domain.mentions import CitationForm, CitationValue, MentionKind
from lexforge.extract.case_name import name_before, trimmed
from lexforge.extract.fold import Spot, mask
from lexforge.extract.statute import SUBSECTIONS

_RANGE = r"\*{0,2}\d[\d,]*(?<!,)(?::\d+)?(?:[-–—]\*{0,2}\d+(?::\d+)?)?"
_NOTE = r"(?:,? ?(?:& |and )?(?:nn?\.|notes?) ?\d+(?:[-–—]\d+)?)"
_SERIES = rf"{_RANGE}{_NOTE}?(?:(?:, (?:and |& )?| & | and ){_RANGE}(?!\w|\.\d){_NOTE}?)*"
_PARAGRAPHS = r"¶¶? ?\d+(?:[-–—]\d+)?(?:(?:, (?:and |& )?| & | and )\d+(?:[-–—]\d+)?)*"
_WHERE = (
    rf"(?:,? (?:at )?(?P<paragraphs>{_PARAGRAPHS})|,? at (?:pp?\. ?)?(?P<pages>{_SERIES})|,? (?P<note>(?:nn?\."
    rf"|notes?) ?\d+(?:[-–—]\d+)?)"
    rf"|,? §§? ?(?P<section>\d[\w.\-]*(?<![.\-]){SUBSECTIONS}))"
)
_ID = re.compile(rf"(?<![\w.])(?P<id>[Ii]d\.|[Ii]bid\.){_WHERE}?")
_SUPRA = re.compile(
    rf"\b(?P<word>[Ss]upra|[Ii]nfra)\b(?:,? (?P<part>(?:at )?(?:[Nn]otes? \d+|nn?\.? ?\d+|(?:Part|Section|Sec\.|§§?"
    rf"|Parts|Sections|Point|Argument|Statement of Facts|pp?\.|page) ?[\w.\-]+(?<![.]))))?{_WHERE}?"
)

_INTERNAL = re.compile(r"(?:Volume|Part|Section|Chapter|Note|Point|Argument|Statement of|Appendix|Exhibit)\b")


def short_forms(masked: str, text: str) -> Iterator[Spot]:
    """Spots of id., supra and infra in `masked`, a folded text without its full citations; `text` is the same unmasked.

    `pin` is the place cited; for "infra Part II" it is None and `section` holds "Part II".
    """
    back = [
        Spot(found.start(), found.end(), MentionKind.CITATION,
             CitationValue(form=CitationForm.ID, pin=_pin(found), section=found["section"]))
        for found in _ID.finditer(masked)
    ]  # fmt: skip
    yield from back
    # A name before "supra" never reaches back over an id., which is a citation of its own.
    masked = mask(masked, back)
    floor = 0
    for found in _SUPRA.finditer(masked):
        start = name_before(masked, found.start() - 1, floor) if found["word"][0] in "sS" else None
        name = None if start is None else trimmed(text[start : found.start()])
        floor = found.end()
        if name and _INTERNAL.match(name):
            yield _internal(start or found.start(), found, name)
            continue
        value = CitationValue(
            form=CitationForm.SUPRA, name=name or None, pin=_pin(found), section=found["part"] or found["section"]
        )
        begin = found.start() if start is None or not name else start
        yield Spot(begin, found.end(), MentionKind.CITATION, value)


def _internal(start: int, found: re.Match[str], place: str) -> Spot:
    value = CitationValue(form=CitationForm.SUPRA, section=place, pin=_pin(found))
    return Spot(start, found.end(), MentionKind.CITATION, value)


def _pin(found: re.Match[str]) -> str | None:
    return found["paragraphs"] or found["pages"] or found["note"]
