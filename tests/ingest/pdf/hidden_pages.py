"""PDF pages with text that is hidden, or only looks as if it were; and what PDFium reads on them."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Literal

import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageDraw, ImageFont
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.annotations import Rectangle
from pypdf.constants import AnnotationFlag
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    PdfObject,
    TextStringObject,
)
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from lexforge.domain.evidence import Concealment
from lexforge.ingest.pdf.ground import Grounds
from lexforge.ingest.pdf.hidden_text import audit
from lexforge.ingest.pdf.painted import Inventory

SIZE = (612, 792)
Mode = Literal[0, 1, 2, 3, 4, 5, 6, 7]
Draw = Callable[[Canvas], Any]


def page(*draws: Draw, size: tuple[float, float] = SIZE) -> bytes:
    """One page on which these draw in order, each with colours and fonts of its own."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size)
    for draw in draws:
        canvas.saveState()
        draw(canvas)
        canvas.restoreState()
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def line(
    text: str, y: float, fill: str = "#000000", size: float = 11, mode: Mode = 0, x: float = 72, opacity: float = 1
) -> Draw:
    """A line of text at (x, y); `mode` is the text render mode."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", size)
        canvas.setFillColor(fill, alpha=opacity)
        written = canvas.beginText(x, y)
        written.setTextRenderMode(mode)
        written.textOut(text)
        written.setTextRenderMode(0)
        canvas.drawText(written)

    return draw


def box(x: float, y: float, width: float, height: float, fill: str = "#000000") -> Draw:
    """A filled rectangle without an outline."""

    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(fill)
        canvas.rect(x, y, width, height, stroke=0, fill=1)

    return draw


def frame(x: float, y: float, width: float, height: float) -> Draw:
    """The outline of a rectangle."""
    return lambda canvas: canvas.rect(x, y, width, height, stroke=1, fill=0)


def clipped_to(x: float, y: float, width: float, height: float, draw: Draw) -> Draw:
    """What `draw` paints, as far as it lies in the rectangle."""

    def cut(canvas: Canvas) -> None:
        path = canvas.beginPath()
        path.rect(x, y, width, height)
        canvas.clipPath(path, stroke=0, fill=0)
        draw(canvas)

    return cut


def picture(image: Image.Image, x: float, y: float, width: float, height: float) -> Draw:
    """An opaque image."""
    return lambda canvas: canvas.drawImage(ImageReader(image), x, y, width, height)


def whole(image: Image.Image) -> Draw:
    """The same over the whole page."""
    return picture(image, 0, 0, *SIZE)


def scan(*lines: tuple[str, float]) -> Image.Image:
    """A picture of a whole page, 150 dpi, that shows these lines at x = 72 points and their heights."""
    image = Image.new("RGB", (1275, 1650), (250, 249, 246))
    font = ImageFont.load_default(size=23)
    for text, y in lines:
        ImageDraw.Draw(image).text((150, 1650 - y * 150 / 72), text, fill=(30, 30, 30), font=font, anchor="ls")
    return image


def photo(width: int, height: int) -> Image.Image:
    """A picture with many tones and no writing."""
    return Image.effect_noise((width, height), 90).convert("RGB")


def form(name: str, *draws: Draw, dx: float = 0, dy: float = 0, scale: float = 1, height: float = 792) -> Draw:
    """A form XObject, put on the page at an offset and a scale; it shows what is in it below `height`."""

    def draw(canvas: Canvas) -> None:
        canvas.beginForm(name, 0, 0, 612, height)
        for inner in draws:
            canvas.saveState()
            inner(canvas)
            canvas.restoreState()
        canvas.endForm()
        canvas.translate(dx, dy)
        canvas.scale(scale, scale)
        canvas.doForm(name)

    return draw


def see_through(draw: Draw, opacity: float) -> Draw:
    """The same, as far as it sets no opacity of its own."""

    def faded(canvas: Canvas) -> None:
        canvas.setFillAlpha(opacity)
        draw(canvas)

    return faded


def as_group(pdf: bytes) -> bytes:
    """With every form a transparency group, so that an opacity set outside is none of the text's in it."""
    writer = _writer(pdf)
    forms = _dictionary(_dictionary(writer.pages[0]["/Resources"])["/XObject"])
    for name in forms:
        group = DictionaryObject({NameObject("/S"): NameObject("/Transparency")})
        _dictionary(forms[name])[NameObject("/Group")] = group
    return _bytes(writer)


def rotated(pdf: bytes, degrees: int) -> bytes:
    """With a /Rotate entry."""
    writer = _writer(pdf)
    writer.pages[0].rotate(degrees)
    return _bytes(writer)


def cropped(pdf: bytes, left: float, bottom: float, right: float, top: float) -> bytes:
    """With a crop box."""
    writer = _writer(pdf)
    writer.pages[0][NameObject("/CropBox")] = _numbers(left, bottom, right, top)
    return _bytes(writer)


def under_annotation(pdf: bytes, x: float, y: float, width: float, height: float, shown: bool) -> bytes:
    """With a black square annotation over the rectangle."""
    writer = _writer(pdf)
    square = Rectangle(rect=(x, y, x + width, y + height), interior_color="000000")
    square[NameObject("/C")] = _numbers(0, 0, 0)
    square.flags = AnnotationFlag.PRINT if shown else AnnotationFlag.HIDDEN
    writer.add_annotation(0, square)
    return _bytes(writer)


def in_layer(pdf: bytes, text: bytes, shown: bool) -> bytes:
    """With a line of text at (72, 400) in a layer that is on or off."""
    writer = _writer(pdf)
    layer = writer._add_object(
        DictionaryObject({NameObject("/Type"): NameObject("/OCG"), NameObject("/Name"): TextStringObject("notes")})
    )
    state = NameObject("/ON" if shown else "/OFF")
    writer.root_object[NameObject("/OCProperties")] = DictionaryObject(
        {
            NameObject("/OCGs"): ArrayObject([layer]),
            NameObject("/D"): DictionaryObject({state: ArrayObject([layer])}),
        }
    )
    sheet = writer.pages[0]
    _dictionary(sheet["/Resources"])[NameObject("/Properties")] = DictionaryObject({NameObject("/L1"): layer})
    _append(sheet, b"/OC /L1 BDC BT /F1 11 Tf 72 400 Td (" + text + b") Tj ET EMC")
    return _bytes(writer)


def in_type_3(pdf: bytes, text: bytes) -> bytes:
    """With text at (72, 400), size 1, in a font whose letters are bars of 0.8 × 7 such units, each set by itself."""
    writer = _writer(pdf)
    bar = DecodedStreamObject()
    bar.set_data(b"3 0 0 0 0.8 7 d1 0 0 0.8 7 re f")
    font = {
        "/Type": NameObject("/Font"),
        "/Subtype": NameObject("/Type3"),
        "/FontBBox": _numbers(0, 0, 1, 7),
        "/FontMatrix": _numbers(1, 0, 0, 1, 0, 0),
        "/CharProcs": DictionaryObject({NameObject("/bar"): writer._add_object(bar)}),
        "/Encoding": DictionaryObject(
            {NameObject("/Differences"): ArrayObject([*_numbers(97), *[NameObject("/bar")] * 26])}
        ),
        "/FirstChar": NumberObject(97),
        "/LastChar": NumberObject(122),
        "/Widths": _numbers(*[3] * 26),
    }
    sheet = writer.pages[0]
    named = DictionaryObject({NameObject(key): value for key, value in font.items()})
    _dictionary(_dictionary(sheet["/Resources"])["/Font"])[NameObject("/T3")] = named
    _append(sheet, b"BT /T3 1 Tf 72 400 Td " + b"".join(b"(%c) Tj 3 0 Td " % letter for letter in text) + b"ET")
    return _bytes(writer)


def hidden(pdf: bytes) -> list[tuple[str, Concealment]]:
    """What `audit` finds on the first page: each span's text and reason."""
    document = pypdfium2.PdfDocument(pdf)
    first = document[0]
    text_page = first.get_textpage()
    text, indices = read(text_page)
    spans, _ = audit(first, text_page, Inventory(first.raw), text, lambda: indices, Grounds(pdf))
    ends = [edge for start, end, _ in spans for edge in (start, end)]
    assert ends == sorted(ends)
    assert all(start < end for start, end, _ in spans)
    document.close()
    return [(text[start:end], reason) for start, end, reason in spans]


def read(text_page: pypdfium2.PdfTextPage) -> tuple[str, list[int]]:
    """PDFium's text and the index of each of its characters; line breaks it made up have none."""
    pieces, indices = [], []
    for index in range(text_page.count_chars()):
        character = chr(pdfium.FPDFText_GetUnicode(text_page.raw, index))
        pieces.append("\n" if character in "\r\n" else character)
        indices.append(-1 if pdfium.FPDFText_IsGenerated(text_page.raw, index) == 1 else index)
    return "".join(pieces), indices


def _writer(pdf: bytes) -> PdfWriter:
    return PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))


def _append(sheet: PageObject, content: bytes) -> None:
    contents = sheet.get_contents()
    assert contents is not None
    contents.set_data(contents.get_data() + b"\n" + content + b"\n")
    sheet.replace_contents(contents)


def _numbers(*values: float) -> ArrayObject:
    return ArrayObject(FloatObject(value) for value in values)


def _dictionary(found: PdfObject) -> DictionaryObject:
    found = found.get_object() or found
    assert isinstance(found, DictionaryObject)
    return found


def _bytes(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()
