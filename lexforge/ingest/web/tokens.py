"""The tags and texts of an HTML page, in one pass whose work grows with the length alone.

Tokens follow the HTML standard (WHATWG, section 13.2.5). The standard library's parser takes minutes over some 150 kB
of unclosed tags, and libxml2 stops at a depth that nested layout tables reach.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_MARKUP = re.compile(r"<(?:(?P<start>[a-zA-Z][^\s/>]*+)|/(?P<end>[a-zA-Z][^\s/>]*+)|[!?/])")
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))|<[^>]*+>?", re.S)
_GAP = re.compile(r"[\s/]*+")
_ATTRIBUTE = re.compile(r"([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\s>]*+)))?", re.S)
_RAW = frozenset("script style xmp iframe noembed noframes title textarea".split())


@dataclass(frozen=True, slots=True)
class Token:
    """A start tag (`opens`), an end tag or, without a `name`, a piece of text. `raw` text holds no entities."""

    name: str = ""
    opens: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


def tokens(source: str) -> Iterator[Token]:
    """Tags and texts in order, without comments and declarations. Never raises; what is not closed runs to the end."""
    at, length = 0, len(source)
    while at < length:
        found = _MARKUP.search(source, at)
        until = found.start() if found else length
        if until > at:
            yield Token(text=_unescaped(source[at:until]))
        if found is None:
            return
        if name := found["start"] or found["end"]:
            attributes, at = _attributes(source, found.end())
            name = name.lower()
            yield Token(name=name, opens=bool(found["start"]), attributes=attributes)
            if found["start"] and name in _RAW:
                until = _raw_end(source, at, name)
                entities = name in {"title", "textarea"}
                yield Token(text=_unescaped(source[at:until]) if entities else source[at:until])
                at = until
        else:
            comment = _COMMENT.match(source, until)
            at = comment.end() if comment else length


def _raw_end(source: str, at: int, name: str) -> int:
    found = re.compile(rf"</{name}(?=[\s/>])", re.I).search(source, at)
    return found.start() if found else len(source)


def _attributes(source: str, at: int) -> tuple[Mapping[str, str], int]:
    """Attributes of the tag whose name ends at `at`, and where the tag ends; the first of two of one name counts."""
    found: dict[str, str] = {}
    while True:
        gap = _GAP.match(source, at)
        at = gap.end() if gap else at
        match = _ATTRIBUTE.match(source, at)
        if match is None:
            return found, min(at + 1, len(source))
        value = next((group for group in match.groups()[1:] if group is not None), "")
        found.setdefault(match[1].lower(), _unescaped(value))
        at = match.end()


def _unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits is no character
        return text


def style_sheets(page: Iterable[Token]) -> Iterator[str]:
    """The texts of the `<style>` elements."""
    inside = False
    for token in page:
        if inside and not token.name:
            yield token.text
        inside = token.name == "style" and token.opens
