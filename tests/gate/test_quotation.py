"""Quotations: every licence with a row where it holds and a counterexample where it does not."""

from __future__ import annotations

import pytest

from lexforge.domain.evidence import Bundle
from lexforge.domain.findings import Reason
from lexforge.domain.mentions import QuotationValue
from lexforge.gate.index import BundleIndex, SourceText
from lexforge.gate.resolve.outcome import Outcome
from lexforge.gate.resolve.quotation import resolve_quotation
from tests.gate.invented_matter import source

REPORT = (
    "Report of the Harbor Inquiry                                    Volume 1\n\n"
    "The pilot, an able seaman of many years, did not see the buoy before the turn. The com-\n"
    "pany must file its log within 10 days, and it may ask for more time only in writ-\n"
    "ing. Its master said [that] “fog is no excuse.” The oﬃcers agreed with him.1 They\n"
    "left the bridge at dusk and came *77 back at dawn, when the light was good and the\n\n"
    "     1\n       Nobody asked the cook.\n\n                                   12\n",
    "Report of the Harbor Inquiry                                    Volume 1\n\n"
    "water was calm. No vessel shall enter unless the master consents in writing. The fee, should the\n"
    "master ask for it, is due at noon. In 2031.4 The harbor closed. A café opened; its owners’ claims failed.\n"
    "The owner, the agent and the broker signed the charter. The statute governs. The rule applies.\n\n"
    "                                   13\n",
)
OTHER = source("other", "The owners paid the toll in full and left the harbor at once.")
HELD = SourceText(source("report", *REPORT))


def quote(words: str, *, lead: str = "") -> Outcome:
    return resolve_quotation(QuotationValue(words=words), [HELD], [SourceText(OTHER)], lead=lead.split())


LICENSED = [
    ("word for word", "The officers agreed with him."),
    ("a fragment of a sentence", "an able seaman of many years"),
    ("line breaks are no words", "They left the bridge at dusk"),
    ("a hyphen at the end of a line joins the word", "The company must file its log"),
    ("ligatures", "The officers agreed"),
    ("accents and typography", "A cafe opened; its owners' claims failed."),
    ("a bracketed letter changes the case", "[t]he officers agreed with him"),
    ("a bracketed ending", "the officer[s] agreed"),
    ("a comma taken into the bracket", "before the turn[, they say]. The company"),
    ("a bracketed ending of another word", "The officers agree[] with him"),
    ("brackets for one to four words", "The officers agreed with [the master]."),
    ("a word inserted in brackets", "The officers [all] agreed with him."),
    ("brackets of the source itself", "Its master said [that] “fog is no excuse.”"),
    ("an ellipsis within a sentence", "The pilot . . . did not see the buoy"),
    ("the same as one character", "The pilot … did not see the buoy"),
    ("an ellipsis in brackets", "The pilot [...] did not see the buoy"),
    ("an ellipsis at the ends says nothing", ". . . did not see the buoy . . ."),
    ("a star page of a reporter", "came back at dawn"),
    ("a footnote mark stuck to a full stop", "The officers agreed with him. They left the bridge"),
    ("a footnote mark stuck to a year", "In 2031. The harbor closed."),
    ("page number, running head and footnote between two pages", "the light was good and the water was calm"),
    ("a clause between commas takes its own modal along", "The fee . . . is due at noon."),
    ("words of a footnote", "Nobody asked the cook."),
    ("capitals of a heading", "report of the harbor inquiry"),
]

ALTERED = [
    ("quote_one_word_changed", "The pilot did not see the boat before the turn"),
    ("quote_word_inserted", "The officers all agreed with him."),
    ("quote_word_left_out", "The officers agreed him."),
    ("quote_words_in_another_order", "agreed the officers with him"),
    ("quote_negation_dropped", "did see the buoy before the turn"),
    ("quote_negation_inserted", "The officers not agreed with him."),
    ("quote_negation_hidden_by_ellipsis", "did . . . see the buoy"),
    ("quote_negation_hidden_by_bracket", "did [clearly] see the buoy"),
    ("quote_negation_inserted_in_brackets", "The officers [not] agreed with him."),
    ("quote_negation_in_a_longer_ellipsis", "The pilot . . . see the buoy"),
    ("quote_begins_behind_its_negation", "vessel shall enter unless the master consents"),
    ("quote_modal_swapped", "The company may file its log"),
    ("quote_modal_hidden_by_ellipsis", "The company . . . file its log"),
    ("quote_modal_hidden_by_bracket", "The company [will] file its log"),
    ("quote_number_changed", "file its log within 12 days"),
    ("quote_number_dropped", "file its log within days"),
    ("quote_number_hidden_by_ellipsis", "file its log within . . . days"),
    ("quote_number_that_looks_like_a_footnote", "The officers agreed with him 2 times"),
    ("quote_only_hidden_by_ellipsis", "it may ask for more time . . . in writing"),
    ("quote_unless_hidden_by_ellipsis", "shall enter . . . the master consents"),
    ("quote_ellipsis_across_a_sentence_end", "The officers agreed . . . back at dawn"),
    ("quote_ellipsis_fragments_turned_round", "came back at dawn . . . left the bridge"),
    ("quote_bracket_for_five_words", "The owner, [they] signed the charter."),
    ("quote_bracket_letter_of_another_word", "[h]e officers agreed with him"),
    ("quote_bracketed_ending_of_a_modal", "it ma[y not] ask for more time"),
    ("quote_party_swapped", "The owner, the broker and the agent signed the charter."),
    ("quote_joined_words_that_no_line_end_joins", "an able seamanof many years"),
    ("quote_of_brackets_alone", "[the master]"),
    ("quote_of_nothing", " . . . "),
]


@pytest.mark.parametrize(("why", "words"), LICENSED, ids=[why for why, _ in LICENSED])
def test_a_licensed_variant_stands(why: str, words: str) -> None:
    outcome = quote(words)
    assert outcome.is_grounded, outcome.message
    assert outcome.support


@pytest.mark.parametrize(("flaw", "words"), ALTERED, ids=[flaw for flaw, _ in ALTERED])
def test_an_altered_quotation_is_blocked(flaw: str, words: str) -> None:
    assert not quote(words).is_grounded


def test_the_altered_word_is_named() -> None:
    outcome = quote("The pilot, an able seaman of many months, did not see the buoy")
    assert outcome.reason is Reason.WORDS_CHANGED
    assert "months" in outcome.message
    assert "years" in outcome.message
    assert outcome.nearest is not None


def test_a_dropped_word_is_named() -> None:
    outcome = quote("an able seaman of many years, did see the buoy before the turn")
    assert "leaves out “not”" in outcome.message


def test_words_of_another_document_are_misplaced() -> None:
    outcome = quote("The owners paid the toll in full")
    assert outcome.reason is Reason.MISPLACED
    assert "evidence/other.txt" in outcome.message


def test_the_drafts_own_negation_may_stand_before_the_words() -> None:
    assert quote("see the buoy before the turn", lead="the pilot did not").is_grounded
    assert not quote("see the buoy before the turn", lead="the pilot did").is_grounded


def test_words_that_stand_nowhere_are_not_found() -> None:
    assert quote("Plausibility is for the jury alone to weigh").reason is Reason.NOT_FOUND


def test_support_runs_over_two_pages_when_the_words_do() -> None:
    pages = [place.page for place in quote("the light was good and the water was calm").support]
    assert pages == [1, 2]


def test_an_empty_index_has_no_sources() -> None:
    assert BundleIndex(Bundle(sources=(source("blank", " \n"),))).is_empty
