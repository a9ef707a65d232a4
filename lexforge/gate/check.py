"""The gate: every mention of a text against a bundle, under a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Finding, GateReport, Reason, Verdict
from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import (
    AmountValue,
    BatesValue,
    CitationValue,
    DateValue,
    Mention,
    MentionKind,
    QuotationValue,
    RecordCiteValue,
)
from lexforge.extract.bates import learn
from lexforge.extract.mentions import find_mentions
from lexforge.gate.index import BundleIndex, SourceText
from lexforge.gate.naming import Namings
from lexforge.gate.policy import Action, Policy
from lexforge.gate.residue import residue
from lexforge.gate.resolve.amount import AmountResolver
from lexforge.gate.resolve.bates import BatesResolver
from lexforge.gate.resolve.case import CaseResolver
from lexforge.gate.resolve.citation import resolve_citation
from lexforge.gate.resolve.date import DateResolver
from lexforge.gate.resolve.outcome import Outcome, blocked, grounded
from lexforge.gate.resolve.places import Spot
from lexforge.gate.resolve.quotation import resolve_quotation
from lexforge.gate.resolve.record_cite import RecordResolver
from lexforge.gate.resolve.roles import claims, judge
from lexforge.gate.scope import Scope, Scopes
from lexforge.gate.sentences import Sentences
from lexforge.gate.spans import Spans
from lexforge.gate.tokens import norms_of

LEAD = 4
"""Words of the sentence before a quotation among which its own negation may stand ("did not “act in bad faith”")."""


def check(text: str, bundle: Bundle, policy: Policy, date_order: DateOrder = DateOrder.MONTH_FIRST) -> GateReport:
    """Findings on every mention of `text`, sorted by place, offsets into `text` as given.

    Never raises for anything a text can hold. The report passes only when something was checked, nothing is blocked,
    and neither the bundle nor the policy is empty.
    """
    gate = _Gate(text, bundle, date_order)
    findings = [
        _finding((start, end), text[start:end], kind, outcome, policy) for start, end, kind, outcome in gate.decided()
    ]
    findings.sort(key=lambda finding: (finding.start, finding.end))
    findings += _on_the_whole(text, gate.index, policy, findings)
    passed = bool(findings) and not any(finding.is_blocked for finding in findings)
    return GateReport(
        findings=tuple(findings), passed=passed, bundle=bundle.content_sha256, policy=policy.content_sha256
    )


def _finding(span: tuple[int, int], written: str, kind: MentionKind, outcome: Outcome, policy: Policy) -> Finding:
    """The outcome under the policy of the matter; what the policy lets through keeps what was wrong in its message."""
    verdict, reason, message = outcome.verdict, outcome.reason, outcome.message
    rule = policy.rule(kind)
    if verdict is Verdict.BLOCKED and rule.action is not Action.BLOCK:
        verdict, reason = Verdict.GROUNDED, Reason.ALLOWED
        word = "Allowed" if rule.action is Action.ALLOW else "Warning only"
        message = f"{word} by the policy “{policy.name}” ({rule.reason}): {message}"
    elif verdict is Verdict.BLOCKED and not policy.is_empty and (entry := policy.voucher(written)) is not None:
        verdict, reason = Verdict.GROUNDED, Reason.ALLOWED
        message = f"Vouched for in the policy “{policy.name}” ({entry.reason}): {message}"
    return Finding(
        start=span[0], end=span[1], kind=kind, verdict=verdict, reason=reason, message=message,
        support=outcome.support, nearest=outcome.nearest,
    )  # fmt: skip


def _on_the_whole(text: str, index: BundleIndex, policy: Policy, findings: Sequence[Finding]) -> Iterator[Finding]:
    """What stops the paper as a whole; such a finding has no place in the text (0 to 0)."""
    if policy.is_empty:
        yield _whole(Reason.UNCHECKED, "The policy has no rules, so nothing may pass.")
    if index.is_empty and not any(finding.is_blocked for finding in findings):
        yield _whole(Reason.EMPTY_BUNDLE, "The bundle holds no text, so nothing can be grounded.")
    if not findings and not index.is_empty:
        what = "Nothing in this paper could be checked." if text.strip() else "This paper is empty."
        yield _whole(Reason.UNCHECKED, what)


def _whole(reason: Reason, message: str) -> Finding:
    return Finding(start=0, end=0, kind=MentionKind.UNCHECKED, verdict=Verdict.BLOCKED, reason=reason, message=message)


class _Gate:
    """One text against one bundle."""

    def __init__(self, text: str, bundle: Bundle, date_order: DateOrder) -> None:
        self.text = text
        self.bundle = bundle
        self.index = BundleIndex(bundle)
        sources = self.index.sources
        # A number that a load file or an annotation gives stands in no text of the page.
        stamped = ([f"{p.text}\n{chr(10).join(p.bates)}" for p in s.pages] for s in bundle.evidence)
        registry = learn(stamped)
        self.mentions = find_mentions(text, registry, date_order)
        self.bates = BatesResolver(sources, registry)
        self.cases = CaseResolver(self.index)
        self.records = RecordResolver(sources)
        self.dates = DateResolver(sources, date_order)
        self.amounts = AmountResolver(sources)
        sentences = Sentences(text, self.mentions)
        self.scopes = Scopes(Namings(sentences, sources, self.bates, self.cases, self.records))
        self.outcomes: dict[int, Outcome] = {}

    def decided(self) -> Iterator[tuple[int, int, MentionKind, Outcome]]:
        """Every mention with its outcome, then what no mention covers."""
        for at, mention in enumerate(self.mentions):
            self.outcomes[at] = self._decide(at, mention)
        quotations = [
            (m.start, m.end, self.outcomes[at].support)
            for at, m in enumerate(self.mentions)
            if m.kind is MentionKind.QUOTATION and self.outcomes[at].reason is Reason.FOUND
        ]
        quotations.sort(key=lambda span: span[:2])
        spans = Spans((start, end) for start, end, _ in quotations)
        for at, mention in enumerate(self.mentions):
            outcome = self.outcomes[at]
            inside = None if outcome.is_grounded else spans.holding(mention.start, mention.end)
            if inside is not None and mention.kind is not MentionKind.QUOTATION:
                # What stands inside a grounded quotation stands in the source word for word.
                outcome = grounded("It is part of words quoted from the bundle.", quotations[inside][2])
            yield mention.start, mention.end, mention.kind, outcome
        yield from self._roles()
        for start, end, outcome in residue(self.text, self.mentions, self.index):
            yield start, end, MentionKind.UNCHECKED, self._or_empty(outcome)

    def _roles(self) -> Iterator[tuple[int, int, MentionKind, Outcome]]:
        """Persons who are given another part in a document than its head gives them."""
        for sentence, scope in self.scopes.of_sentences():
            for claim in claims(self.text, sentence.start, sentence.end):
                fault = judge(claim, scope.sources)
                if fault is not None:
                    yield claim.start, claim.end, MentionKind.UNCHECKED, fault

    def _or_empty(self, outcome: Outcome) -> Outcome:
        """In an empty bundle every reason is the same one."""
        if not self.index.is_empty or outcome.reason is Reason.NO_ANTECEDENT:
            return outcome
        if self.bundle.sources:
            return blocked(Reason.NO_TEXT, "No source in the bundle has any text; a page without text proves nothing.")
        return blocked(Reason.EMPTY_BUNDLE, "The bundle is empty, so this cannot be grounded.")

    def _decide(self, at: int, mention: Mention) -> Outcome:
        if self.index.is_empty:
            return self._or_empty(blocked(Reason.NOT_FOUND, ""))
        match mention.value:
            case CitationValue():
                decided = resolve_citation(mention, self.text, self.mentions, self.outcomes, self.cases)
                if decided.is_grounded and (cited := self.scopes.namings.record_cite(at)) is not None:
                    decided = self.records.resolve_pin(*cited) or decided
            case RecordCiteValue() as value:
                decided = self.records.resolve(value, mention.text)
            case BatesValue() as value:
                decided = self.bates.resolve(value, self.scopes.described(mention))
            case DateValue() as value:
                scope, event = self.scopes.of_fact(mention), self.scopes.event(mention)
                spots, around = _spots(scope), self.scopes.around(mention)
                in_these = partial(self.dates.resolve, value, event=event, places=spots, around=around)
                decided = _in_parts(mention, scope, in_these)
            case AmountValue() as value:
                scope = self.scopes.of_fact(mention)
                decided = _in_parts(
                    mention, scope, partial(self.amounts.resolve, value, mention.text, places=_spots(scope))
                )
            case QuotationValue() as value:
                decided = self._quotation(value, mention)
            case _:
                decided = blocked(Reason.UNCHECKED, f"“{mention.text}” could not be read, and so was not checked.")
        return decided

    def _quotation(self, value: QuotationValue, mention: Mention) -> Outcome:
        if value.term:
            return grounded("A term that this paper defines for itself; it quotes nothing.", reason=Reason.ALLOWED)
        scope = self.scopes.of_quotation(mention)
        lead = norms_of(self.text[self.scopes.sentence_of(mention).start : mention.start])[-LEAD:]
        if scope is None:
            return resolve_quotation(value, self.index.sources, (), lead=lead)
        if not scope.sources and not scope.places:
            message = f"The words are given to “{scope.label}”, which is not in the bundle."
            return blocked(Reason.NOT_FOUND, message)
        rest = [held for held in self.index.sources if held not in scope.sources]

        def quoted(named: Sequence[SourceText] | None) -> Outcome:
            return resolve_quotation(value, named or (), rest, scope.places, lead)

        return _in_parts(mention, scope, quoted)


def _spots(scope: Scope | None) -> tuple[Spot, ...]:
    return () if scope is None else scope.places


def _in_parts(
    mention: Mention, scope: Scope | None, resolve: Callable[[tuple[SourceText, ...] | None], Outcome]
) -> Outcome:
    """A fact or quotation in what its sentence cites; where a transcript is cited by line, in those lines.

    What stands elsewhere in that transcript is misplaced. The message says where.
    """
    if scope is None:
        return resolve(None)
    decided = resolve(scope.parts)
    if decided.is_grounded or scope.parts == scope.sources:
        return decided
    whole = resolve(scope.sources)
    if not whole.is_grounded or not whole.support:
        return whole if not whole.is_grounded else decided
    there = whole.support[0]
    message = f"“{mention.text}” does not stand in the lines cited; it stands at {there.at} of {there.path}."
    return blocked(Reason.MISPLACED, message, nearest=there)
