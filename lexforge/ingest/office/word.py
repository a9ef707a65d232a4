"""Word documents as evidence: the paper that would be printed, and beside it what only the file shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from lexforge.errors import UnreadableFile
from lexforge.ingest.mail.correspondence import head_of
from lexforge.ingest.office.elements import attribute
from lexforge.ingest.office.package import Package, opened, word_name
from lexforge.ingest.office.word_look import Looks, child
from lexforge.ingest.office.word_text import LONGEST_ANCHOR, Walk
from lexforge.ingest.reading import PageReading, Reading

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def read(path: Path) -> Reading:
    """The pages of a .docx, with tracked changes accepted and a blank line between paragraphs.

    Pages are those that Word last laid out (`w:lastRenderedPageBreak`) and those it was told to begin; a file that
    says neither is one page. Footnotes end their page; endnotes, headers, footers and comments end the last one.
    Deleted and hidden text stands in `hidden`. UnreadableFile with the codes of `office_package`, or `no_text`.
    """
    with opened(path) as package:
        part, root = package.document()
        walk = Walk(Looks(package.related(part, "styles"), child(root, "background") is None), package.refused)
        walk.read(root)
        _notes(package, part, walk)
        walk.sheets[-1].notes += [*_margins(package, part, walk), *_comments(package, part, walk)]
        sheets = [sheet for sheet in walk.sheets if sheet.text.strip()]
        if not sheets:
            raise UnreadableFile(
                "no_text", f"{path.name} has no text.", "If it holds pictures, save it as PDF and run OCR."
            )
        lost = [hidden for sheet in walk.sheets if sheet not in sheets for hidden in sheet.hidden]
        pages = [PageReading(text=sheet.text, hidden=tuple(sheet.hidden)) for sheet in sheets]
        pages[-1] = pages[-1].model_copy(update={"hidden": (*pages[-1].hidden, *lost)})
        return Reading(
            media_type=MEDIA_TYPE,
            extractor="wordprocessingml 2",
            pages=tuple(pages),
            correspondence=head_of(pages[0].text),
            own_draft=package.draft_id(walk.ours),
            warnings=(*package.warnings(), *_warnings(path, walk)),
        )


def attachments(path: Path) -> list[tuple[str, bytes]]:
    """Name and bytes of each file that was put into a Word document or a spreadsheet, within the package's limits.

    Old objects are OLE containers (`oleObject1.bin`), which wrap the file they hold. Raises UnreadableFile.
    """
    with opened(path) as package:
        return package.embedded()


def _notes(package: Package, part: str, walk: Walk) -> None:
    """Footnotes to the page on which they are referred to, endnotes to the last one."""
    roots = {kind: package.related(part, kind) for kind in ("footnotes", "endnotes")}
    notes = {(kind, attribute(note, "id")): note for kind, root in roots.items() if root is not None for note in root}
    ends: list[str] = []
    done: set[tuple[str, str]] = set()
    for kind, id_, sheet in list(walk.references):
        if (kind, id_) in notes and (kind, id_) not in done:
            done.add((kind, id_))
            paragraphs = walk.aside(notes[kind, id_])
            (sheet.notes if kind == "footnotes" else ends).extend(paragraphs)
    walk.sheets[-1].notes += ends


def _margins(package: Package, part: str, walk: Walk) -> Iterator[str]:
    """Headers and footers, each text once."""
    told: set[str] = set()
    for kind in ("header", "footer"):
        for name in package.targets(part, kind):
            text = " ".join(" ".join(walk.aside(package.parsed(name))).split()) if name in package.names else ""
            line = f"{kind.capitalize()}: {text}"
            if text and line not in told:
                told.add(line)
                yield line


def _comments(package: Package, part: str, walk: Walk) -> Iterator[str]:
    root = package.related(part, "comments")
    for comment in (one for one in (root if root is not None else ()) if word_name(one) == "comment"):
        yield _comment(comment, walk)


def _comment(comment: etree._Element, walk: Walk) -> str:
    author = attribute(comment, "author")
    anchor = " ".join(walk.anchors.get(attribute(comment, "id"), "").split())
    anchor = anchor if len(anchor) <= LONGEST_ANCHOR else f"{anchor[:LONGEST_ANCHOR].rstrip()}…"
    text = " ".join(" ".join(walk.aside(comment)).split())
    return f"Comment{f' by {author}' if author else ''}{f' on “{anchor}”' if anchor else ''}: {text}"


def _warnings(path: Path, walk: Walk) -> Iterator[str]:
    if walk.added or walk.removed:
        by = f" by {', '.join(walk.editors)}" if walk.editors else ""
        yield f"{path.name} has tracked changes{by}: {walk.added} added, {walk.removed} removed; read as if accepted."
