"""Text of a PDF page that a program reads and nobody can see: a redaction that failed, or words meant for a machine.

A first pass over the page's objects finds text that *could* be unseen: painted by no mode, in the colour of paper,
tiny, beyond the edge, or meeting something else that leaves ink. Only a page with such text is rendered. Text that is
painted is then judged by taking it away: where no pixel changes, nobody saw it. Text that is not painted at all (the
layer that OCR puts on a scan) is judged by whether there is writing beneath it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from lexforge.domain.evidence import Concealment
from lexforge.ingest.pdf import calls
from lexforge.ingest.pdf.geometry import Box, media_box, visible_box
from lexforge.ingest.pdf.ground import Grounds
from lexforge.ingest.pdf.painted import Inventory, Shape
from lexforge.ingest.pdf.render import DPI, Pixels, View, char_box
from lexforge.ingest.pdf.suspicion import MICRO, Suspect, suspects_of

MIN_CHARACTERS = 4
"""Letters and digits of a run that is worth a report; below it stand stray dots and page furniture."""
CONTRAST = 16
"""Steps of 255 by which text must change a pixel to be seen."""
_INK = 32  # steps from the ground that make a pixel of a scan ink, above the noise of paper
_WRITING = (0.02, 0.5)  # share of such pixels in a word that is shown; more is a picture
_SCAN = 0.5  # share of the page that images must cover to be a scan and not pictures on a page
_RESOLVED = 1.5  # pixels of a character's height below which a rendering says nothing
_WORD = 12  # characters judged together at most, so that scripts without spaces are judged piece by piece


@dataclass(slots=True)
class _Glyph:
    """A character of a suspect: `place` in the text, `ink` its tight box, `cell` the box of its advance and line."""

    place: int
    suspect: Suspect
    ink: Box
    cell: Box
    word: int


class _Covers:
    """The page's shapes as columns, to ask what lies over a point; `scan` says that the page is a picture of one."""

    def __init__(self, shapes: list[Shape], sheet: Box) -> None:
        self._shapes = shapes
        self._sides = np.array([shape.box for shape in shapes], dtype=np.float64).reshape(-1, 4).T
        self._orders = np.array([shape.order for shape in shapes], dtype=np.int64)
        images = sum(_area(_common(shape.box, sheet)) for shape in shapes if shape.image)
        self.scan = images >= _SCAN * _area(sheet)

    def over(self, glyph: _Glyph) -> list[Shape]:
        """What is painted after the character and reaches over its middle."""
        x, y = _middle(glyph.ink)
        left, bottom, right, top = self._sides
        found = (self._orders > glyph.suspect.text.order) & (left <= x) & (x <= right) & (bottom <= y) & (y <= top)
        return [self._shapes[n] for n in np.flatnonzero(found)]


class Audit(NamedTuple):
    """What nobody can see of a page's text: sorted, disjoint `[start, end)` spans of it, each with the reason.

    `complete` is False where the page has more, or is larger, than could be judged.
    """

    spans: tuple[tuple[int, int, Concealment], ...] = ()
    complete: bool = True


def audit(  # noqa: PLR0913, PLR0917 - what one page consists of
    page: Any,
    text_page: Any,
    found: Inventory,
    text: str,
    indices: Callable[[], Sequence[int]],
    grounds: Grounds,
) -> Audit:
    """The spans of `text` that nobody can see on the page, which comes back unchanged.

    `page` and `text_page` are open in PDFium. `found` is what the page paints; `indices()[k]` is PDFium's index of the
    character that gave `text[k]`, or -1 where it was put in (a line break); `grounds` are the pictures of the file. A
    span runs over gaps between words, and begins and ends with a hidden character. Not thread-safe, as PDFium is not.
    """
    if not found.handles:
        return Audit(complete=found.whole)
    sheet = visible_box(page)
    if empty := _area(sheet) < 1:  # crop box and media box do not meet; programs then show the media box
        sheet = media_box(page)
    suspects = suspects_of(found, sheet, grounds)
    if not suspects:
        return Audit(complete=found.whole)
    places = indices()
    reasons: dict[int, Concealment | None] = {}
    glyphs: list[_Glyph] = []
    for glyph in _glyphs(calls.handle_of(text_page), text, places, suspects):
        reasons[glyph.place] = _plain_reason(glyph, sheet)
        if reasons[glyph.place] is None and glyph.suspect.needs_a_look:
            glyphs.append(glyph)
    complete = found.whole and not (glyphs and empty)
    if glyphs and not empty:
        view = View(page, _around(box for glyph in glyphs for box in (glyph.ink, glyph.cell)))
        complete &= view.scale >= DPI / 72 or all(_resolved(glyph, view) for glyph in glyphs)
        reasons |= _looked_at(view, glyphs, _Covers(found.shapes, sheet))
    hidden = any(reason is not None for reason in reasons.values())
    return Audit(tuple(_spans(text, places, reasons)) if hidden else (), complete)


def _glyphs(text_page: int, text: str, indices: Sequence[int], suspects: dict[int, Suspect]) -> Iterator[_Glyph]:
    """The characters of suspects in runs that are worth a report, numbered by the words they are judged with."""
    object_of, sheet = calls.character_object, ctypes.c_void_p(text_page)
    written = [
        (place, index, suspects.get(object_of(sheet, index)))
        for place, index in enumerate(indices)
        if index >= 0 and not text[place].isspace()
    ]
    word = 0
    for suspected, run in groupby(written, lambda one: one[2] is not None):
        worth = list(run) if suspected else []
        if sum(text[place].isalnum() for place, _, _ in worth) < MIN_CHARACTERS:
            continue
        size, last, end = 0, None, -1
        for place, index, suspect in worth:
            assert suspect is not None  # noqa: S101 - of the run of suspects
            fresh = place != end or last is not suspect.unpainted or size == _WORD
            word, size = (word + 1, 1) if fresh else (word, size + 1)
            last, end = suspect.unpainted, place + 1
            ink, cell = (char_box(text_page, index, loose) for loose in (False, True))
            yield _Glyph(place, suspect, ink if _area(ink) > 0 else cell, cell if _area(cell) > 0 else ink, word)


def _plain_reason(glyph: _Glyph, sheet: Box) -> Concealment | None:
    """The reason that needs no look at the pixels."""
    x, y = _middle(glyph.cell)
    if not (sheet[0] <= x <= sheet[2] and sheet[1] <= y <= sheet[3]):
        return Concealment.OFF_PAGE
    # The size of a font that brings its own scale (type 3) may say nothing: the glyph must be small as well.
    return Concealment.MICRO if glyph.suspect.micro and _area(glyph.ink) < MICRO**2 else None


def _looked_at(view: View, glyphs: list[_Glyph], covers: _Covers) -> dict[int, Concealment | None]:
    """What the pixels say about each character, by its place."""
    shown = view.pixels()
    reasons: dict[int, Concealment | None] = {}
    for word in _words([glyph for glyph in glyphs if glyph.suspect.unpainted]):
        hidden = not _writing(shown, view, word, covers.scan)
        reasons |= {glyph.place: _unpainted_reason(glyph, covers) if hidden else None for glyph in word}
    # Pale text and other text are taken away apart: one may lie on the other, as the label of a redaction does.
    for pale in (True, False):
        painted = [glyph for glyph in glyphs if not glyph.suspect.unpainted and glyph.suspect.pale is pale]
        if painted:
            reasons |= _without_trace(painted, view, shown, covers)
    return reasons


def _without_trace(glyphs: list[_Glyph], view: View, shown: Pixels, covers: _Covers) -> dict[int, Concealment | None]:
    """Whether each painted character leaves a trace on the page."""
    bare = view.pixels_without({glyph.suspect.text.handle for glyph in glyphs})
    trace = np.maximum(shown, bare) - np.minimum(shown, bare)
    reasons: dict[int, Concealment | None] = {}
    for word in _words(glyphs):
        unseen = [glyph for glyph in word if _resolved(glyph, view) and not _leaves_trace(trace, view, glyph)]
        over = {glyph.place: covers.over(glyph) for glyph in unseen}
        under_image = any(shape.image for shapes in over.values() for shape in shapes)
        if under_image and _writing(shown, view, unseen, covers.scan):
            unseen = []  # the text of OCR beneath the scan that shows it
        reasons |= {glyph.place: None for glyph in word}
        reasons |= {glyph.place: _painted_reason(glyph, over[glyph.place]) for glyph in unseen}
    return reasons


def _leaves_trace(trace: Pixels, view: View, glyph: _Glyph) -> bool:
    windows = (view.window(glyph.ink), view.window(glyph.cell, margin=-1))  # not every font's ink box is right
    return any(trace[window].max(initial=0) >= CONTRAST for window in windows)


def _resolved(glyph: _Glyph, view: View) -> bool:
    return (glyph.cell[3] - glyph.cell[1]) * view.scale >= _RESOLVED


def _writing(shown: Pixels, view: View, word: list[_Glyph], scan: bool) -> bool:
    """Whether the page shows writing where the characters are: some ink on an even ground.

    On a scan any ink will do, because the ground of a scan need not be even.
    """
    windows = [shown[view.window(glyph.cell)].reshape(-1, 3) for glyph in word]
    pixels = np.concatenate(windows).astype(np.int16) if windows else np.empty((0, 3), np.int16)
    if not len(pixels) or not any(_resolved(glyph, view) for glyph in word):
        return True
    ink = float((np.abs(pixels - np.median(pixels, axis=0)).max(axis=1) > _INK).mean())
    return _WRITING[0] <= ink and (scan or ink <= _WRITING[1])


def _unpainted_reason(glyph: _Glyph, covers: _Covers) -> Concealment:
    over = any(not shape.image or not covers.scan for shape in covers.over(glyph))
    return Concealment.COVERED if over else Concealment.INVISIBLE


def _painted_reason(glyph: _Glyph, over: list[Shape]) -> Concealment:
    if glyph.suspect.text.layered:
        return Concealment.NOT_SHOWN
    if over:
        return Concealment.COVERED
    return Concealment.INVISIBLE if glyph.suspect.text.veiled else Concealment.BACKGROUND


def _words(glyphs: list[_Glyph]) -> Iterator[list[_Glyph]]:
    return (list(word) for _, word in groupby(glyphs, lambda glyph: glyph.word))


def _spans(
    text: str, indices: Sequence[int], reasons: dict[int, Concealment | None]
) -> Iterator[tuple[int, int, Concealment]]:
    """Runs of one reason with enough letters and digits; spaces and what was put in neither end nor make a run."""
    written = (k for k, index in enumerate(indices) if index >= 0 and not text[k].isspace())
    for reason, run in groupby(written, reasons.get):
        places = list(run)
        start, end = places[0], places[-1] + 1
        if reason is not None and sum(c.isalnum() for c in text[start:end]) >= MIN_CHARACTERS:
            yield start, end, reason


def _around(boxes: Iterable[Box]) -> Box:
    sides = np.array(list(boxes))
    low, high = sides.min(axis=0), sides.max(axis=0)
    return (float(low[0]), float(low[1]), float(high[2]), float(high[3]))


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _area(box: Box) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _common(a: Box, b: Box) -> Box:
    return (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))
