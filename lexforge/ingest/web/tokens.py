"""The tags and texts of an HTML page, in one pass whose work grows with the length alone.

Tokens follow the HTML standard (WHATWG, section 13.2.5). The standard library's parser takes minutes over some 150 kB
of unclosed tags; libxml2 leaves out what stands deeper than some two thousand elements, behind half of a surrogate
pair, and takes 25 s over 1 MB of different attributes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

_VALUE = r"""\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>]*+)"""
_RAW = "script|style|xmp|iframe|noembed|noframes|title|textarea"
_PIECE = re.compile(
    rf"""
    (?P<text>[^<]*+(?:<(?![a-zA-Z/!?])[^<]*+)*+)
    (?:
        <(?P<tag>
            (?:(?P<raw>(?i:{_RAW}))(?=[\s/>]|\Z)|/?[a-zA-Z][^\s/>]*+)
            (?:[\s/]*+[^\s/>][^\s/>=]*+(?:{_VALUE})?+)*+[\s/]*+
        )(?:>|\Z)
        (?(raw)(?P<content>[^<]*+(?:<(?!/(?i:(?P=raw))[\s/>])[^<]*+)*+))
      | <!--(?:-?>|.*?(?:--!?>|\Z))
      | <[!?/][^>]*+>?
      | \Z
    )""",
    re.A | re.S | re.X,
)
"""Text, and the tag or comment behind it. It matches everywhere, so that one piece begins where the last one ended."""
_ATTRIBUTE = re.compile(r"""([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)|'([^']*+)|([^\s>]*+))["']?)?""", re.A)
_NAME = re.compile(r"/?([^\s/>]+)", re.A)
_STYLE = re.compile("<style", re.A | re.I)
_NONE: Mapping[str, str] = MappingProxyType({})
_KEPT = 4096  # tags; a page has few different ones, written again and again


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """A start tag (`opens`) or an end tag, which has no attributes. Tags of the same spelling are mostly one object."""

    name: str
    opens: bool
    attributes: Mapping[str, str]


def tokens(source: str) -> Iterator[Tag | str]:
    """Tags and texts in order, without comments and declarations. Never raises; what is not closed runs to the end."""
    known: dict[str, Tag] = {}
    for piece in _PIECE.finditer(source):
        text, written, raw, content = piece.groups()
        if text:
            yield _unescaped(text)
        if written:
            tag = known.get(written)
            if tag is None:
                if len(known) >= _KEPT:
                    known.clear()
                tag = known[written] = _tag(written)
            yield tag
        if content:
            yield _unescaped(content) if raw.lower() in {"title", "textarea"} else content


def style_sheets(source: str) -> Iterator[str]:
    """The texts of the `<style>` elements."""
    last = max((found.start() for found in _STYLE.finditer(source)), default=-1)
    for piece in _PIECE.finditer(source):
        if piece.start() > last:
            return
        if piece["content"] and piece["raw"].lower() == "style":
            yield piece["content"]


def _tag(written: str) -> Tag:
    """The tag of what stands between its brackets; the first of two attributes of one name counts."""
    found = _NAME.match(written)
    name, at = (found[1].lower(), found.end()) if found else ("", 0)
    if written[0] == "/":
        return Tag(name, opens=False, attributes=_NONE)
    attributes: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(written, at):
        key, *values = attribute.groups("")
        attributes.setdefault(key.lower(), _unescaped("".join(values)))
    return Tag(name, opens=True, attributes=attributes)


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits is no character
        return text
