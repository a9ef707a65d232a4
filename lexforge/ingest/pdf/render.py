"""The pixels of a PDF page, as PDFium paints it."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from lexforge.ingest.pdf import calls
from lexforge.ingest.pdf.calls import Numbers
from lexforge.ingest.pdf.geometry import Box

Pixels = NDArray[np.uint8]
"""Height × width × 3."""

DPI = 150
MAX_PIXELS = 4_000_000
MAX_SIDE = 30_000  # of the whole page in pixels; beyond about 32,000 the rasteriser's coordinates overflow


_four, _cell = Numbers("d", 4), Numbers("f", 4)


def char_box(text_page: int, index: int, loose: bool = False) -> Box:
    """Where a character stands: the box of its ink, or of its advance and line; without area where PDFium has none."""
    if loose:
        known = calls.character_cell(text_page, index, _cell.to[0])
        left, top, right, bottom = _cell.read()
    else:
        known = calls.character_box(text_page, index, *_four.to)
        left, right, bottom, top = _four.read()
    return (left, bottom, right, top) if known else (0.0, 0.0, 0.0, 0.0)


class View:
    """A part of a page at a resolution that keeps it below `MAX_PIXELS`; `scale` is pixels per point."""

    def __init__(self, page: pypdfium2.PdfPage, region: Box) -> None:
        """`region` is what must be seen; it is widened a little, and cut to the page, which must have an area."""
        self._page = page
        self._turn = page.get_rotation()
        self._sheet = page.get_bbox()
        width, height = page.get_size()
        left, top, right, bottom = self._upright((region[0] - 2, region[1] - 2, region[2] + 2, region[3] + 2))
        left, right = _held(left, 0, width), _held(right, 0, width)
        top, bottom = _held(top, 0, height), _held(bottom, 0, height)
        area = max((right - left) * (bottom - top), 1.0)
        self.scale: float = min(DPI / 72, math.sqrt(MAX_PIXELS / area), MAX_SIDE / max(width, height, 1.0))
        columns, rows = math.ceil(width * self.scale), math.ceil(height * self.scale)
        self._left = int(_held(left * self.scale, 0, columns - 1))
        self._top = int(_held(top * self.scale, 0, rows - 1))
        end, foot = math.ceil(right * self.scale), math.ceil(bottom * self.scale)
        under, beyond = rows - _held(foot, self._top + 1, rows), columns - _held(end, self._left + 1, columns)
        # pypdfium2 rounds a cut up to whole pixels: half a pixel less gives exactly these.
        self._crop = tuple((cut - 0.5) / self.scale if cut else 0.0 for cut in (self._left, under, beyond, self._top))

    def pixels(self) -> Pixels:
        """The part as it is shown now, annotations included."""
        bitmap = self._page.render(scale=self.scale, crop=self._crop, may_draw_forms=False, draw_annots=True)
        return np.array(bitmap.to_numpy()[..., :3], dtype=np.uint8)

    def pixels_without(self, handles: Collection[int]) -> Pixels:
        """The same as if these objects were not on the page."""
        try:
            for handle in handles:
                calls.activate(handle, 0)
            return self.pixels()
        finally:
            for handle in handles:
                calls.activate(handle, 1)

    def window(self, box: Box, margin: int = 1) -> tuple[slice, slice]:
        """Rows and columns of the pixels that show `box`, with a margin in pixels."""
        left, top, right, bottom = self._upright(box)
        first = (math.floor(top * self.scale) - self._top, math.floor(left * self.scale) - self._left)
        last = (math.ceil(bottom * self.scale) - self._top, math.ceil(right * self.scale) - self._left)
        rows, columns = (slice(max(0, a - margin), max(0, b + margin)) for a, b in zip(first, last, strict=True))
        return rows, columns

    def _upright(self, box: Box) -> Box:
        """Left, top, right, bottom in points from the upper left corner of the page as it is shown."""
        left, bottom, right, top = box
        x0, y0, x1, y1 = self._sheet
        if self._turn == 90:
            return (bottom - y0, left - x0, top - y0, right - x0)
        if self._turn == 180:
            return (x1 - right, bottom - y0, x1 - left, top - y0)
        if self._turn == 270:
            return (y1 - top, x1 - right, y1 - bottom, x1 - left)
        return (left - x0, y1 - top, right - x0, y1 - bottom)


def _held(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
