"""The second reader of PDFs, pypdf: slower, but it opens some files that PDFium does not, and shows raw streams.

Few files need it, and it takes a third of the time in which a process that reads files starts; so it is imported late.
"""

from __future__ import annotations

import logging
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lexforge.errors import UnreadableFile
from lexforge.ingest.pdf.text import clean

if TYPE_CHECKING:
    from pypdf import PdfReader

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it says of malformed files is not for the attorney


class Fallback:
    """A PDF opened by pypdf when first asked; what it cannot give of a page is empty, never an error.

    `pages_read` are the pages, counted from 0, whose text it gave.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.pages_read: list[int] = []

    @cached_property
    def _reader(self) -> PdfReader:
        from pypdf import PdfReader  # noqa: PLC0415 - see above
        from pypdf.errors import FileNotDecryptedError  # noqa: PLC0415

        reader = PdfReader(self._path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise FileNotDecryptedError("it needs a password")
        return reader

    @property
    def keywords(self) -> str:
        """The /Keywords of the file's properties."""
        return str(self._reader.metadata.get("/Keywords", "")) if self._reader.metadata else ""

    def all_pages(self) -> tuple[str, ...]:
        """The text of every page; UnreadableFile (encrypted, hostile, corrupt) where it cannot be had."""
        from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError  # noqa: PLC0415 - see above

        name = self._path.name
        try:
            return tuple(clean(page.extract_text()) for page in self._reader.pages)
        except (FileNotDecryptedError, DependencyError) as error:
            raise UnreadableFile(
                "encrypted", f"{name} cannot be decrypted: {error}.", "Save a copy without protection."
            ) from None
        except LimitReachedError as error:
            raise UnreadableFile(
                "hostile", f"{name} exceeds a safety limit: {error}.", "Print it to a new PDF."
            ) from None
        except Exception as error:  # a malformed file breaks what a library assumes in ways nobody can list
            raise UnreadableFile(
                "corrupt", f"{name} is not a sound PDF ({type(error).__name__}).", "Obtain it again."
            ) from error

    def page_text(self, index: int) -> str:
        """The text of a page, counted from 0."""
        try:
            text = clean(self._reader.pages[index].extract_text())
        except Exception:
            return ""
        if text:
            self.pages_read.append(index)
        return text

    def content(self, index: int) -> bytes:
        """The decoded content stream of a page, counted from 0."""
        try:
            stream = self._reader.pages[index].get_contents()
            return stream.get_data() if stream is not None else b""
        except Exception:
            return b""

    def appearance(self, index: int, number: int) -> str:
        """The text that an annotation (its place in /Annots) draws, from its normal appearance (/AP /N)."""
        from pypdf import PageObject  # noqa: PLC0415 - see above
        from pypdf.generic import NameObject, StreamObject  # noqa: PLC0415

        try:
            annotations = self._reader.pages[index]["/Annots"]
            stream = annotations[number]["/AP"]["/N"]  # type: ignore[index]
            if not isinstance(stream, StreamObject):
                return ""
            page = PageObject.create_blank_page(self._reader, 612, 792)
            page[NameObject("/Contents")] = stream
            page[NameObject("/Resources")] = stream["/Resources"]
            return clean(page.extract_text())
        except Exception:
            return ""
