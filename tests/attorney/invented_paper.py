"""A declaration in an invented case. No person, company, court file or number in it exists."""

from __future__ import annotations

from collections.abc import Iterable

from lexforge.domain.draft import Block, BlockKind, Caption, Draft, Provenance, Section
from lexforge.domain.findings import Finding, GateReport, Reason, Support, Verdict
from lexforge.domain.mentions import MentionKind

CAPTION = Caption(
    court=("UNITED STATES DISTRICT COURT", "FOR THE DISTRICT OF NEW AVALON", "WESTERN DIVISION"),
    parties=("HARLOW PRESS, INC.,", "Plaintiff,", "v.", "NORTHGATE FREIGHT AND LOGISTICS LLC,", "Defendant."),
    case_lines=(
        "Case No. 2:31-cv-00417-QZX",
        "The Honorable Orla Fennimore",
        "Hearing: June 3, 2031, 10:00 a.m., Courtroom 4B",
    ),
    counsel=(
        "Ada Quillfeather (Bar No. 000000)",
        "QUILLFEATHER & MOSS LLP",
        "1 Imaginary Plaza, Suite 9",
        "Port Example, New Avalon 00000",
        "Telephone: (555) 010-0100",
        "ada@quillfeather.example",
        "Attorney for Plaintiff Harlow Press, Inc.",
    ),
    title="DECLARATION OF TOBIAS WREN IN SUPPORT OF PLAINTIFF’S MOTION FOR SUMMARY JUDGMENT",
)

TEXTS: tuple[tuple[str, BlockKind, str], ...] = (
    ("b0", BlockKind.TEXT, "I, Tobias Wren, declare as follows:"),
    ("b1", BlockKind.HEADING, "Background"),
    (
        "b2",
        BlockKind.PARAGRAPH,
        "I am the Operations Manager of Harlow Press, Inc. (“Harlow”). I have personal knowledge of the facts stated "
        "in this declaration and, if called as a witness, could and would testify competently to them.",
    ),
    (
        "b3",
        BlockKind.PARAGRAPH,
        "On April 9, 2031, I received an email from Jonas Pell of Northgate. A true and correct copy is Bates-stamped "
        "HARLOW-000123.",
    ),
    ("b4", BlockKind.HEADING, "The Missed Deliveries"),
    (
        "b5",
        BlockKind.PARAGRAPH,
        "In that email Mr. Pell wrote: “We will not be able to deliver the paper stock before the end of May.” "
        "HARLOW-000124. The contract required delivery by April 30, 2031. Ex. 4 ¶ 7; see also 99 N.A. Code § 1402(b).",
    ),
    (
        "b6",
        BlockKind.PARAGRAPH,
        "Harlow bought replacement stock at a cost of $9,600 on May 12, 2031, as the invoice shows. HARLOW-000131.",
    ),
    ("b7", BlockKind.PARAGRAPH, "Northgate has not paid this sum, although I asked for it twice in writing."),
    (
        "b8",
        BlockKind.OATH,
        "I declare under penalty of perjury under the laws of the United States of America that the foregoing is "
        "true and correct.",
    ),
    (
        "b9",
        BlockKind.SIGNATURE,
        "Executed on ____________, 2031, at ____________.\n\n\n______________________________\nTobias Wren\n"
        "Operations Manager, Harlow Press, Inc.",
    ),
)


def draft_of(texts: Iterable[tuple[str, BlockKind, str]] = TEXTS, caption: Caption = CAPTION) -> Draft:
    """A draft with these (id, kind, text) blocks; a new section begins at each heading."""
    sections: list[list[Block]] = [[]]
    for id_, kind, text in texts:
        if kind is BlockKind.HEADING:
            sections.append([])
        provenance = Provenance(seat="workhorse", identity="ab" * 32, template="cd" * 32)
        block = Block(id=id_, kind=kind, text=text, section=f"s{len(sections)}", provenance=provenance)
        sections[-1].append(block)
    return Draft(
        matter="matter-000",
        document_kind="declaration",
        caption=caption,
        sections=tuple(Section(id=f"s{n}", heading="", blocks=tuple(blocks)) for n, blocks in enumerate(sections)),
        bundle="0f" * 32,
    )


def finding_on(draft: Draft, words: str, reason: Reason = Reason.NOT_FOUND, nearest: Support | None = None) -> Finding:
    """A blocked finding on the first place of `words` in the draft's text."""
    start = draft.text.index(words)
    return Finding(
        start=start,
        end=start + len(words),
        kind=MentionKind.BATES,
        verdict=Verdict.BLOCKED,
        reason=reason,
        message=f"“{words}” was not found in the sealed sources.",
        nearest=nearest,
    )


def report_of(*findings: Finding, passed: bool | None = None) -> GateReport:
    """A gate report; it passed unless there are findings or `passed` says otherwise."""
    return GateReport(
        findings=findings, passed=not findings if passed is None else passed, bundle="0f" * 32, policy="p" * 64
    )
