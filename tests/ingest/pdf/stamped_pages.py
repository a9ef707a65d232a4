"""PDFs of invented text whose pages are numbered in the ways productions number them."""

from __future__ import annotations

import random
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.annotations import FreeText
from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = letter
WORDS = (
    "the miller weighed flour barrels against damp ledgers while orchard clerks counted wagons and wrote to basalt "
    "quarry about late deliveries of stone that nobody at the harbour had ordered or could afterwards remember"
).split()
LOOKALIKES = ("NY 10007", "2017 WL 2817220", "RTX 3060")
"""Text in the body that looks like a stamp and is none."""


def number(page: int) -> str:
    """The stamp of a page, counted from 0."""
    return f"ACME-{page + 1234:07}"


def body(canvas: Canvas, page: int, *, width: float = WIDTH, height: float = HEIGHT) -> None:
    """A page of ragged paragraphs within margins of an inch, with look-alikes in the middle."""
    words = random.Random(page)  # noqa: S311
    canvas.setFont("Times-Roman", 11)
    line, y = "", height - 82
    while y > 84:
        line = f"{line} {words.choice(WORDS)}".strip()
        if canvas.stringWidth(line, "Times-Roman", 11) > width - 180:
            look = words.choice(LOOKALIKES) if words.random() < 0.2 else ""
            canvas.drawString(72, y, f"{line} {look}".strip())
            line, y = "", y - (21 if words.random() < 0.15 else 13)


def _write(canvas: Canvas, font: str, size: float, x: float, y: float, words: str) -> None:
    canvas.setFont(font, size)
    canvas.drawString(x, y, words)


def bottom_right(canvas: Canvas, page: int) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawRightString(WIDTH - 36, 28, number(page))


def beside_designation(canvas: Canvas, page: int) -> None:
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawCentredString(WIDTH / 2, 30, "CONFIDENTIAL")
    canvas.setFont("Courier", 8)
    canvas.drawRightString(WIDTH - 40, 30, number(page))


def sideways(canvas: Canvas, page: int) -> None:
    canvas.saveState()
    canvas.translate(26, 300)
    canvas.rotate(90)
    _write(canvas, "Helvetica", 9, 0, 0, number(page))
    canvas.restoreState()


def letter_spaced(canvas: Canvas, page: int) -> None:
    for place, glyph in enumerate(number(page)):
        _write(canvas, "Helvetica", 9, 400 + 12 * place, 30, glyph)


def over_body(canvas: Canvas, page: int) -> None:
    _write(canvas, "Helvetica", 9, 250, HEIGHT / 2, number(page))


def top_right_with_space(canvas: Canvas, page: int) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawRightString(WIDTH - 36, HEIGHT - 30, number(page).replace("-", " "))


def artifact(canvas: Canvas, page: int) -> None:
    """As Acrobat numbers pages: a form within marked content that says what it is."""
    name = f"stamp{page}"
    canvas.beginForm(name)
    _write(canvas, "Helvetica", 9, 0, 0, number(page))
    canvas.endForm()
    raw: list[str] = canvas._code  # type: ignore[attr-defined]
    raw.append(f"/Artifact <</Contents ({number(page)})/Subtype /BatesN /Type /Pagination>> BDC q 1 0 0 1 480 30 cm")
    canvas.doForm(name)
    raw.append("Q EMC")


def nothing(canvas: Canvas, page: int) -> None:
    """No stamp at all."""


Stamp = Callable[[Canvas, int], None]


def pdf(path: Path, pages: int, *stamps: Stamp) -> Path:
    """A PDF of body text with these stamps on every page."""
    path.write_bytes(_drawn(pages, stamps))
    return path


def _drawn(pages: int, stamps: tuple[Stamp, ...]) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=letter)
    for page in range(pages):
        body(canvas, page)
        for stamp in stamps:
            stamp(canvas, page)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def annotated_pdf(path: Path, pages: int) -> Path:
    """Stamped by free-text annotations, as some viewers do it."""
    writer = PdfWriter(clone_from=BytesIO(_drawn(pages, ())))
    for page in range(pages):
        writer.add_annotation(page, FreeText(text=number(page), rect=(430, 20, 580, 40)))
    writer.write(path)
    return path


def rotated_pdf(path: Path, pages: int) -> Path:
    """Landscape pages kept upright by /Rotate 90, stamped at the lower right as shown."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=letter)
    for page in range(pages):
        canvas.translate(WIDTH, 0)
        canvas.rotate(90)
        body(canvas, page, width=HEIGHT, height=WIDTH)
        canvas.setFont("Helvetica", 9)
        canvas.drawRightString(HEIGHT - 36, 24, number(page))
        canvas.showPage()
    canvas.save()
    writer = PdfWriter()
    for leaf in PdfReader(buffer).pages:
        leaf.rotate(90)
        writer.add_page(leaf)
    writer.write(path)
    return path
