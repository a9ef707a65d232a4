"""Picture files to pages: scans, faxes, photographs and screenshots, their text read where tesseract is installed."""

from __future__ import annotations

import math
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import PIL
from PIL import ExifTags, Image, ImageFile, UnidentifiedImageError

from lexforge.errors import UnreadableFile
from lexforge.ingest.picture import ocr
from lexforge.ingest.reading import PageReading, Reading

MEDIA_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",  # a JPEG of a telephone with a second picture behind it, for depth
    "TIFF": "image/tiff",
    "BMP": "image/bmp",
    "GIF": "image/gif",
    "WEBP": "image/webp",
}
"""By Pillow's name of the format."""
FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "WEBP")
"""Pillow's readers that are used; no other one is given the file."""
MOST_PIXELS = 100_000_000
"""Of one page: A3 at 600 dpi has 70 million; in colour they take 400 MB."""
MOST_PAGES = 2_000

_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"BM", b"GIF8", b"RIFF")
_OTHERS = (
    ("a HEIC photograph", 4, b"ftyphei"),
    ("a HEIF photograph", 4, b"ftypmif1"),
    ("a HEIF photograph", 4, b"ftypmsf1"),
    ("an AVIF picture", 4, b"ftypavi"),
    ("a DjVu scan", 0, b"AT&TFORM"),
    ("a JPEG 2000 picture", 4, b"jP  "),
)
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""By the EXIF tag Orientation (JEITA CP-3451, 4.6.4)."""
_LETTER = 11.0  # inches
_SCREEN = 96  # dpi that programs write (or 72) where they know none
_SCREEN_PIXELS = 2000  # a picture without resolution and with a shorter side is a screenshot, or a scan as coarse
_FINEST_KNOWN = 4800
_COARSEST, _RAISED, _FINEST = 150, 200, 300  # dpi: a coarser page is raised, a finer one lowered
_UNSOUND = (OSError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, EOFError, struct.error)


def read(path: Path) -> Reading:
    """Each page of a PNG, JPEG, TIFF, BMP or WebP picture, and the first of a GIF; text is empty without tesseract.

    UnreadableFile: `unsupported` (another format), `too_large` (pixels or pages), `corrupt`.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd but readable metadata, and of sizes that are checked here
            # Not by its path: Pillow would map an uncompressed TIFF into memory, and then turn it wrongly.
            with path.open("rb") as file, Image.open(file, formats=FORMATS) as image:
                media_type = MEDIA_TYPES[str(image.format)]
                pages = tuple(_page(frame, path) for frame in _frames(image, path))
    except UnidentifiedImageError:
        raise _unidentified(path) from None
    except Image.DecompressionBombError:
        raise _too_large(path, "is larger than a page can be") from None
    except _UNSOUND as error:
        raise _corrupt(path) from error
    program = ocr.available()
    return Reading(
        media_type=media_type,
        extractor=f"Pillow {PIL.__version__}" + (f" + {program}" if program else ""),
        pages=pages,
    )


def _frames(image: ImageFile.ImageFile, path: Path) -> Iterator[ImageFile.ImageFile]:
    yield image
    while image.format == "TIFF":
        try:
            image.seek(image.tell() + 1)
        except EOFError:
            return
        if image.tell() >= MOST_PAGES:
            raise _too_large(path, f"has more than {MOST_PAGES} pages")
        yield image


def _page(frame: ImageFile.ImageFile, path: Path) -> PageReading:
    if frame.width * frame.height > MOST_PIXELS:
        raise _too_large(path, f"has {frame.width} by {frame.height} pixels on one page")
    frame.load()
    grey, dpi = _scaled(_on_white(frame), _resolution(frame))
    # Asked after loading: Pillow turns a TIFF itself, and then takes the tag away.
    turn = _TURNS.get(frame.getexif().get(ExifTags.Base.Orientation, 1))
    return ocr.read_picture(grey if turn is None else grey.transpose(turn), dpi, PageReading(text="", scanned=True))


def _on_white(frame: Image.Image) -> Image.Image:
    """The picture in grey as it is shown on a white page."""
    if frame.mode.startswith(("I", "F")):  # 16 or 32 bits, which Pillow would cut off at 255
        levels = np.asarray(frame, dtype=np.float32)
        most = 65535.0 if frame.mode.startswith("I;16") else max(float(np.nanmax(levels)), 1.0)
        return Image.fromarray((np.nan_to_num(levels) * (255 / most)).clip(0, 255).astype(np.uint8))
    if not frame.has_transparency_data:
        return frame.convert("L")
    whole = frame.convert("RGBA")
    return Image.composite(whole.convert("L"), Image.new("L", whole.size, 255), whole.getchannel("A"))


def _resolution(frame: Image.Image) -> tuple[float, float]:
    """Pixels per inch across and down, guessed where the file does not say or gives only what programs put there."""
    longest = max(frame.size)
    guess = _SCREEN if longest < _SCREEN_PIXELS else longest / _LETTER
    across, down = (float(value) for value in frame.info.get("dpi", (0, 0)))
    if _SCREEN < max(across, down) <= _FINEST_KNOWN and 0.25 <= across / (down or 1) <= 4:
        return across, down
    return guess, guess


def _scaled(grey: Image.Image, resolution: tuple[float, float]) -> tuple[Image.Image, int]:
    """The picture with square pixels (those of a fax are not) at a resolution that reads well, and that resolution."""
    dpi = max(resolution)
    wanted = _RAISED if dpi < _COARSEST else min(dpi, _FINEST)
    width, height = (pixels * wanted / given for pixels, given in zip(grey.size, resolution, strict=True))
    shrink = min(1.0, math.sqrt(ocr.MOST_PIXELS / (width * height)))
    size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
    return (grey if size == grey.size else grey.resize(size, Image.Resampling.LANCZOS)), round(wanted * shrink)


def _unidentified(path: Path) -> UnreadableFile:
    with path.open("rb") as file:
        head = file.read(16)
    if head.startswith(_MAGIC):
        return _corrupt(path)
    what = next((name for name, place, magic in _OTHERS if head[place : place + len(magic)] == magic), "a picture")
    return UnreadableFile(
        "unsupported", f"{path.name} is {what} in a format that cannot be read.", "Save it as PNG or PDF."
    )


def _too_large(path: Path, how: str) -> UnreadableFile:
    return UnreadableFile("too_large", f"{path.name} {how}.", "Save it as a PDF of ordinary pages, or split it.")


def _corrupt(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "corrupt", f"{path.name} is damaged or cut short.", "Obtain it again from where it came, or save it as PNG."
    )
