"""Which runs of a Word document nobody can see: hidden, white on white, or no higher than a point."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from lexforge.domain.evidence import Concealment
from lexforge.ingest.office.elements import attribute
from lexforge.ingest.office.package import word_name

_OFF = frozenset({"0", "false", "off"})
_BLANK = frozenset({"FFFFFF", "auto", ""})
_DEEPEST = 20
_MICRO = 2  # half-points (ECMA-376 part 1, section 17.3.2.38)


def child(element: etree._Element | None, name: str) -> etree._Element | None:
    """The first child of that name in the vocabulary of Word."""
    return next((one for one in element if word_name(one) == name), None) if element is not None else None


class Looks:
    """The styles of a document. Where the colour behind text cannot be told (table style), nothing is concealed."""

    def __init__(self, styles: etree._Element | None, plain_paper: bool) -> None:
        self._plain_paper = plain_paper
        named = (style for style in (styles if styles is not None else ()) if word_name(style) == "style")
        self._styles = {attribute(style, "styleId"): style for style in named}
        self._known: dict[str, list[etree._Element]] = {}

    def concealment(self, run: etree._Element, paragraph: etree._Element | None, shaded: bool) -> Concealment | None:
        """Why the text of `run` cannot be seen, or None; `shaded` says that something coloured may lie behind it."""
        own = child(run, "rPr")
        around = child(paragraph, "pPr")
        known = [*self._inherited(own, "rStyle"), *self._inherited(around, "pStyle")]
        known = known if own is None else [own, *known]
        vanish = next((mark for layer in known if (mark := child(layer, "vanish")) is not None), None)
        if vanish is not None and attribute(vanish, "val").lower() not in _OFF:
            return Concealment.NOT_SHOWN
        size = next((mark for layer in known if (mark := child(layer, "sz")) is not None), None)
        if size is not None and attribute(size, "val").isdigit() and int(attribute(size, "val")) <= _MICRO:
            return Concealment.MICRO
        colour = next((mark for layer in known if (mark := child(layer, "color")) is not None), None)
        if colour is None or attribute(colour, "val").upper() != "FFFFFF" or shaded or not self._plain_paper:
            return None
        behind = [mark for layer in [*known, around] for mark in (child(layer, "highlight"), shade(layer))]
        return None if any(mark is not None for mark in behind) else Concealment.BACKGROUND

    def _inherited(self, properties: etree._Element | None, kind: str) -> list[etree._Element]:
        """The run properties of the style that is named, and of those it builds on."""
        mark = child(properties, kind)
        name = attribute(mark, "val") if mark is not None else ""
        if name not in self._known:
            self._known[name] = list(self._layers(name))
        return self._known[name]

    def _layers(self, name: str) -> Iterator[etree._Element]:
        for _ in range(_DEEPEST):
            style = self._styles.get(name)
            if style is None:
                return
            if (layer := child(style, "rPr")) is not None:
                yield layer
            based = child(style, "basedOn")
            name = attribute(based, "val") if based is not None else ""


def shade(properties: etree._Element | None) -> etree._Element | None:
    """The shading that the properties of a run, paragraph or cell declare, unless it is that of the paper."""
    mark = child(properties, "shd")
    if mark is None or (attribute(mark, "fill") in _BLANK and attribute(mark, "val") in {"clear", "nil", ""}):
        return None
    return mark
