"""Which text objects of a PDF page could be unseen, told from what the page paints and not from its pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from lexforge.ingest.pdf.geometry import Box
from lexforge.ingest.pdf.ground import Grounds
from lexforge.ingest.pdf.painted import Inventory, Shape, Text

MICRO = 1.5
"""Points; smaller type is a dotted line to the eye."""
_PALE = 225  # all channels from here up may vanish on paper; the pixels decide
_CLEAR = 8  # opacity up to here leaves nothing
_FAINT = 64  # opacity below which the pixels decide
_APART = 64  # steps between text and its ground from which it is seen without a look
_REACH = 0.3  # share of a text's height that a thing must overlap to hide it; an underline does not
_CROWD = 0.25  # share of its area from which many thin things do, as in hatching
_PAIRS = 300_000  # texts × shapes beyond which overlaps are not computed; the pixels decide
_UNKNOWN = (np.nan,) * 4
_LIGHTNESS = (0.299, 0.587, 0.114)  # of red, green and blue
_UPRIGHT = 1.6  # sizes of its font; the shorter side of a text is longer only where it runs aslant
_OPAQUE = 250  # opacity from which nothing shines through
_UNPAINTED = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)


@dataclass(slots=True)
class Suspect:
    """A text object that may be unseen, with all that may make it so."""

    text: Text
    micro: bool = False
    unpainted: bool = False
    pale: bool = False
    met: bool = False

    @property
    def needs_a_look(self) -> bool:
        """Whether only the pixels can say that it is unseen."""
        return self.unpainted or self.pale or self.met or self.text.veiled or self.text.layered


def suspects_of(found: Inventory, sheet: Box, grounds: Grounds) -> dict[int, Suspect]:
    """Text objects that may be unseen, by handle."""
    boxes, numbers = found.boxes, set(found.odd)
    none = np.zeros(len(boxes), dtype=np.bool_)
    outside: NDArray[np.bool_] = none
    pale: NDArray[np.bool_] = none
    met: NDArray[np.bool_] = none
    # Of most pages none of these holds for any text, which is told at less cost than for which texts it does.
    low, high = boxes.min(axis=0), boxes.max(axis=0)
    if low[0] < sheet[0] or low[1] < sheet[1] or high[2] > sheet[2] or high[3] > sheet[3]:
        outside = np.asarray((boxes[:, :2] < sheet[:2]).any(axis=1) | (boxes[:, 2:] > sheet[2:]).any(axis=1))
    if not found.all_black:
        pale = (found.colours[:, 3] < _FAINT) | (found.colours[:, :3].min(axis=1) >= _PALE)
    if found.shapes:
        met = _met(found, boxes, found.colours, grounds)
    for mask in (outside, pale, met):
        if mask is not none:
            numbers.update(np.flatnonzero(mask).tolist())
    small = np.flatnonzero((boxes[:, 2:] - boxes[:, :2]).min(axis=1) < 2 * MICRO).tolist()
    micro = {number for number in small if found.size(number) < MICRO}
    suspects = {}
    for number in sorted(numbers | micro):
        text = found.text(number)
        unpainted = text.mode in _UNPAINTED or bool(found.colours[number, 3] <= _CLEAR)
        suspect = Suspect(text, number in micro, unpainted, bool(pale[number]), bool(met[number]))
        if outside[number] or suspect.micro or suspect.needs_a_look:
            suspects[text.handle] = suspect
    return suspects


def _met(
    found: Inventory, boxes: NDArray[np.float64], colours: NDArray[np.float64], grounds: Grounds
) -> NDArray[np.bool_]:
    """Which texts something overlaps that may hide them: over them, or under them in their colour."""
    shapes = found.shapes
    if len(boxes) * len(shapes) > _PAIRS:
        return np.ones(len(boxes), dtype=np.bool_)
    sides = np.array([shape.box for shape in shapes]).T
    left, bottom, right, top = boxes.T[:, :, None]
    wide = np.minimum(right, sides[2]) - np.maximum(left, sides[0])
    high = np.minimum(top, sides[3]) - np.maximum(bottom, sides[1])
    over = np.minimum(wide, high)
    if over.max() <= 0:
        return np.zeros(len(boxes), dtype=np.bool_)
    least = np.minimum(right - left, top - bottom)
    reach = over >= np.maximum(_REACH * least, 0.1)
    share = np.where(over > 0, wide * high, 0) / np.maximum((right - left) * (top - bottom), 0.01)
    met = np.zeros(len(boxes), dtype=np.bool_)
    some = np.flatnonzero(reach.any(axis=1) | (share.sum(axis=1) >= _CROWD))  # no other can be met by enough
    if not len(some):
        return met
    reach, share, least, boxes, colours = reach[some], share[some], least[some], boxes[some], colours[some]
    paint = np.array([shape.colour or _UNKNOWN for shape in shapes]).T
    orders = np.array(found.orders)[some, None]
    before = np.array([shape.order for shape in shapes]) < orders
    apart = (paint[3] >= _OPAQUE) & (np.abs(colours[:, :3].T[:, :, None] - paint[:3, None]).max(axis=0) >= _APART)
    hides = ~np.where(before, apart, paint[3] <= _CLEAR)
    for number, shape in enumerate(shapes):
        if shape.image:
            over_it = np.flatnonzero(hides[:, number] & before[:, number] & (share[:, number] > 0)).tolist()
            on = [n for n in over_it if least[n, 0] <= _UPRIGHT * found.size(some[n])]
            hides[on, number] = ~_stands_out(found.page, shape, boxes[on], colours[on], grounds)
    met[some] = (hides & reach).any(axis=1) | ((hides * share).sum(axis=1) >= _CROWD)
    return met


def _stands_out(
    page: int, picture: Shape, boxes: NDArray[np.float64], colours: NDArray[np.float64], grounds: Grounds
) -> NDArray[np.bool_]:
    """Which texts, opaque and each in a colour of its own, stand out against a picture painted before them."""
    found = np.zeros(len(boxes), dtype=np.bool_)
    tones = colours[:, :3] @ _LIGHTNESS
    opaque = colours[:, 3] >= _OPAQUE  # not so a pattern
    for tone in np.unique(tones[opaque]):
        those = opaque & (tones == tone)
        found[those] = grounds.apart(page, picture, boxes[those], float(tone))
    return found
