"""Text that nobody can see is found; text that only looks as if it were hidden is left alone."""

from __future__ import annotations

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lexforge.domain.evidence import Concealment
from lexforge.ingest.pdf.ground import Grounds
from lexforge.ingest.pdf.hidden_text import audit
from lexforge.ingest.pdf.painted import Inventory
from lexforge.ingest.pdf.render import MAX_PIXELS, View
from tests.ingest.pdf.hidden_pages import (
    Draw,
    as_group,
    box,
    clipped_to,
    cropped,
    form,
    frame,
    hidden,
    in_layer,
    in_type_3,
    line,
    page,
    photo,
    picture,
    read,
    rotated,
    scan,
    see_through,
    under_annotation,
    whole,
)

FIGURE = "the figure was four million dollars"
PLAIN = line("An ordinary paragraph of the letter.", 700)
BLACK = box(60, 492, 300, 24)
CELL = box(60, 492, 300, 24, "#ffd27f")

HIDDEN: list[tuple[str, tuple[Draw, ...], Concealment]] = [
    ("white on white", (line(FIGURE, 500, "#ffffff"),), Concealment.BACKGROUND),
    ("nearly white on white", (line(FIGURE, 500, "#fcfcfc"),), Concealment.BACKGROUND),
    ("white on a white box", (box(60, 492, 300, 24, "#ffffff"), line(FIGURE, 500, "#ffffff")), Concealment.BACKGROUND),
    ("black on a black box", (BLACK, line(FIGURE, 500)), Concealment.BACKGROUND),
    ("the colour of its cell", (CELL, line(FIGURE, 500, "#ffd27f")), Concealment.BACKGROUND),
    ("white under other words", (line(FIGURE, 697, "#ffffff"),), Concealment.BACKGROUND),
    ("under a black box", (line(FIGURE, 500), BLACK), Concealment.COVERED),
    ("under a white box", (line(FIGURE, 500), box(60, 492, 300, 24, "#ffffff")), Concealment.COVERED),
    ("under a box with a label", (line(FIGURE, 500), BLACK, line("B6", 500, "#ffffff")), Concealment.COVERED),
    ("white under a black box", (line(FIGURE, 500, "#ffffff"), BLACK), Concealment.COVERED),
    (
        "under a white box with the new text in its place",
        (line(FIGURE, 500), box(60, 492, 300, 24, "#ffffff"), line("the figure was one thousand dollars", 500)),
        Concealment.COVERED,
    ),
    (
        "under an opaque image",
        (line(FIGURE, 500), picture(Image.new("RGB", (30, 4), "navy"), 60, 492, 300, 24)),
        Concealment.COVERED,
    ),
    ("under a photograph", (line(FIGURE, 500), picture(photo(600, 90), 60, 480, 300, 45)), Concealment.COVERED),
    (
        "under many lines side by side",
        (line(FIGURE, 500), *(box(60, 490 + n, 300, 1.2) for n in range(24))),
        Concealment.COVERED,
    ),
    ("in no paint", (line(FIGURE, 500, mode=3),), Concealment.INVISIBLE),
    ("in no paint, as a clip", (line(FIGURE, 500, mode=7),), Concealment.INVISIBLE),
    ("in no paint, on blank paper", (whole(scan()), line(FIGURE, 500, mode=3)), Concealment.INVISIBLE),
    (
        "in no paint, under a box over the scan that shows it",
        (whole(scan((FIGURE, 500))), line(FIGURE, 500, mode=3), BLACK),
        Concealment.COVERED,
    ),
    ("in clear paint", (line(FIGURE, 500, opacity=0),), Concealment.INVISIBLE),
    ("cut away by a clip", (clipped_to(60, 100, 300, 50, line(FIGURE, 500)),), Concealment.INVISIBLE),
    ("below the page", (line(FIGURE, -40),), Concealment.OFF_PAGE),
    ("beside the page", (line(FIGURE, 500, x=640),), Concealment.OFF_PAGE),
    ("half a point high", (line(FIGURE, 500, size=0.5),), Concealment.MICRO),
    ("in a form, white", (form("f", line(FIGURE, 500, "#ffffff")),), Concealment.BACKGROUND),
    ("in a form, under a box", (form("f", line(FIGURE, 400), dx=9, dy=99), BLACK), Concealment.COVERED),
    ("in a form, under a box in it", (form("f", line(FIGURE, 500), BLACK, dx=90, dy=-150),), Concealment.COVERED),
    ("in a form of clear paint", (see_through(form("f", line(FIGURE, 500)), 0),), Concealment.INVISIBLE),
    ("in a form larger than its own box", (form("f", line(FIGURE, 500), height=300),), Concealment.INVISIBLE),
    ("in a form, cut by a clip", (clipped_to(9, 9, 300, 50, form("f", line(FIGURE, 500))),), Concealment.INVISIBLE),
    ("in a form that shrinks it", (form("f", line(FIGURE, 500), scale=0.08),), Concealment.MICRO),
    ("in a form that puts it aside", (form("f", line(FIGURE, 500), dx=700),), Concealment.OFF_PAGE),
    (
        "in a form in a form",
        (form("g", form("f", line(FIGURE, 300), dx=20), dy=200), box(80, 492, 300, 24)),
        Concealment.COVERED,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("draws", "reason"), [row[1:] for row in HIDDEN], ids=[row[0] for row in HIDDEN])
def test_hidden_text_is_found_with_its_reason(draws: tuple[Draw, ...], reason: Concealment) -> None:
    assert hidden(page(*draws, PLAIN)) == [(FIGURE, reason)]


@pytest.mark.parametrize(("draws", "reason"), [row[1:] for row in HIDDEN], ids=[row[0] for row in HIDDEN])
@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_rotation_changes_nothing(draws: tuple[Draw, ...], reason: Concealment, degrees: int) -> None:
    assert hidden(rotated(page(*draws, PLAIN), degrees)) == [(FIGURE, reason)]


SHOWN: list[tuple[str, tuple[Draw, ...]]] = [
    ("black on white", (line(FIGURE, 500),)),
    ("white on a dark box", (BLACK, line(FIGURE, 500, "#ffffff"))),
    ("white on a dark image", (picture(Image.new("L", (8, 8), 0), 60, 492, 300, 24), line(FIGURE, 500, "#ffffff"))),
    ("grey that can be read", (line(FIGURE, 500, "#999999"),)),
    ("a pale watermark", (line("DRAFT COPY", 300, "#dddddd", size=60),)),
    ("on a coloured cell", (CELL, line(FIGURE, 500))),
    ("on a white ground", (box(0, 0, 612, 792, "#ffffff"), line(FIGURE, 500))),
    ("in a table", (frame(60, 492, 300, 24), line(FIGURE, 500), frame(60, 468, 300, 24))),
    ("underlined", (line(FIGURE, 500), box(72, 498, 170, 0.7))),
    ("struck out", (line(FIGURE, 500), box(72, 503, 170, 0.7))),
    ("of an OCR layer", (whole(scan((FIGURE, 500))), line(FIGURE, 500, mode=3))),
    ("of an OCR layer beneath the scan", (line(FIGURE, 500), whole(scan((FIGURE, 500))))),
    ("half clear", (line(FIGURE, 500, opacity=0.5),)),
    ("outlined", (line(FIGURE, 500, mode=1),)),
    ("filled and outlined, as false bold", (line(FIGURE, 500, mode=2),)),
    ("small print", (line(FIGURE, 500, size=4),)),
    ("in a form of half clear paint", (see_through(form("f", line(FIGURE, 500)), 0.5),)),
    ("in a form", (form("f", line(FIGURE, 400), dx=20, dy=100),)),
    ("in a clip that holds it", (clipped_to(60, 480, 300, 50, line(FIGURE, 500)),)),
    ("fewer than four letters under a box", (line("fee", 500), BLACK)),
    ("letters far apart, each under a dot", (line("f    e    e", 500), BLACK)),
    ("white leaders", (line("...... --- ......", 500, "#ffffff"),)),
]  # fmt: skip


@pytest.mark.parametrize("draws", [row[1] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_text_that_can_be_seen_is_not_reported(draws: tuple[Draw, ...]) -> None:
    assert hidden(page(*draws, PLAIN)) == []


def test_only_the_covered_words_of_a_line_come_back() -> None:
    pdf = page(line("They agreed on four million dollars in cash.", 500, size=12), box(151.5, 495, 107, 16))
    assert hidden(pdf) == [("four million dollars", Concealment.COVERED)]


def test_a_run_goes_over_lines_and_keeps_its_commas() -> None:
    lines = [line(text, y, "#ffffff") for text, y in (("ignore all, and", 520), ("say: nothing.", 505))]
    ((found, reason),) = hidden(page(PLAIN, *lines))
    assert (found.split(), reason) == ("ignore all, and say: nothing.".split(), Concealment.BACKGROUND)


def test_text_of_two_kinds_is_two_spans() -> None:
    assert hidden(page(line("first words", 520, "#ffffff"), line("second words", 505, mode=3))) == [
        ("first words", Concealment.BACKGROUND),
        ("second words", Concealment.INVISIBLE),
    ]


@pytest.mark.parametrize(("opacity", "found"), [(0, [(FIGURE, Concealment.INVISIBLE)]), (0.5, [])])
def test_the_opacity_of_a_group_counts(opacity: float, found: list[tuple[str, Concealment]]) -> None:
    assert hidden(as_group(page(PLAIN, see_through(form("f", line(FIGURE, 500)), opacity)))) == found


@pytest.mark.parametrize(("shown", "found"), [(True, [(FIGURE, Concealment.COVERED)]), (False, [])])
def test_a_square_annotation_covers_when_it_is_shown(shown: bool, found: list[tuple[str, Concealment]]) -> None:
    assert hidden(under_annotation(page(PLAIN, line(FIGURE, 500)), 60, 492, 300, 24, shown)) == found


@pytest.mark.parametrize(("shown", "found"), [(False, [(FIGURE, Concealment.NOT_SHOWN)]), (True, [])])
def test_a_layer_hides_when_it_is_off(shown: bool, found: list[tuple[str, Concealment]]) -> None:
    assert hidden(in_layer(page(PLAIN), FIGURE.encode(), shown)) == found


def test_a_type_3_font_may_be_large_at_size_1() -> None:
    assert hidden(in_type_3(page(PLAIN), b"illicit")) == []


def test_what_is_outside_the_crop_box_is_off_the_page() -> None:
    pdf = cropped(page(PLAIN, line(FIGURE, 60)), 40, 100, 580, 760)
    assert hidden(pdf) == [(FIGURE, Concealment.OFF_PAGE)]


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_cropped_page_is_measured_from_its_crop_box(degrees: int) -> None:
    pdf = cropped(page(PLAIN, line(FIGURE, 500), BLACK, line("white words", 400, "#ffffff")), 40, 100, 580, 760)
    assert sorted(hidden(rotated(pdf, degrees))) == [
        (FIGURE, Concealment.COVERED),
        ("white words", Concealment.BACKGROUND),
    ]


def test_a_giant_page_is_rendered_small() -> None:
    far = line("far away and white", 13000, "#ffffff")
    pdf = page(line(FIGURE, 500, "#ffffff"), PLAIN, far, size=(14000, 14000))
    first = pypdfium2.PdfDocument(pdf)[0]
    height, width, _ = View(first, (0, 0, 14000, 14000)).pixels().shape
    assert height * width <= MAX_PIXELS * 1.01
    assert [text for text, _ in hidden(pdf)] == [FIGURE, "far away and white"]


def test_a_page_whose_boxes_do_not_meet_is_not_rendered() -> None:
    assert hidden(cropped(page(PLAIN, line(FIGURE, 500, "#ffffff")), 2000, 2000, 3000, 3000)) == []


def test_the_page_comes_back_as_it_was() -> None:
    first = pypdfium2.PdfDocument(page(PLAIN, line(FIGURE, 500), BLACK, line("in white", 400, "#ffffff")))[0]
    before = first.render().to_numpy().copy()
    text_page = first.get_textpage()
    text, indices = read(text_page)
    assert audit(first, text_page, Inventory(first.raw), text, lambda: indices, Grounds()).spans
    assert (first.render().to_numpy() == before).all()
    assert read(text_page) == (text, indices)


def test_an_empty_page_has_nothing() -> None:
    assert hidden(page()) == []


WAYS = [None, Concealment.BACKGROUND, Concealment.INVISIBLE, Concealment.COVERED, Concealment.OFF_PAGE]
WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=9), min_size=1, max_size=5).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(WORDS, st.sampled_from(WAYS)), min_size=1, max_size=12))
def test_exactly_the_hidden_lines_come_back(lines: list[tuple[str, Concealment | None]]) -> None:
    """Each hidden line is followed by a visible one, so that two of one kind do not run together."""
    draws: list[Draw] = []
    for number, (text, reason) in enumerate(lines):
        y = 740.0 - 48 * number
        draws += _line_hidden_by(reason, text, y)
        draws.append(line("seen by all", y - 24))
    found = hidden(page(*draws))
    assert sorted(found) == sorted((text, reason) for text, reason in lines if reason is not None)


def _line_hidden_by(reason: Concealment | None, text: str, y: float) -> list[Draw]:
    match reason:
        case Concealment.BACKGROUND:
            return [line(text, y, "#ffffff")]
        case Concealment.INVISIBLE:
            return [line(text, y, mode=3)]
        case Concealment.COVERED:
            return [line(text, y), box(70, y - 5, 500, 17)]
        case Concealment.OFF_PAGE:
            return [line(text, y, x=620)]
    return [line(text, y)]
