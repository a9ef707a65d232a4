"""Testimony cited by printed page and line: the lines must be there, and say what the sentence says."""

from __future__ import annotations

import pytest

from lexforge.domain.evidence import Bundle, Page, Place, Role, Source
from lexforge.domain.findings import Finding, GateReport, Reason
from lexforge.domain.mentions import MentionKind
from lexforge.gate.check import check
from lexforge.gate.index import SourceText, Stretch
from lexforge.gate.policy import default_policy
from lexforge.gate.resolve.transcript_lines import printed_number

Said = dict[tuple[int, int], str]

LINES = 25
VOLUME_ONE: Said = {
    (31, 25): "A.   I told them that the boiler had never",
    (32, 1): "been inspected by anyone.",
    (34, 10): "Q.   When did the crew leave the boiler room?",
    (34, 12): "A.   They left the boiler room on March 3, 2031,",
    (34, 13): "and nobody went back down that night.",
    (34, 15): "Q.   What did the repair cost?",
    (34, 16): "A.   It cost $4,200.00 in parts.",
    (34, 18): "A.   The pressure gauge was already broken when I",
    (34, 19): "first looked at it.",
    (34, 25): "",
    (35, 3): "A.   I wrote the logbook entry myself.",
    (36, 2): "A.   The inspector came on June 9, 2031.",
    (36, 3): "He asked for $9,900.00 and a clean pump.",
}
VOLUME_TWO: Said = {
    (34, 12): "A.   The spare valve arrived on August 21, 2031.",
    (36, 20): "A.   Nobody ever signed the second certificate.",
}
HEARING: Said = {
    (102, 4): "THE COURT: The motion to compel is granted as of",
    (102, 5): "November 2, 2032, and no later.",
    (103, 9): "MR. DOVE: The bond was $75,000.00, Your Honor.",
}


def printed(number: int, at: int, said: Said, lines: int = LINES) -> Page:
    """Page `at` of the file: its printed number, and so many numbered lines."""
    pieces: list[str] = []
    places: list[Place] = []
    start = 0
    for line in range(1, lines + 1):
        filler = "Q.   Go on, please." if line % 2 else "A.   As I said before."
        text = said.get((number, line), filler)
        places.append(Place(start=start, end=start + len(text), name=f"{number}:{line}"))
        pieces.append(text)
        start += len(text) + 1
    return Page(number=at, text="\n".join(pieces), label=str(number), places=tuple(places))


def source(name: str, *pages: Page, role: Role = Role.EVIDENCE) -> Source:
    return Source(
        id=f"id-{name}", role=role, path=f"evidence/{name}.txt", sha256_file="0" * 64, media_type="text/plain",
        extractor="text", pages=pages,
    )  # fmt: skip


def transcript(name: str, cover: str, numbers: range, said: Said) -> Source:
    pages = (printed(number, at, said) for at, number in enumerate(numbers, start=2))
    return source(name, Page(number=1, text=cover), *pages)


ONE = transcript("finch_1", "DEPOSITION OF ORLA FINCH\nVOLUME I\nTaken on January 15, 2032", range(30, 37), VOLUME_ONE)
TWO = transcript("finch_2", "DEPOSITION OF ORLA FINCH\nVOLUME II\nTaken on January 16, 2032", range(30, 37), VOLUME_TWO)
COURT = transcript("hearing", "TRANSCRIPT OF HEARING\nOctober 5, 2032", range(100, 105), HEARING)
BARE = source("moss", Page(number=1, text="DEPOSITION OF ABEL MOSS\nA. I was there on May 7, 2031.\n" * 9))
GAUGES = source("gauge_readings", Page(number=1, text="Exhibit 12\nRead on May 8, 2031.", label="2031"))
MOTION = source(
    "motion",
    Page(
        number=1,
        text="MOTION OF THE OWNER\n"
        + "The owner asks for leave to answer. " * 12
        + "\nThe inspector came on June 9, 2031 and asked for $9,900.00. Finch Dep. 36:2–3.",
    ),
)
SOURCES = (ONE, TWO, COURT, BARE, GAUGES, MOTION)
BUNDLE = Bundle(sources=SOURCES)


def gate(text: str, bundle: Bundle = BUNDLE) -> GateReport:
    return check(text, bundle, default_policy())


def bundle_without(gone: Source) -> Bundle:
    return Bundle(sources=tuple(one for one in SOURCES if one is not gone))


def marked(words: str) -> tuple[str, str]:
    """The draft, and the words in it that stand between the marks."""
    return words.replace("[[", "").replace("]]", ""), words[words.index("[[") + 2 : words.index("]]")]


STANDS = [
    ("a range on one page", "See Finch Dep. 34:12–18."),
    ("a range over two pages", "See Finch Dep. 34:12–35:3."),
    ("a hyphen that does not break", "See Finch Dep. 34:12‑18."),
    ("a range in words", "See Finch Dep. 34:12 to 35:3."),
    ("several ranges", "See Finch Dep. 31:25–32:1, 34:12-18; 36:2."),
    ("a further range on the same page", "See Finch Dep. 34:12–13, 18–19."),
    ("a whole page beside lines", "See Finch Dep. 34:12, 36."),
    ("a page number shortened", "See Tr. 102:4–3:9."),
    ("no name", "See Dep. Tr. at 34:12."),
    ("the hearing", "See Hr’g Tr. 102:4–9."),
    ("a printed page, although the file has eight", "See Finch Dep. 36."),
    ("a volume in the other kind of figures", "See Finch Dep. vol. 2, 36:20."),
    ("a blank line", "See Finch Dep. 34:25."),
    ("id. at other lines", "See Finch Dep. 34:12. Id. at 36:2–3."),
    ("a day in the lines cited", "The crew left on March 3, 2031. Finch Dep. 34:12–13."),
    ("one line before the cite", "The crew left on March 3, 2031. Finch Dep. 34:13–14."),
    ("one line after the cite", "The repair cost $4,200.00. Finch Dep. 34:14–15."),
    ("facts from two ranges", "The crew left on March 3, 2031, and paid $4,200.00. Finch Dep. 34:12, 34:16."),
    ("words over two pages", "She said “the boiler had never been inspected by anyone.” Finch Dep. 31:25–32:1."),
    ("words that end one line below the cite", "She said the gauge “was already broken when I first looked at it.” "
     "Finch Dep. 34:18."),
    ("the day of the deposition stands on its cover", "On January 15, 2032, Finch said so. Finch Dep. 35:3."),
    ("the lines of the volume named", "It arrived on August 21, 2031. Finch Dep. vol. II, 34:12."),
    ("of two volumes without a number, the one that says it", "It arrived on August 21, 2031. Finch Dep. 34:12."),
    ("a fact at the lines of id.", "See Finch Dep. 34:12. The inspector came on June 9, 2031. Id. at 36:2."),
    ("id. alone has the lines of the id. before it",
     "See Finch Dep. 34:12. See id. at 36:2. The inspector came on June 9, 2031. Id."),
    ("a whole page is cited", "The inspector came on June 9, 2031. Finch Dep. 36."),
    ("another document of the sentence says it",
     "Moss was there on May 7, 2031. Finch Dep. 34:12; Moss Dep. 1:2."),
    ("without numbered lines the old rule holds", "See Moss Dep. 1:4."),
    ("a sheet named like a year has no printed page", "See Ex. 12 at 1."),
]  # fmt: skip

FAULTS = [
    ("a line below the last", "See [[Finch Dep. 34:26]].", Reason.OUT_OF_RANGE, "page 34 ends at line 25"),
    ("the end of a range", "See [[Finch Dep. 34:12–28]].", Reason.OUT_OF_RANGE, "page 34 ends at line 25"),
    ("the second of two ranges", "See [[Finch Dep. 34:12; 36:31]].", Reason.OUT_OF_RANGE, "page 36 ends at line 25"),
    ("no line 0", "See [[Finch Dep. 34:0]].", Reason.OUT_OF_RANGE, "no line 34:0"),
    ("a page after the last", "See [[Finch Dep. 37:2]].", Reason.OUT_OF_RANGE, "from 30 to 36"),
    ("the page of the file is no printed page", "See [[Finch Dep. 5:12]].", Reason.OUT_OF_RANGE, "from 30 to 36"),
    ("without lines neither", "See [[Finch Dep. 5]].", Reason.OUT_OF_RANGE, "from 30 to 36"),
    ("a range that leaves the transcript", "See [[Finch Dep. 36:20–37:2]].", Reason.OUT_OF_RANGE, "no page 37"),
    ("backwards on a page", "See [[Finch Dep. 34:18–12]].", Reason.IMPOSSIBLE, "34:18 to 34:12"),
    ("backwards over pages", "See [[Finch Dep. 35:3–34:12]].", Reason.IMPOSSIBLE, "backwards"),
    ("another hearing page", "See [[Tr. 105:4–9]].", Reason.OUT_OF_RANGE, "from 100 to 104"),
    ("id. beyond the last page", "See Finch Dep. 34:12. [[Id. at 41:3]].", Reason.OUT_OF_RANGE, "from 30 to 36"),
    ("a volume that is not there", "See [[Finch Dep. vol. III, 34:12]].", Reason.NOT_FOUND, "No document"),
    ("a day of other lines", "The inspector came on [[June 9, 2031]]. Finch Dep. 34:12–18.", Reason.MISPLACED, "36:2"),
    ("although a motion cites it rightly beside the day",
     "The inspector came on [[June 9, 2031]]. Finch Dep. vol. 1, 30:1–9.", Reason.MISPLACED, "36:2"),
    ("an amount of other lines", "He asked for [[$9,900.00]]. Finch Dep. 34:12–35:3.", Reason.MISPLACED, "36:3"),
    ("an amount two lines off", "It cost [[$4,200.00]]. Finch Dep. 34:18–19.", Reason.MISPLACED, "34:16"),
    ("words of other lines", "She said [[“I wrote the logbook entry myself.”]] Finch Dep. 34:12.", Reason.MISPLACED,
     "35:3"),
    ("words of the other volume", "She said [[“Nobody ever signed the second certificate.”]] Finch Dep. vol. 1, 36:20.",
     Reason.MISPLACED, "finch_2"),
    ("words changed in the lines cited", "She said [[“I wrote the logbook page myself.”]] Finch Dep. 35:3.",
     Reason.WORDS_CHANGED, "entry"),
    ("a day that stands nowhere", "The crew left on [[March 4, 2031]]. Finch Dep. 34:12.", Reason.NOT_FOUND, "March 3"),
    ("a day of another hearing page", "It was granted as of [[November 2, 2032]]. Tr. 103:4–9.", Reason.MISPLACED,
     "102:5"),
    ("named and cited by line: the lines count", "In Finch Dep. the crew left on [[June 9, 2031]]. Finch Dep. 34:12.",
     Reason.MISPLACED, "36:2"),
    ("id. at other lines than the fact", "See Finch Dep. 36:2. It was on [[June 9, 2031]]. Id. at 34:12.",
     Reason.MISPLACED, "36:2"),
    ("lines that are not there hold no fact", "It was on [[June 9, 2031]]. Finch Dep. 34:40.", Reason.MISPLACED,
     "36:2"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "text"), STANDS, ids=[row[0] for row in STANDS])
def test_what_the_lines_bear_out_stands(why: str, text: str) -> None:
    report = gate(text)
    assert report.passed, [(text[f.start : f.end], f.reason, f.message) for f in report.blocked]


@pytest.mark.parametrize(("why", "words", "reason", "says"), FAULTS, ids=[row[0] for row in FAULTS])
def test_what_the_lines_do_not_bear_out_is_blocked(why: str, words: str, reason: Reason, says: str) -> None:
    text, fault = marked(words)
    hits = _blocked_at(gate(text), text, fault)
    assert [hit.reason for hit in hits] == [reason]
    assert says in hits[0].message


def _blocked_at(report: GateReport, text: str, words: str) -> list[Finding]:
    start = text.index(words)
    return [f for f in report.blocked if f.start < start + len(words) and start < f.end]


@pytest.mark.parametrize("gone", SOURCES, ids=[one.path for one in SOURCES])
@pytest.mark.parametrize("words", [row[1] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_taking_a_document_out_never_clears_a_block(words: str, gone: Source) -> None:
    text, fault = marked(words)
    assert _blocked_at(gate(text, bundle_without(gone)), text, fault)


def test_the_support_of_a_cite_is_the_text_of_its_lines() -> None:
    (finding,) = gate("See Finch Dep. vol. 1, 34:12–13, 36:2.").findings
    first, second = finding.support
    assert (first.page, first.place, second.page, second.place) == (6, "34:12–34:13", 8, "36:2")
    assert first.text == "A.   They left the boiler room on March 3, 2031,\nand nobody went back down that night."


def test_the_support_of_a_range_over_two_pages_is_one_place_a_page() -> None:
    (finding,) = gate("See Finch Dep. vol. 1, 31:25–32:1.").findings
    assert [(place.page, place.place) for place in finding.support] == [(3, "31:25"), (4, "32:1")]


def test_the_support_of_a_fact_is_its_line() -> None:
    text = "The crew left on March 3, 2031. Finch Dep. 34:12–13."
    (day,) = (finding for finding in gate(text).findings if finding.kind is MentionKind.DATE)
    assert [place.place for place in day.support] == ["34:12"]
    assert {place.source for place in day.support} == {ONE.id}


def _excerpt(*pages: Page) -> Bundle:
    return Bundle(sources=(source("finch_excerpt", Page(number=1, text="DEPOSITION OF ORLA FINCH"), *pages),))


EXCERPTS = [
    ("the page printed", "See Finch Dep. 36:2.", None),
    ("a page left out of the excerpt", "See [[Finch Dep. 35:2]].", "from 34 to 37"),
    ("a range over the page left out", "See [[Finch Dep. 34:20–36:2]].", "no page 35"),
    ("the page of the file", "See [[Finch Dep. 2:2]].", "from 34 to 37"),
    ("a page without numbered lines", "See [[Finch Dep. 37:2]].", "lines are not numbered"),
    ("a page without numbered lines, as a page", "See Finch Dep. 37.", None),
    ("the next line is on a page left out", "He asked for [[$9,900.00]]. Finch Dep. 34:25.", "36:1"),
]


@pytest.mark.parametrize(("why", "words", "says"), EXCERPTS, ids=[row[0] for row in EXCERPTS])
def test_an_excerpt_goes_by_its_printed_pages(why: str, words: str, says: str | None) -> None:
    said = {(36, 1): "A.   He asked for $9,900.00 that day."}
    unnumbered = Page(number=4, text="A.   Yes.\nQ.   Thank you.", label="37")
    bundle = _excerpt(printed(34, 2, said), printed(36, 3, said), unnumbered)
    if says is None:
        assert gate(words, bundle).passed
        return
    text, fault = marked(words)
    (hit,) = _blocked_at(gate(text, bundle), text, fault)
    assert says in hit.message


def test_two_transcripts_in_one_file_may_have_the_same_page() -> None:
    first, second = {(34, 2): "A.   On April 1, 2031."}, {(34, 2): "A.   On April 2, 2031."}
    bundle = _excerpt(printed(34, 2, first), printed(35, 3, first), printed(34, 4, second))
    assert gate("It was on April 1, 2031. Finch Dep. 34:2.", bundle).passed
    assert gate("It was on April 2, 2031. Finch Dep. 34:2.", bundle).passed
    assert not gate("It was on April 2, 2031. Finch Dep. 34:20–35:2.", bundle).passed


def test_a_stretch_has_the_places_of_the_whole() -> None:
    whole = SourceText(ONE)
    start = whole.text.index("They left")
    stretch = Stretch(whole, start, start + 60)
    at = stretch.text.index("boiler")
    assert stretch.support(at, at + 6) == whole.support(start + at, start + at + 6)
    assert stretch.full.norms[:2] == ["they", "left"]
    assert stretch.body.norms == stretch.full.norms
    assert stretch.source.id != ONE.id


@pytest.mark.parametrize(
    ("label", "place", "number"),
    [("34", "34:1", 34), (None, None, None), ("xii", None, None), ("2031", "2031!A2:F2", None), ("²", None, None)],
)
def test_a_printed_number_is_no_title_of_a_sheet(label: str | None, place: str | None, number: int | None) -> None:
    places = () if place is None else (Place(start=0, end=1, name=place),)
    assert printed_number(Page(number=1, text="Total", label=label, places=places)) == number
