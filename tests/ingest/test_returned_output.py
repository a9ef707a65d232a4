"""A draft of ours comes back in every form that mail, printers and offices give it: no word of it proves anything."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from html import escape
from pathlib import Path

import docx
import pypdfium2
from PIL import Image
from pypdf import PdfReader, PdfWriter

from lexforge.domain.evidence import Bundle, Fate
from lexforge.ingest.picture import tesseract
from tests.ingest import test_own_output as own

drafted = own.drafted
RUN = 5
"""Words in a row that are ours; chance does not repeat so many."""


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[n : n + RUN]) for n in range(len(found) - RUN + 1)}


def proving(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Name and text of every page of the evidence, and of every passage, as far as they may prove anything."""
    for source in bundle.evidence:
        yield from ((source.path, page.proving) for page in source.pages)
        yield from ((source.path, passage.text) for passage in source.proving_passages)


def leaked(bundle: Bundle, ours: set[tuple[str, ...]]) -> dict[str, list[str]]:
    """What of our own words may prove something, by the file in which it stands."""
    found: dict[str, set[str]] = {}
    for path, text in proving(bundle):
        for run in runs(text) & ours:
            found.setdefault(path, set()).add(" ".join(run))
    return {path: sorted(held) for path, held in found.items()}


def scrubbed(draft: Path) -> bytes:
    """The draft as Word saves it for somebody who had its properties removed."""
    document, target = docx.Document(str(draft)), io.BytesIO()
    document.core_properties.keywords = ""
    document.save(target)
    return target.getvalue()


def as_pdf(document: bytes, text: str, folder: Path) -> bytes:
    """The document as LibreOffice exports it; set by reportlab where that is not installed."""
    if not shutil.which("soffice"):
        return own.pdf(text)
    folder.mkdir()
    (folder / "draft.docx").write_bytes(document)
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "pdf"]
    command += ["--outdir", str(folder), str(folder / "draft.docx")]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    return (folder / "draft.pdf").read_bytes()


def merged(*documents: bytes) -> bytes:
    writer, target = PdfWriter(), io.BytesIO()
    for document in documents:
        writer.append(PdfReader(io.BytesIO(document)))
    writer.write(target)
    return target.getvalue()


def scanned(document: bytes, most: int = 2) -> bytes:
    """The first pages as a scanner gives them: pictures of 200 dpi."""
    printed, target = pypdfium2.PdfDocument(document), io.BytesIO()
    pages: list[Image.Image] = [
        printed[n].render(scale=200 / 72).to_pil().convert("L") for n in range(min(most, len(printed)))
    ]
    pages[0].save(target, "PDF", save_all=True, append_images=pages[1:], resolution=200)
    return target.getvalue()


def web_page(text: str) -> bytes:
    paragraphs = "".join(f"<p>{escape(block)}</p>" for block in text.split("\n\n"))
    return f"<!DOCTYPE html><html><body>{paragraphs}</body></html>".encode()


COVER = "Perpetua, this is what they sent me this morning, and I have not answered it."


def message(body: str, *attached: tuple[str, bytes], subtype: str = "plain") -> bytes:
    sent = EmailMessage()
    sent["From"], sent["To"] = "Osric Pellwater <o@castellan.example>", "Perpetua Lanthorne <p@castellan.example>"
    sent["Date"], sent["Subject"] = "Tue, 07 Dec 2021 10:00:00 +0000", "Fwd: draft"
    sent["Message-ID"] = f"<{len(body)}.{len(attached)}@castellan.example>"
    sent.set_content(body, subtype=subtype)
    for name, data in attached:
        sent.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return sent.as_bytes()


def packed(*files: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files:
            package.writestr(name, data)
    return target.getvalue()


def printed_mail(text: str) -> bytes:
    head = (
        "From: Osric Pellwater\nSent: Tuesday, December 7, 2021 10:00 AM\nTo: Perpetua Lanthorne\nSubject: Fwd: draft"
    )
    return f"{head}\n\n{COVER}\n\n{text}\n".encode()


def returned(matter: Path, text: str, folder: Path) -> dict[str, bytes]:
    """Every form in which it comes back, by file name."""
    document = scrubbed(matter / "work" / "runs" / "1" / "draft.docx")
    exported = as_pdf(document, text, folder)
    fifth = own.edited(text, 0.2)
    forms = {
        "saved again.docx": document,
        "exported.pdf": exported,
        "saved.txt": text.encode(),
        "saved.html": web_page(text),
        "a fifth edited.html": web_page(fifth),
        "a fifth edited.pdf": own.pdf(fifth),
        "appended.pdf": merged(own.pdf(*own.long_production()[:4]), exported, own.pdf(*own.long_production()[4:])),
        "packed.zip": packed(("for you/draft.docx", document), ("for you/draft.txt", text.encode())),
        "attached.eml": message(COVER, ("draft.docx", document), ("draft.pdf", exported)),
        "packed mail.zip": packed(("sent/it.eml", message(COVER, ("edited.txt", fifth.encode())))),
        "pasted.eml": message(f"{COVER}\n\n{text}"),
        "pasted as a page.eml": message(web_page(f"{COVER}\n\n{text}").decode(), subtype="html"),
        "box.mbox": b"From o@castellan.example Tue Dec  7 10:00:00 2021\n" + message(f"{COVER}\n\n{text}\n\nOsric"),
        "printed mail.txt": printed_mail(text),
    }
    return forms | ({"scanned.pdf": scanned(exported)} if tesseract.available() else {})


MAILS = ["attached.eml", "it.eml", "pasted.eml", "pasted as a page.eml", "message 1.eml", "printed mail.txt"]


def test_no_word_of_ours_proves_anything_in_whatever_form_it_returns(drafted: tuple[Path, str], tmp_path: Path) -> None:
    matter, text = drafted
    before = own.sealed(matter)
    genuine = "\n".join([*(page.text for s in before.sources for page in s.pages), (matter / "intake.md").read_text()])
    ours = runs("\n\n".join(own.paragraphs(text))) - runs(genuine)
    assert len(ours) > 200
    forms = returned(matter, text, tmp_path / "office")
    for name, data in forms.items():
        (matter / "evidence" / name).write_bytes(data)
    bundle = own.sealed(matter)
    assert leaked(bundle, ours) == {}
    paths = {file.path for file in bundle.files if file.fate in (Fate.QUARANTINED, Fate.INGESTED, Fate.DUPLICATE)}
    assert all(any(path.startswith(f"evidence/{name}") for path in paths) for name in forms)
    sources = {source.name: source for source in bundle.sources}
    for name in MAILS:  # they still prove that it was sent
        assert COVER in " ".join(sources[name].pages[0].proving.split()), name
        assert sources[name].correspondence is not None
