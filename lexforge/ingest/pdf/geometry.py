"""Boxes and matrices of a PDF page (ISO 32000-2, 8.3.3)."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import pypdfium2.raw as pdfium

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points of the page's user space, before its rotation."""
Matrix = tuple[float, float, float, float, float, float]


def visible_box(page: Any) -> Box:
    """What is shown of an open PDFium page."""
    box = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, box)
    return (box.left, box.bottom, box.right, box.top)


def media_box(page: Any) -> Box:
    """The sheet of an open PDFium page, and a letter page where it names none."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium.FPDFPage_GetMediaBox(page, left, bottom, right, top):
        return (0.0, 0.0, 612.0, 792.0)
    return (left.value, bottom.value, right.value, top.value)


def product(first: Matrix, second: Matrix | None) -> Matrix:
    """The matrix that does what the first does, then what the second does, if there is one."""
    if second is None:
        return first
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def scale(matrix: Matrix) -> float:
    """By how much it shrinks the side that it shrinks most."""
    return min(math.hypot(matrix[0], matrix[1]), math.hypot(matrix[2], matrix[3]))


def moved(box: Box | tuple[Any, ...], matrix: Matrix | None) -> Box:
    """The upright box around `box` after `matrix`, its sides in order."""
    left, bottom, right, top = box
    if matrix is None:
        return (min(left, right), min(bottom, top), max(left, right), max(bottom, top))
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    ys = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return (min(xs), min(ys), max(xs), max(ys))
