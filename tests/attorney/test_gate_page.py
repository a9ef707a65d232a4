"""The HTML page of the gate: a function of its arguments, read here as a browser would read it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from lexforge.attorney.gate_page import Paper, gate_page, visible
from lexforge.domain.evidence import Bundle, Fate, FileRecord, Page, Role, Source
from lexforge.domain.findings import Finding, GateReport, Reason, Support, Verdict
from lexforge.domain.mentions import MentionKind

VOID = {"meta", "br", "link", "img", "hr", "input"}
HOSTILE = "<script>alert(1)</script>\"' onload='x' <a href=\"javascript:alert(1)\">&amp;\x1b[31m\u202e\x00"
LETTER = "The weather was fine. Basalt delivered the flour wet and late on May 3, 2021. The sacks were open."
DRAFT = "He wrote “the flour wet and late on May 3, 2021” to us. It was dry."


class Browser(HTMLParser):
    """Collects elements and text, and fails where the elements do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.shown = ""
        self.papers: list[str] = []
        self.in_text = 0
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if ("class", "text") in attrs:
            self.papers.append("")
            self.in_text = len(self.open)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if len(self.open) < self.in_text:
            self.in_text = 0

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.shown += data
        if self.in_text and "a" not in self.open:
            self.papers[-1] += data


def finding(text: str, words: str, reason: Reason = Reason.NOT_FOUND, **more: object) -> Finding:
    verdict = Verdict.GROUNDED if reason in {Reason.FOUND, Reason.ALLOWED} else Verdict.BLOCKED
    start = text.index(words)
    values = {"kind": MentionKind.DATE, "message": f"About {words}.", **more}
    return Finding(start=start, end=start + len(words), verdict=verdict, reason=reason, **values)  # type: ignore[arg-type]


def report_of(*findings: Finding) -> GateReport:
    return GateReport(
        findings=findings, passed=not any(f.is_blocked for f in findings), bundle="b" * 64, policy="c" * 64
    )


def bundle_of(text: str = LETTER, path: str = "evidence/letter.txt", *files: FileRecord) -> Bundle:
    source = Source(
        id="E-1", role=Role.EVIDENCE, path=path, sha256_file="0", media_type="text/plain", extractor="text 1",
        pages=(Page(number=1, text=text),),
    )  # fmt: skip
    return Bundle(sources=(source,), files=files)


def support(words: str, text: str = LETTER, path: str = "evidence/letter.txt", bates: str | None = None) -> Support:
    start = text.index(words)
    return Support(source="E-1", path=path, page=1, start=start, end=start + len(words), text=words, bates=bates)


def page_of(text: str, *findings: Finding, unit: str = "line", bundle: Bundle | None = None) -> str:
    return gate_page(report_of(*findings), Paper("paper.txt", text, unit), bundle or bundle_of(), "strict")


def test_it_stands_alone() -> None:
    page = page_of(DRAFT, finding(DRAFT, "May 3, 2021"))
    seen = Browser(page)
    assert {tag for tag, _ in seen.elements}.isdisjoint({"script", "link", "img", "iframe", "object", "form", "base"})
    assert all((a.get("href") or "#").startswith("#") and "src" not in a for _, a in seen.elements)
    assert "url(" not in page
    assert "@import" not in page
    policies = [a["content"] for _, a in seen.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert ("html", {"lang": "en"}) in seen.elements
    assert all(a.get("scope") for tag, a in seen.elements if tag == "th")


def test_every_link_leads_somewhere() -> None:
    whole = Finding(start=0, end=0, kind=MentionKind.UNCHECKED, verdict=Verdict.BLOCKED, reason=Reason.UNCHECKED,
                    message="The policy has no rules.")  # fmt: skip
    seen = Browser(page_of(DRAFT, whole, finding(DRAFT, "May 3, 2021"), finding(DRAFT, "dry")))
    ids = [a["id"] for _, a in seen.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {(a["href"] or "")[1:] for _, a in seen.elements if "href" in a} <= set(ids)
    assert "the whole paper" in seen.shown


PLACES = [
    ("the draft", lambda: gate_page(report_of(finding(HOSTILE, "alert(1)")), Paper("p", HOSTILE), bundle_of(), "s")),
    ("the marked words", lambda: page_of(HOSTILE, finding(HOSTILE, HOSTILE))),
    ("the file name", lambda: gate_page(report_of(), Paper(HOSTILE, DRAFT), bundle_of(), "strict")),
    ("the policy's name", lambda: gate_page(report_of(), Paper("p", DRAFT), bundle_of(), HOSTILE)),
    ("the message", lambda: page_of(DRAFT, finding(DRAFT, "dry", message=HOSTILE))),
    ("an allowed message", lambda: page_of(DRAFT, finding(DRAFT, "dry", Reason.ALLOWED, message=HOSTILE))),
    ("evidence", lambda: page_of(
        DRAFT, finding(DRAFT, "dry", Reason.FOUND, support=(support(HOSTILE, HOSTILE, HOSTILE, HOSTILE),)),
        bundle=bundle_of(HOSTILE, HOSTILE))),
    ("the words around evidence", lambda: page_of(
        DRAFT, finding(DRAFT, "dry", nearest=support("x", f"x {HOSTILE}")), bundle=bundle_of(f"x {HOSTILE}"))),
    ("a source that could not be read", lambda: page_of(DRAFT, bundle=bundle_of(LETTER, "e", FileRecord(
        path=HOSTILE, role=Role.EVIDENCE, fate=Fate.FAILED, reason="corrupt", detail=HOSTILE)))),
]  # fmt: skip


@pytest.mark.parametrize(("place", "make"), PLACES, ids=[p[0] for p in PLACES])
def test_nothing_from_outside_becomes_markup(place: str, make: object) -> None:
    page = make()  # type: ignore[operator]
    seen = Browser(page)
    assert "script" not in {tag for tag, _ in seen.elements}, place
    assert all(name in {"href", "id", "class", "lang", "charset", "name", "content", "http-equiv", "scope", "data-l"}
               for _, attributes in seen.elements for name in attributes)  # fmt: skip
    assert all((a.get("href") or "#").startswith("#") for _, a in seen.elements)
    assert not any(character in page for character in "\x00\x1b\u202e")
    assert "alert(1)" in seen.shown
    assert "[U+001B]" in seen.shown


OVERLAPS = [
    (
        [("“the flour wet and late on May 3, 2021”", Reason.FOUND), ("May 3, 2021", Reason.FOUND)],
        "a date in a quotation",
    ),
    ([("“the flour wet and late on May 3, 2021”", Reason.FOUND), ("May 3, 2021", Reason.NOT_FOUND)], "blocked inside"),
    ([("wet and late on May", Reason.FOUND), ("May 3, 2021” to us", Reason.NOT_FOUND)], "crossing"),
    ([("dry", Reason.FOUND), ("dry", Reason.NOT_FOUND)], "the same words twice"),
    ([(DRAFT, Reason.FOUND), ("He", Reason.NOT_FOUND), ("dry.", Reason.NOT_FOUND)], "the whole paper, and both ends"),
]


@pytest.mark.parametrize(("marks", "reason"), OVERLAPS, ids=[o[1] for o in OVERLAPS])
def test_overlapping_mentions_nest_and_lose_no_word(marks: list[tuple[str, Reason]], reason: str) -> None:
    page = page_of(DRAFT, *(finding(DRAFT, words, why) for words, why in marks))
    seen = Browser(page)
    assert "".join(seen.papers) == DRAFT, reason
    labels = [a for _, a in seen.elements if (a.get("class") or "").startswith("tag")]
    assert len(labels) == len(marks)
    if any(why is Reason.NOT_FOUND for _, why in marks):
        assert '<mark class="blocked">' in page
        assert "BLOCKED: not found" in seen.shown


def test_blocked_wins_where_mentions_overlap() -> None:
    page = page_of(DRAFT, finding(DRAFT, "wet and late", Reason.FOUND), finding(DRAFT, "late"))
    assert '<mark class="grounded">wet and </mark>' in page
    assert '<mark class="blocked">late</mark>' in page


def test_source_line_holds_the_sentence() -> None:
    found = finding(DRAFT, "May 3, 2021", Reason.FOUND, support=(support("May 3, 2021", bates="BASALT-000017"),))
    shown = " ".join(Browser(page_of(DRAFT, found)).shown.split())
    assert (
        "evidence/letter.txt, page 1, BASALT-000017: Basalt delivered the flour wet and late on May 3, 2021." in shown
    )
    assert "The weather" not in shown
    assert "The sacks" not in shown


def test_a_long_sentence_is_cut_between_words() -> None:
    text = "alpha " * 60 + "target" + " omega" * 60
    shown = Browser(
        page_of("target", finding("target", "target", nearest=support("target", text)), bundle=bundle_of(text))
    )
    assert "… alpha alpha" in shown.shown
    assert "omega omega …" in shown.shown
    assert set(shown.shown.split("… alpha")[1].split(" …")[0].split()) == {"alpha", "target", "omega"}


def test_flags_come_before_the_paper_and_carry_the_nearest() -> None:
    page = page_of(DRAFT, finding(DRAFT, "dry", Reason.WORDS_CHANGED, nearest=support("wet")))
    flags, paper = page.split('id="paper"')
    assert "BLOCKED: words changed" in flags
    assert '<a href="#m1">line 1</a>' in flags
    assert "<strong>wet</strong> and late" in flags
    assert "<strong>wet</strong> and late" in paper


def test_what_was_let_through_is_told_once_for_each_reason() -> None:
    said = "Warning only by the policy “p” (the expert proves it): nothing."
    page = page_of(
        DRAFT, finding(DRAFT, "wet", Reason.ALLOWED, message=said), finding(DRAFT, "dry", Reason.ALLOWED, message=said)
    )
    assert page.split('id="paper"')[0].count(said) == 1
    assert "2 allowed without proof" in page
    assert "PASSED" in page


def test_it_says_what_it_rests_on_and_what_was_not_checked() -> None:
    shown = Browser(page_of(DRAFT, finding(DRAFT, "dry"))).shown
    assert all(words in shown for words in ("b" * 64, "c" * 64, "strict", "good law", "paper.txt"))


def test_the_same_report_gives_the_same_page() -> None:
    assert page_of(DRAFT, finding(DRAFT, "dry")) == page_of(DRAFT, finding(DRAFT, "dry"))


CUTS = [
    ("One.\n\nTwo May\n\n3 goes on.\n\nFour.", "May\n\n3", 3, "no row ends inside a mention"),
    ("One.\n\nTwo.\fThree May 3.", "May 3", 3, "a page ends a row"),
    (("word " * 30 + "\n") * 40 + "May 3", "May 3", 9, "a page without blank lines is cut at line ends"),
]


@pytest.mark.parametrize(("text", "words", "rows", "reason"), CUTS, ids=[c[3] for c in CUTS])
def test_rows(text: str, words: str, rows: int, reason: str) -> None:
    seen = Browser(page_of(text, finding(text, words)))
    assert len(seen.papers) == rows, reason
    assert "".join("".join(seen.papers).split()) == "".join(text.split())


def test_pages_are_named() -> None:
    shown = Browser(page_of("One.\n\nTwo.\fThree.", unit="page")).shown
    assert shown.count("Page 1") == 1
    assert shown.count("Page 2") == 1


WHERE = [
    ("line", "a\nb May", None, "line 2", "plain text counts lines"),
    ("line", "May", None, "line 1", "the first line"),
    ("line", "a\n\nMay", None, "line 3", "an empty line is a line"),
    ("page", "a\fMay", 2, "page 2", "a PDF says its page"),
    ("paragraph", "a\n\nMay", 2, "paragraph 2", "a Word file its paragraph"),
]


@pytest.mark.parametrize(("unit", "text", "place", "says", "reason"), WHERE, ids=[w[4] for w in WHERE])
def test_where(unit: str, text: str, place: int | None, says: str, reason: str) -> None:
    assert Paper("p", text, unit).where(finding(text, "May", place=place)) == says, reason


def test_visible() -> None:
    assert visible("a\tb\nc é “§” 中") == "a\tb\nc é “§” 中"
    assert visible("\x1b]0;x\x07\ud800\u200b") == "[U+001B]]0;x[U+0007][U+D800][U+200B]"
