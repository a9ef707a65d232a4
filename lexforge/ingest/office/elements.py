"""What both readers of Word documents know of its elements (ECMA-376 part 1, section 17), told apart by local names.

Local names are the same in transitional and in strict files.
"""

from __future__ import annotations

from lxml import etree

REMOVED = frozenset({"del", "moveFrom"})
"""Text in them is not on the paper once changes are accepted."""
NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
"""The part in which a note stands, by the element that refers to it."""


def attribute(element: etree._Element, name: str) -> str:
    """An attribute by its local name; empty when absent."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def foreign(element: etree._Element) -> str:
    """What matters of other vocabularies: the choice between two forms of one thing, and text (as in a formula)."""
    name = etree.QName(element).localname
    return name if name in {"AlternateContent", "t"} else ""


def symbol(element: etree._Element) -> str:
    """The character of a `sym` element; one that cannot be is replaced."""
    code = int(attribute(element, "char") or "fffd", 16)
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF else "\ufffd"
