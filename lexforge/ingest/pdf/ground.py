"""How light the pictures of a PDF are where text stands on them, told without painting the page."""

from __future__ import annotations

import ctypes
import mmap
import re
from io import BytesIO
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from lexforge.ingest.pdf import calls
from lexforge.ingest.pdf.painted import Shape

MOST_PIXELS = 60_000_000
"""Of a picture that is looked at: a page of 11 by 17 inches at 600 dpi."""

_CLOSE = 64  # steps of 255 from the text's tone up to which a piece of the ground may swallow it
_PIECE = 1.5  # points; the side of such a piece at most, so that a word has several
_PATCH = (0.3, 1.0)  # heights of a text, by which a patch that hides words of it is high and wide at least
_FILLED = 0.75  # share of such a patch that is close to the text; writing beneath it leaves more between its strokes
_KEPT = 4  # pictures; a letterhead comes back on the next page
_DECODE = re.compile(rb"/(?:D|#44)(?:e|#65)(?:c|#63)(?:o|#6[fF])(?:d|#64)(?:e|#65)(?!Parms)")
_PLAIN = {pdfium.FPDF_COLORSPACE_DEVICEGRAY: "L", pdfium.FPDF_COLORSPACE_DEVICERGB: "RGB"}

Tones = NDArray[np.int16]
"""Height × width: how light each piece of a picture is, 0 to 255, the top row first."""


class Grounds:
    """The pictures of one file that are JPEGs in a plain colour space, decoded at a fraction of their size.

    Of any other picture it tells nothing, nor where the file asks for a picture to be inverted (/Decode).
    """

    def __init__(self, data: mmap.mmap | bytes = b"") -> None:
        """`data` is the file."""
        self._data = data
        self._known: dict[bytes, Tones | None] = {}
        self._may_invert: bool | None = None

    def apart(self, page: int, picture: Shape, boxes: NDArray[np.float64], tone: float) -> NDArray[np.bool_]:
        """Which texts of one tone, in these boxes (k × 4, points), a picture beneath them hides no word of."""
        tones = self._tones(page, picture)
        if tones is None or picture.matrix is None:
            return np.zeros(len(boxes), dtype=bool)
        a, _, _, d, e, f = picture.matrix
        height, width = tones.shape
        columns = np.sort((boxes[:, [0, 2]] - e) / a * width)
        rows = np.sort((1 - (boxes[:, [1, 3]] - f) / d) * height)
        starts = np.floor(np.column_stack((rows[:, 0], columns[:, 0]))).clip(0).astype(int).tolist()
        ends = np.ceil(np.column_stack((rows[:, 1], columns[:, 1]))).clip(0).astype(int).tolist()
        grounds = (tones[y0:y1, x0:x1] for (y0, x0), (y1, x1) in zip(starts, ends, strict=True))
        return np.array([not _hides(ground, tone) for ground in grounds], dtype=bool)

    def _tones(self, page: int, picture: Shape) -> Tones | None:
        """The tones of an upright picture, or None."""
        a, b, c, d, *_ = picture.matrix or (0.0,) * 6
        facts = pdfium.FPDF_IMAGEOBJ_METADATA()
        if b or c or not a or not d or calls.see_through(ctypes.c_void_p(picture.image)):
            return None
        if not calls.image_facts(picture.image, page, ctypes.addressof(facts)) or facts.colorspace not in _PLAIN:
            return None
        if not 0 < facts.width * facts.height <= MOST_PIXELS:
            return None
        raw = _raw(picture.image)
        if raw not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            size = (int(abs(a) / _PIECE) + 1, int(abs(d) / _PIECE) + 1)
            mode = _PLAIN[facts.colorspace]
            self._known[raw] = _decoded(raw, mode, size) if self._is_plain(raw) else None
        return self._known[raw]

    def _is_plain(self, raw: bytes) -> bool:
        """Whether the picture stands in the file as it is, and none of the file's is to be inverted."""
        if not raw.startswith(b"\xff\xd8\xff"):
            return False
        if self._may_invert is None:
            self._may_invert = _DECODE.search(self._data) is not None
        at = self._data.find(raw)  # not one written into the content of a page, which may say anything of itself
        return at > 0 and not self._may_invert and self._data[max(0, at - 8) : at].rstrip(b"\r\n").endswith(b"stream")


def _raw(image: int) -> bytes:
    size = calls.raw_image(image, None, 0)
    room = ctypes.create_string_buffer(size)
    calls.raw_image(image, ctypes.addressof(room), size)
    return room.raw


def _decoded(raw: bytes, mode: str, size: tuple[int, int]) -> Tones | None:
    """A JPEG's tones in pieces, at least as many each way as `size` where it has them."""
    from PIL import Image  # noqa: PLC0415 - few pages need it

    try:
        with Image.open(BytesIO(raw)) as image:
            if image.format != "JPEG" or image.mode != mode:
                return None
            image.draft("L", size)
            return _tones(image)
    except Exception:  # a malformed picture breaks what a library assumes in ways nobody can list
        return None


def _tones(image: Any) -> Tones:
    return np.asarray(image.convert("L"), dtype=np.int16)


def _hides(ground: Tones, tone: float) -> bool:
    """Whether pieces of a ground that are close to a text's tone fill a patch."""
    if not ground.size or ground.min() >= tone + _CLOSE or ground.max() <= tone - _CLOSE:
        return False
    if ground.shape[0] > ground.shape[1]:  # a text that runs up or down
        ground = ground.T
    rows, columns = ground.shape
    high, wide = (max(1, int(rows * share)) for share in _PATCH)
    wide = min(wide, columns)
    sums = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    (np.abs(ground - tone) < _CLOSE).cumsum(axis=0).cumsum(axis=1, out=sums[1:, 1:])
    filled = sums[high:, wide:] - sums[:-high, wide:] - sums[high:, :-wide] + sums[:-high, :-wide]
    return bool(filled.max() >= _FILLED * high * wide)
