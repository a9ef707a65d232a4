"""A PDF page as PDFium paints it: what it paints in order, and the pixels that come of it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points of the page's user space, before its rotation."""
Pixels = NDArray[np.uint8]
"""Height × width × 3."""
Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity; 0 to 255."""
Matrix = tuple[float, float, float, float, float, float]

DPI = 150
MAX_PIXELS = 4_000_000
MAX_SIDE = 30_000  # of the whole page in pixels; beyond about 32,000 the rasteriser's coordinates overflow
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_BLANK_ANNOTATIONS = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)
_OUTLINED = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_THIN = 2.0  # points; a frame drawn with a thinner line hides nothing inside it


class Text(NamedTuple):
    """A text object. `order` counts what is painted; `colour` is None for a pattern, `scale` is that of its forms.

    `veiled` says that a clip, mask or transparency may take it away, `layered` that it is optional content.
    """

    order: int
    handle: Any
    box: Box
    mode: int
    colour: Colour | None
    scale: float
    veiled: bool
    layered: bool

    @property
    def size(self) -> float:
        """The size in points at which it is shown: the font's, after all matrices."""
        size = ctypes.c_float()
        pdfium.FPDFTextObj_GetFontSize(self.handle, size)
        return abs(size.value) * _scale(_matrix(self.handle)) * self.scale


class Shape(NamedTuple):
    """Anything else that leaves ink: a path, image, shading or annotation. `colour` is None where it is not one."""

    order: int
    box: Box
    colour: Colour | None
    image: bool


def address(handle: Any) -> int:
    """What tells a PDFium object from another; 0 for none."""
    return ctypes.addressof(handle.contents) if handle else 0


class _Space(NamedTuple):
    """Where objects stand: `matrix` carries their coordinates to the page; the flags of `Text` hold for all of them."""

    matrix: Matrix | None = None
    veiled: bool = False
    layered: bool = False


class Inventory:
    """What a page paints: `texts` and `shapes`, each in the order of painting, forms opened, annotations last.

    It must not outlive the page: the handles of `texts` then point at nothing.
    """

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self.texts: list[Text] = []
        self.shapes: list[Shape] = []
        # One set of buffers serves all calls: making them anew would cost more than the calls.
        self._order = 0
        self._floats = (ctypes.c_float * 4)()
        self._words = (ctypes.c_uint * 4)()
        self._sides = _pointers(self._floats, ctypes.c_float)
        self._channels = _pointers(self._words, ctypes.c_uint)
        self._name, self._length = ctypes.create_string_buffer(8), ctypes.c_ulong()
        self._name_units = ctypes.cast(self._name, ctypes.POINTER(ctypes.c_ushort))
        count = pdfium.FPDFPage_CountObjects(page.raw)
        self._read((pdfium.FPDFPage_GetObject(page.raw, n) for n in range(count)), _Space())
        self._read_annotations(page)

    def _read(self, handles: Iterable[Any], space: _Space) -> None:
        for handle in handles:
            self._order += 1
            mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)  # most are text: one call tells both
            if mode != pdfium.FPDF_TEXTRENDERMODE_UNKNOWN:
                self._read_text(handle, space, mode)
            elif (kind := pdfium.FPDFPageObj_GetType(handle)) == pdfium.FPDF_PAGEOBJ_FORM:
                self._read_form(handle, space)
            elif kind != pdfium.FPDF_PAGEOBJ_PATH:
                self._add(self._bounds(handle), space, None, kind == pdfium.FPDF_PAGEOBJ_IMAGE)
            elif _leaves_ink(handle):
                self._add(self._bounds(handle), space, self._colour(handle))

    def _read_annotations(self, page: pypdfium2.PdfPage) -> None:
        rectangle = pdfium.FS_RECTF()
        for number in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
            annotation = pdfium.FPDFPage_GetAnnot(page.raw, number)
            shown = pdfium.FPDFAnnot_GetSubtype(annotation) not in _BLANK_ANNOTATIONS
            shown &= not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN
            if shown and pdfium.FPDFAnnot_GetRect(annotation, rectangle):
                self._order += 1
                self._add((rectangle.left, rectangle.bottom, rectangle.right, rectangle.top), _Space(), None)
            pdfium.FPDFPage_CloseAnnot(annotation)

    def _read_text(self, handle: Any, space: _Space, mode: int) -> None:
        box = self._bounds(handle)
        self.texts.append(
            Text(
                self._order,
                handle,
                box if space.matrix is None else _moved(box, space.matrix),
                mode,
                self._colour(handle, mode in _OUTLINED),
                1.0 if space.matrix is None else _scale(space.matrix),
                space.veiled or self._is_veiled(handle, box),
                space.layered or self._in_layer(handle),
            )
        )

    def _read_form(self, handle: Any, space: _Space) -> None:
        matrix = _product(_matrix(handle), space.matrix)
        veiled = space.veiled or self._is_veiled(handle, self._bounds(handle))
        layered = space.layered or self._in_layer(handle)
        count = pdfium.FPDFFormObj_CountObjects(handle)
        self._read((pdfium.FPDFFormObj_GetObject(handle, n) for n in range(count)), _Space(matrix, veiled, layered))

    def _add(self, box: Box, space: _Space, colour: Colour | None, image: bool = False) -> None:
        self.shapes.append(Shape(self._order, _moved(box, space.matrix), colour, image))

    def _bounds(self, handle: Any) -> Box:
        known = pdfium.FPDFPageObj_GetBounds(handle, *self._sides)
        left, bottom, right, top = self._floats
        return (left, bottom, right, top) if known else (0.0, 0.0, 0.0, 0.0)

    def _colour(self, handle: Any, outline: bool = False) -> Colour | None:
        get = pdfium.FPDFPageObj_GetStrokeColor if outline else pdfium.FPDFPageObj_GetFillColor
        known = get(handle, *self._channels)
        red, green, blue, opacity = self._words
        return (red, green, blue, opacity) if known else None

    def _is_veiled(self, handle: Any, box: Box) -> bool:
        clip = pdfium.FPDFPageObj_GetClipPath(handle)
        cut = pdfium.FPDFClipPath_CountPaths(clip) > 0 and box[:2] != box[2:] and _cuts(clip, box)
        return cut or bool(pdfium.FPDFPageObj_HasTransparency(handle))

    def _in_layer(self, handle: Any) -> bool:
        """Whether one of its marks is `/OC` (ISO 32000-2, 8.11.3.2)."""
        for number in range(pdfium.FPDFPageObj_CountMarks(handle)):
            mark = pdfium.FPDFPageObj_GetMark(handle, number)
            known = pdfium.FPDFPageObjMark_GetName(mark, self._name_units, 8, self._length)
            if known and self._name.raw.startswith(b"O\0C\0\0\0"):
                return True
        return False


def _pointers(array: Any, kind: Any) -> list[Any]:
    size = ctypes.sizeof(kind)
    return [ctypes.cast(ctypes.addressof(array) + size * n, ctypes.POINTER(kind)) for n in range(len(array))]


def _matrix(handle: Any) -> Matrix:
    found = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(handle, found)
    return (found.a, found.b, found.c, found.d, found.e, found.f)


def _product(first: Matrix, second: Matrix | None) -> Matrix:
    if second is None:
        return first
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _scale(matrix: Matrix) -> float:
    """By how much it shrinks the side that it shrinks most."""
    return min(math.hypot(matrix[0], matrix[1]), math.hypot(matrix[2], matrix[3]))


def _moved(box: Box, matrix: Matrix | None) -> Box:
    """The upright box around `box` after `matrix`, its sides in order."""
    a, b, c, d, e, f = matrix or (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    xs = [a * x + c * y + e for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [b * x + d * y + f for x in (box[0], box[2]) for y in (box[1], box[3])]
    return (min(xs), min(ys), max(xs), max(ys))


def char_box(text_page: pypdfium2.PdfTextPage, index: int, loose: bool = False) -> Box:
    """Where a character stands: the box of its ink, or of its advance and line; without area where PDFium has none."""
    try:
        left, bottom, right, top = text_page.get_charbox(index, loose=loose)
    except pypdfium2.PdfiumError:
        return (0.0, 0.0, 0.0, 0.0)
    return (left, bottom, right, top)


def _leaves_ink(path: Any) -> bool:
    """Whether a path could hide what is in its bounds: not the thin frame of a table, not a mere clip."""
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if fill.value or not stroke.value:
        return bool(fill.value)
    pdfium.FPDFPageObj_GetStrokeWidth(path, width)
    return bool(width.value >= _THIN) or not 3 < pdfium.FPDFPath_CountSegments(path) <= 6


def _cuts(clip: Any, box: Box) -> bool:
    """Whether a clip reaches into `box`. One of many pieces is not measured: it may."""
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(pdfium.FPDFClipPath_CountPaths(clip)):
        segments = pdfium.FPDFClipPath_CountPathSegments(clip, number)
        if not 0 < segments <= 6:
            return True
        corners = []
        for n in range(segments):
            pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFClipPath_GetPathSegment(clip, number, n), x, y)
            corners.append((x.value, y.value))
        xs, ys = zip(*corners, strict=True)
        if min(xs) > box[0] or min(ys) > box[1] or max(xs) < box[2] or max(ys) < box[3]:
            return True
    return False


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

    def pixels_without(self, handles: Collection[Any]) -> Pixels:
        """The same as if these objects were not on the page."""
        try:
            for handle in handles:
                pdfium.FPDFPageObj_SetIsActive(handle, False)
            return self.pixels()
        finally:
            for handle in handles:
                pdfium.FPDFPageObj_SetIsActive(handle, True)

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
