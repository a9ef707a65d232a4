"""The pixels of a PDF page, as PDFium paints it."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from lexforge.ingest.pdf import calls
from lexforge.ingest.pdf.calls import Numbers
from lexforge.ingest.pdf.geometry import Box, visible_box

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

    def __init__(self, page: Any, region: Box) -> None:
        """`page`, open in PDFium, has an area; `region` must be seen, and is widened a little and cut to the page."""
        self._page = page
        self._turn = pdfium.FPDFPage_GetRotation(page) % 4
        self._sheet = visible_box(page)
        width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
        left, top, right, bottom = self._upright((region[0] - 2, region[1] - 2, region[2] + 2, region[3] + 2))
        left, right = _held(left, 0, width), _held(right, 0, width)
        top, bottom = _held(top, 0, height), _held(bottom, 0, height)
        area = max((right - left) * (bottom - top), 1.0)
        self.scale: float = min(DPI / 72, math.sqrt(MAX_PIXELS / area), MAX_SIDE / max(width, height, 1.0))
        columns, rows = math.ceil(width * self.scale), math.ceil(height * self.scale)
        self._left = int(_held(left * self.scale, 0, columns - 1))
        self._top = int(_held(top * self.scale, 0, rows - 1))
        end, foot = math.ceil(right * self.scale), math.ceil(bottom * self.scale)
        self._rows = int(_held(foot, self._top + 1, rows)) - self._top
        self._columns = int(_held(end, self._left + 1, columns)) - self._left
        self._whole = (columns, rows)

    def pixels(self) -> Pixels:
        """The part as it is shown now, annotations included."""
        bitmap = pypdfium2.PdfBitmap.new_native(self._columns, self._rows, pdfium.FPDFBitmap_BGR)
        bitmap.fill_rect((255, 255, 255, 255), 0, 0, self._columns, self._rows)
        pdfium.FPDF_RenderPageBitmap(bitmap, self._page, -self._left, -self._top, *self._whole, 0, pdfium.FPDF_ANNOT)
        return np.array(bitmap.to_numpy(), dtype=np.uint8)

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
        if self._turn == 1:
            return (bottom - y0, left - x0, top - y0, right - x0)
        if self._turn == 2:
            return (x1 - right, bottom - y0, x1 - left, top - y0)
        if self._turn == 3:
            return (y1 - top, x1 - right, y1 - bottom, x1 - left)
        return (left - x0, y1 - top, right - x0, y1 - bottom)


def _held(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
