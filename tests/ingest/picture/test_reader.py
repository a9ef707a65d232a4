"""Picture files become pages, whatever their format, colours and orientation; unsound ones are refused by name."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lexforge.domain.evidence import StampOrigin
from lexforge.errors import UnreadableFile
from lexforge.ingest.picture import ocr
from lexforge.ingest.picture import reader as picture
from tests.ingest.picture import scans

needs_tesseract = pytest.mark.skipif(ocr.available() is None, reason="tesseract is not installed")
TWO = (scans.DPI, scans.DPI)


@pytest.fixture
def no_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")


def is_note(text: str) -> bool:
    return text.split() == scans.NOTE.split()


def transparent() -> Image.Image:
    page = Image.new("RGBA", scans.note().size, (0, 0, 0, 0))
    page.putalpha(scans.note().point(lambda level: 255 - level))
    return page


def sixteen_bit() -> Image.Image:
    return Image.fromarray(np.asarray(scans.note(), dtype=np.uint16) * 257)


def turned(orientation: int, transpose: Image.Transpose) -> tuple[Image.Image, Image.Exif]:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return scans.note().transpose(transpose), exif


def fax() -> Image.Image:
    """Standard resolution: twice as many pixels across as down."""
    page = scans.note()
    return page.resize((round(page.width * 204 / scans.DPI), round(page.height * 98 / scans.DPI))).convert("1")


@needs_tesseract
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (scans.bytes_of(transparent(), "PNG", dpi=TWO), "black on nothing is read on white"),
        (scans.bytes_of(sixteen_bit(), "PNG", dpi=TWO), "16 bits are scaled and not cut off"),
        (scans.bytes_of(scans.note(96), "PNG"), "a screenshot is enlarged"),
        (scans.bytes_of(scans.note().convert("CMYK"), "JPEG", dpi=TWO), "printing colours"),
        (scans.bytes_of(scans.note().convert("1"), "TIFF", compression="group4", dpi=TWO), "black and white"),
        (scans.bytes_of(fax(), "TIFF", compression="group3", dpi=(204, 98)), "pixels are not square"),
    ],
)
def test_colours_and_resolutions(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "picture.bin"
    path.write_bytes(data)
    reading = picture.read(path)
    (page,) = reading.pages
    assert is_note(page.text), reason
    assert page.scanned and page.by_ocr
    assert str(ocr.available()) in reading.extractor


@pytest.mark.usefixtures("no_tesseract")
@pytest.mark.parametrize(
    ("form", "options", "media_type"),
    [
        ("PNG", {}, "image/png"),
        ("JPEG", {"progressive": True}, "image/jpeg"),
        ("MPO", {"save_all": True, "append_images": [scans.note()]}, "image/jpeg"),
        ("TIFF", {"compression": "jpeg"}, "image/tiff"),
        ("TIFF", {"big_tiff": True}, "image/tiff"),
        ("BMP", {}, "image/bmp"),
        ("GIF", {"save_all": True, "append_images": [scans.blank()]}, "image/gif"),
        ("WEBP", {}, "image/webp"),
    ],
)
def test_formats_are_known_by_what_they_hold(
    tmp_path: Path, form: str, options: dict[str, object], media_type: str
) -> None:
    path = tmp_path / "picture.bin"
    path.write_bytes(scans.bytes_of(scans.note(), form, **options))
    reading = picture.read(path)
    assert reading.media_type == media_type
    assert len(reading.pages) == 1


@needs_tesseract
@pytest.mark.parametrize(
    ("form", "orientation", "transpose"),
    [
        ("JPEG", 2, Image.Transpose.FLIP_LEFT_RIGHT),
        ("TIFF", 7, Image.Transpose.TRANSVERSE),
    ],
)
def test_the_orientation_a_camera_noted_is_honoured(
    tmp_path: Path, form: str, orientation: int, transpose: Image.Transpose
) -> None:
    image, exif = turned(orientation, transpose)  # mirrored: a page that is only turned would be read anyhow
    path = tmp_path / "turned"
    path.write_bytes(scans.bytes_of(image, form, exif=exif, dpi=TWO))
    assert is_note(picture.read(path).texts[0])


@needs_tesseract
def test_every_page_of_a_tiff_is_read_with_its_stamp(tmp_path: Path) -> None:
    sheet = scans.blank().crop((0, 0, 1000, 1400))
    first, last = (scans.stamped(sheet, f"TALLOW-000421{n}").convert("1") for n in range(2))
    path = tmp_path / "production.tif"
    first.save(path, save_all=True, append_images=[sheet.convert("1"), last], compression="group4", dpi=TWO)
    reading = picture.read(path)
    assert reading.texts == ("TALLOW-0004210", "", "TALLOW-0004211")
    assert [page.by_ocr for page in reading.pages] == [True, False, True]
    assert [page.text in {c.text for c in page.candidates} for page in reading.pages] == [True, False, True]
    assert {c.origin for page in reading.pages for c in page.candidates} == {StampOrigin.OCR}


@pytest.mark.usefixtures("no_tesseract")
def test_without_tesseract_the_pages_are_there_without_text(tmp_path: Path) -> None:
    path = tmp_path / "scan.tif"
    scans.note().save(path, save_all=True, append_images=[scans.note()])
    reading = picture.read(path)
    assert [(page.text, page.scanned, page.by_ocr) for page in reading.pages] == [("", True, False)] * 2
    assert "tesseract" not in reading.extractor


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that says it is so large, in a few bytes."""
    parts = (b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0), b"IDAT" + zlib.compress(b"\0"))
    chunks = (struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def looping_tiff() -> bytes:
    """Its second directory says that the first comes next."""
    data = bytearray(
        scans.bytes_of(Image.new("1", (16, 16)), "TIFF", save_all=True, append_images=[Image.new("1", (16, 16))])
    )
    first = struct.unpack_from("<I", data, 4)[0]
    second_at = first + 2 + 12 * struct.unpack_from("<H", data, first)[0]
    second = struct.unpack_from("<I", data, second_at)[0]
    last_at = second + 2 + 12 * struct.unpack_from("<H", data, second)[0]
    struct.pack_into("<I", data, last_at, first)
    return bytes(data)


UNREADABLE: list[tuple[str, str, Callable[[], bytes]]] = [
    ("half a PNG", "corrupt", lambda: scans.bytes_of(scans.letter(), "PNG")[:20_000]),
    ("the signature of a PNG alone", "corrupt", lambda: b"\x89PNG\r\n\x1a\n"),
    ("half a JPEG", "corrupt", lambda: scans.bytes_of(scans.letter(), "JPEG")[:20_000]),
    ("half a TIFF", "corrupt", lambda: scans.bytes_of(scans.letter(), "TIFF")[:20_000]),
    (
        "half a fax",
        "corrupt",
        lambda: scans.bytes_of(scans.letter().convert("1"), "TIFF", compression="group4")[:9_000],
    ),
    ("half a WebP", "corrupt", lambda: scans.bytes_of(scans.letter(), "WEBP")[:9_000]),
    ("half a GIF", "corrupt", lambda: scans.bytes_of(scans.letter(), "GIF")[:9_000]),
    ("half a BMP", "corrupt", lambda: scans.bytes_of(scans.letter(), "BMP")[:9_000]),
    ("billions of pixels", "too_large", lambda: png_of_size(60_000, 60_000)),
    ("more pixels than a page has", "too_large", lambda: png_of_size(12_000, 9_000)),
    ("a photograph of a telephone", "unsupported", lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
    ("DjVu", "unsupported", lambda: b"AT&TFORM\0\0\0\x20DJVUINFO"),
    ("text", "unsupported", lambda: b"Dear Mr. Brine"),
]


@pytest.mark.usefixtures("no_tesseract")
@pytest.mark.parametrize(("flaw", "code", "data"), UNREADABLE, ids=[flaw for flaw, _, _ in UNREADABLE])
def test_an_unsound_picture_is_refused(tmp_path: Path, flaw: str, code: str, data: Callable[[], bytes]) -> None:
    path = tmp_path / "exhibit.bin"
    path.write_bytes(data())
    with pytest.raises(UnreadableFile, match=r"exhibit\.bin") as refused:
        picture.read(path)
    assert refused.value.code == code, flaw
    assert refused.value.advice


@pytest.mark.usefixtures("no_tesseract")
def test_a_tiff_with_too_many_pages_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MOST_PAGES", 3)
    path = tmp_path / "long.tif"
    small = Image.new("1", (16, 16))
    for more, refused in ((2, False), (3, True)):
        small.save(path, save_all=True, append_images=[small] * more)
        if refused:
            with pytest.raises(UnreadableFile, match=r"long\.tif has more than 3 pages"):
                picture.read(path)
        else:
            assert len(picture.read(path).pages) == 3


@pytest.mark.usefixtures("no_tesseract")
def test_a_tiff_whose_pages_go_in_a_circle_ends(tmp_path: Path) -> None:
    path = tmp_path / "circle.tif"
    path.write_bytes(looping_tiff())
    assert len(picture.read(path).pages) == 2
