"""What a PDF page paints, in the order of painting: one walk over its objects serves all who ask about them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from lexforge.ingest.pdf import calls
from lexforge.ingest.pdf.calls import Numbers
from lexforge.ingest.pdf.geometry import Box, Matrix, moved, product, scale
from lexforge.ingest.pdf.objects import MOST_ANNOTATIONS, artifact_text
from lexforge.ingest.pdf.veils import Veils

MOST_OBJECTS = 20_000
"""Objects of one page that are looked at, those of its forms included; a drawing may have millions."""

Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity; 0 to 255."""

_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_BLANK_ANNOTATIONS = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)
_OUTLINED = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_THIN = 2.0  # points; a frame drawn with a thinner line hides nothing inside it
_OPAQUE_BLACK = (0, 0, 0, 255)
_BLACK = 40  # of 255: printed black is often a grey
_NARROWEST, _LOWEST = 12.0, 6.0  # points: a word of two letters in 8-point type
_RECTANGLE = (4, 5)  # segments of a path with four sides, closed or not


class Text(NamedTuple):
    """A text object. `order` counts what is painted.

    `veiled` says that a clip, mask or transparency may take it away, `layered` that it is optional content.
    """

    order: int
    handle: int
    mode: int
    veiled: bool
    layered: bool


class Shape(NamedTuple):
    """Anything else that leaves ink: a path, image, shading or annotation. `colour` is None where it is not one.

    An `image` has its handle, and the matrix that carries the unit square to where it is painted.
    """

    order: int
    box: Box
    colour: Colour | None
    image: int = 0
    matrix: Matrix | None = None


class _Space(NamedTuple):
    """Where objects stand: `matrix` carries their coordinates to the page; the flags of `Text` hold for all of them."""

    matrix: Matrix | None = None
    veiled: bool = False
    layered: bool = False


_PAGE = _Space()


class _Oddity(NamedTuple):
    """What is unusual of a text, as in `Text`."""

    mode: int = 0
    veiled: bool = False
    layered: bool = False


_USUAL = _Oddity()


class _Holder(NamedTuple):
    """A page or a form, and how its objects are had."""

    handle: int
    get: Callable[[ctypes.c_void_p, int], int]
    size: int


class Inventory:
    """What a page paints: texts and `shapes`, each in the order of painting, forms opened, annotations last.

    `handles` and `orders` are those of the texts, `odd` has the numbers of texts in an unusual mode, veiled or layered;
    `drawings` counts paths; `black` are filled black rectangles that could hide a word, `artifacts` the /Contents of
    pagination artifacts that forms stand in. `whole` is False where the page has more than MOST_OBJECTS objects. It
    must not outlive the page: the handles then point at nothing.
    """

    def __init__(self, page: Any) -> None:
        """`page` is an open PDFium page."""
        self.handles: list[int] = []
        self.orders: list[int] = []
        self.odd: dict[int, _Oddity] = {}
        self.shapes: list[Shape] = []
        self.drawings = 0
        self.black: list[Box] = []
        self.artifacts: list[str] = []
        self.whole = True
        self.page = calls.handle_of(page)
        self._order = 0
        self._seen = bytearray()  # of each text its bounds, four floats, and its colour, four unsigned integers
        self._patterns: list[int] = []
        self._moved: dict[int, Box] = {}
        self._scales: dict[int, float] = {}
        self._veils = Veils()
        self._read(_Holder(self.page, calls.page_object, calls.page_objects(self.page)), _PAGE)
        self._read_annotations(page)

    def text(self, number: int) -> Text:
        """A text object."""
        return Text(self.orders[number], self.handles[number], *self.odd.get(number, _USUAL))

    def size(self, number: int) -> float:
        """The size in points at which a text object is shown: the font's, after all matrices."""
        item = ctypes.c_void_p(self.handles[number])
        calls.font_size(item, _size.to[0])
        calls.matrix(item, _six.to[0])
        a, b, c, d, _, _ = _six.read()
        (size,) = _size.read()
        return float(abs(size)) * min(math.hypot(a, b), math.hypot(c, d)) * self._scales.get(number, 1.0)

    @property
    def boxes(self) -> NDArray[np.float64]:
        """Texts × 4: left, bottom, right, top of each text."""
        found = np.frombuffer(self._seen, np.float32).reshape(-1, 8)[:, :4].astype(np.float64)
        for number, box in self._moved.items():
            found[number] = box
        return found

    @property
    def all_black(self) -> bool:
        """Whether every text is in opaque black."""
        return bool((np.frombuffer(self._seen, np.uint32).reshape(-1, 8)[:, 4:] == _OPAQUE_BLACK).all())

    @cached_property
    def colours(self) -> NDArray[np.float64]:
        """Texts × 4: red, green, blue, opacity (0 to 255); NaN for a pattern."""
        found = np.frombuffer(self._seen, np.uint32).reshape(-1, 8)[:, 4:].astype(np.float64)
        if self._patterns:
            found[self._patterns] = np.nan
        return found

    def _read(self, holder: _Holder, space: _Space) -> None:
        # It runs for every object of every page, and most are text: what that needs is at hand, and asks for no more.
        above, item, get = ctypes.c_void_p(holder.handle), ctypes.c_void_p(), holder.get
        mode_of, bounds, fill, see_through, clip, clip_paths, marks = _OF_TEXT
        x0, y0, x1, y1 = _sides.to
        red, green, blue, opacity = _channels.to
        handles, orders, seen, text, order = self.handles, self.orders, self._seen, _text, self._order
        plain = space is _PAGE
        for number in range(holder.size):
            if order >= MOST_OBJECTS:
                self.whole = False
                break
            order += 1
            item.value = handle = get(above, number)
            mode = mode_of(item)  # tells text from all else as well
            if mode < 0:
                self._order = order
                self._read_other(item, space)
                order = self._order
                continue
            if not bounds(item, x0, y0, x1, y1):
                _sides.clear()
            colour = calls.stroke_colour if mode in _OUTLINED else fill
            if not colour(item, red, green, blue, opacity):
                self._patterns.append(len(handles))
            seen += text
            count = marks(item)
            marked = count > 0 and self._veils.layered(item, count)
            if mode or marked or not plain or see_through(item) or clip_paths(clip(item)) > 0:
                self._note(item, space, mode, marked)
            handles.append(handle)
            orders.append(order)
        self._order = order

    def _note(self, item: ctypes.c_void_p, space: _Space, mode: int, marked: bool) -> None:
        """Keep what is unusual of a text object whose bounds were asked last."""
        number = len(self.handles)
        if space.matrix is not None:
            self._moved[number] = moved(_sides.read(), space.matrix)
            self._scales[number] = scale(space.matrix)
        veiled = space.veiled or self._veils.veiled(item, _sides)
        layered = space.layered or marked
        if mode or veiled or layered:
            self.odd[number] = _Oddity(mode, veiled, layered)

    def _read_other(self, item: ctypes.c_void_p, space: _Space) -> None:
        kind = calls.kind(item)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            self.drawings += 1
            self._read_path(item, space)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM:
            self._read_form(item, item.value or 0, space)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            matrix = product(_matrix(item), space.matrix)
            self.shapes.append(Shape(self._order, moved(_bounds(item), space.matrix), None, item.value or 0, matrix))
        else:
            self.shapes.append(Shape(self._order, moved(_bounds(item), space.matrix), None))

    def _read_path(self, item: ctypes.c_void_p, space: _Space) -> None:
        calls.draw_mode(item, *_mode.to)
        fill, stroke = _mode.read()
        if not _leaves_ink(item, fill, stroke):
            return
        box = moved(_bounds(item), space.matrix)
        colour: Colour | None = _channels.read() if calls.fill_colour(item, *_channels.to) else None
        self.shapes.append(Shape(self._order, box, colour))
        if (
            colour is not None
            and fill
            and max(colour[:3]) <= _BLACK
            and colour[3] > 255 - _BLACK
            and box[2] - box[0] >= _NARROWEST
            and box[3] - box[1] >= _LOWEST
            and calls.segments(item) in _RECTANGLE
        ):
            self.black.append(box)

    def _read_form(self, item: ctypes.c_void_p, form: int, space: _Space) -> None:
        marks = calls.marks(item)
        if marks > 0 and (artifact := artifact_text(ctypes.cast(form, pdfium.FPDF_PAGEOBJECT))):
            self.artifacts.append(artifact)
        _measure(item)
        inside = _Space(
            product(_matrix(item), space.matrix),
            space.veiled or self._veils.veiled(item, _sides),
            space.layered or self._veils.layered(item, marks),
        )
        self._read(_Holder(form, calls.form_object, calls.form_objects(form)), inside)

    def _read_annotations(self, page: Any) -> None:
        rectangle, count = pdfium.FS_RECTF(), pdfium.FPDFPage_GetAnnotCount(page)
        self.whole &= count <= MOST_ANNOTATIONS
        for number in range(min(count, MOST_ANNOTATIONS)):
            annotation = pdfium.FPDFPage_GetAnnot(page, number)
            shown = pdfium.FPDFAnnot_GetSubtype(annotation) not in _BLANK_ANNOTATIONS
            shown &= not pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN
            if shown and pdfium.FPDFAnnot_GetRect(annotation, rectangle):
                self._order += 1
                box = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
                self.shapes.append(Shape(self._order, moved(box, None), None))
            pdfium.FPDFPage_CloseAnnot(annotation)


_OF_TEXT = (
    calls.text_mode,
    calls.bounds,
    calls.fill_colour,
    calls.see_through,
    calls.clip,
    calls.clip_paths,
    calls.marks,
)
# One set of buffers serves all calls: making them anew would cost more than the calls.
_mode, _size, _six = Numbers("i", 2), Numbers("f", 1), Numbers("f", 6)
_text = ctypes.create_string_buffer(32)
_sides, _channels = Numbers("f", 4, _text), Numbers("I", 4, _text, 16)


def _leaves_ink(path: ctypes.c_void_p, fill: int, stroke: int) -> bool:
    """Whether a path could hide what is in its bounds: not the thin frame of a table, not a mere clip."""
    if fill or not stroke:
        return bool(fill)
    calls.stroke_width(path, _size.to[0])
    return bool(_size.read()[0] >= _THIN) or not 3 < calls.segments(path) <= 6


def _measure(item: ctypes.c_void_p) -> None:
    """Let `_sides` hold the bounds of an object, zeros where it has none."""
    if not calls.bounds(item, *_sides.to):
        _sides.clear()


def _bounds(item: ctypes.c_void_p) -> Box:
    _measure(item)
    left, bottom, right, top = _sides.read()
    return (left, bottom, right, top)


def _matrix(item: ctypes.c_void_p) -> Matrix:
    calls.matrix(item, _six.to[0])
    a, b, c, d, e, f = _six.read()
    return (a, b, c, d, e, f)
