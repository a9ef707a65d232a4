"""What stands in the file that `write_docx` writes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest

from lexforge.attorney.docx import write_docx
from lexforge.attorney.docx.write import GATE_PASSED, STYLES, clearance
from lexforge.domain.draft import OWN_MARK, BlockKind
from lexforge.domain.findings import GateReport, Reason, Support, Verdict
from lexforge.errors import DocumentError
from tests.attorney.invented_paper import CAPTION, TEXTS, draft_of, finding_on, report_of
from tests.attorney.raw_word import W, part

NS = {"w": W}
NEAR = Support(
    source="s1", path="evidence/pell.pdf", page=2, start=0, end=13, text="HARLOW-000132", bates="HARLOW-000132"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "draft.docx"


def marked(path: Path) -> list[str]:
    """The runs in the style of a blocked mention, neighbours joined, in document order."""
    found = []
    for paragraph in docx.Document(str(path)).paragraphs:
        previous = False
        for run in paragraph.runs:
            is_marked = run.style.name == "Blocked Mention"
            if is_marked and previous:
                found[-1] += run.text
            elif is_marked:
                found.append(run.text)
            previous = is_marked or (previous and not run.text)  # a comment reference has no text
    return found


def test_each_kind_has_its_style_and_only_paragraphs_are_numbered(path: Path) -> None:
    write_docx(draft_of(), report_of(), path)
    body = docx.Document(str(path)).paragraphs[-len(TEXTS) :]
    for (id_, kind, text), paragraph in zip(TEXTS, body, strict=True):
        assert paragraph.style.name == STYLES[kind], id_
        assert paragraph.text == text, "the number is Word's, not part of the text"
        numbers = paragraph._p.xpath("./w:pPr/w:numPr/w:numId/@w:val")
        assert numbers == (["1"] if kind is BlockKind.PARAGRAPH else []), "one list, so that numbers run on"


def test_every_paragraph_is_held_by_one_bookmark_of_ours(path: Path) -> None:
    write_docx(draft_of(), report_of(finding_on(draft_of(), "HARLOW-000131")), path)
    root = part(path)
    for paragraph in root.iterfind(".//w:p", NS):
        names = paragraph.xpath("./w:bookmarkStart/@w:name", namespaces=NS)
        assert len(names) == 1
        assert names[0].startswith("lf_")
    names = root.xpath("//w:bookmarkStart/@w:name", namespaces=NS)
    assert [name for name in names if "fixed" not in name] == [f"lf_{id_}" for id_, _, _ in TEXTS]
    starts = root.xpath("//w:bookmarkStart/@w:id", namespaces=NS)
    assert len(set(starts)) == len(starts)
    assert sorted(starts) == sorted(root.xpath("//w:bookmarkEnd/@w:id", namespaces=NS))


def test_page_and_caption(path: Path) -> None:
    write_docx(draft_of(), report_of(), path)
    document = docx.Document(str(path))
    section = document.sections[0]
    assert (section.page_width.inches, section.page_height.inches) == (8.5, 11)
    assert {section.left_margin.inches, section.right_margin.inches, section.top_margin.inches} == {1}
    left, rule, right = document.tables[0].rows[0].cells
    assert [p.text for p in left.paragraphs] == list(CAPTION.parties)
    assert [p.text for p in right.paragraphs] == list(CAPTION.case_lines)
    assert set(rule.text) == {")", "\n"}
    shown = [p.text for p in document.paragraphs]
    assert shown[: len(CAPTION.counsel)] == list(CAPTION.counsel)
    assert CAPTION.title in shown
    assert section.footer.paragraphs[-1].text == CAPTION.title
    assert section.footer._element.xpath(".//w:fldSimple/@w:instr") == ["PAGE"]


def test_an_empty_caption_leaves_the_title(path: Path) -> None:
    bare = CAPTION.model_copy(update={"court": (), "parties": (), "case_lines": (), "counsel": ()})
    write_docx(draft_of(caption=bare), report_of(), path)
    document = docx.Document(str(path))
    assert not document.tables
    assert document.paragraphs[0].text == CAPTION.title


BLOCKED: list[tuple[str, tuple[str, ...], list[str]]] = [
    ("inside a paragraph", ("HARLOW-000131",), ["HARLOW-000131"]),
    ("at the start of a paragraph, behind its number", ("On April 9, 2031",), ["On April 9, 2031"]),
    ("with the number in the span: only text can be marked", ("2. On April 9",), ["On April 9"]),
    ("at the end of a block", ("in writing.",), ["in writing."]),
    ("two in one paragraph", ("HARLOW-000124", "¶ 7"), ["HARLOW-000124", "¶ 7"]),
    ("overlapping: the union is marked", ("April 30, 2031. Ex. 4", "Ex. 4 ¶ 7"), ["April 30, 2031. Ex. 4 ¶ 7"]),
    (
        "across two blocks: each keeps its part",
        ("Background\n\n1. I am the",),
        ["Background", "I am the"],
    ),
    ("the number alone: the whole block, never nothing", ("5. ",), [TEXTS[7][2]]),
    ("over a line break of the signature block", ("Wren\nOperations",), ["Wren\nOperations"]),
]


@pytest.mark.parametrize(("why", "words", "expected"), BLOCKED, ids=[case[0] for case in BLOCKED])
def test_blocked_spans_are_marked_exactly(path: Path, why: str, words: tuple[str, ...], expected: list[str]) -> None:
    draft = draft_of()
    write_docx(draft, report_of(*(finding_on(draft, w) for w in words)), path)
    assert marked(path) == expected, why
    highlighted = part(path).xpath("//w:r[w:rPr/w:highlight]", namespaces=NS)
    assert len(highlighted) == len(part(path).xpath("//w:r[w:rPr/w:rStyle/@w:val='BlockedMention']", namespaces=NS))


def test_a_comment_says_why_and_what_was_closest(path: Path) -> None:
    draft = draft_of()
    write_docx(draft, report_of(finding_on(draft, "HARLOW-000131", Reason.NOT_FOUND, NEAR)), path)
    comments = list(docx.Document(str(path)).comments)
    assert [comment.author for comment in comments] == ["LexForge gate"]
    text = comments[0].text
    assert text.startswith("BLOCKED (not found): “HARLOW-000131” was not found")
    assert "“HARLOW-000132” (evidence/pell.pdf, page 2, HARLOW-000132)" in text


def test_a_grounded_finding_is_not_marked(path: Path) -> None:
    draft = draft_of()
    verdict = {"verdict": Verdict.GROUNDED, "reason": Reason.FOUND}
    write_docx(draft, report_of(ONE.model_copy(update=verdict), passed=True), path)
    assert marked(path) == []
    assert not list(docx.Document(str(path)).comments)


ONE, TWO = finding_on(draft_of(), "HARLOW-000131"), finding_on(draft_of(), "HARLOW-000124")
HEADERS: list[tuple[str, GateReport, str]] = [
    ("nothing stands in the way", report_of(), GATE_PASSED),
    ("one is not many", report_of(ONE), "NOT CLEARED – 1 mention blocked"),
    ("two", report_of(ONE, TWO), "NOT CLEARED – 2 mentions blocked"),
    ("an empty bundle never passes", report_of(passed=False), "NOT CLEARED – the gate did not pass this draft"),
    ("a report that contradicts itself", report_of(ONE, passed=True), "NOT CLEARED – 1 mention blocked"),
]


@pytest.mark.parametrize(("why", "report", "expected"), HEADERS, ids=[case[0] for case in HEADERS])
def test_header(path: Path, why: str, report: GateReport, expected: str) -> None:
    write_docx(draft_of(), report, path)
    assert docx.Document(str(path)).sections[0].header.paragraphs[0].text == expected == clearance(report), why


def test_the_cleared_header_does_not_promise_good_law() -> None:
    assert "good law was not checked" in GATE_PASSED


def test_properties_carry_the_mark(path: Path) -> None:
    draft = draft_of()
    write_docx(draft, report_of(), path)
    properties = docx.Document(str(path)).core_properties
    assert properties.keywords == f"{OWN_MARK}:{draft.id}"
    assert (properties.identifier, properties.author) == (draft.id, "LexForge")


def test_same_draft_same_bytes(path: Path, tmp_path: Path) -> None:
    draft = draft_of()
    report = report_of(finding_on(draft, "HARLOW-000131"))
    write_docx(draft, report, path)
    write_docx(draft_of(), report, tmp_path / "again.docx")
    assert path.read_bytes() == (tmp_path / "again.docx").read_bytes()
    write_docx(draft, report, tmp_path / "later.docx", stamp=datetime(2031, 6, 1, tzinfo=UTC))
    assert path.read_bytes() != (tmp_path / "later.docx").read_bytes()


UNWRITABLE: list[tuple[str, str, str, GateReport, str]] = [
    ("XML has no place for NUL", "b1", "a\x00b", report_of(), "U\\+0000"),
    ("a form feed comes from a damaged PDF text", "b1", "page\x0c2", report_of(), "U\\+000C"),
    ("Word would cut the name", "b" * 38, "text", report_of(), "bookmarks"),
    ("a hyphen cannot stand in a bookmark", "b-1", "text", report_of(), "bookmarks"),
    ("would be taken for the caption", "fixed_1", "text", report_of(), "bookmarks"),
    ("the report is on a longer text", "b1", "text", report_of(ONE), "does not fit"),
]


@pytest.mark.parametrize(("why", "id_", "text", "report", "message"), UNWRITABLE, ids=[case[0] for case in UNWRITABLE])
def test_refused(path: Path, *, why: str, id_: str, text: str, report: GateReport, message: str) -> None:
    draft = draft_of([(id_, BlockKind.TEXT, text)])
    with pytest.raises(DocumentError, match=message) as caught:
        write_docx(draft, report, path)
    assert caught.value.advice, why
    assert not path.exists()


def test_ids_that_differ_only_in_case_are_refused(path: Path) -> None:
    draft = draft_of([("b1", BlockKind.TEXT, "one"), ("B1", BlockKind.TEXT, "two")])
    with pytest.raises(DocumentError, match="two are alike"):
        write_docx(draft, report_of(), path)


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "draft.docx"
    target.mkdir()
    (target / "kept").write_text("kept")
    with pytest.raises(DocumentError, match=r"draft\.docx could not be written"):
        write_docx(draft_of(), report_of(), target)
    with pytest.raises(DocumentError, match="folder exists"):
        write_docx(draft_of(), report_of(), tmp_path / "missing" / "draft.docx")
    assert [p.name for p in tmp_path.iterdir()] == ["draft.docx"], "no temporary file is left behind"
