"""From the folder to the bundle: every file has a fate, and the rest goes on."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from lexforge.domain.draft import OWN_MARK
from lexforge.domain.evidence import Bundle, Fate
from lexforge.errors import BundleError
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing


def pdf(*pages: str, password: str = "", keywords: str = "") -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1)
    canvas.setKeywords(keywords)
    for text in pages:
        for n, line in enumerate(text.splitlines()):
            canvas.drawString(72, 720 - 14 * n, line)
        canvas.showPage()
    canvas.save()
    if not password:
        return target.getvalue()
    writer, locked = PdfWriter(clone_from=PdfReader(target)), io.BytesIO()
    writer.encrypt(password)
    writer.write(locked)
    return locked.getvalue()


def zipped(*names: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        for name in names:
            package.writestr(name, "x")
    return target.getvalue()


def bundle_of(root: Path, **files: bytes) -> Bundle:
    folder = root / "evidence"
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    return ingest(root, listing(root))


BAD: dict[str, tuple[bytes, str, str]] = {
    "empty.txt": (b"", "empty", "Obtain it again"),
    "blank.txt": (b" \n\t\n", "empty", "Obtain it again"),
    "corrupt.pdf": (b"%PDF-1.7\nnot really a PDF\n%%EOF", "corrupt", "Obtain it again"),
    "cut.pdf": (pdf("A page that is cut off.")[:300], "corrupt", "Obtain it again"),
    "locked.pdf": (pdf("Secret.", password="x"), "encrypted", "without the password"),
    "blank.pdf": (pdf(""), "no_text", "OCR"),
    "photo.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "corrupt", "save it as PNG"),
    "misnamed.pdf": (b"Just a line of text.", "misnamed", "the ending that fits"),
    "old.doc": (b"\xd0\xcf\x11\xe0" + bytes(600), "unsupported", "Save it as .docx"),
    "letter.rtf": (b"{\\rtf1 Hello}", "unsupported", "Save it as .docx"),
    "page.html": (b"\n<!DOCTYPE html><script>1</script>", "no_text", ""),
    "archive.zip": (b"PK\x03\x04" + bytes(100), "corrupt", "archive again"),
    "slides.pptx": (zipped("ppt/presentation.xml"), "unsupported", "Save it as PDF"),
    "letter.odt": (zipped("mimetype"), "unsupported", "Save it as .docx"),
    "old.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(60), "unsupported", "Unpack it"),
    "archive.pst": (b"!BDN" + bytes(600), "unsupported", "Export its folders"),
    "binary.txt": (b"\x00\x01\x02\x03" * 100, "encoding", "Save it as UTF-8"),
    "broken.docx": (b"PK\x03\x04" + bytes(100), "", ""),
    "nobody.eml": (b"hello", "corrupt", "Obtain it again"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_fails_with_a_remedy_and_the_rest_goes_on(name: str, tmp_path: Path) -> None:
    data, reason, remedy = BAD[name]
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / name).write_bytes(data)
    bundle = bundle_of(tmp_path, good__txt=b"The good file is read.")
    record = next(f for f in bundle.files if f.path.endswith(name))
    assert record.fate is Fate.FAILED
    assert name in record.detail
    assert reason in record.reason
    assert remedy in record.detail
    assert [s.name for s in bundle.sources] == ["good.txt"]


def test_a_file_is_read_by_what_it_holds_and_the_wrong_name_is_told(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, really_a_pdf__txt=pdf("The truck was late."))
    record = bundle.files[0]
    assert (record.fate, record.reason) == (Fate.INGESTED, "misnamed")
    assert "rename it to end in .pdf" in record.detail
    assert "The truck was late." in bundle.sources[0].pages[0].text


def test_a_copy_is_not_told_that_its_number_is_unconfirmed(tmp_path: Path) -> None:
    letter, other = pdf("Words.\n" * 3 + "ACME-000104"), pdf("More.\n" * 3 + "ACME-000105")
    bundle = bundle_of(tmp_path, a__pdf=letter, b__pdf=letter, c__pdf=other)
    assert [f.fate for f in bundle.files] == [Fate.INGESTED, Fate.DUPLICATE, Fate.INGESTED]
    assert not [notice for notice in bundle.notices if notice.code == "bates_unconfirmed" and "b.pdf" in notice.path]


def test_exact_duplicates_are_collapsed_and_listed(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, a__txt=b"The same words.", b__txt=b"The same words.")
    assert [(f.path, f.fate) for f in bundle.files] == [
        ("evidence/a.txt", Fate.INGESTED),
        ("evidence/b.txt", Fate.DUPLICATE),
    ]
    assert "evidence/a.txt" in bundle.files[1].detail


OURS = {
    "text_with_mark": (b"1. Invented.\n\n[" + OWN_MARK.encode() + b":0123456789abcdef]\n", "ours.txt"),
    "pdf_with_keywords": (pdf("1. Invented.", keywords=f"{OWN_MARK}:0123456789abcdef"), "ours.pdf"),
    "pdf_made_by_libreoffice": (pdf("1. Invented.", keywords=f"{OWN_MARK} 0123456789abcdef"), "ours.pdf"),
}


@pytest.mark.parametrize("flaw", OURS)
def test_own_output_is_quarantined(flaw: str, tmp_path: Path) -> None:
    data, name = OURS[flaw]
    bundle = bundle_of(tmp_path, **{name.replace(".", "__"): data, "letter__txt": b"A real letter."})
    record = next(f for f in bundle.files if f.path.endswith(name))
    assert (record.fate, record.reason) == (Fate.QUARANTINED, "own_output_marked")
    assert "0123456789abcdef" in record.detail
    assert bundle.own_output_share == 0.5
    assert not any("Invented" in page.text for source in bundle.sources for page in source.pages)


def test_own_output_is_known_by_its_hash(tmp_path: Path) -> None:
    first = bundle_of(tmp_path, paper__txt=b"We wrote this without a mark.")
    known = frozenset({first.files[0].sha256_file or ""})
    bundle = ingest(tmp_path, listing(tmp_path), known)
    assert bundle.files[0].reason == "own_output_known"
    assert bundle.sources == ()


def test_passages_are_slices_with_ids_that_do_not_move(tmp_path: Path) -> None:
    text = b"First paragraph, with some words.\n\nSecond paragraph, with others.\n"
    before = bundle_of(tmp_path, a__txt=text)
    (tmp_path / "evidence" / "a.txt").rename(tmp_path / "evidence" / "renamed.txt")
    after = ingest(tmp_path, listing(tmp_path))
    ids = [[p.id for p in bundle.sources[0].passages] for bundle in (before, after)]
    assert ids[0] == ids[1]
    for passage in before.sources[0].passages:
        assert before.sources[0].pages[0].text[passage.start : passage.end] == passage.text


def test_bates_numbers_are_read_off_the_pages(tmp_path: Path) -> None:
    pages = [f"The text of page {n}.\n\nACME-{n:06}" for n in (31, 32)]
    bundle = bundle_of(tmp_path, production__pdf=pdf(*pages), other__txt=b"An RTX 3060 card and\nACME-000033\n")
    assert [page.bates for s in bundle.sources if s.name == "production.pdf" for page in s.pages] == [
        ("ACME-000031",),
        ("ACME-000032",),
    ]
    assert "RTX" not in str([page.bates for s in bundle.sources for page in s.pages])


def test_the_same_folder_gives_the_same_bundle(tmp_path: Path) -> None:
    hashes = {bundle_of(tmp_path, a__txt=b"One.", b__txt=b"Two.").content_sha256 for _ in range(2)}
    assert len(hashes) == 1
    assert bundle_of(tmp_path, c__txt=b"Three.").content_sha256 not in hashes


def test_a_folder_without_sources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="no evidence/ and no authorities/"):
        listing(tmp_path)


@pytest.mark.parametrize("encode", [str.encode, lambda s: s.encode("utf-16"), lambda s: s.encode("cp1252")])
def test_encodings(encode: Callable[[str], bytes], tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, letter__txt=encode("§ 1. The café closed.\r\nIt stayed so."))
    assert bundle.sources[0].pages[0].text == "§ 1. The café closed.\nIt stayed so."


def test_a_form_feed_ends_a_page(tmp_path: Path) -> None:
    assert [p.text for p in bundle_of(tmp_path, a__txt=b"One.\fTwo.").sources[0].pages] == ["One.", "Two."]


def test_what_is_no_file_is_reported_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "elsewhere").mkdir()
    os.mkfifo(tmp_path / "evidence" / "pipe.txt")
    (tmp_path / "evidence" / "linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "secret.txt").write_text("Nobody's evidence.", encoding="utf-8")
    (tmp_path / "evidence" / "outside.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "evidence" / "inside.txt").symlink_to(tmp_path / "evidence" / "good.txt")
    bundle = bundle_of(tmp_path, good__txt=b"Words.")
    assert {f.path: f.reason for f in bundle.files} == {
        "evidence/good.txt": "read",
        "evidence/inside.txt": "same_bytes",
        "evidence/outside.txt": "link_outside",
        "evidence/linked": "folder_link",
        "evidence/pipe.txt": "not_a_file",
    }


def test_a_name_that_is_no_text_is_read_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    folder.mkdir()
    (folder / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"The bill was paid.")
    bundle = ingest(tmp_path, listing(tmp_path))
    assert [(f.path, f.fate) for f in bundle.files] == [("evidence/caf\\xe9.txt", Fate.INGESTED)]
    assert len(bundle.content_sha256) == 64


def test_what_programs_leave_beside_files_is_no_clients_file(tmp_path: Path) -> None:
    bundle_of(tmp_path, a__txt=b"Words.", _DS_Store=b"junk")
    (tmp_path / "evidence" / ".DS_Store").write_bytes(b"junk")
    (tmp_path / "evidence" / "~$letter.docx").write_bytes(b"junk")
    (tmp_path / "evidence" / ".hidden.txt").write_bytes(b"A client's file all the same.")
    names = [Path(f.path).name for f in ingest(tmp_path, listing(tmp_path)).files]
    assert names == [".hidden.txt", "_DS_Store", "a.txt"]


def test_an_unreadable_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def refuse(self: Path, *args: object, **more: object) -> object:
        if self.name == "secret.txt":
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **more)  # type: ignore[arg-type]

    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "secret.txt").write_bytes(b"x")
    monkeypatch.setattr(Path, "open", refuse)
    record = ingest(tmp_path, listing(tmp_path)).files[0]
    assert (record.fate, record.reason, record.sha256_file) == (Fate.FAILED, "unreadable", None)
