"""Short forms: what they refer to, over law and record together. All cases are invented."""

import pytest

from lexforge.domain.matter import DateOrder
from lexforge.domain.mentions import CitationForm, CitationValue
from lexforge.extract.bates import BatesRegistry
from lexforge.extract.mentions import find_mentions

VANE = "Vane v. Ostermoor Lamp Grp., 12 F.4th 34, 38 (2d Cir. 2021)"
SHORT = (CitationForm.ID, CitationForm.SUPRA, CitationForm.SHORT)

ROWS = [
    ("id. after a case", f"{VANE}. Id. at 39.", VANE),
    ("id. after the record means the record", f"{VANE}. See Compl. ¶ 12. Id. ¶ 13.", "Compl. ¶ 12"),
    ("id. after a Bates number", "QUILL_000012. Id.", "QUILL_000012"),
    ("id. at the start has none", "That is settled. Id. at 26.", None),
    (
        "a parenthetical is no antecedent (eyecite #348)",
        f"{VANE} (quoting Roe v. Poe, 3 F.2d 4 (1930)). Id. at 39.",
        VANE,
    ),
    (
        "id. after parallel cites means the first",
        "Vane v. Roe, 291 U.S. 54, 54 S. Ct. 325 (1934). Id. at 57.",
        "Vane v. Roe, 291 U.S. 54",
    ),
    ("id. after an unresolved id. has none", "Id. at 3. Id. at 4.", None),
    ("a case only named is none", "In Vane v. Roe, it was so. Id. at 4.", None),
    ("supra by short name", f"{VANE}. Compl. ¶ 3. Vane, supra, at 39.", VANE),
    ("supra by abbreviation", f"{VANE}. Ostermoor Lamp Group, supra, at 39.", VANE),
    ("supra without a full cite", "Wexcombe, supra, at 134.", None),
    ("supra never means another case", f"{VANE}. Wexcombe, supra, at 134.", None),
    ("short form by volume and reporter", f"{VANE}. Vane, 12 F.4th at 39.", VANE),
    ("short form in another volume", f"{VANE}. Vane, 13 F.4th at 39.", None),
    ("short form under another name", f"{VANE}. Wexcombe, 12 F.4th at 39.", None),
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_antecedent(row: tuple[str, str, str | None]) -> None:
    _, text, want = row
    found = find_mentions(text, BatesRegistry(), DateOrder.MONTH_FIRST)
    values = [m.value for m in found if isinstance(m.value, CitationValue) and m.value.form in SHORT]
    index = values[-1].antecedent
    assert (None if index is None else found[index].text) == want


def test_parenthetical_is_marked() -> None:
    found = find_mentions(f"{VANE} (citing Roe v. Poe, 3 F.2d 4 (1930)).", BatesRegistry(), DateOrder.MONTH_FIRST)
    assert [m.value.in_parenthetical for m in found if isinstance(m.value, CitationValue)] == [False, True]


def test_a_citation_sentence_in_parentheses_is_no_parenthetical() -> None:
    found = find_mentions(f"It holds. (See {VANE}.)", BatesRegistry(), DateOrder.MONTH_FIRST)
    assert [m.value.in_parenthetical for m in found if isinstance(m.value, CitationValue)] == [False]
