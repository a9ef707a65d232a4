"""What a PDF page says besides its text: annotations, Acrobat's Bates artifacts, and the words of black boxes."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from lexforge.ingest.pdf.geometry import Box

MOST_BOXES = 500
"""Black boxes whose words are looked at; further ones count as they are."""
MOST_ANNOTATIONS = 2_000

_LIGHT = 200  # of 255
_SAYS_WHY = re.compile(r"redact|privileg|withheld|\(b\)", re.IGNORECASE)
_HIDDEN_FLAGS = 0x02 | 0x20  # Hidden and NoView (ISO 32000-1, table 165)


class Annotation(NamedTuple):
    """A note on a page: `number` is its place in /Annots; `free_text` is shown as it stands, a stamp may be a picture.

    `field` is what somebody filled into a form.
    """

    number: int
    free_text: bool
    contents: str
    field: bool = False


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


_SHOWN_KINDS = {pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP, pdfium.FPDF_ANNOT_WIDGET}


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
