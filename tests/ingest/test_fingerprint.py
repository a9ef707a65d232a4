"""Runs of words: what changes them, and what does not."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexforge.ingest.fingerprint import RUN, containment, fingerprint, novel, sample, shingles, words

TEXT = "The buyer's notice, sent on May 4, 2021, was timely and in writing; the seller's answer was neither."

SAME = {
    "case": TEXT.upper(),
    "typography": TEXT.replace("'", "’").replace(", ", " — "),
    "line breaks": TEXT.replace(" ", "\n"),
    "invisible characters": TEXT.replace("seller", "sel\u00adler").replace("buyer", "buy\u200ber"),
    "ligatures and full width": TEXT.replace("timely", "ｔｉｍｅｌｙ"),
    "stronger punctuation": TEXT.replace(";", " ***"),
}


@pytest.mark.parametrize("how", SAME)
def test_a_change_of_format_changes_nothing(how: str) -> None:
    assert shingles(SAME[how]) == shingles(TEXT)


def test_a_changed_word_changes_five_runs() -> None:
    assert len(shingles(TEXT) - shingles(TEXT.replace("timely", "late"))) == RUN


def test_short_texts_have_no_runs() -> None:
    assert shingles("Only four words here.") == frozenset()
    assert containment("Only four words here.", shingles(TEXT)) == 0.0
    assert containment("", frozenset()) == 0.0


def test_the_hashes_never_change() -> None:
    """A register outlives versions of LexForge: a hash that moves makes every draft in it unknown."""
    assert words("Plaintiff’s § 12(b) motion") == ["plaintiff", "s", "12", "b", "motion"]
    assert sorted(shingles("one two three four five")) == [4475916206259131367]


WRITTEN = st.text(st.sampled_from("aZ9_ .-\n’“§—éßſKﬁ①\u0345\u00ad\u0660日") | st.characters(), max_size=60)


@given(WRITTEN)
def test_words_are_letters_and_digits_of_any_script(text: str) -> None:
    folded = unicodedata.normalize("NFKC", re.sub("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]", "", text)).casefold()
    assert words(text) == re.findall(r"[^\W_]+", folded)


def test_a_quarter_stands_for_the_whole() -> None:
    every = shingles(" ".join(str(n) for n in range(40_000)))
    assert 0.24 < len(sample(every)) / len(every) < 0.26
    assert all(-(2**63) <= run < 2**63 for run in every), "as SQLite keeps numbers"


@given(st.lists(st.text(max_size=80), max_size=4), st.text(max_size=200))
def test_nothing_of_the_known_texts_is_novel(known: list[str], own: str) -> None:
    prints = novel(" ".join([own, *known]), known)
    assert all(not shingles(text) & prints for text in known)
    assert all(containment(text, prints) == 0.0 for text in known)


@given(st.text(max_size=300))
def test_the_fingerprint_is_part_of_the_runs(text: str) -> None:
    assert fingerprint(text) <= shingles(text)
    assert containment(text, shingles(text)) in (0.0, 1.0)
