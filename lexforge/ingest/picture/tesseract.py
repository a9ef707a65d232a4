"""Words of a picture by tesseract, a program that may be missing and is given nothing but pixels.

It runs as a process of its own with a time limit, one thread and no shell, and inherits the limits on memory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from typing import NamedTuple

from PIL import Image

HOW_TO_INSTALL = (
    "To read pages that are pictures, install tesseract with its English model: "
    "`sudo apt install tesseract-ocr` (Debian, Ubuntu), "
    "`sudo dnf install tesseract tesseract-langpack-eng tesseract-osd` (Fedora), `brew install tesseract` (macOS)."
)
LEAST_CONTRAST = 32
"""Of 255, between the lightest and the darkest pixel of a picture with ink: a faint grey stamp on white has 60."""

_SMALLEST = 8  # pixels a side; no letter is legible in fewer
_ASKING_SECONDS = 30.0

Box = tuple[int, int, int, int]
"""Left, top, right, bottom."""


class Word(NamedTuple):
    """A row of tesseract's TSV at level 5: `line` is the number of its block, paragraph and line."""

    line: tuple[int, int, int]
    box: Box
    confidence: float
    text: str

    @property
    def height(self) -> int:
        """In pixels."""
        return self.box[3] - self.box[1]


class _Program(NamedTuple):
    path: str
    version: str
    languages: frozenset[str]


def available() -> str | None:
    """The installed program, such as `tesseract 5.3.0`; None without it or without its English model."""
    program = _program()
    return program.version if program else None


def _program() -> _Program | None:
    path = shutil.which("tesseract")
    try:
        return _asked(path) if path else None
    except LookupError:
        return None


@cache
def _asked(path: str) -> _Program:
    """LookupError, which is not remembered, when it does not answer or lacks its model."""
    version = _output([path, "--version"], b"", _ASKING_SECONDS)
    languages = frozenset(_output([path, "--list-langs"], b"", _ASKING_SECONDS).split())
    found = re.match(r"tesseract v?\d[\w.-]*", version)
    if found is None or "eng" not in languages:
        raise LookupError
    return _Program(path, found.group(), languages)


def _output(command: Sequence[str], data: bytes, seconds: float) -> str:
    """What a program wrote; nothing when it failed, broke, or was killed for the time it took."""
    try:
        done = subprocess.run(  # noqa: S603 - a list of arguments, none from a document
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def words_in(image: Image.Image, segmentation: int, seconds: float, dpi: int | None = None) -> list[Word]:
    """The words of a picture in reading order; none where there is no ink, no program, or it fails on this picture.

    `segmentation` is tesseract's page segmentation mode: 1 a page that may be turned, 11 scattered lines.
    """
    program = _program()
    if program is None or min(image.size) < _SMALLEST or contrast(image) < LEAST_CONTRAST:
        return []
    data = BytesIO()
    image.convert("L").save(data, "PPM")  # anything else than a picture would be taken for a list of files to read
    # A name of a configuration file (`tsv`) would be looked for in the working folder too, so it is set by variable.
    command = [program.path, "stdin", "stdout", "-l", "eng", "-c", "tessedit_create_tsv=1"]
    command += ["--psm", str(3 if segmentation == 1 and "osd" not in program.languages else segmentation)]
    command += ["--dpi", str(dpi)] if dpi else []
    return list(_rows(_output(command, data.getvalue(), seconds)))


def contrast(image: Image.Image) -> int:
    """Between its lightest and darkest pixel, 0 to 255; a picture without pixels has none."""
    levels = [level for level, count in enumerate(image.convert("L").histogram()) if count]
    return levels[-1] - levels[0] if levels else 0


def _rows(tsv: str) -> Iterator[Word]:
    """Columns: level, page, block, paragraph, line, word, left, top, width, height, confidence, text."""
    for row in tsv.splitlines():
        columns = row.split("\t")
        if len(columns) != 12 or columns[0] != "5" or not columns[11].strip():
            continue
        _, _, block, paragraph, line, _, left, top, width, height = map(int, columns[:10])
        box = (left, top, left + width, top + height)
        yield Word((block, paragraph, line), box, float(columns[10]), columns[11].strip())
