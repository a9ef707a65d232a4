"""A folder of text as a bundle, and as documents that the generators read."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.gate.planted import folded
from lexforge.domain.evidence import Bundle, Role, Source
from lexforge.errors import UnreadableFile
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import FOLDERS, Listed, Listing, listing
from lexforge.ingest.readers import read

SUFFIXES = {".txt", ".md", ".pdf", ".docx", ".eml"}
OPINION = re.compile(r"\bCOURT\b|\bCourt of\b|\b[vV]s?\.\s")
HEAD = 1500
CAPTION = re.compile(r"^[^\n]{2,90}\s[vV]\.\s[^\n]{2,90}$", re.M)
OWN_CITE = re.compile(r"\b(\d{1,4} (?:U\.S\.|F\.[23]d|F\.4th) \d{1,4})\b(?: \(([^()]{0,20}\d{4})\))?")
SENTENCE = re.compile(r"(?<=[a-z]{3}[.?!] )[A-Z][^.?!\"“”\[\]…*§]{50,250}[a-z]{3}\.(?= [A-Z]|\Z)")
PLAIN = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-"})


@dataclass(frozen=True)
class Document:
    """A source with its pages folded to single spaces; `name` is how a paper cites it, if it says so itself."""

    source: Source
    name: str | None
    pages: tuple[str, ...]

    @property
    def bates(self) -> list[str]:
        """The stamps of its pages, in order."""
        return [stamp for page in self.source.pages for stamp in page.bates]

    @cached_property
    def text(self) -> str:
        """All pages."""
        return " ".join(self.pages)

    @cached_property
    def comparable(self) -> str:
        """All pages in lower case with plain marks."""
        return self.text.translate(PLAIN).lower()

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences of its running text: without quotation marks, abbreviations, brackets."""
        return [match.group() for page in self.pages for match in SENTENCE.finditer(page) if "- " not in match.group()]


@dataclass(frozen=True)
class Material:
    """Everything that the generators draw on."""

    bundle: Bundle
    documents: tuple[Document, ...]

    @cached_property
    def comparable(self) -> str:
        """The whole corpus in lower case with plain marks."""
        return "\n".join(document.comparable for document in self.documents)

    def holds(self, words: str) -> bool:
        """Whether the corpus has these words in a row, in whatever typography."""
        return folded(words).translate(PLAIN).lower() in self.comparable

    @property
    def texts(self) -> list[str]:
        """The text of every document."""
        return [document.text for document in self.documents]


def own_name(head: str) -> str | None:
    """Name, place in the reporter and year that an opinion prints above itself."""
    cite = OWN_CITE.search(folded(head))
    caption = next((m.group() for m in CAPTION.finditer(head) if not any(c.isdigit() for c in m.group())), None)
    one_line = re.search(r"^([^\n]{3,120}\sv\.\s[^\n]{3,120}?), \d{1,4} F\.", head, re.M)
    if cite is None or (caption is None and one_line is None):
        return None
    name = " ".join(word.capitalize() for word in caption.split()) if caption else one_line[1]  # type: ignore[index]
    year = f" ({cite[2]})" if cite[2] else ""
    return f"{name.replace(' V. ', ' v. ')}, {cite[1]}{year}"


def document(source: Source) -> Document:
    """A source made ready for the generators."""
    name = own_name(source.pages[0].text[:900]) if source.role is Role.AUTHORITY else None
    return Document(source, name, tuple(folded(page.text) for page in source.pages))


def from_bundle(bundle: Bundle) -> Material:
    """All sources that have text."""
    return Material(bundle, tuple(document(source) for source in bundle.sources if source.has_text))


def load(root: Path) -> Material:
    """Any folder: with `evidence/` and `authorities/` as a matter has them, else told apart by their first lines."""
    matter = any((root / folder).is_dir() for folder in FOLDERS.values())
    return from_bundle(ingest(root, listing(root) if matter else _flat(root)))


def _flat(root: Path) -> Listing:
    """Every readable file; a PDF beside a text file of the same name is the same document."""
    paths = sorted(path for path in root.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    texts = {path.with_suffix("") for path in paths if path.suffix.lower() == ".txt"}
    files = []
    for path in paths:
        if path.suffix.lower() == ".pdf" and path.with_suffix("") in texts:
            continue
        try:
            head = read(path).texts[0][:HEAD]
        except UnreadableFile:
            continue
        role = Role.AUTHORITY if OPINION.search(head) else Role.EVIDENCE
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        files.append(Listed(path=path.relative_to(root).as_posix(), role=role, sha256_file=sha256))
    return Listing(files=tuple(files))
