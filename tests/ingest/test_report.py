"""The page on the sources stands alone, lists every file, and lets nothing of a file act in a browser."""

from __future__ import annotations

import re

from lexforge.domain.draft import OWN_MARK_PATTERN
from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice, Page, Role, Source, StampOrigin
from lexforge.ingest import report

HOSTILE = '<img src="http://x.example/a.png" onerror="alert(1)">.pdf'


def bundle() -> Bundle:
    page = Page(number=1, text="Words.", bates=("ACME-000101",), stamped_by=StampOrigin.LOAD_FILE)
    source = Source(
        id="E-1", role=Role.EVIDENCE, path="evidence/a.pdf", sha256_file="1", media_type="application/pdf",
        extractor="pdfium 1", pages=(page,),
    )  # fmt: skip

    def file(path: str, fate: Fate, reason: str, detail: str = "") -> FileRecord:
        return FileRecord(path=f"evidence/{path}", role=Role.EVIDENCE, fate=fate, reason=reason, detail=detail)

    return Bundle(
        sources=(source,),
        files=(
            file("a.pdf", Fate.INGESTED, "read"),
            file("b.pdf", Fate.DUPLICATE, "same_bytes", "b.pdf is byte for byte the same as evidence/a.pdf."),
            file("c.docx", Fate.QUARANTINED, "own_output_marked", "c.docx is ours. Move it away."),
            file(HOSTILE, Fate.FAILED, "corrupt", f"{HOSTILE} is not sound. Obtain it again."),
        ),
        notices=(
            Notice(path="evidence/a.pdf", code="hidden_covered", message="Text is hidden here.", page=3),
            Notice(path="evidence/load.dat", code="load_unclosed", message="A field is not closed.", line=17),
            Notice(path="evidence/a.pdf", code="near", message="a.pdf is nearly the same as d.pdf (91%)."),
        ),
    )


def test_every_file_is_listed_with_its_fate_and_the_bad_ones_come_first() -> None:
    page = report.page("smith-v-jones", bundle())
    first, every = page.split('id="all"')
    for name in ("a.pdf", "b.pdf", "c.docx"):
        assert f"evidence/{name}" in every
    assert "c.docx is ours. Move it away." in first
    assert "4 files: 1 ingested, 1 duplicate, 1 quarantined, 1 failed." in first
    assert "ACME-000101 (from load file)" in every


def test_notices_stand_in_groups_with_their_place() -> None:
    page = report.page("m", bundle(), [Notice(path="evidence/z.txt", code="vanished", message="It is gone.")])
    titles = re.findall(r"<h2[^>]*>([^<]+) \(", page)
    assert titles == [
        "To look at first",
        "Gone or moved since an earlier bundle",
        "Text that nobody can see",
        "Load files and what they list",
        "Copies: one of each group reaches prompts, all can be cited",
        "Every file",
    ]
    assert "page 3" in page
    assert "line 17" in page


def test_nothing_of_a_file_acts_in_the_page_and_nothing_is_fetched() -> None:
    page = report.page("m", bundle())
    assert "<img" not in page
    assert "&lt;img" in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert "default-src 'none'" in page


def test_the_page_is_marked_as_ours() -> None:
    assert OWN_MARK_PATTERN.search(report.page("m", bundle()))
