"""What we wrote comes back by many ways, and none of its words becomes evidence; what others wrote always does."""

from __future__ import annotations

import io
import os
import random
import textwrap
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from graphs import drafting
from graphs.steps import Steps
from lexforge.domain.evidence import Bundle, Fate, Page, Passage, Role, Source
from lexforge.domain.matter import DateOrder
from lexforge.draft.slots import SlotTables
from lexforge.errors import BundleError
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.ingest.bundle import ingest
from lexforge.ingest.fingerprint import novel, shingles
from lexforge.ingest.listing import FOLDERS, listing
from lexforge.ingest.own_output import Hits, refuse_ours, set_apart
from lexforge.llm.seats import Seats
from lexforge.plan import outline
from lexforge.store import database
from lexforge.store.folder import Matter

VOCABULARY = [f"{a}{b}{c}" for a in ("gra", "to", "bel", "su", "min") for b in "rlnt" for c in ("is", "a", "ock", "en")]
GENUINE = """\
Notes of the custodian on the storage of the press room files. The cabinet by the north wall holds the service cards of
two years, and the key is kept at the front desk. Nobody removed anything while the auditors were here."""


def prose(seed: int, count: int) -> str:
    """Words that nobody has written before, in paragraphs."""
    drawn = random.Random(seed)  # noqa: S311
    words = [drawn.choice(VOCABULARY) for _ in range(count)]
    return "\n\n".join(" ".join(words[n : n + 60]).capitalize() + "." for n in range(0, count, 60))


def edited(text: str, share: float) -> str:
    drawn = random.Random(7)  # noqa: S311
    return "\n\n".join(
        " ".join(drawn.choice(VOCABULARY) if drawn.random() < share else word for word in block.split())
        for block in text.split("\n\n")
    )


def pdf(*texts: str) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    for text in texts:
        lines = [line for block in text.split("\n\n") for line in [*textwrap.wrap(block, 95), ""]]
        for first in range(0, len(lines), 48):
            for n, line in enumerate(lines[first : first + 48]):
                canvas.drawString(40, 780 - 15 * n, line)
            canvas.showPage()
    canvas.save()
    return target.getvalue()


def word(text: str) -> bytes:
    target, document = io.BytesIO(), docx.Document()
    for block in text.split("\n\n"):
        document.add_paragraph(block)
    document.save(target)
    return target.getvalue()


def mail(*blocks: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Osric Pellwater <o@castellan.example>", "Perpetua Lanthorne <p@castellan.example>"
    message["Date"], message["Subject"] = "Mon, 06 Dec 2021 10:00:00 +0000", "What they say"
    message.set_content("\n\n".join(textwrap.fill(block, 72) for block in blocks))
    return message.as_bytes()


@pytest.fixture
def drafted(demo: Path, seats: Seats) -> tuple[Path, str]:
    """The demo, drafted, and its text without any mark."""
    (demo / "evidence" / "Motion draft v1.docx").unlink()
    with database.opened(demo / "work") as db:
        packet, _ = drafting.run(Steps(Matter(demo), db, seats))
    text = (packet.folder(demo / "work") / "draft.txt").read_text(encoding="utf-8")
    return demo, text.split("\n\n[lexforge-own-output")[0]


def sealed(matter: Path) -> Bundle:
    with database.opened(matter / "work") as db:
        return Steps(Matter(matter), db, {}).ingest(listing(matter))


def long_production() -> list[str]:
    return [prose(n, 420) for n in range(12)]


RETURNED: dict[str, Callable[[str], bytes]] = {
    "word.docx": word,
    "plain.txt": str.encode,
    "printed.pdf": pdf,
    "a fifth edited.txt": lambda text: edited(text, 0.2).encode(),
    "a fifth edited.docx": lambda text: word(edited(text, 0.2)),
    "ocr.pdf": lambda text: pdf(edited(text, 0.05)),
    "merged.pdf": lambda text: pdf(*long_production()[:6], text, *long_production()[6:]),
    "merged.txt": lambda text: "\n\n".join([*long_production()[:6], text, *long_production()[6:]]).encode(),
    "merged.docx": lambda text: word("\n\n".join([*long_production()[:6], text, *long_production()[6:]])),
    "shouted.md": lambda text: text.upper().replace("'", "’").encode("utf-16"),
}


def test_our_words_never_come_back_as_evidence(drafted: tuple[Path, str]) -> None:
    matter, text = drafted
    before = sealed(matter)
    for name, make in RETURNED.items():
        (matter / "evidence" / name).write_bytes(make(text))
    bundle = sealed(matter)
    fates = {f.path: (f.fate, f.reason) for f in bundle.files}
    assert {name: fates[f"evidence/{name}"] for name in RETURNED} == dict.fromkeys(
        RETURNED, (Fate.QUARANTINED, "own_output_text")
    )
    assert bundle.sources == before.sources, "and nothing else has changed"
    assert all("was new in" in f.detail or "were new in" in f.detail for f in bundle.own_output)
    assert bundle.own_output_words > bundle.own_output_share > 0.3


def test_marked_files_and_known_files_are_told_as_such(drafted: tuple[Path, str]) -> None:
    matter, _ = drafted
    run = matter / "work" / "runs" / "1"
    for name in ("draft.docx", "gate.json"):
        (matter / "evidence" / name).write_bytes((run / name).read_bytes())
    reasons = {f.path: f.reason for f in sealed(matter).own_output}
    assert reasons == {"evidence/draft.docx": "own_output_marked", "evidence/gate.json": "own_output_known"}


def test_a_draft_of_one_matter_is_known_in_every_other(drafted: tuple[Path, str], matter: Path) -> None:
    demo, text = drafted
    (matter / "evidence" / "brief.txt").write_text(text, encoding="utf-8")
    (matter / "evidence" / "gate.txt").write_bytes((demo / "work" / "runs" / "1" / "gate.json").read_bytes())
    reasons = {f.path: f.reason for f in sealed(matter).own_output}
    assert reasons == {"evidence/brief.txt": "own_output_text", "evidence/gate.txt": "own_output_known"}


def paragraphs(text: str) -> list[str]:
    return [block for block in text.split("\n\n") if block[:1].isdigit()]


def test_a_pasted_paragraph_is_marked_and_the_mail_stays(drafted: tuple[Path, str]) -> None:
    matter, text = drafted
    ours = paragraphs(text)
    assert len(ours) >= 10
    for n, paragraph in enumerate(ours):
        data = mail(f"Perpetua, this is number {n}.", prose(900 + n, 50), paragraph, GENUINE, f"Osric, again {n}")
        (matter / "evidence" / f"mail{n}.eml").write_bytes(data)
    bundle = sealed(matter)
    assert bundle.own_output == ()
    for n, paragraph in enumerate(ours):
        source = next(s for s in bundle.sources if s.name == f"mail{n}.eml")
        derived = [" ".join(p.text.split()) for p in source.passages if p.derived_from]
        assert derived == [" ".join(paragraph.split())]
        assert "key is kept at the front desk" in source.pages[0].proving
        assert source.correspondence is not None
    assert 0 < bundle.own_output_words < 0.5


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2])
def test_a_whole_draft_in_a_mail_proves_that_it_was_sent_and_no_more(share: float, drafted: tuple[Path, str]) -> None:
    matter, text = drafted
    ours = edited(text, share) if share else text
    data = mail("Perpetua, read this.", *ours.split("\n\n"), "Osric")
    (matter / "evidence" / "sent.eml").write_bytes(data)
    source = next(s for s in sealed(matter).sources if s.name == "sent.eml")
    left = " ".join(source.pages[0].proving.split())
    assert "Perpetua, read this." in left
    assert not [block for block in paragraphs(ours) if " ".join(block.split()) in left]


def test_nothing_can_be_grounded_by_a_pasted_passage() -> None:
    page_text = "From: A B\n\nThe rollers were delivered on May 3, 2021 for $4,712.50, as “nobody ever doubted before”."
    start = page_text.index("The")
    page = Page(
        number=1,
        text=page_text,
        passages=(
            Passage(
                id="E-1:p1:¶2", page=1, start=start, end=len(page_text), text=page_text[start:], derived_from="d" * 16
            ),
        ),
    )
    source = Source(
        id="E-1", role=Role.EVIDENCE, path="evidence/a.txt", sha256_file="1" * 64, media_type="text/plain",
        extractor="text 1", pages=(page,),
    )  # fmt: skip
    claim = "The rollers were delivered on May 3, 2021 for $4,712.50, as “nobody ever doubted before”."
    genuine = page.model_copy(update={"passages": ()})
    for pages, passed in (((genuine,), True), ((page,), False)):
        report = check(claim, Bundle(sources=(source.model_copy(update={"pages": pages}),)), default_policy())
        assert report.passed is passed
        assert len(report.blocked) == (0 if passed else 3)
    assert list(source.proving_passages) == []
    with pytest.raises(BundleError, match="prove nothing"):
        SlotTables(Bundle(sources=(source,)), DateOrder.MONTH_FIRST).table("E-1:p1:¶2", "The rollers were delivered.")
    assert list(outline.offered((source,))) == []


def test_genuine_files_are_never_set_aside(demo: Path, seats: Seats) -> None:
    """Three hundred and more files; a draft quotes many of them whole."""
    (demo / "evidence" / "Motion draft v1.docx").unlink()
    quoted = [prose(5000 + n, 40) for n in range(60)]
    for n in range(320):
        text = quoted[n] if n < 60 else prose(n, 80 + n)
        maker = (str.encode, word, mail)[n % 3] if n >= 60 else str.encode
        (demo / "evidence" / f"genuine{n}.{('txt', 'docx', 'eml')[n % 3] if n >= 60 else 'txt'}").write_bytes(
            maker(text)
        )
    facts = "\n".join(f"- The file says “{' '.join(text.split())}” and so it was." for text in quoted)
    (demo / "intake.md").write_text(f"# Intake\n\n## Facts\n\n{facts}\n", encoding="utf-8")
    with database.opened(demo / "work") as db:
        drafting.run(Steps(Matter(demo), db, seats))
    bundle = sealed(demo)
    assert bundle.own_output == ()
    assert len(bundle.with_fate(Fate.INGESTED)) >= 320
    assert not any(p.derived_from for s in bundle.sources for p in s.passages)


texts = st.lists(st.sampled_from(VOCABULARY), min_size=5, max_size=300).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(sources=st.lists(texts, min_size=1, max_size=4), own=texts, drawn=st.randoms(use_true_random=False))
def test_the_sources_of_a_draft_are_never_flagged(sources: list[str], own: str, drawn: random.Random) -> None:
    pieces = [own, *sources, *(s[: len(s) // 2] for s in sources)]
    drawn.shuffle(pieces)
    prints = novel("\n".join(pieces), sources)
    for text in sources:
        assert not shingles(text) & prints
    bundle = Bundle(sources=tuple(_source(n, text) for n, text in enumerate(sources)))
    assert set_apart(bundle, Hits(prints=dict.fromkeys(prints, "d"))) == bundle


def _source(number: int, text: str) -> Source:
    passage = Passage(id=f"E-{number}:p1:¶1", page=1, start=0, end=len(text), text=text)
    return Source(
        id=f"E-{number}", role=Role.EVIDENCE, path=f"evidence/{number}.txt", sha256_file=str(number) * 64,
        media_type="text/plain", extractor="text 1", pages=(Page(number=1, text=text, passages=(passage,)),),
    )  # fmt: skip


def test_a_court_may_quote_us_at_length(drafted: tuple[Path, str]) -> None:
    matter, text = drafted
    opinion = "\n\n".join([prose(1, 900), paragraphs(text)[1], prose(2, 900)])
    (matter / "authorities" / "opinion.txt").write_text(opinion, encoding="utf-8")
    (matter / "authorities" / "draft.txt").write_text(text, encoding="utf-8")
    bundle = sealed(matter)
    assert [f.path for f in bundle.with_fate(Fate.QUARANTINED)] == ["authorities/draft.txt"]
    assert bundle.own_output == (), "the share speaks of evidence"


def test_a_new_registration_matters_only_to_those_it_concerns(drafted: tuple[Path, str], matter: Path) -> None:
    _, text = drafted
    with database.opened(matter / "work") as db:
        first = Steps(Matter(matter), db, {})
        bundle = first.ingest(listing(matter))
        (matter / "evidence" / "ours.txt").write_text(text, encoding="utf-8")
        again = Steps(Matter(matter), db, {})
        assert again.ingest(listing(matter)).sources == bundle.sources
        assert again.ledger.steps() == {"ingest": 2, "own_output": 1}
        third = Steps(Matter(matter), db, {})
        third.ingest(listing(matter))
        assert (third.ledger.ran, third.ledger.reused) == (0, 2)


def test_a_lost_register_is_made_again_from_the_matters_own_ledger(
    drafted: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    matter, text = drafted
    (matter / "evidence" / "ours.txt").write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another machine"))
    assert [f.reason for f in sealed(matter).own_output] == ["own_output_text"]


def test_an_admitted_paper_is_listed_and_not_counted(drafted: tuple[Path, str]) -> None:
    matter, text = drafted
    path = matter / "evidence" / "filed.txt"
    path.write_text(text, encoding="utf-8")
    bundle = sealed(matter)
    with pytest.raises(BundleError, match=r"filed\.txt.*own_output_waiver"):
        refuse_ours(bundle, None)
    refuse_ours(bundle, "It is kept for comparison.")
    with database.opened(matter / "work") as db:
        Steps(Matter(matter), db, {}).sources.admit(bundle.own_output[0].sha256_file or "", "Filed as ECF No. 41")
    bundle = sealed(matter)
    record = next(f for f in bundle.files if f.path == "evidence/filed.txt")
    assert (record.fate, record.reason) == (Fate.QUARANTINED, "admitted_record")
    assert "Filed as ECF No. 41" in record.detail
    assert (bundle.own_output, bundle.own_output_share, bundle.own_output_words) == ((), 0.0, 0.0)
    refuse_ours(bundle, None)


def _linked_folder(matter: Path) -> None:
    (matter / "evidence").rename(matter / "elsewhere")
    (matter / "evidence").symlink_to(matter / "work")


def _holding(matter: Path) -> None:
    (matter / "evidence").rename(matter / "elsewhere")
    (matter / "evidence").symlink_to(matter)


def _output_in_sources(matter: Path) -> None:
    (matter / "work").rename(matter / "evidence" / "made")
    (matter / "work").symlink_to(matter / "evidence" / "made")


OVERLAPS: dict[str, Callable[[Path], None]] = {
    "evidence is work": _linked_folder,
    "evidence holds work": _holding,
    "work lies in evidence": _output_in_sources,
    "a folder of work": lambda m: (m / "evidence" / "more").symlink_to(m / "work" / "runs"),
    "a link to a file": lambda m: (m / "evidence" / "a.txt").symlink_to(m / "work" / "runs" / "draft.txt"),
    "a hard link": lambda m: os.link(m / "work" / "runs" / "draft.txt", m / "evidence" / "a.txt"),
    "authorities": lambda m: os.link(m / "work" / "runs" / "draft.txt", m / "authorities" / "a.txt"),
}


@pytest.mark.parametrize("how", OVERLAPS)
def test_evidence_and_output_lie_apart(how: str, matter: Path) -> None:
    (matter / "work" / "runs").mkdir(parents=True)
    (matter / "work" / "runs" / "draft.txt").write_text("Ours.", encoding="utf-8")
    listing(matter)
    OVERLAPS[how](matter)
    with pytest.raises(BundleError, match="must lie apart"):
        listing(matter)


def test_links_to_elsewhere_are_fine(matter: Path, tmp_path: Path) -> None:
    (matter / "work").mkdir()
    (matter / "evidence").rename(tmp_path / "share")
    (matter / "evidence").symlink_to(tmp_path / "share")
    os.link(tmp_path / "share" / "letter.txt", tmp_path / "share" / "copy.txt")
    assert [f.path for f in listing(matter).files] == [
        "evidence/copy.txt",
        "evidence/letter.txt",
        "authorities/tansy.txt",
    ]
    assert len(ingest(matter, listing(matter)).sources) == len(FOLDERS)
