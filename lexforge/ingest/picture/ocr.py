"""Pages that are pictures, their text read with tesseract where it is installed, and the stamps in their margins.

What it reads is never certain: at fax quality a Bates number comes out well-formed and wrong. The readings of the page
and of its margins are all handed on, for the sequence of the production to decide.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from PIL import Image, ImageFilter

from lexforge.domain.evidence import StampOrigin
from lexforge.errors import UnreadableFile
from lexforge.ingest import alive
from lexforge.ingest.pdf.stamps import BAND, candidates_in, designation_in, is_furniture
from lexforge.ingest.picture.tesseract import HOW_TO_INSTALL, LEAST_CONTRAST, Box, Word, available, contrast, words_in
from lexforge.ingest.reading import Candidate, PageReading

__all__ = ["HOW_TO_INSTALL", "OcrPage", "available", "page_text", "read_picture", "read_scanned", "strip_candidates"]

DPI = 200
"""Of a rendered page: 300 costs more, reads clean pages no better, and skewed noisy ones worse."""
MOST_PIXELS = 16_000_000
"""Of a picture that is read; a larger sheet is rendered at a lower resolution."""

_NO_EDGE = 0.8  # share of the pixels beside which no letter begins or ends, on a dense page too
_GRAIN = 32  # of 255, from one pixel to the next
_PAGE_SECONDS, _STRIP_SECONDS = 30.0, 10.0  # a clean page takes 1 to 2 s, a strip a tenth
_LONGEST_SIDE = 30_000  # pixels; beyond about 32,000 PDFium's coordinates overflow
_ENLARGED = 2
_WIDE_GAP = 2.0  # heights of a word
_TURNED = {1: Image.Transpose.ROTATE_270, 2: Image.Transpose.ROTATE_180, 3: Image.Transpose.ROTATE_90}
_WORD = re.compile(r"[^\W_]{3,}")
_UNREADABLE = 50.0  # mean confidence: print seen from behind has 46 to 48, a letter scanned at 50 dpi 78
_UNSURE, _FEW_WORDS = 70.0, 3
_JUNK = 30.0  # mean confidence of a line; text upside down and the grain of a scan are below it


class OcrLine(NamedTuple):
    """`text[start:end]` of a page is a line, or a part that stands apart; `box` in pixels of the page set upright."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class OcrPage:
    """What was read: an empty line stands between paragraphs. `confidence` is the mean over the words, 0 to 100.

    `turns` are the quarter turns clockwise that set the picture upright.
    """

    text: str = ""
    confidence: float = 0.0
    lines: tuple[OcrLine, ...] = ()
    turns: int = 0


def page_text(image: Image.Image, dpi: int) -> OcrPage:
    """The text of a page that may lie on its side or upside down; empty when nothing is to be read, or nothing can.

    What is read with a mean confidence below 50 is print shining through from behind, or handwriting; what is read
    with one below 70 and holds hardly a word is grain, a stain or a photograph. A page of few words (a slip sheet, a
    stamp) is read with over 90.
    """
    grey = _smoothed(image)
    for turns in (0, 2):  # tesseract turns pages, but takes a short one that is upside down for upright
        words = words_in(grey.transpose(_TURNED[turns]) if turns else grey, 1, _PAGE_SECONDS, dpi)
        page = _legible(words, image.size)
        if page.text or not words:
            return replace(page, turns=(page.turns + turns) % 4)
    return OcrPage()


def _legible(words: list[Word], size: tuple[int, int]) -> OcrPage:
    confidence = fmean(word.confidence for word in words) if words else 0.0
    few = sum(bool(_WORD.search(word.text)) for word in words) < _FEW_WORDS
    if confidence < (_UNSURE if few else _UNREADABLE):
        return OcrPage()
    turns, text, lines = _turns(words), "", []
    before = words[0].line
    for parts in _lines([_upright(word, size, turns) for word in words]):
        here = parts[0][0].line
        text += ("\n" if here[:2] == before[:2] else "\n\n") if text else ""
        before = here
        for number, part in enumerate(parts):
            start = len(text) + bool(number)
            text += " " * bool(number) + _said(part)
            lines.append(OcrLine(start, len(text), _around(part)))
    return OcrPage(text, round(confidence, 1), tuple(lines), turns)


def _smoothed(image: Image.Image) -> Image.Image:
    """In grey, without grain or the dots of a halftone, on which tesseract would spend a minute and find nothing."""
    grey = image.convert("L")
    rows = np.asarray(grey)[::5].astype(np.int16)  # odd: the dots of a halftone repeat every two or four rows
    steps = np.abs(np.diff(rows, axis=1))
    grainy = steps.size > 0 and np.percentile(steps, 100 * _NO_EDGE) > _GRAIN
    return grey.filter(ImageFilter.MedianFilter(3)) if grainy else grey


def _lines(words: list[Word]) -> list[list[list[Word]]]:
    """The words of each line, in parts that stand well apart: a footer, and the stamp beside it."""
    lines: list[list[list[Word]]] = []
    last: Word | None = None
    for word in words:
        if last is None or word.line != last.line:
            lines.append([[word]])
        elif word.box[0] - last.box[2] > _WIDE_GAP * max(word.height, last.height):
            lines[-1].append([word])
        else:
            lines[-1][-1].append(word)
        last = word
    return lines


def _said(words: list[Word]) -> str:
    return " ".join(word.text for word in words)


def _around(words: list[Word]) -> Box:
    lefts, tops, rights, bottoms = zip(*(word.box for word in words), strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def _turns(words: list[Word]) -> int:
    """From where the lines run, as most words have it: tesseract does not say how it turned the page."""
    votes: Counter[int] = Counter()
    for first, second in pairwise(words):
        if first.line == second.line:
            across, down = (second.box[n] + second.box[n + 2] - first.box[n] - first.box[n + 2] for n in (0, 1))
            votes[(1 if down < 0 else 3) if abs(down) > abs(across) else 2 * (across < 0)] += 1
    return votes.most_common(1)[0][0] if votes else 0


def _upright(word: Word, size: tuple[int, int], turns: int) -> Word:
    (left, top, right, bottom), (width, height) = word.box, size
    for _ in range(turns):
        left, top, right, bottom = height - bottom, left, height - top, right
        width, height = height, width
    return word._replace(box=(left, top, right, bottom))


def strip_candidates(image: Image.Image) -> tuple[Candidate, ...]:
    """What may be stamps in the margins of an upright page, one line each; the side margins are read sideways.

    Enlarged strips give stamps that the reading of the whole page misses, and the other way round.
    """
    image, (width, height) = _smoothed(image), image.size
    high, wide = round(height * BAND), round(width * BAND)
    lines = _strip_lines(image.crop((0, height - high, width, height))) + _strip_lines(image.crop((0, 0, width, high)))
    for side in (image.crop((0, 0, wide, height)), image.crop((width - wide, 0, width, height))):
        # Digits upside down are digits too: only the direction that reads better counts.
        readings = [_strip_lines(side.transpose(_TURNED[turns])) for turns in (1, 3)]
        lines += max(readings, key=lambda reading: sum(confidence * len(text) for confidence, text in reading))
    return candidates_in((text for _, text in lines), StampOrigin.OCR)


def _strip_lines(strip: Image.Image) -> list[tuple[float, str]]:
    """The lines of a strip, each with its mean confidence (0 to 100)."""
    if contrast(strip) < LEAST_CONTRAST:  # before it is enlarged
        return []
    enlarged = strip.resize((strip.width * _ENLARGED, strip.height * _ENLARGED), Image.Resampling.LANCZOS)
    parts = [part for line in _lines(words_in(enlarged, 11, _STRIP_SECONDS)) for part in line]
    read = [(fmean(word.confidence for word in part), _said(part)) for part in parts]
    return [(confidence, text) for confidence, text in read if confidence >= _JUNK]


def read_picture(image: Image.Image, dpi: int, page: PageReading) -> PageReading:
    """`page` with what the picture of it shows: the text it had already stands behind what was read."""
    seen = page_text(image, dpi)
    upright = image.transpose(_TURNED[seen.turns]) if seen.turns else image
    margins = [(line.start, line.end) for line in seen.lines if _in_margin(line.box, upright.size)]
    texts = [seen.text[start:end] for start, end in margins]
    read = candidates_in(texts, StampOrigin.OCR)
    candidates = tuple(dict.fromkeys((*page.candidates, *read, *strip_candidates(upright))))
    alive.sign()
    if not seen.text:
        return page.model_copy(update={"candidates": candidates})
    furniture = tuple(span for span, text in zip(margins, texts, strict=True) if is_furniture(text))
    designations = filter(None, (page.designation, *map(designation_in, texts)))
    behind = len(seen.text) + 2
    return page.model_copy(
        update={
            "text": f"{seen.text}\n\n{page.text}" if page.text.strip() else seen.text,
            "candidates": candidates,
            "furniture": furniture + tuple((start + behind, end + behind) for start, end in page.furniture),
            "places": tuple(
                place.model_copy(update={"start": place.start + behind, "end": place.end + behind})
                for place in page.places
            ),
            "designation": next(designations, None),
            "by_ocr": True,
        }
    )


def _in_margin(box: Box, size: tuple[int, int]) -> bool:
    (left, top, right, bottom), (wide, high) = box, (round(BAND * side) for side in size)
    return bottom < high or top > size[1] - high or right < wide or left > size[0] - wide


def read_scanned(path: Path, pages: tuple[PageReading, ...]) -> tuple[PageReading, ...]:
    """The pages of a PDF, those that are pictures with their text; unchanged where nothing can be read.

    `pages` are all of its pages as the PDF reader gave them. UnreadableFile `corrupt` when PDFium cannot open it.
    """
    if available() is None or not any(_is_due(page) for page in pages):
        return pages
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError:
        raise UnreadableFile("corrupt", f"{path.name} cannot be opened as a PDF.", "Print it to a new PDF.") from None
    with closing(document):
        return tuple(_read_page(document, n, page) if _is_due(page) else page for n, page in enumerate(pages))


def _is_due(page: PageReading) -> bool:
    return page.scanned and not page.by_ocr


def _read_page(document: pypdfium2.PdfDocument, number: int, page: PageReading) -> PageReading:
    try:
        sheet = document[number]
    except pypdfium2.PdfiumError:
        return page
    with closing(sheet):
        width, height = (max(side, 1.0) for side in sheet.get_size())
        scale = min(DPI / 72, math.sqrt(MOST_PIXELS / (width * height)), _LONGEST_SIDE / max(width, height))
        if page.text.strip():
            _hide_texts(sheet)
        image = sheet.render(scale=scale, grayscale=True, may_draw_forms=False).to_pil().convert("L")
    return read_picture(image, round(scale * 72), page)


def _hide_texts(sheet: pypdfium2.PdfPage) -> None:
    """Take out what is known letter by letter, such as a stamp: what lies under it reads better without it."""
    text_page = sheet.get_textpage()
    for item in sheet.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], textpage=text_page):
        if item.extract().strip():
            pdfium.FPDFPageObj_SetIsActive(item, False)
    text_page.close()
