"""Text on a picture that was painted before it: hidden where the picture has its colour, whoever tells it."""

from __future__ import annotations

import io

import pypdfium2
import pytest
from PIL import Image, ImageDraw
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, StreamObject
from reportlab.pdfgen.canvas import Canvas

from lexforge.domain.evidence import Concealment
from lexforge.ingest.pdf.ground import Grounds
from lexforge.ingest.pdf.painted import Inventory
from lexforge.ingest.pdf.suspicion import suspects_of
from tests.ingest.pdf.hidden_pages import hidden, line, page, scan, whole

FIGURE = "the figure was four million dollars"


def letterhead(ground: str = "#fdfdfa", box: str | None = None, beneath: str = "") -> Image.Image:
    """A page of 612 × 792 points at 150 dpi, with a box of a colour, or writing, where the text will stand."""
    image = Image.new("RGB", (1275, 1650), ground)
    if box:
        ImageDraw.Draw(image).rectangle((125, 575, 750, 625), fill=box)
    if beneath:
        image.paste(scan((beneath, 503)))
    return image


def on(image: Image.Image, fill: str = "#000000", decode: tuple[int, ...] = ()) -> bytes:
    """Two lines of text on a picture."""
    lines = line(FIGURE, 500, fill), line("An ordinary paragraph of the letter.", 700, fill)
    return beneath(page(*lines), image, decode)


def beneath(pdf: bytes, image: Image.Image, decode: tuple[int, ...] = ()) -> bytes:
    """The page on a JPEG that fills it and is stored as it is."""
    jpeg = io.BytesIO()
    image.save(jpeg, "JPEG", quality=90)
    out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))
    stored = StreamObject()
    stored.set_data(jpeg.getvalue())
    for key, value in {
        "/Type": NameObject("/XObject"),
        "/Subtype": NameObject("/Image"),
        "/Width": NumberObject(image.width),
        "/Height": NumberObject(image.height),
        "/BitsPerComponent": NumberObject(8),
        "/ColorSpace": NameObject("/DeviceRGB"),
        "/Filter": NameObject("/DCTDecode"),
    }.items():
        stored[NameObject(key)] = value
    if decode:
        stored[NameObject("/Decode")] = ArrayObject(map(NumberObject, decode))
    sheet = out.pages[0]
    resources = sheet["/Resources"]
    assert isinstance(resources, DictionaryObject)
    resources[NameObject("/XObject")] = DictionaryObject({NameObject("/Im"): out._add_object(stored)})
    contents = sheet.get_contents()
    assert contents is not None
    contents.set_data(b"q 612 0 0 792 0 0 cm /Im Do Q\n" + contents.get_data())
    sheet.replace_contents(contents)
    buffer = io.BytesIO()
    out.write(buffer)
    return buffer.getvalue()


def looked_at(pdf: bytes) -> bool:
    """Whether the pixels of the page are asked."""
    sheet = pypdfium2.PdfDocument(pdf)[0]
    return bool(suspects_of(Inventory(sheet.raw), sheet.get_bbox(), Grounds(pdf)))


ROWS = [
    (on(letterhead()), False, False, "dark on a light letterhead"),
    (on(letterhead(beneath="printed beneath the other line")), False, False, "over the picture's own print"),
    (on(letterhead("#202020"), "#ffffff"), False, True, "white on a dark picture"),
    (on(letterhead(box="#000000")), True, True, "black on a black bar of the picture"),
    (on(letterhead(box="#060608")), True, True, "black on a nearly black bar of it"),
    (on(letterhead(), "#fdfdfa"), True, True, "in the colour of the paper in the picture"),
    (on(letterhead("#ffffff"), decode=(1, 0, 1, 0, 1, 0)), True, True, "black on a picture that is shown inverted"),
]


@pytest.mark.parametrize(("pdf", "unseen", "looked", "why"), ROWS, ids=[row[3] for row in ROWS])
def test_text_on_a_picture(pdf: bytes, unseen: bool, looked: bool, why: str) -> None:
    found = [(text, reason) for text, reason in hidden(pdf) if FIGURE in text]
    assert [reason for _, reason in found] == [Concealment.BACKGROUND] * unseen, why
    assert looked_at(pdf) is looked, why


@pytest.mark.parametrize(
    ("picture", "looked"),
    [(letterhead(), False), (letterhead().quantize(), True)],
    ids=["a JPEG as it stands in the file", "another picture"],
)
def test_only_a_plain_jpeg_saves_the_look(picture: Image.Image, looked: bool) -> None:
    assert looked_at(page(whole(picture.convert("RGB")), line(FIGURE, 500)) if looked else on(picture)) is looked


def test_a_text_that_runs_aslant_is_looked_at() -> None:
    def aslant(canvas: Canvas) -> None:
        canvas.translate(200, 300)
        canvas.rotate(45)
        canvas.drawString(0, 0, FIGURE)

    image = letterhead()
    ImageDraw.Draw(image).line(((375, 1067), (875, 567)), fill="#000000", width=45)
    assert FIGURE in [text for text, _ in hidden(beneath(page(aslant), image))]
