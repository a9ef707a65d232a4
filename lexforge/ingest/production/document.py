"""A record of a load file and its files to one document, as if it had been a single file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lexforge.domain.evidence import Correspondence, Notice, Role
from lexforge.ingest.folder import Found
from lexforge.ingest.listing import Listed
from lexforge.ingest.load_file.documents import ProducedDocument, is_embedded
from lexforge.ingest.load_file.fields import Field
from lexforge.ingest.mail.correspondence import head_of, heads
from lexforge.ingest.passages import source_id
from lexforge.ingest.production.text import Outcomes, Text, text_of
from lexforge.ingest.reading import PageReading, Reading, pages_of

_BETWEEN = re.compile(r"\s*;\s*|(?<=[>\])])\s*,\s*")
_ADDRESS = re.compile(r"\s*[<\[(]")
_ABOVE_A_HEAD = 6
"""Words; more of them above the head of a message are those of another one, which quotes it."""


class Assembled(Found):
    """A produced document: the text of all its pages under the path of the first file that it was read from.

    `sha256_file` is that of its native, or else of what its text was read from (over all of several files): it tells
    whether two documents were the same file. `key` is a hash over its numbers and all its files; the id is made from
    it, because documents may share a native, a page or a slip sheet. `parent` is the path of the document that it is
    attached to, `numbers` are those of each page, and `quoting` says that even the first head in its text is that of
    another message.
    """

    key: str
    numbers: tuple[tuple[str, ...], ...]
    quoting: bool = False

    @property
    def id(self) -> str:
        """The id of the source it becomes."""
        return source_id(self.role, self.key)


@dataclass(frozen=True)
class Record:
    """A record of the load file at `load_file` with the files that are its own, their paths as they are listed.

    `inside` is the text that the load file holds itself.
    """

    document: ProducedDocument
    load_file: str
    inside: Found | None = None

    @property
    def name(self) -> str:
        """The numbers it begins and ends with, or where there is none its line."""
        first, last = self.document.first or f"line {self.document.line}", self.document.last
        return first if last in ("", first) else f"{first} to {last}"

    @property
    def images(self) -> list[str]:
        """The files of its page images."""
        return [page.image for page in self.document.pages if page.image is not None]

    @property
    def texts_and_native(self) -> list[str]:
        """All files besides; one may be an image as well."""
        text = None if self.inside else self.document.text
        paths = (text, *(page.text for page in self.document.pages), self.document.native)
        return [path for path in paths if path is not None]

    @property
    def files(self) -> list[str]:
        """All its files, each once."""
        return list(dict.fromkeys([*self.texts_and_native, *self.images]))

    def outcomes(self, groups: Mapping[str, Sequence[Found]]) -> Outcomes:
        """What reading its files gave; in `groups` each file is followed by those inside it."""
        read = {path: groups[path][0].outcome for path in self.files if path in groups}
        return read | ({self.inside.path: self.inside.outcome} if self.inside else {})


@dataclass(frozen=True)
class Document:
    """A produced document: its numbers as `name`, all its files, those that its text is from, and its source.

    A part that is only `Listed` was not read. There is no `source` where no file has a word.
    """

    name: str
    load_file: str
    parts: tuple[Found | Listed, ...]
    read_from: tuple[str, ...]
    source: Assembled | None
    notices: tuple[Notice, ...] = ()


def with_inside(record: Record) -> Record:
    """The record with the text that stands in the load file, if so, as if that were a file inside the load file."""
    document = record.document
    text = document.other.get(Field.TEXT, "")
    if document.text is not None or not is_embedded(text):
        return record
    path = f"{record.load_file}/{document.first.replace('/', '_')} (line {document.line})"
    pages = text.split("\f")
    reading = Reading(
        media_type="text/plain", extractor="load file 1", pages=pages_of(pages), correspondence=head_of(pages[0])
    )
    inside = Found(path=path, role=Role.EVIDENCE, sha256_file=_over([text]), outcome=reading, parent=record.load_file)
    return replace(record, document=replace(document, text=path), inside=inside)


def assembled(
    records: Sequence[Record], by_path: Mapping[str, Listed], groups: Mapping[str, Sequence[Found]]
) -> Iterator[Document]:
    """The document of each record; one that is attached to another has the path of that one's source as `parent`."""
    documents = [_document(record, by_path, groups) for record in records]
    paths: dict[tuple[str, str], str] = {}
    for record, document in zip(records, documents, strict=True):
        if document.source is not None:
            for volume in (record.load_file, ""):
                paths.setdefault((volume, record.document.first.casefold()), document.source.path)
    taken: dict[str, str] = {}
    for record, document in zip(records, documents, strict=True):
        source = document.source
        if source is None:
            yield document
            continue
        family = (record.document.family or "").casefold()
        parent = paths.get((record.load_file, family)) or paths.get(("", family)) if family else None
        changes = {"parent": None if parent == source.path else parent, "key": _untaken(source.key, taken)}
        yield replace(document, source=source.model_copy(update=changes))


def _untaken(key: str, taken: dict[str, str]) -> str:
    """The key, or another made from it where a document before has the same id by mere chance."""
    made = key
    while taken.setdefault(source_id(Role.EVIDENCE, made), key) != key:
        made = hashlib.sha256(made.encode()).hexdigest()
    return made


def _document(record: Record, by_path: Mapping[str, Listed], groups: Mapping[str, Sequence[Found]]) -> Document:
    parts: list[Found | Listed] = [groups[path][0] if path in groups else by_path[path] for path in record.files]
    parts += [record.inside] if record.inside else []
    outcomes = record.outcomes(groups)
    text = text_of(record.document, outcomes)
    if text is None:
        return Document(record.name, record.load_file, tuple(parts), (), None)
    path = next(path for path in text.files if isinstance(outcomes[path], Reading))
    reading, head = _reading(record.document, text, path, outcomes)
    source = Assembled(
        path=path,
        role=Role.EVIDENCE,
        sha256_file=_content_hash(record.document.native, text.files, parts),
        key=_over([record.document.first, record.document.last, *(part.sha256_file or "" for part in parts)]),
        outcome=reading,
        numbers=text.numbers,
        quoting=head is not None and _quotes(reading.pages[0].text, head),
    )
    told = _without_text(record, text, path)
    return Document(record.name, record.load_file, tuple(parts), text.files, source, told)


def _content_hash(native: str | None, read_from: Sequence[str], parts: Iterable[Found | Listed]) -> str:
    read = {part.path: part for part in parts if isinstance(part, Found)}
    if native in read and isinstance(read[native].outcome, Reading):
        return read[native].sha256_file or ""
    hashes = [read[path].sha256_file or "" for path in read_from]
    return hashes[0] if len(hashes) == 1 else _over(hashes)


def _over(told: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(told).encode(errors="surrogatepass")).hexdigest()


def _without_text(record: Record, text: Text, path: str) -> tuple[Notice, ...]:
    """Pages whose text is missing while other pages have theirs; a page whose text is empty is an empty page."""
    pages = record.document.pages
    if not any(page.text in text.files for page in pages):
        return ()
    missing = [n for n, page in enumerate(pages, 1) if page.text not in text.files]
    if not missing:
        return ()
    more = f" and of {len(missing) - 1} more pages of this document" if len(missing) > 1 else ""
    told = f"The text of {pages[missing[0] - 1].bates}{more} is not here, and its image was not read. Ask for it."
    return (Notice(path=path, code="load_page_without_text", message=told, page=missing[0]),)


def _reading(
    document: ProducedDocument, text: Text, path: str, outcomes: Outcomes
) -> tuple[Reading, Correspondence | None]:
    """The document as if it were one file, and its head where that is known from elsewhere than the text."""
    first, native = outcomes[path], outcomes.get(document.native or "")
    assert isinstance(first, Reading)  # noqa: S101 - the caller chose one that was read
    own = native if isinstance(native, Reading) else None
    head = (own.correspondence if own else None) or _head(document.other)
    changes = {
        "pages": tuple(_designated(page, document.designation) for page in text.pages),
        "correspondence": head or first.correspondence,
        "message_id": (own.message_id if own else None) or document.other.get(Field.MESSAGE_ID),
        "members": own.members if own else (),
    }
    return first.model_copy(update=changes), head


def _designated(page: PageReading, designation: str | None) -> PageReading:
    if designation is None or page.designation is not None:
        return page
    return page.model_copy(update={"designation": designation})


def _head(fields: Mapping[str, str]) -> Correspondence | None:
    """Who wrote to whom, and when, by the fields of the record; None where they name no writer and no date."""
    sent = f"{fields.get(Field.DATE_SENT, '')} {fields.get(Field.TIME_SENT, '')}"
    head = Correspondence(
        author=next(_persons(fields.get(Field.FROM, "")), None),
        recipients=tuple(_persons(fields.get(Field.TO, ""))),
        sent=" ".join(sent.split()) or None,
        subject=" ".join(fields.get(Field.SUBJECT, "").split()) or None,
    )
    return head if head.author or head.sent else None


def _persons(field: str) -> Iterator[str]:
    """The names in a field such as `Smith, Ann <ann@example.com>; Bob Jones`, given names first, never addresses."""
    for person in _BETWEEN.split(field):
        name, _, rest = _ADDRESS.split(person)[0].strip(" '\"\t\n").partition(",")
        name = " ".join((name if " " in name.strip() else f"{rest} {name}").split())
        if "@" not in name and any(sign.isalpha() for sign in name) and not name.startswith("/"):  # X.400 does
            yield name


def _quotes(text: str, own: Correspondence) -> bool:
    """Whether the first head in the text is not the document's own: it names another writer, or stands below words."""
    first = next(iter(heads(text)), None)
    if first is None:
        return True
    if own.author and first.correspondence.author:
        return own.author.casefold() != first.correspondence.author.casefold()
    return len(text[: first.start].split()) > _ABOVE_A_HEAD
