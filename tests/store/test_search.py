"""Full-text search takes any words a person may type, and finds a page by its number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexforge.store.search import Entry, in_memory

PASSAGES = [
    Entry("roof", ["roof", "leaked", "winter", "tenant"], ["ACME000101"]),
    Entry("rent", ["rent", "paid", "tenant"], ["ACME000102"]),
    Entry("tool", ["c", "plus", "manual"], []),
]


def found(words: list[str], numbers: list[str] | None = None) -> list[str]:
    return in_memory("passages", "key", lambda: PASSAGES).find(words, numbers or [])


FINDS = [
    ("one word", ["roof"], [], ["roof"]),
    ("any of the words, the rarer first", ["roof", "tenant"], [], ["roof", "rent"]),
    ("a Bates number alone", [], ["ACME000102"], ["rent"]),
    ("a Bates number is no word of the text", ["ACME000102"], [], []),
    ("nothing asked", [], [], []),
    ("an unknown word", ["hovercraft"], [], []),
    ("words that FTS5 reads as operators", ["NEAR", "AND", "roof"], [], ["roof"]),
    ("signs that FTS5 reads as operators", ["O'Brien", "roof*", "(", "-x", "a:b"], [], ["roof"]),
    ("a quotation mark", ['"roof"'], [], ["roof"]),
]


@pytest.mark.parametrize(("why", "words", "numbers", "ids"), FINDS, ids=[why for why, *_ in FINDS])
def test_what_is_found(why: str, words: list[str], numbers: list[str], ids: list[str]) -> None:
    assert found(words, numbers) == ids


@given(st.lists(st.text(min_size=1, max_size=12).filter(lambda t: "\0" not in t and t.isprintable()), max_size=5))
def test_any_text_can_be_asked(words: list[str]) -> None:
    assert set(found(words)) <= {"roof", "rent", "tool"}


def test_words_are_counted_by_passage() -> None:
    search = in_memory("passages", "key", lambda: PASSAGES)
    assert (search.size, search.count("tenant"), search.count("hovercraft")) == (3, 2, 0)
