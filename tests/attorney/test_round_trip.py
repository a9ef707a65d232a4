"""What is written is read back: through nothing, and through LibreOffice."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexforge.attorney.docx import write_docx
from lexforge.attorney.edits import align
from lexforge.domain.corrections import Operation
from lexforge.domain.draft import BlockKind
from lexforge.domain.findings import Finding, Reason, Verdict
from lexforge.domain.mentions import MentionKind
from lexforge.ingest.office.edited import is_own_output, read_docx
from tests.attorney.invented_paper import draft_of, finding_on, report_of

PRINTABLE = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"),
        st.sampled_from("\n\t “”‘’\"'¶§éüß–—…<&>]\u00a0"),
    ),
    max_size=60,
)
BLOCKS = st.lists(st.tuples(st.sampled_from(list(BlockKind)), PRINTABLE), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(blocks=BLOCKS, data=st.data())
def test_written_text_is_read_text(blocks: list[tuple[BlockKind, str]], data: st.DataObject) -> None:
    draft = draft_of((f"b{n}", kind, text) for n, (kind, text) in enumerate(blocks))
    length = len(draft.text)
    findings = []
    for start, end in data.draw(st.lists(st.tuples(st.integers(0, length), st.integers(0, length)), max_size=4)):
        findings.append(
            Finding(
                start=min(start, end),
                end=max(start, end),
                kind=MentionKind.DATE,
                verdict=Verdict.BLOCKED,
                reason=Reason.NOT_FOUND,
                message="\x00 is nowhere in the sealed sources",
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draft.docx"
        write_docx(draft, report_of(*findings), path)
        edited = read_docx(path)
        assert is_own_output(path) == draft.id
    read = {block.bookmark: block.text for block in edited.blocks}
    assert [read[block.id] for block in draft.blocks] == [block.text for block in draft.blocks]
    assert {c.operation for c in align(draft, edited)} == {Operation.ACCEPT_UNCHANGED}


SOFFICE = shutil.which("soffice")


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed on this machine")
def test_libreoffice_saves_it_and_nothing_has_changed(tmp_path: Path) -> None:
    draft = draft_of()
    path = tmp_path / "draft.docx"
    write_docx(draft, report_of(finding_on(draft, "HARLOW-000131"), finding_on(draft, "99 N.A. Code § 1402(b)")), path)
    subprocess.run(
        [
            str(SOFFICE),
            f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            "docx:MS Word 2007 XML",
            "--outdir",
            str(tmp_path / "saved"),
            str(path),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    saved = tmp_path / "saved" / "draft.docx"
    assert saved.read_bytes() != path.read_bytes()
    assert is_own_output(saved) == draft.id
    changes = align(draft, read_docx(saved))
    assert [c.block for c in changes] == [block.id for block in draft.blocks]
    assert {c.operation for c in changes} == {Operation.ACCEPT_UNCHANGED}
    assert [c.after for c in changes] == [block.text for block in draft.blocks]
