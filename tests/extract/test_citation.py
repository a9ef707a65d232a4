"""Citations of law. All parties are invented (Quillfeather, Brindlewick, Ostermoor); reporters are real."""

import pytest

from lexforge.domain.mentions import CitationForm, CitationValue
from lexforge.extract import citation


def values(text: str) -> list[CitationValue]:
    found = citation.find(text)
    assert all(text[m.start : m.end] == m.text for m in found)
    return [m.value for m in found if isinstance(m.value, CitationValue)]


CASES = [
    (
        "plain",
        "See Quillfeather v. Brindlewick, 910 F.3d 11, 14 (9th Cir. 2018).",
        ("Quillfeather v. Brindlewick", "910", "F.3d", "11", "14", "9th Cir.", 2018),
    ),
    (
        "line break before the year is kept (eyecite #297)",
        "Ostermoor Co. v. Vane, 577 U. S. 12,\n15\n(2016), holds so.",
        ("Ostermoor Co. v. Vane", "577", "U.S.", "12", "15", None, 2016),
    ),
    (
        "page mark inside the reporter",
        "Vane v. Ostermoor, 601\n\n            -10-\n\nF.3d 88, 90 (1st Cir. 2010).",
        ("Vane v. Ostermoor", "601", "F.3d", "88", "90", "1st Cir.", 2010),
    ),
    (
        "footnote pin is kept",
        "Vane v. Ostermoor, 12 F.4th 34, 38 & n.4 (2d Cir. 2021).",
        ("Vane v. Ostermoor", "12", "F.4th", "34", "38 & n.4", "2d Cir.", 2021),
    ),
    (
        "abbreviations do not end the name",
        "The rule holds. Tex. Dep't of Inkwells v. Vane, 99 S.W.3d 5 (Tex. 2003).",
        ("Tex. Dep't of Inkwells v. Vane", "99", "S.W.3d", "5", None, "Tex.", 2003),
    ),
    (
        "a paragraph number is no name",
        "4. See Vane v. Ostermoor, 12 F.4th 34 (2d Cir. 2021).",
        ("Vane v. Ostermoor", "12", "F.4th", "34", None, "2d Cir.", 2021),
    ),
    (
        "California order",
        "(People v. Ostermoor (2019) 41 Cal.App.5th 70, 72.)",
        ("People v. Ostermoor", "41", "Cal. App. 5th", "70", "72", None, 2019),
    ),
    (
        "New York order",
        "Vane v Ostermoor, 190 AD3d 13 [2d Dept 2021].",
        ("Vane v Ostermoor", "190", "A.D.3d", "13", None, "2d Dept", 2021),
    ),
    (
        "decision date is no part of the court",
        "Vane v. Ostermoor, 2021 WL 5550001, at *3 (W.D. Wash. Feb. 11, 2021).",
        ("Vane v. Ostermoor", "2021", "WL", "5550001", "*3", "W.D. Wash.", 2021),
    ),
    (
        "Texas history inside the parenthesis",
        "Vane v. Roe, 2012 WL 23 (Tex. App.—Houston [14th Dist.] July 5, 2012, no pet.).",
        ("Vane v. Roe", "2012", "WL", "23", None, "Tex. App.—Houston [14th Dist.]", 2012),
    ),
    (
        "neutral citation",
        "In re Estate of Vane, 2019 IL 120001, ¶ 25, so holds.",
        ("In re Estate of Vane", "2019", "IL", "120001", "¶ 25", None, 2019),
    ),
    (
        "a name may begin in lower case",
        "See eLamp Inc. v. Vane, 94 Hawaiʻi 200 (2000).",
        ("eLamp Inc. v. Vane", "94", "Haw.", "200", None, None, 2000),
    ),
    (
        "tax court memorandum",
        "Vane v. Commissioner, T.C. Memo. 2015-12.",
        ("Vane v. Commissioner", "2015", "T.C. Memo.", "12", None, None, 2015),
    ),
    (
        "words before the case are not its name",
        "That turned in Vane v. Ostermoor, 12 F.4th 34 (2d Cir. 2021).",
        ("Vane v. Ostermoor", "12", "F.4th", "34", None, "2d Cir.", 2021),
    ),
]


@pytest.mark.parametrize(("reason", "text", "want"), CASES, ids=[row[0] for row in CASES])
def test_case_parts(reason: str, text: str, want: tuple[object, ...]) -> None:
    value = values(text)[0]
    got = (value.name, value.volume, value.reporter, value.page, value.pin, value.court, value.year)
    assert got == want, reason


def test_a_neighbours_year_never_bleeds_in() -> None:
    first, second = values("Vane v. Roe, 347 U.S. 999. Ostermoor v. Poe, 347 U.S. 483 (1954).")
    assert (first.year, second.year) == (None, 1954)
    assert (first.name, second.name) == ("Vane v. Roe", "Ostermoor v. Poe")


def test_parallel_citations_share_name_and_year_but_not_span() -> None:
    text = "Vane v. Roe, 84 N.Y.2d 83, 87-88, 614 N.Y.S.2d 972, 638 N.E.2d 511 (1994)."
    found = citation.find(text)
    assert [m.text for m in found] == ["Vane v. Roe, 84 N.Y.2d 83, 87-88", "614 N.Y.S.2d 972", "638 N.E.2d 511 (1994)"]
    assert {(v.name, v.year) for v in values(text)} == {("Vane v. Roe", 1994)}


def test_docket_number_beside_westlaw_is_its_own_mention() -> None:
    text = "Vane v. Roe, No. 2:24-cv-01776-ABC, 2025 WL 459, at *1 (W.D. Wash. Feb. 11, 2025)."
    docket, westlaw = values(text)
    assert (docket.form, docket.docket, docket.year) == (CitationForm.DOCKET, "2:24-cv-01776-ABC", 2025)
    assert (westlaw.form, westlaw.name) == (CitationForm.WESTLAW, "Vane v. Roe")


def test_slip_opinion_with_pin() -> None:
    (value,) = values("Vane v. Roe, No. 09-2540, slip op. at 16 (1st Cir. Oct. 12, 2010)")
    assert (value.form, value.docket, value.pin, value.court, value.year) == (
        CitationForm.DOCKET,
        "09-2540",
        "16",
        "1st Cir.",
        2010,
    )


def test_case_named_in_prose_has_no_reporter() -> None:
    (value,) = values("As the Second Circuit held in Vane v. Ostermoor Air, Inc., tolling applies.")
    assert (value.name, value.reporter, value.docket) == ("Vane v. Ostermoor Air, Inc.", None, None)


CODES = [
    ("section sign", "under 28 U.S.C. § 1746.", CitationForm.STATUTE, "28", "U.S.C.", "1746", ()),
    ("no section sign", "under 42 USC 1983 and", CitationForm.STATUTE, "42", "U.S.C.", "1983", ()),
    ("prose order", "Title 18, United States Code, Section 1001", CitationForm.STATUTE, "18", "U.S.C.", "1001", ()),
    (
        "reversed prose order",
        "section 1001 of title 18 of the United States Code",
        CitationForm.STATUTE,
        "18",
        "U.S.C.",
        "1001",
        (),
    ),
    ("subsections", "15 U.S.C. § 1679b(a)(4)", CitationForm.STATUTE, "15", "U.S.C.", "1679b", ("a", "4")),
    ("spaced", "15 U. S. C. §78u-4(b)", CitationForm.STATUTE, "15", "U.S.C.", "78u-4", ("b",)),
    ("regulation", "17 C.F.R. § 240.10b-5(b)", CitationForm.REGULATION, "17", "C.F.R.", "240.10b-5", ("b",)),
    ("regulation without sign", "29 CFR 825.220(c)", CitationForm.REGULATION, "29", "C.F.R.", "825.220", ("c",)),
    (
        "state code",
        "Tex. Bus. & Com. Code § 17.46(b)(24)",
        CitationForm.STATUTE,
        None,
        "Tex. Bus. & Com. Code",
        "17.46",
        ("b", "24"),
    ),
    (
        "hyphenated state section",
        "R.I. Gen. Laws § 31-5.1-4",
        CitationForm.STATUTE,
        None,
        "R.I. Gen. Laws",
        "31-5.1-4",
        (),
    ),
    ("acronym", "CPLR 3211(a)(7)", CitationForm.STATUTE, None, "CPLR", "3211", ("a", "7")),
    ("Illinois slash", "735 ILCS 5/2-615", CitationForm.STATUTE, "735", "ILCS", "5/2-615", ()),
    ("state regulation", "12 NYCRR 23-1.7(d)", CitationForm.REGULATION, "12", "NYCRR", "23-1.7", ("d",)),
    ("bare section", "Under § 216(b), the", CitationForm.STATUTE, None, None, "216", ("b",)),
    ("federal rule", "Fed. R. Civ. P. 12(b)(6)", CitationForm.RULE, None, "Fed. R. Civ. P.", "12", ("b", "6")),
    ("federal rule, initials", "FRCP 26(b)(1)", CitationForm.RULE, None, "Fed. R. Civ. P.", "26", ("b", "1")),
    ("federal rule, prose", "Federal Rule of Evidence 702", CitationForm.RULE, None, "Fed. R. Evid.", "702", ()),
    ("local rule", "Local Civil Rule 56.1(a)", CitationForm.RULE, None, "Local Civil Rule", "56.1", ("a",)),
    ("state rule", "Tex. R. Civ. P. 91a", CitationForm.RULE, None, "Tex. R. Civ. P.", "91a", ()),
    ("bare rule", "under Rule 9(b)", CitationForm.RULE, None, None, "9", ("b",)),
    (
        "constitution",
        "U.S. Const. amend. XIV, § 1;",
        CitationForm.CONSTITUTION,
        None,
        "U.S. Const.",
        "amend. XIV, § 1",
        (),
    ),
    (
        "restatement",
        "Restatement (Second) of Torts § 402A (1965)",
        CitationForm.SECONDARY,
        None,
        "Restatement (Second) of Torts",
        "402A",
        (),
    ),
    ("committee report", "S. Rep. No. 103-209, at 7 (1993)", CitationForm.SECONDARY, None, "S. Rep.", "103-209", ()),
]


@pytest.mark.parametrize("row", CODES, ids=[row[0] for row in CODES])
def test_codes_and_rules(row: tuple[str, str, CitationForm, str | None, str | None, str, tuple[str, ...]]) -> None:
    _, text, form, volume, reporter, section, subsections = row
    (value,) = values(text)
    assert (value.form, value.volume, value.reporter, value.section, value.subsections) == (
        form,
        volume,
        reporter,
        section,
        subsections,
    )


def test_each_section_of_a_list_is_a_mention_with_the_same_code() -> None:
    text = "28 U.S.C. §§ 1331 and 1367(a); Rules 12(b)(1) and 12(b)(6)."
    assert [(m.text, v.reporter, v.section) for m, v in zip(citation.find(text), values(text), strict=True)] == [
        ("28 U.S.C. §§ 1331", "U.S.C.", "1331"),
        ("1367(a)", "U.S.C.", "1367"),
        ("Rules 12(b)(1)", None, "12"),
        ("12(b)(6)", None, "12"),
    ]


NOTHING = [
    ("a state of the union", "He lived in 3 U.S. states and sold 12 F. trucks for $45,000."),
    ("a street", "Write to 500 S. Ct. Street, Suite 12."),
    ("a surname behind a footnote number (eyecite #264)", "so he said. 21 Taylor, 281 pages long, wrote it."),
    ("an email header", "From: Roe\nSent: 12 Monday 2011"),
]


@pytest.mark.parametrize(("reason", "text"), NOTHING, ids=[row[0] for row in NOTHING])
def test_no_citation(reason: str, text: str) -> None:
    assert citation.find(text) == (), reason


def test_filing_headers_are_not_citations() -> None:
    text = "so held.\nCase 1:20-cv-00012-ABC Document 12-1 Filed 01/02/20 Page 26 of 40\nThe rest"
    assert citation.find(text) == ()


def test_infra_names_a_part_and_has_no_antecedent() -> None:
    (value,) = values("see infra Part II.B.")
    assert (value.form, value.section, value.name) == (CitationForm.SUPRA, "Part II.B", None)
