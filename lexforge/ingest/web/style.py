"""How the text of an element looks on a web page: only as much of CSS as takes text out of sight."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from PIL import ImageColor

from lexforge.domain.evidence import Concealment

Colour = tuple[int, int, int]

_UNSEEN = frozenset("script style iframe noembed noframes title template".split())
_ALIKE = 8  # of 255 in each channel: nobody tells such colours apart
_FAR = -500.0
_UNKNOWN = "unknown"
_AMOUNT = re.compile(r"(-?(?:\d+(?:\.\d*)?|\.\d+))\s*(px|pt|em|rem|ex|%|)")
_BRACE = re.compile(r"[{};]")
_NOTE = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_SIMPLE = re.compile(r"(?:[a-z][\w-]*)?(?:[.#][\w-]+)?", re.I)
_COMPOUND = re.compile(r"([\w-]*)((?:[.#][\w-]+)?)")
_NO_AREA = re.compile(r"rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?|inset\(\s*(?:[5-9]\d|100)%")
_TOLD = frozenset(
    "display visibility opacity overflow height max-height width max-width clip clip-path left top text-indent "
    "margin-left font-size color background background-color background-image".split()
)
"""The properties looked at; all others are dropped at once, which bounds what a rule may hold."""
_INHERITED = frozenset({"", "inherit", "initial", "none", "transparent", "unset"})


@dataclass(frozen=True, slots=True)
class Look:
    """How text looks here. A colour is None where it cannot be told; `dropped` text belongs to no page at all."""

    lasting: Concealment | None = None
    invisible: bool = False
    micro: bool = False
    colour: Colour | None = (0, 0, 0)
    background: Colour | None = (255, 255, 255)
    dropped: bool = False

    @property
    def concealment(self) -> Concealment | None:
        """Why nobody sees text here, or None."""
        if self.lasting is not None or self.invisible:
            return self.lasting or Concealment.NOT_SHOWN
        if self.micro:
            return Concealment.MICRO
        if self.colour is None or self.background is None:
            return None
        alike = all(abs(a - b) <= _ALIKE for a, b in zip(self.colour, self.background, strict=True))
        return Concealment.BACKGROUND if alike else None


LEGIBLE = Look()
"""Black on white, as a page begins."""


class Sheet:
    """Rules of the style sheets of a page by tag, `.class`, `tag.class`, `#id` and `tag#id`.

    What other selectors declare holds perhaps; it makes the property unknown, and an unknown property conceals nothing.
    Rules that hold on some devices only (`@media`) are left out.
    """

    def __init__(self, sheets: Iterable[str]) -> None:
        self._rules: dict[str, dict[str, str]] = {}
        self._perhaps: dict[str, dict[str, str]] = {}
        for sheet in sheets:
            for selectors, body in _rules(_NOTE.sub(" ", sheet)):
                self._add(selectors, _declarations(body))

    def _add(self, selectors: str, declared: dict[str, str]) -> None:
        for selector in selectors.split(","):
            parts = re.split(r"[\s>+~]+", selector.strip())
            if len(parts) == 1 and _SIMPLE.fullmatch(parts[0]):
                self._rules.setdefault(_key(parts[0]), {}).update(declared)
            elif found := _COMPOUND.match(parts[-1]):
                key = found[2] or found[1].lower()
                self._perhaps.setdefault(key, {}).update(dict.fromkeys(declared, _UNKNOWN))

    def of(self, name: str, attributes: Mapping[str, str]) -> dict[str, str]:
        """What is declared for an element, the weakest selector first; its own `style` overrides."""
        declared: dict[str, str] = {}
        if self._rules or self._perhaps:
            marks = [f".{kind}" for kind in attributes.get("class", "").split()]
            marks += [f"#{attributes['id']}"] if "id" in attributes else []
            keys = [name, *marks, *(name + mark for mark in marks)]
            for rules in (self._rules, self._perhaps):
                for key in keys:
                    declared.update(rules.get(key, {}))
        if style := attributes.get("style"):
            declared.update(_declarations(style))
        return declared


def look(name: str, attributes: Mapping[str, str], outer: Look, sheet: Sheet) -> Look:
    """How the text of an element looks that stands inside `outer`."""
    if name in _UNSEEN:
        return replace(outer, dropped=True)
    declared = sheet.of(name, attributes)
    if not declared and attributes.keys().isdisjoint(("hidden", "bgcolor", "color", "text", "background", "href")):
        return outer
    visibility = declared.get("visibility", "")
    return Look(
        lasting=outer.lasting or _taken_out(declared, "hidden" in attributes),
        invisible=visibility in {"hidden", "collapse"} or (outer.invisible and visibility in {"", "inherit"}),
        micro=_micro(declared.get("font-size", ""), outer.micro),
        colour=_colour_of(name, attributes, declared, outer),
        background=_background_of(attributes, declared, outer),
        dropped=outer.dropped,
    )


def _taken_out(declared: Mapping[str, str], hidden: bool) -> Concealment | None:
    """What also takes everything inside the element out of sight."""
    display = declared.get("display", "none" if hidden else "")
    clipped = declared.get("overflow") == "hidden" and any(
        _amount(declared.get(side, "")) == 0 for side in ("height", "max-height", "width", "max-width")
    )
    cut = any(_NO_AREA.search(declared.get(name, "")) for name in ("clip", "clip-path"))
    opacity = _amount(declared.get("opacity", ""))
    if display == "none" or clipped or cut or (opacity is not None and opacity <= 0.02):
        return Concealment.NOT_SHOWN
    sides = (_amount(declared.get(side, "")) for side in ("left", "top", "text-indent", "margin-left"))
    return Concealment.OFF_PAGE if any(side is not None and side <= _FAR for side in sides) else None


def _micro(size: str, outer: bool) -> bool:
    found = _AMOUNT.match(size)
    if found is None:
        return outer and size in {"", "inherit"}
    amount, unit = float(found[1]), found[2]
    return amount == 0 or (amount <= 1 if unit in {"px", "pt"} else outer and unit in {"em", "%"})


def _colour_of(name: str, attributes: Mapping[str, str], declared: Mapping[str, str], outer: Look) -> Colour | None:
    value = declared.get("color") or attributes.get("color", attributes.get("text", "") if name == "body" else "")
    if value in _INHERITED:
        return (0, 0, 238) if name == "a" and "href" in attributes else outer.colour
    return _colour(value)


def _background_of(attributes: Mapping[str, str], declared: Mapping[str, str], outer: Look) -> Colour | None:
    if "background" in attributes or "background-image" in declared:
        return None
    value = declared.get("background-color") or declared.get("background") or attributes.get("bgcolor", "")
    if value in _INHERITED:
        return outer.background
    return _colour(value)


@lru_cache(maxsize=512)
def _colour(value: str) -> Colour | None:
    """Red, green and blue; None for what is no plain colour, such as a picture, a gradient or a variable."""
    for word in (value, value.split(" ", maxsplit=1)[0]):
        try:
            red, green, blue = ImageColor.getrgb(word)[:3]
        except ValueError:
            continue
        return (red, green, blue) if len(ImageColor.getrgb(word)) == 3 and "url(" not in value else None
    return None


def _amount(value: str) -> float | None:
    found = _AMOUNT.match(value)
    return float(found[1]) if found else None


def _key(selector: str) -> str:
    found = _COMPOUND.match(selector)
    return found[1].lower() + found[2] if found else selector


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of the rules that hold always."""
    depth = start = body = 0
    prelude = ""
    for mark in _BRACE.finditer(sheet):
        if mark[0] == "{":
            if depth == 0:
                prelude, body = sheet[start : mark.start()].strip(), mark.end()
            depth += 1
        elif mark[0] == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if not prelude.startswith("@"):
                    yield prelude, sheet[body : mark.start()]
                start = mark.end()
        elif depth == 0:
            start = mark.end()


def _declarations(style: str) -> dict[str, str]:
    declared = {}
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        if colon and (name := name.strip().lower()) in _TOLD:
            declared[name] = value.lower().replace("!important", "").strip()
    return declared
