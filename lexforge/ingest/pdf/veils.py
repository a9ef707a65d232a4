"""What may take an object of a PDF page away without covering it: a clip, transparency, a layer that is off."""

from __future__ import annotations

import ctypes

from lexforge.ingest.pdf import calls
from lexforge.ingest.pdf.calls import Numbers
from lexforge.ingest.pdf.geometry import Box

_CORNERS = 6  # segments up to which a clip is taken for the box around it
_LAYER = "OC\0".encode("utf-16-le")
_FIRST = ctypes.c_ulong(0)
_point, _name, _length = Numbers("f", 2), Numbers("I", 4), Numbers("I", 2)


class Veils:
    """What may take objects of one page away; they share clips and marks, so each is looked at once."""

    def __init__(self) -> None:
        self._boxes: dict[int, Box | None] = {}
        self._layers: dict[int, bool] = {}

    def veiled(self, item: ctypes.c_void_p, sides: Numbers) -> bool:
        """Whether an object, whose bounds are these four numbers, is see-through or reaches beyond its clip."""
        if calls.see_through(item):
            return True
        clip = calls.clip(item)
        count = calls.clip_paths(clip)
        return count > 0 and self._cuts(clip, count, sides)

    def layered(self, item: ctypes.c_void_p, count: int) -> bool:
        """Whether one of an object's marks is `/OC` (ISO 32000-2, 8.11.3.2); `count` is how many it has."""
        for number in range(count):
            mark = calls.mark(item, ctypes.c_ulong(number) if number else _FIRST)
            known = self._layers.get(mark)
            if known or (known is None and self._is_layer(mark)):
                return True
        return False

    def _cuts(self, clip: int, count: int, sides: Numbers) -> bool:
        left, bottom, right, top = sides.read()
        if (left, bottom) == (right, top):
            return False
        for number in range(count):
            box = self._box(clip, number)
            if box is None or box[0] > left or box[1] > bottom or box[2] < right or box[3] < top:
                return True
        return False

    def _box(self, clip: int, number: int) -> Box | None:
        """The box of a clip; one of many pieces is not measured, and may cut anything."""
        first = calls.clip_segment(clip, number, 0) or 0
        if first not in self._boxes:
            self._boxes[first] = _box_of(clip, number) if first else None
        return self._boxes[first]

    def _is_layer(self, mark: int) -> bool:
        known = calls.mark_name(mark, _name.to[0], 16, _length.to[0])  # a longer name leaves the room as it was
        found = bool(known) and _length.read()[0] == len(_LAYER) and bytes(_name.array)[: len(_LAYER)] == _LAYER
        self._layers[mark] = found
        return found


def _box_of(clip: int, number: int) -> Box | None:
    segments = calls.clip_segments(clip, number)
    if not 0 < segments <= _CORNERS:
        return None
    corners = []
    for n in range(segments):
        calls.segment_point(calls.clip_segment(clip, number, n), *_point.to)
        corners.append(_point.read())
    xs, ys = zip(*corners, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))
