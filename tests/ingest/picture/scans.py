"""Pages as a scanner gives them: an invented letter as a picture, stamped where productions are stamped."""

from __future__ import annotations

import re
import textwrap
from difflib import SequenceMatcher
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas

DPI = 200
LETTER = """\
Quillfeather Orchards
14 Millrace Lane, Aldersea

May 4, 2021

Dear Mr. Brine,

Your driver brought forty sacks of rye flour to our dock on May 3, 2021. Eleven of them were open and the flour in \
them was grey and wet. Our foreman refused those sacks, and the driver signed the slip that says so.

We paid $12,480.75 for the whole delivery on April 19. Under section 7 of our agreement the price of refused goods is \
due back within thirty days, so we expect $3,432.20 from you no later than June 2, 2021.

Please write to me, and not to the mill, if you think that the slip is wrong. We have kept the sacks apart in a dry \
room, where your people may look at them on any working day between nine and four.

Sincerely,

Ada Quillfeather
Keeper of the Stores
"""


def points(size: float, dpi: int = DPI) -> int:
    """Points as pixels."""
    return round(size * dpi / 72)


NOTE = "Forty sacks of rye flour were refused at the dock,\nand the driver signed the slip.\n"


def font(size: float, dpi: int = DPI) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The type that comes with Pillow, in points."""
    return ImageFont.load_default(points(size, dpi))


def blank(dpi: int = DPI) -> Image.Image:
    """An empty letter page."""
    return Image.new("L", (round(8.5 * dpi), 11 * dpi), 255)


def letter(dpi: int = DPI, text: str = LETTER) -> Image.Image:
    """The letter in 11-point type with margins of an inch."""
    page = blank(dpi)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += textwrap.wrap(paragraph, 80) or [""]
    ImageDraw.Draw(page).multiline_text((dpi, dpi), "\n".join(lines), 0, font(11, dpi), spacing=points(5, dpi))
    return page


def note(dpi: int = DPI) -> Image.Image:
    """A slip with two lines, quickly read."""
    return letter(dpi, NOTE).crop((dpi // 2, dpi // 2, 6 * dpi, 2 * dpi))


def stamped(page: Image.Image, stamp: str, where: str = "bottom right", size: float = 9, ink: int = 0) -> Image.Image:
    """A copy with a stamp: `bottom right`, `top right`, or along the `left` (upwards) or `right` (downwards) edge."""
    left, top, right, bottom = (round(edge) for edge in font(size).getbbox(stamp))
    mark = Image.new("L", (right - left + 8, bottom - top + 8), 255)
    ImageDraw.Draw(mark).text((4 - left, 4 - top), stamp, ink, font(size))
    mark = mark.rotate({"left": 90, "right": -90}.get(where, 0), expand=True)
    edge, far, low = points(27), page.width - mark.width, page.height - mark.height
    place = {
        "bottom right": (far - edge, low - edge),
        "top right": (far - edge, edge),
        "left": (edge, low // 2),
        "right": (far - edge, low // 2),
    }[where]
    copy = page.copy()
    copy.paste(mark, place)
    return copy


def pdf(path: Path, pictures: list[Image.Image], stamps: list[str] | None = None) -> Path:
    """A PDF of pictures, with stamps that are text drawn over them."""
    paper = canvas.Canvas(str(path), (612, 792))
    for number, picture in enumerate(pictures):
        paper.drawImage(ImageReader(picture), 0, 0, 612, 792)
        if stamps:
            paper.setFont("Helvetica", 9)
            paper.drawRightString(585, 27, stamps[number])
        paper.showPage()
    paper.save()
    return path


def bytes_of(picture: Image.Image, form: str, **options: object) -> bytes:
    """A picture file."""
    data = BytesIO()
    picture.save(data, form, **options)
    return data.getvalue()


def words(text: str) -> list[str]:
    """Words, numbers and amounts, without what stands around them."""
    return re.findall(r"[\w$][\w,.$']*\w|\w", text)


def accuracy(read: str, written: str = LETTER) -> float:
    """Share of the written words (0 to 1) that were read, in order."""
    matcher = SequenceMatcher(None, words(read), words(written), autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(words(written))
