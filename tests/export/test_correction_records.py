"""The attorney's edits as lines of data."""

from __future__ import annotations

import json

import pytest

from lexforge.domain.corrections import Change, Correction, Operation, edited_spans, edited_text
from lexforge.domain.draft import Block, BlockKind, Caption, Draft, Provenance, Section
from lexforge.domain.findings import Finding, GateReport, Reason, Verdict
from lexforge.domain.mentions import MentionKind
from lexforge.errors import DocumentError
from lexforge.export.corrections import corrections, to_jsonl

TEXTS = {"b1": "The crate left on April 9.", "b2": "It weighed little.", "b3": "See HARLOW-000131."}
PROVENANCE = Provenance(seat="workhorse", identity="ab" * 32, template="cd" * 32, attempt=1)
DRAFT = Draft(
    matter="matter-000",
    document_kind="declaration",
    caption=Caption(court=(), parties=(), case_lines=(), counsel=(), title="DECLARATION"),
    sections=(
        Section(
            id="s1",
            heading="Facts",
            blocks=tuple(
                Block(
                    id=id_,
                    kind=BlockKind.PARAGRAPH,
                    text=text,
                    section="s1",
                    provenance=PROVENANCE,
                    sources=(f"p-{id_}",),
                )
                for id_, text in TEXTS.items()
            ),
        ),
    ),
    bundle="0f" * 32,
)
CHANGES = (
    Change(block="b1", operation=Operation.REPLACE, before=TEXTS["b1"], after="The crate left on April 19."),
    Change(block="b1+1", operation=Operation.INSERT, before=None, after="It was May 2.", follows="b1"),
    Change(block="b2", operation=Operation.DELETE, before=TEXTS["b2"], after=None),
    Change(block="b3", operation=Operation.ACCEPT_UNCHANGED, before=TEXTS["b3"], after=TEXTS["b3"]),
)


def finding(text: str, words: str, verdict: Verdict = Verdict.GROUNDED) -> Finding:
    start = text.index(words)
    return Finding(
        start=start,
        end=start + len(words),
        kind=MentionKind.DATE,
        verdict=verdict,
        reason=Reason.FOUND if verdict is Verdict.GROUNDED else Reason.NOT_FOUND,
        message="tried",
    )


def report(text: str, *words: str) -> GateReport:
    return GateReport(findings=tuple(finding(text, w) for w in words), passed=True, bundle="0f" * 32, policy="")


def made(before: tuple[str, ...] = (), after: tuple[str, ...] = (), train_ok: bool = False) -> tuple[Correction, ...]:
    return corrections(
        "matter-000",
        DRAFT,
        CHANGES,
        report(DRAFT.text, *before),
        report(edited_text(CHANGES), *after),
        document_sha256="e" * 64,
        train_ok=train_ok,
    )


def test_one_record_a_change_with_all_that_led_to_it() -> None:
    records = made()
    assert [(r.block, r.operation, r.before, r.after) for r in records] == [
        (c.block, c.operation, c.before, c.after) for c in CHANGES
    ]
    assert [r.sources for r in records] == [("p-b1",), (), ("p-b2",), ("p-b3",)]
    assert [r.provenance for r in records] == [PROVENANCE, None, PROVENANCE, PROVENANCE]
    assert {r.draft for r in records} == {DRAFT.id}
    assert {r.document_sha256 for r in records} == {"e" * 64}


@pytest.mark.parametrize("train_ok", [False, True])
def test_consent_is_passed_on_and_never_made(train_ok: bool) -> None:
    assert {r.train_ok for r in made(train_ok=train_ok)} == {train_ok}


CUTS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("inside a block", "April 9", [("b1", "April 9")]),
    ("behind the number of another block", "000131", [("b3", "000131")]),
    ("the number is not part of the block", "3. See", [("b3", "See")]),
    ("over two blocks: each keeps its part", "9.\n\n2. It", [("b1", "9."), ("b2", "It")]),
    ("the number alone belongs to no text", "2. ", []),
]


@pytest.mark.parametrize(("why", "words", "expected"), CUTS, ids=[row[0] for row in CUTS])
def test_findings_before_are_cut_to_the_block(why: str, words: str, expected: list[tuple[str, str]]) -> None:
    cut = [(r.block, (r.before or "")[f.start : f.end]) for r in made(before=(words,)) for f in r.findings_before]
    assert cut == expected, why


def test_findings_after_are_cut_to_the_edited_block() -> None:
    records = made(after=("April 19", "May 2", "HARLOW-000131"))
    cut = [(r.block, (r.after or "")[f.start : f.end]) for r in records for f in r.findings_after]
    assert cut == [("b1", "April 19"), ("b1+1", "May 2"), ("b3", "HARLOW-000131")]


def test_edited_spans_slice_to_the_texts() -> None:
    text = edited_text(CHANGES)
    assert [(c.block, text[s:e]) for c, s, e in edited_spans(CHANGES)] == [
        (c.block, c.after) for c in CHANGES if c.after is not None
    ]


def test_reports_on_another_text_are_refused() -> None:
    longer = DRAFT.text + " more"
    for before, after in (
        (report(longer, "more"), report("")),
        (report(""), report(DRAFT.text, "HARLOW-000131")),
    ):
        with pytest.raises(DocumentError, match="another text"):
            corrections("m", DRAFT, CHANGES, before, after, document_sha256="", train_ok=False)


def test_a_block_of_another_draft_is_refused() -> None:
    stranger = Change(block="zz", operation=Operation.DELETE, before="x", after=None)
    with pytest.raises(DocumentError, match="no block zz"):
        corrections("m", DRAFT, (stranger,), report(""), report(""), document_sha256="", train_ok=False)


def test_lines_are_canonical_and_read_back() -> None:
    records = made(before=("April 9",))
    text = to_jsonl(records)
    assert text == to_jsonl(made(before=("April 9",)))
    lines = text.splitlines()
    assert len(lines) == len(records)
    for line, record in zip(lines, records, strict=True):
        keys = list(json.loads(line))
        assert keys == sorted(keys)
        assert Correction.model_validate_json(line) == record


def test_a_line_separator_in_the_text_does_not_end_the_line() -> None:
    record = made()[0].model_copy(update={"after": "one\u2028two\u0085three\nfour"})
    lines = to_jsonl([record]).splitlines()
    assert len(lines) == 1
    assert Correction.model_validate_json(lines[0]) == record


def test_nothing_gives_nothing() -> None:
    assert to_jsonl([]) == ""
