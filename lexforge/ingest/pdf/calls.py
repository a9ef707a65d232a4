"""PDFium's calls that are made for every object or character of a page, without the wrapping of their handles.

A handle is an int here, 0 for none: making a typed pointer of each costs more than the call. PDFium bears no threads,
so the calls keep the interpreter's lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from struct import Struct
from typing import Any

import pypdfium2.raw as pdfium

_HANDLE, _INT, _OUT = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p


def handle_of(pointer: Any) -> int:
    """The handle that one of pypdfium2's pointers holds."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def _quick(function: Any, result: Any = ctypes.c_int) -> Callable[..., Any]:
    """One that is made for every object: it takes c_void_p for a handle, int and byref() as they are, unchecked."""
    call = ctypes.PYFUNCTYPE(result)(handle_of(function))
    call.argtypes = None  # type: ignore[assignment]
    return call


def _call(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)(handle_of(function))


page_object = _quick(pdfium.FPDFPage_GetObject, _HANDLE)
form_object = _quick(pdfium.FPDFFormObj_GetObject, _HANDLE)
text_mode = _quick(pdfium.FPDFTextObj_GetTextRenderMode)
bounds = _quick(pdfium.FPDFPageObj_GetBounds)
fill_colour = _quick(pdfium.FPDFPageObj_GetFillColor)
stroke_colour = _quick(pdfium.FPDFPageObj_GetStrokeColor)
see_through = _quick(pdfium.FPDFPageObj_HasTransparency)
clip = _quick(pdfium.FPDFPageObj_GetClipPath, _HANDLE)
marks = _quick(pdfium.FPDFPageObj_CountMarks)
font_size = _quick(pdfium.FPDFTextObj_GetFontSize)
matrix = _quick(pdfium.FPDFPageObj_GetMatrix)
mark = _quick(pdfium.FPDFPageObj_GetMark, _HANDLE)
character_object = _quick(pdfium.FPDFText_GetTextObject, _HANDLE)
character_origin = _quick(pdfium.FPDFText_GetCharOrigin)

page_objects = _call(pdfium.FPDFPage_CountObjects, _INT, _HANDLE)
form_objects = _call(pdfium.FPDFFormObj_CountObjects, _INT, _HANDLE)
kind = _call(pdfium.FPDFPageObj_GetType, _INT, _HANDLE)
stroke_width = _call(pdfium.FPDFPageObj_GetStrokeWidth, _INT, _HANDLE, _OUT)
draw_mode = _call(pdfium.FPDFPath_GetDrawMode, _INT, _HANDLE, _OUT, _OUT)
segments = _call(pdfium.FPDFPath_CountSegments, _INT, _HANDLE)
clip_paths = _call(pdfium.FPDFClipPath_CountPaths, _INT, _HANDLE)
clip_segments = _call(pdfium.FPDFClipPath_CountPathSegments, _INT, _HANDLE, _INT)
clip_segment = _call(pdfium.FPDFClipPath_GetPathSegment, _HANDLE, _HANDLE, _INT, _INT)
segment_point = _call(pdfium.FPDFPathSegment_GetPoint, _INT, _HANDLE, _OUT, _OUT)
mark_name = _call(pdfium.FPDFPageObjMark_GetName, _INT, _HANDLE, _OUT, ctypes.c_ulong, _OUT)
activate = _call(pdfium.FPDFPageObj_SetIsActive, _INT, _HANDLE, _INT)
raw_image = _call(pdfium.FPDFImageObj_GetImageDataRaw, ctypes.c_ulong, _HANDLE, _OUT, ctypes.c_ulong)
image_facts = _call(pdfium.FPDFImageObj_GetImageMetadata, _INT, _HANDLE, _HANDLE, _OUT)
character_box = _call(pdfium.FPDFText_GetCharBox, _INT, _HANDLE, _INT, _OUT, _OUT, _OUT, _OUT)
character_cell = _call(pdfium.FPDFText_GetLooseCharBox, _INT, _HANDLE, _INT, _OUT)


class Numbers:
    """Room for what a call writes: `to` are references to its numbers, in order; `read()` gives what stands there.

    `kind` is a letter of `struct`: f, d, i or I. The room may be a part of `array` that begins at its byte `at`.
    """

    def __init__(self, kind: str, count: int, array: Any = None, at: int = 0) -> None:
        self._layout = Struct(f"={count}{kind}")
        self.array = array or ctypes.create_string_buffer(self._layout.size)
        self._at = at
        step = self._layout.size // count
        self.to = tuple(ctypes.byref(self.array, at + step * n) for n in range(count))

    def read(self) -> tuple[Any, ...]:
        """The numbers."""
        return self._layout.unpack_from(self.array, self._at)

    def clear(self) -> None:
        """Let all numbers be zero."""
        self._layout.pack_into(self.array, self._at, *[0] * len(self.to))
