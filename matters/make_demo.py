"""Write the demo matter `matters/matter-123/` from `demo_texts.toml`, byte for byte the same on every run.

Run `.venv/bin/python matters/make_demo.py`. Only the files of the demo are written; `work/` and files that someone
else put into the folder stay, and the latter are named. The texts, and how they are marked up, are in the data file.
"""

from __future__ import annotations

import hashlib
import io
import random
import re
import textwrap
import tomllib
import zipfile
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import reportlab
from docx.enum.text import WD_ALIGN_PARAGRAPH
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfgen.canvas import Canvas

from lexforge.domain.draft import OWN_MARK

HERE = Path(__file__).resolve().parent
MATTER = HERE / "matter-123"

TITLE, LINES, PROSE = "title", "lines", "prose"
Paragraph = tuple[str, list[str]]

WIDTH, HEIGHT = letter
MARGIN, LEADING, SIZE = 72, 15, 11.5
FOOT = 60
SUBJECT = "Fictional document, written for the LexForge demo"
SCAN_PIXELS = (935, 1210)
SCAN_MARGIN, SCAN_LEADING = 110, 34


def paragraphs(text: str) -> list[Paragraph]:
    """Each paragraph with its kind: a title, lines kept as they are, or prose as one line."""
    return [_paragraph(block.splitlines()) for block in text.strip().split("\n\n")]


def _paragraph(lines: list[str]) -> Paragraph:
    if lines[0].startswith("= "):
        return TITLE, [lines[0][2:]]
    if lines[0].startswith("| "):
        return LINES, [line[2:] for line in lines]
    return PROSE, [" ".join(lines)]


def plain(text: str, width: int) -> str:
    """The text as someone types it: prose wrapped at `width` characters, an empty line between paragraphs."""
    shown = (
        "\n".join(lines) if kind == LINES else textwrap.fill(lines[0], width, break_on_hyphens=False)
        for kind, lines in paragraphs(text)
    )
    return "\n\n".join(shown) + "\n"


def bates_from(first: str | None) -> Iterator[str]:
    """Yields the Bates number of each page: `first`, and then counting on; nothing without a first one."""
    if first is None:
        return
    prefix, digits = re.fullmatch(r"(\D+)(\d+)", first).groups()  # type: ignore[union-attr]
    for number in range(int(digits), 10 ** len(digits)):
        yield f"{prefix}{number:0{len(digits)}d}"


def new_canvas(target: io.BytesIO, title: str) -> Canvas:
    """A canvas without a clock; uncompressed, so that no version of zlib changes a byte."""
    canvas = Canvas(target, pagesize=letter, invariant=1, pageCompression=0)
    canvas.setTitle(title)
    canvas.setSubject(SUBJECT)
    return canvas


def pdf(spec: dict[str, Any]) -> bytes:
    """A PDF with a text layer; each text in `pages` is one page, stamped at the bottom right."""
    target = io.BytesIO()
    canvas = new_canvas(target, spec["title"])
    stamps = bates_from(spec.get("bates"))
    for text in spec["pages"]:
        y = HEIGHT - MARGIN
        for paragraph in paragraphs(text):
            y = draw_paragraph(canvas, paragraph, y)
        if y < FOOT:
            raise SystemExit(f"{spec['title']}: the page beginning {text.strip()[:40]!r} is too long")
        if stamp := next(stamps, None):
            canvas.setFont("Helvetica-Bold", 10)
            canvas.drawRightString(WIDTH - 36, 30, stamp)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def draw_paragraph(canvas: Canvas, paragraph: Paragraph, y: float) -> float:
    """Draws one paragraph and the blank after it, as word processors do; gives the next baseline."""
    kind, lines = paragraph
    font = "Times-Bold" if kind == TITLE else "Times-Roman"
    canvas.setFont(font, SIZE)
    if kind == PROSE:
        lines = simpleSplit(lines[0], font, SIZE, WIDTH - 2 * MARGIN)
    for line in [*lines, " "]:
        if kind == TITLE and line != " ":
            canvas.drawCentredString(WIDTH / 2, y, line)
        else:
            left, _, amount = line.partition(" || ")
            canvas.drawString(MARGIN, y, left)
            if amount:
                canvas.drawRightString(WIDTH - MARGIN, y, amount)
        y -= LEADING
    return y


def scan(spec: dict[str, Any]) -> bytes:
    """A PDF whose only page is a picture, a little crooked and with specks, as from a scanner: it has no text."""
    picture = io.BytesIO()
    scan_image(spec["text"], spec["bates"]).save(picture, "JPEG", quality=45)
    picture.seek(0)
    target = io.BytesIO()
    canvas = new_canvas(target, "Scan")
    canvas.drawImage(ImageReader(picture), 0, 0, WIDTH, HEIGHT)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def scan_image(text: str, stamp: str) -> Image.Image:
    """The page as gray pixels."""
    fonts = Path(reportlab.__file__).parent / "fonts"
    regular, bold = (ImageFont.truetype(str(fonts / name), 20) for name in ("Vera.ttf", "VeraBd.ttf"))
    image = Image.new("L", SCAN_PIXELS, 244)
    pen = ImageDraw.Draw(image)
    y = SCAN_MARGIN
    for kind, lines in paragraphs(text):
        for line in lines:
            pen.text((SCAN_MARGIN, y), line, fill=40, font=bold if kind == TITLE else regular)
            y += SCAN_LEADING
        y += SCAN_LEADING
    image = image.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor=244)
    pen = ImageDraw.Draw(image)
    specks = random.Random(123)  # noqa: S311
    for _ in range(160):
        pen.point((specks.randrange(SCAN_PIXELS[0]), specks.randrange(SCAN_PIXELS[1])), fill=90)
    pen.text((SCAN_PIXELS[0] - 50, SCAN_PIXELS[1] - 50), stamp, fill=0, font=bold, anchor="rs")
    return image


def eml(spec: dict[str, Any]) -> bytes:
    """A plain text email."""
    message = EmailMessage(policy=policy.default)
    message["Message-ID"] = spec["message_id"]
    message["Date"] = spec["date"]
    message["From"] = spec["from"]
    message["To"] = spec["to"]
    message["Subject"] = spec["subject"]
    message.set_content(plain(spec["text"], 72))
    return message.as_bytes()


def word(spec: dict[str, Any]) -> bytes:
    """A Word document; with `own`, it carries the mark of what LexForge writes."""
    document = docx.Document()
    for kind, lines in paragraphs(spec["text"]):
        for line in lines:
            added = document.add_paragraph()
            added.add_run(line).bold = kind == TITLE
            if kind == TITLE:
                added.alignment = WD_ALIGN_PARAGRAPH.CENTER
    properties = document.core_properties
    properties.author = properties.last_modified_by = spec["author"]
    properties.created = properties.modified = spec["date"]
    properties.title = spec["title"]
    properties.subject = SUBJECT
    properties.comments = spec.get("comments", "")
    if spec.get("own"):
        properties.keywords = f"{OWN_MARK}:{hashlib.sha256(spec['text'].encode()).hexdigest()[:16]}"
    target = io.BytesIO()
    document.save(target)
    return timeless_zip(target)


def timeless_zip(archive: io.BytesIO) -> bytes:
    """The same members in the same order, with one fixed time."""
    target = io.BytesIO()
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.create_system = 3
            member.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(member, old.read(name))
    return target.getvalue()


def build(texts: dict[str, Any]) -> dict[str, bytes]:
    """Every file of the matter: path below the matter → content."""
    files = {path: text.lstrip("\n").encode() for path, text in texts["verbatim"].items()}
    makers = {"text": lambda spec: plain(spec["text"], 78).encode(), "pdf": pdf, "scan": scan, "eml": eml, "docx": word}
    for kind, make in makers.items():
        files |= {path: make(spec) for path, spec in texts[kind].items()}
    return files | {copy: files[original] for copy, original in texts["duplicate"].items()}


def main() -> None:
    """Write the files, and name those that are not ours."""
    files = build(tomllib.loads((HERE / "demo_texts.toml").read_text(encoding="utf-8")))
    for path, content in files.items():
        target = MATTER / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    total = sum(map(len, files.values()))
    print(f"{MATTER.name}: {len(files)} files, {total / 1000:.0f} kB")
    for folder in ("evidence", "authorities"):
        for found in sorted((MATTER / folder).iterdir()):
            if f"{folder}/{found.name}" not in files:
                print(f"left alone, not of the demo: {folder}/{found.name}")


if __name__ == "__main__":
    main()
