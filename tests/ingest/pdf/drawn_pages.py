"""PDFs drawn piece by piece: lines, boxes and pictures at given places."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from pypdf import PdfWriter
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], None]


def drawn(path: Path, *pages: Draw) -> Path:
    canvas = Canvas(str(path), pagesize=letter)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return path


def lines(*heights: float) -> Draw:
    """Lines that say at which place they come."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        for place, height in enumerate(heights):
            canvas.drawString(72, height, f"line {place} of them")

    return draw


def words(text: str, x: float = 72, y: float = 600, grey: float = 0) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(grey)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(x, y, text)

    return draw


def box(x: float, y: float, width: float, height: float, grey: float = 0) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(grey)
        canvas.rect(x, y, width, height, stroke=0, fill=1)

    return draw


def picture(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.linear_gradient("L")), 0, 0, *letter)


def small_picture(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(Image.linear_gradient("L")), 100, 100, 90, 90)


def outlines(canvas: Canvas) -> None:
    for n in range(300):
        canvas.bezier(72 + n, 500, 75 + n, 510, 78 + n, 490, 80 + n, 505)


def all_of(*parts: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for part in parts:
            part(canvas)

    return draw


def writer(*pages: Draw) -> PdfWriter:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=letter)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return PdfWriter(clone_from=buffer)
