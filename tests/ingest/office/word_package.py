"""Word documents made part by part, as raw XML."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
BY = 'w:id="1" w:author="Ada Quillfeather" w:date="2031-06-01T09:00:00Z"'


def relationships(*pairs: tuple[str, str]) -> str:
    rows = "".join(f'<Relationship Id="r{n}" Type="{t}" Target="{target}"/>' for n, (t, target) in enumerate(pairs))
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def core(keywords: str = "", identifier: str = "") -> str:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier>{identifier}</dc:identifier>'
        f"<cp:keywords>{keywords}</cp:keywords></cp:coreProperties>"
    )


def package(path: Path, body: str, namespace: str = W, **more: str) -> Path:
    """A Word document with this body; `more` are further parts, `__` standing for `/` and `_xml` for `.xml`."""
    parts = {
        "_rels/.rels": relationships(
            (f"{OFFICE}/officeDocument", "word/document.xml"),
            (
                "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
                "/docProps/core.xml",
            ),
        ),
        "word/_rels/document.xml.rels": relationships(
            (f"{OFFICE}/footnotes", "footnotes.xml"), (f"{OFFICE}/endnotes", "endnotes.xml")
        ),
        "word/document.xml": f'<w:document xmlns:w="{namespace}" {NAMESPACES}><w:body>{body}</w:body></w:document>',
    }
    parts.update({name.replace("__", "/").replace("_xml", ".xml"): text for name, text in more.items()})
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def p(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def r(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def ins(content: str) -> str:
    return f"<w:ins {BY}>{content}</w:ins>"


def dele(text: str) -> str:
    return f"<w:del {BY}><w:r><w:delText>{text}</w:delText></w:r></w:del>"


def mark(name: str, id_: int, content: str) -> str:
    return f'<w:bookmarkStart w:id="{id_}" w:name="{name}"/>{content}<w:bookmarkEnd w:id="{id_}"/>'
