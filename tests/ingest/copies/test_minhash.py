"""Near-duplicates of planted documents are found, and nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest

from lexforge.ingest.copies.minhash import NEAR, distinct, jaccard, near, runs_of, signatures
from lexforge.ingest.fingerprint import shingles, words
from tests.ingest.copies.truth_set import Planted, edited, planted, prose, similarity


@pytest.fixture(scope="module")
def truth() -> Planted:
    return planted(2000)


def test_planted_copies_are_found(truth: Planted) -> None:
    found = {(one.member, one.principal) for one in near(runs_of(map(words, truth.texts)), range(2000))}
    wanted = {(a, b) for a, b in truth.copies if similarity(truth.texts[a], truth.texts[b]) >= 0.8}
    assert len(wanted) > 150
    assert len(found & wanted) >= 0.99 * len(wanted)
    false = [pair for pair in found if similarity(truth.texts[pair[0]], truth.texts[pair[1]]) < 0.5]
    assert false == [], "documents that share boilerplate are no copies"


def test_the_similarity_is_that_of_the_words(truth: Planted) -> None:
    for one in near(runs_of(map(words, truth.texts)), range(2000))[:100]:
        exact = similarity(truth.texts[one.member], truth.texts[one.principal])
        assert one.similarity == pytest.approx(exact)
        assert one.similarity >= NEAR


def test_signatures_agree_as_much_as_texts(truth: Planted) -> None:
    signed = signatures(runs_of(map(words, truth.texts)), np.arange(2000))
    off = [float((signed[a] == signed[b]).mean()) - similarity(truth.texts[a], truth.texts[b]) for a, b in truth.copies]
    assert abs(sum(off)) / len(off) < 0.01, "no bias"
    assert max(map(abs, off)) < 5 * (0.25 / 128) ** 0.5, "no pair is further off than 128 fair coins"


RUNS = [
    ([], [], "no words"),
    (["one two three four"], [0], "four words are no run"),
    (["one two three four five"], [1], "five are one"),
    (["", "one", "a b c d e f", "", "a b c d e"], [0, 0, 2, 0, 1], "no run crosses the end of a document"),
    (["", "a b c d e f"], [0, 2], "an empty one comes first"),
    (["a b", "c d e f g", "h"], [0, 1, 0], "a short one comes first, and last"),
    (["a b c d e a b c d e"], [6], "a repeated run is kept where it stands"),
]


@pytest.mark.parametrize(("texts", "counts", "why"), RUNS, ids=[why for *_, why in RUNS])
def test_runs(texts: list[str], counts: list[int], why: str) -> None:
    runs = runs_of(map(words, texts))
    assert np.diff(runs.starts).tolist() == counts, why
    assert len(runs.hashes) == sum(counts)
    assert len(runs) == len(texts)


def test_runs_are_those_of_the_fingerprint() -> None:
    texts = [" ".join(prose(random.Random(n), 300)) for n in range(5)]  # noqa: S311
    runs = runs_of(map(words, texts))
    for number, text in enumerate(texts):
        assert len(runs.of(number)) == len(shingles(text))


def test_a_document_has_the_same_runs_alone_and_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = planted(60).texts
    whole = runs_of(map(words, texts))
    monkeypatch.setattr("lexforge.ingest.copies.minhash._WORDS_A_BLOCK", 500)
    monkeypatch.setattr("lexforge.ingest.copies.minhash._WORDS_REMEMBERED", 100)
    monkeypatch.setattr("lexforge.ingest.copies.minhash._RUNS_A_BLOCK", 300)
    in_blocks = runs_of(map(words, texts))
    assert in_blocks.hashes.tolist() == whole.hashes.tolist()
    chosen = np.arange(60)
    assert signatures(in_blocks, chosen)[7].tolist() == signatures(runs_of([words(texts[7])]), chosen[:1])[0].tolist()


def test_no_chain_of_small_changes() -> None:
    """Each is near the next; the last is a stranger to the first and must not be in its group."""
    rng = random.Random(3)  # noqa: S311
    chain = [prose(rng, 400)]
    for _ in range(6):
        chain.append(edited(rng, chain[-1], 0.02))
    runs = runs_of(chain)
    found = near(runs, range(7))
    assert jaccard(runs.of(0), runs.of(6)) < NEAR
    assert {one.member for one in found} & {1, 2}
    assert all(jaccard(runs.of(one.member), runs.of(one.principal)) >= NEAR for one in found)
    assert not {one.member for one in found} & {one.principal for one in found}


def test_a_thousand_forms_have_one_principal() -> None:
    rng = random.Random(4)  # noqa: S311
    form = prose(rng, 400)
    runs = runs_of([*form[:200], str(n), *form[200:]] for n in range(1000))
    assert {one.principal for one in near(runs, range(1000))} == {0}


def test_a_copy_is_found_among_hundreds_that_are_almost_alike() -> None:
    """Two thirds of each form are those of all others, so every signature agrees nearly enough with every other."""
    rng = random.Random(6)  # noqa: S311
    form = prose(rng, 330)
    forms = [[*form, *prose(rng, 80)] for _ in range(600)]
    copies = [[*forms[n], *prose(rng, 20)] for n in (0, 300, 599)]
    found = near(runs_of([*forms, *copies]), range(603))
    assert [(one.member, one.principal) for one in found] == [(600, 0), (601, 300), (602, 599)]


def test_documents_without_runs_are_like_nothing() -> None:
    assert near(runs_of([["yes"], ["yes"], []]), [0, 1, 2]) == []
    assert near(runs_of([]), []) == []


def test_only_the_chosen_are_compared_in_their_order() -> None:
    form = prose(random.Random(5), 100)  # noqa: S311
    runs = runs_of([form, form, form])
    assert [(one.member, one.principal) for one in near(runs, [2, 0])] == [(0, 2)]


def test_shares_of_arrays() -> None:
    one, other = np.array([1, 2, 3], np.uint32), np.array([2, 3, 4], np.uint32)
    assert jaccard(one, other) == 0.5
    assert jaccard(one[:0], one[:0]) == 0.0
    assert distinct(np.array([3, 1, 3], np.uint32)).tolist() == [1, 3]
