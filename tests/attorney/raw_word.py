"""Edits made in the XML of a document, as Word would leave them there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
BY = 'w:id="900" w:author="Ada Quillfeather" w:date="2031-06-01T09:00:00Z"'


def part(path: Path, name: str = "word/document.xml") -> etree._Element:
    """Root of one part."""
    with ZipFile(path) as archive:
        return etree.fromstring(archive.read(name))


def rewritten(path: Path, edit: Callable[[etree._Element], None]) -> Path:
    """A copy of `path` beside it, with `edit` done to the main part."""
    target = path.with_name("edited.docx")
    with ZipFile(path) as old, ZipFile(target, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                root = etree.fromstring(data)
                edit(root)
                data = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
            new.writestr(name, data)
    return target


def held(root: etree._Element, block: str) -> etree._Element:
    """The paragraph that the bookmark of `block` begins in."""
    found = root.xpath(f"//w:bookmarkStart[@w:name='lf_{block}']/ancestor::w:p[1]", namespaces={"w": W})
    assert len(found) == 1, block
    return found[0]


def pieces(xml: str) -> list[etree._Element]:
    """Elements written with the prefix `w:`."""
    return list(etree.fromstring(f'<x xmlns:w="{W}">{xml}</x>'))


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def ins(text: str) -> str:
    return f"<w:ins {BY}>{run(text)}</w:ins>"


def dele(text: str) -> str:
    return f'<w:del {BY}><w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def set_runs(paragraph: etree._Element, xml: str) -> None:
    """Replace everything between the bookmark's ends by `xml`."""
    start = paragraph.find(f"{{{W}}}bookmarkStart")
    end = paragraph.find(f"{{{W}}}bookmarkEnd")
    assert start is not None
    assert end is not None
    for element in list(paragraph)[paragraph.index(start) + 1 : paragraph.index(end)]:
        paragraph.remove(element)
    for element in pieces(xml):
        end.addprevious(element)


def mark_changed(paragraph: etree._Element, how: str) -> None:
    """Say in the properties that the paragraph mark was deleted (`del`), inserted (`ins`) or moved."""
    properties = paragraph.find(f"{{{W}}}pPr")
    assert properties is not None
    properties.extend(pieces(f"<w:rPr><w:{how} {BY}/></w:rPr>"))
