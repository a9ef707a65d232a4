"""Citations of law: each form goes to the resolver that knows it; short forms stand and fall with their antecedent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lexforge.domain.findings import Reason
from lexforge.domain.mentions import CitationForm, CitationValue, Mention, RecordCiteValue
from lexforge.gate.resolve.case import CaseResolver, key_of, pin_pages
from lexforge.gate.resolve.law import resolve_law
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded

NAME_BEFORE = re.compile(r"[\w.’')\]],?\s*\Z")
SIGNAL = re.compile(r"\b(?:[Ss]ee|also|[Cc]f|[Aa]ccord|and|in|e\.g|discussed|stated|shown|noted|above|below)[.,]*\s*\Z")
SHORT_FORMS = frozenset((CitationForm.SHORT, CitationForm.ID, CitationForm.SUPRA))
CASE_FORMS = frozenset((CitationForm.CASE, CitationForm.DOCKET, CitationForm.WESTLAW, CitationForm.NEUTRAL))


def resolve_citation(
    mention: Mention, text: str, mentions: Sequence[Mention], outcomes: Mapping[int, Outcome], cases: CaseResolver
) -> Outcome:
    """One citation of `text`. `outcomes` holds what was decided for earlier mentions, by index in `mentions`."""
    value = mention.value
    if not isinstance(value, CitationValue):
        return blocked(Reason.UNCHECKED, "This citation could not be read.")
    if value.form in SHORT_FORMS:
        if _points_within(value, text[max(0, mention.start - 40) : mention.start]):
            return grounded("This points to another part of the same paper.", reason=Reason.ALLOWED)
        return _resolve_short(value, mentions, outcomes)
    if value.form not in CASE_FORMS:
        return resolve_law(_with_title(value, mentions), mention.text, cases.index.sources)
    if value.name and not key_of(value) and not value.docket:
        return cases.resolve_name(value.name)
    return cases.resolve(value, mention.text)


def _points_within(value: CitationValue, before: str) -> bool:
    """A supra or infra without a name before it means this paper ("supra Part II", "see infra, at 9")."""
    if value.form is not CitationForm.SUPRA or value.antecedent is not None:
        return False
    named = value.name is not None or (NAME_BEFORE.search(before) is not None and not SIGNAL.search(before))
    return value.section is not None or not named


def _with_title(value: CitationValue, mentions: Sequence[Mention]) -> CitationValue:
    """A bare "§ 1447(d)" belongs to the title and code of the citation it goes back to."""
    before = None if value.antecedent is None else mentions[value.antecedent].value
    if value.reporter is not None or not isinstance(before, CitationValue):
        return value
    return value.model_copy(update={"volume": before.volume, "reporter": before.reporter})


def _resolve_short(value: CitationValue, mentions: Sequence[Mention], outcomes: Mapping[int, Outcome]) -> Outcome:
    at = value.antecedent
    if at is None:
        return blocked(Reason.NO_ANTECEDENT, "No earlier citation in this paper is one that this short form can mean.")
    before, decided = mentions[at], outcomes.get(at)
    if decided is None or not decided.is_grounded:
        return blocked(Reason.NO_ANTECEDENT, f"It refers to “{before.text}”, which is itself not grounded.")
    fault = _pin_fault(value, before.value)
    if fault is not None:
        return blocked(Reason.OUT_OF_RANGE, fault, nearest=decided.support[0] if decided.support else None)
    return grounded(f"It refers to “{before.text}”.", decided.support)


def _pin_fault(value: CitationValue, antecedent: object) -> str | None:
    """A pin that the antecedent cannot have."""
    if isinstance(antecedent, RecordCiteValue) or not isinstance(antecedent, CitationValue):
        return None
    if antecedent.form is not CitationForm.CASE or not antecedent.page or not antecedent.page.isdigit():
        return None
    first = int(antecedent.page)
    for page in pin_pages(value.pin):
        if page < first:
            return f"Page {page} lies before the first page of the case, {first}."
    return None
