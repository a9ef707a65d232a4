"""Sources that repeat others: one stands for its group in prompts, and every one of them stays listed and citable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lexforge.domain.draft import blanked
from lexforge.domain.evidence import Correspondence, Notice, Role, Source
from lexforge.ingest.copies.dedupe import Copies, Copy, Kind, Text, copies
from lexforge.ingest.reading import Reading

_TOLD = {
    Kind.SAME_BYTES: "is the same file as",
    Kind.SAME_TEXT: "has the same text as",
    Kind.SAME_MESSAGE: "is the same message as",
    Kind.VERSION: "is another version (number, redaction or content) of",
    Kind.NEAR: "is nearly the same as",
    Kind.CONTAINED: "stands wholly within",
    Kind.SHARES_BLOCK: "shares a block of text with",
}
_DATE_LINE = re.compile(r"^Date: (.+)$", re.MULTILINE)


def found_among(sources: Sequence[Source], readings: Mapping[str, Reading]) -> Copies:
    """What is a copy of what in the evidence, stamps and other marks of the production left aside; ids are paths."""
    evidence = [source for source in sources if source.role is Role.EVIDENCE]
    paths = {source.id: source.path for source in evidence}
    return copies(_text(source, readings[source.id], paths) for source in evidence)


def _text(source: Source, reading: Reading, paths: Mapping[str, str]) -> Text:
    pages = zip(source.pages, reading.pages, strict=True)
    return Text(
        id=source.path,
        text="\n\n".join(blanked(page.text, read.furniture) for page, read in pages),
        sha256_file=source.sha256_file,
        message_id=reading.message_id,
        correspondence=_to_the_second(reading),
        attachments=tuple(member.sha256_file for member in reading.members),
        bates=tuple(number for page in source.pages for number in page.bates),
        redactions=sum(page.redactions for page in source.pages),
        parent=paths.get(source.family or ""),
    )


def _to_the_second(reading: Reading) -> Correspondence | None:
    """The head of a message with the time it was sent: on one day the same few words may be sent twice."""
    head = reading.correspondence
    line = _DATE_LINE.search(reading.pages[0].text) if reading.message_id is not None and reading.pages else None
    return head if head is None or line is None else head.model_copy(update={"sent": line[1]})


def marked(sources: Sequence[Source], alike: Copies) -> tuple[Source, ...]:
    """The sources, each with the id of the one that stands for it in prompts."""
    ids = {source.path: source.id for source in sources}
    stands_for = {member.id: ids[group.representative] for group in alike.groups for member in group.members}
    return tuple(
        source.model_copy(update={"copy_of": stands_for[source.path]}) if source.path in stands_for else source
        for source in sources
    )


def notices(alike: Copies) -> tuple[Notice, ...]:
    """A line for each copy, in the order of the files; the closest likeness where there are several."""
    every = [*(member for group in alike.groups for member in group.members), *alike.related]
    told = {(copy.id, copy.of): copy for copy in reversed(every)}
    return tuple(sorted((_notice(copy) for copy in told.values()), key=lambda notice: notice.path))


def _notice(copy: Copy) -> Notice:
    share = "" if copy.similarity >= 1 else f" ({copy.similarity:.0%})"
    message = f"{_name(copy.id)} {_TOLD[copy.kind]} {_name(copy.of)}{share}."
    return Notice(path=copy.id, code=copy.kind.value, message=message)


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
