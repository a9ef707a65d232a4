"""What a PDF page holds besides its text: pictures, black boxes, Acrobat's Bates artifacts, and annotations."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from lexforge.ingest.pdf.text import Frame

MOST_OBJECTS = 20_000
"""Objects of one page that are looked at; a drawing may have millions."""
DEEPEST = 4
"""Forms within forms that are looked into."""
MOST_BOXES = 500
"""Black boxes whose words are looked at; further ones count as they are."""
MOST_ANNOTATIONS = 2_000

_LIGHT = 200  # of 255
_SAYS_WHY = re.compile(r"redact|privileg|withheld|\(b\)", re.IGNORECASE)
_DARK = 40  # of 255: printed black is often a grey
_NARROWEST, _LOWEST = 12.0, 6.0  # points: a word of two letters in 8-point type
_RECTANGLE = (4, 5)  # segments of a path with four sides, closed or not
_HIDDEN_FLAGS = 0x02 | 0x20  # Hidden and NoView (ISO 32000-1, table 165)
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in the page's own coordinates (points)."""
Matrix = tuple[float, float, float, float, float, float]


class Annotation(NamedTuple):
    """A note on a page: `number` is its place in /Annots; `free_text` is shown as it stands, a stamp may be a picture.

    `field` is what somebody filled into a form.
    """

    number: int
    free_text: bool
    contents: str
    field: bool = False


@dataclass(slots=True)
class Survey:
    """What was seen on one page: the share of it under pictures (0 to 1), black boxes, marked stamps, counts."""

    frame: Frame
    pictures: float = 0.0
    black: list[Box] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    texts: int = 0
    drawings: int = 0
    left: int = MOST_OBJECTS


class _Holder(NamedTuple):
    """A page or a form, and how its objects are had."""

    handle: Any
    get: Callable[[Any, int], Any]
    size: int


def survey(page: Any, frame: Frame) -> Survey:
    """Look once at every object of an open PDFium page, and into its forms."""
    found = Survey(frame)
    _look(_Holder(page, pdfium.FPDFPage_GetObject, pdfium.FPDFPage_CountObjects(page)), found, _IDENTITY, 0)
    found.pictures = min(1.0, found.pictures)
    return found


def notes(page: Any) -> Iterator[Annotation]:
    """The visible free-text and stamp annotations and filled form fields of an open PDFium page."""
    for number in range(min(pdfium.FPDFPage_GetAnnotCount(page), MOST_ANNOTATIONS)):
        note = pdfium.FPDFPage_GetAnnot(page, number)
        if not note:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        if kind in _SHOWN_KINDS and not pdfium.FPDFAnnot_GetFlags(note) & _HIDDEN_FLAGS:
            is_field = kind == pdfium.FPDF_ANNOT_WIDGET
            key = b"V" if is_field else b"Contents"
            is_text = pdfium.FPDFAnnot_GetValueType(note, key) == pdfium.FPDF_OBJECT_STRING
            contents = _annotation_string(note, key) if is_text else ""
            yield Annotation(number, kind == pdfium.FPDF_ANNOT_FREETEXT, contents, is_field)
        pdfium.FPDFPage_CloseAnnot(note)


def redactions(black: Iterable[Box], text_page: Any) -> int:
    """How many black boxes hide words; one behind white words is a heading, unless they say that it hides some."""
    boxes = list(dict.fromkeys(black))
    return sum(_hides(box, text_page) for box in boxes[:MOST_BOXES]) + len(boxes[MOST_BOXES:])


def artifact_text(item: Any) -> str:
    """The /Contents of the pagination artifact in which a page object stands, or nothing (ISO 32000-1, 14.8.2.2)."""
    for number in range(pdfium.FPDFPageObj_CountMarks(item)):
        mark = pdfium.FPDFPageObj_GetMark(item, number)
        name = _wide(lambda *to: pdfium.FPDFPageObjMark_GetName(mark, *to))  # noqa: B023
        if name == "Artifact":
            return _wide(lambda *to: pdfium.FPDFPageObjMark_GetParamStringValue(mark, b"Contents", *to))  # noqa: B023
    return ""


_TEXT, _PATH = pdfium.FPDF_PAGEOBJ_TEXT, pdfium.FPDF_PAGEOBJ_PATH
_IMAGE, _FORM = pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM
_SHOWN_KINDS = {pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_WIDGET}


def _look(holder: _Holder, found: Survey, matrix: Matrix, depth: int) -> None:
    """Count the objects of a page or a form; most are text, so that kind is asked for first."""
    kind_of = pdfium.FPDFPageObj_GetType
    handle, get, count = holder
    count = min(count, found.left)
    found.left -= count
    for number in range(count):
        item = get(handle, number)
        kind = kind_of(item)
        if kind == _TEXT:
            found.texts += 1
        elif kind == _PATH:
            found.drawings += 1
            if pdfium.FPDFPath_CountSegments(item) in _RECTANGLE and (box := _black_box(item, matrix)):
                found.black.append(box)
        elif kind == _IMAGE:
            found.pictures += _share(_bounds(item, matrix), found.frame)
        elif kind == _FORM:
            _look_into(item, found, matrix, depth)


def _look_into(form: Any, found: Survey, matrix: Matrix, depth: int) -> None:
    if artifact := artifact_text(form):
        found.artifacts.append(artifact)
    if depth < DEEPEST:
        own = pdfium.FS_MATRIX()
        pdfium.FPDFPageObj_GetMatrix(form, own)
        inner = _product((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
        inside = _Holder(form, pdfium.FPDFFormObj_GetObject, pdfium.FPDFFormObj_CountObjects(form))
        _look(inside, found, inner, depth + 1)


def _product(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _bounds(item: Any, matrix: Matrix) -> Box:
    left, bottom, right, top = ctypes.c_float(), ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    box = left.value, bottom.value, right.value, top.value
    if matrix is _IDENTITY:
        return box
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in box[::2] for y in box[1::2]]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _share(box: Box, frame: Frame) -> float:
    """Share of the visible page that a box covers."""
    width = min(box[2], frame.right) - max(box[0], frame.left)
    height = min(box[3], frame.top) - max(box[1], frame.bottom)
    whole = (frame.right - frame.left) * (frame.top - frame.bottom)
    return max(0.0, width) * max(0.0, height) / whole if whole > 0 else 0.0


def _black_box(path: Any, matrix: Matrix) -> Box | None:
    """The box of a filled black rectangle that could hide a word; most rectangles are rules between lines."""
    box = _bounds(path, matrix)
    if box[2] - box[0] < _NARROWEST or box[3] - box[1] < _LOWEST:
        return None
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, ctypes.byref(mode), ctypes.byref(stroke))
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    known = pdfium.FPDFPageObj_GetFillColor(path, *map(ctypes.byref, (red, green, blue, alpha)))
    filled = known and mode.value != pdfium.FPDF_FILLMODE_NONE and alpha.value > 255 - _DARK
    return box if filled and max(red.value, green.value, blue.value) <= _DARK else None


def _hides(box: Box, text_page: Any) -> bool:
    left, bottom, right, top = box
    length = pdfium.FPDFText_GetBoundedText(text_page, left, top, right, bottom, None, 0)
    if length <= 0:
        return True
    buffer = (ctypes.c_ushort * (length + 1))()
    pdfium.FPDFText_GetBoundedText(text_page, left, top, right, bottom, buffer, length)
    words = bytes(buffer).decode("utf-16-le", "ignore").strip("\0 \r\n")
    return not words or bool(_SAYS_WHY.search(words)) or not _is_light(box, text_page)


def _is_light(box: Box, text_page: Any) -> bool:
    """Whether the character nearest to the middle of a box is drawn in a light colour."""
    left, bottom, right, top = box
    middle = ((left + right) / 2, (bottom + top) / 2)
    at = pdfium.FPDFText_GetCharIndexAtPos(text_page, *middle, right - left, top - bottom)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    for index in (at, at - 1, at - 2):  # the nearest may be a line end, which has no colour
        if index >= 0 and pdfium.FPDFText_GetFillColor(text_page, index, red, green, blue, alpha):
            return min(red.value, green.value, blue.value) >= _LIGHT
    return False


def _annotation_string(note: Any, key: bytes) -> str:
    size = pdfium.FPDFAnnot_GetStringValue(note, key, None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    pdfium.FPDFAnnot_GetStringValue(note, key, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "ignore")


def _wide(read: Callable[..., int]) -> str:
    """A UTF-16 string of which PDFium tells the length (bytes, with the end mark) and then the text."""
    size = ctypes.c_ulong()
    read(None, 0, ctypes.byref(size))
    if size.value <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size.value // 2))()
    read(buffer, size.value, ctypes.byref(size))
    return bytes(buffer)[: size.value - 2].decode("utf-16-le", "ignore")
