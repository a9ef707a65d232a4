"""Bates numbers of an invented production (QUILLCO, VANE-CONF, QC)."""

import pytest

from lexforge.domain.mentions import BatesValue
from lexforge.extract.bates import BatesRegistry, BatesSeries, find, learn, stamps

PAGE = "Minutes of an invented meeting about QUILLCO_000777\n\n                         {}\n"
REGISTRY = learn(
    [
        [PAGE.format(f"QUILLCO_{number:06d}") for number in range(1, 40)],
        [PAGE.format(f"VANE-CONF-{number:08d}   CONFIDENTIAL") for number in (1, 2)],
        [PAGE.format("QC 0001"), PAGE.format("QC 0002")],
    ]
)


def bates(text: str, registry: BatesRegistry = REGISTRY) -> list[tuple[str, str, int, int, bool]]:
    found = find(text, registry)
    assert all(text[m.start : m.end] == m.text for m in found)
    return [
        (m.text, m.value.prefix, m.value.first, m.value.last, m.value.folded)
        for m in found
        if isinstance(m.value, BatesValue)
    ]


def test_learned_series_come_from_stamps_not_from_prose() -> None:
    assert set(REGISTRY.series) == {
        BatesSeries(prefix="QUILLCO", width=6, first=1, last=39),
        BatesSeries(prefix="VANE-CONF", width=8, first=1, last=2),
        BatesSeries(prefix="QC", width=4, first=1, last=2),
    }


def test_stamp_of_a_page_is_not_the_number_its_text_names() -> None:
    page = PAGE.format("QUILLCO_000012")
    (stamp,) = stamps(page, REGISTRY)
    assert (page[stamp.start : stamp.end], stamp.prefix, stamp.number) == ("QUILLCO_000012", "QUILLCO", 12)


def test_a_document_number_in_a_header_line_is_no_stamp() -> None:
    assert learn([["Doc No. C05000001\nCase No. F-2015-00001\n"]]).series == ()


ROWS = [
    ("one", "See QUILLCO_000012.", [("QUILLCO_000012", "QUILLCO", 12, 12, False)]),
    ("no separator", "See QUILLCO000012.", [("QUILLCO000012", "QUILLCO", 12, 12, False)]),
    ("space and case", "See Quillco 000012.", [("Quillco 000012", "QUILLCO", 12, 12, False)]),
    ("hyphen in the prefix lost", "See VANE CONF 00000002.", [("VANE CONF 00000002", "VANE-CONF", 2, 2, False)]),
    ("abbreviated end", "QUILLCO_000012-14", [("QUILLCO_000012-14", "QUILLCO", 12, 14, False)]),
    ("en dash", "QC 0001–02", [("QC 0001–02", "QC", 1, 2, False)]),
    ("whole end", "QUILLCO_000012–QUILLCO_000014", [("QUILLCO_000012–QUILLCO_000014", "QUILLCO", 12, 14, False)]),
    (
        "through",
        "QUILLCO_000012 through QUILLCO_000014 are",
        [("QUILLCO_000012 through QUILLCO_000014", "QUILLCO", 12, 14, False)],
    ),
    ("line break in the range", "QUILLCO_000012\n-14 (emails)", [("QUILLCO_000012\n-14", "QUILLCO", 12, 14, False)]),
    (
        "list",
        "QUILLCO_000012, 014, and 016.",
        [
            ("QUILLCO_000012", "QUILLCO", 12, 12, False),
            ("014", "QUILLCO", 14, 14, False),
            ("016", "QUILLCO", 16, 16, False),
        ],
    ),
    ("page of a native", "VANE-CONF-00000001.0003", [("VANE-CONF-00000001.0003", "VANE-CONF", 1, 1, False)]),
    ("OCR letters in the counter", "QUILLCO_OOO0l2", [("QUILLCO_OOO0l2", "QUILLCO", 12, 12, True)]),
    ("backwards is kept backwards", "QUILLCO_000014-012", [("QUILLCO_000014-012", "QUILLCO", 14, 12, False)]),
    (
        "outside the production is still a Bates number",
        "QUILLCO_999999",
        [("QUILLCO_999999", "QUILLCO", 999999, 999999, False)],
    ),
    ("near miss of a prefix", "See QUILLKO000012.", [("QUILLKO000012", "QUILLKO", 12, 12, False)]),
    ("unknown prefix, zero-padded", "See OSTER_000010.", [("OSTER_000010", "OSTER", 10, 10, False)]),
    ("cited as Bates: a model", "See Bates RX 6800.", [("RX 6800", "RX", 6800, 6800, False)]),
    (
        "cited as produced: a model",
        "A copy was produced at TowerEdgeR740.",
        [("TowerEdgeR740", "TOWEREDGER", 740, 740, False)],
    ),
    (
        "cited as produced by somebody: a model",
        "It was produced by the Harbor Office as LampJet M404n.",
        [("LampJet M404n", "LAMPJET M", 404, 404, False)],
    ),
    ("cited alone: a model", "See MK 850.", [("MK 850", "MK", 850, 850, False)]),
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_bates(row: tuple[str, str, list[tuple[str, str, int, int, bool]]]) -> None:
    _, text, want = row
    assert bates(text) == want


def test_wrong_width_shows_in_the_value() -> None:
    (mention,) = find("See QUILLCO_0000012.", REGISTRY)
    assert isinstance(mention.value, BatesValue)
    assert (mention.value.first, mention.value.width) == (12, 7)


def test_letters_are_never_folded_under_an_unknown_prefix() -> None:
    assert bates("See OSTER_OOO010.") == []


TRAPS = [
    ("models in passing", "An RTX 3060, a GTX-1080 and a Core i7-8700 on an OptiLex 7090 desktop."),
    ("serial number", "Model ABC1234 pump, serial SN0098765."),
    ("case number", "Case No. 2:21-cv-01983-ABC."),
    ("docket entries", "ECF No. 0012; Dkt. 000045."),
    ("telephone", "Call 212-555-0100 or 1-800-QUIL-123."),
    ("standards", "ISO 27001, IEEE 802.11, COVID-19, H1N1, CVE-2021-44228, RFC 2119."),
    ("database numbers", "2019 WL 0639462; 2020 U.S. Dist. LEXIS 02021."),
    ("invoice and order", "Invoice INV-004521 and PO 078812."),
    ("ZIP code", "Boston, MA 02139"),
    ("FOIA numbers", "FOIA case F-2015-00001, document C05000001"),
]


@pytest.mark.parametrize(("reason", "text"), TRAPS, ids=[row[0] for row in TRAPS])
def test_no_bates(reason: str, text: str) -> None:
    assert bates(text, REGISTRY) == [], reason


def test_keys_of_a_range() -> None:
    (mention,) = find("QUILLCO_000012-14", REGISTRY)
    assert isinstance(mention.value, BatesValue)
    assert mention.value.keys == (("QUILLCO", 12), ("QUILLCO", 13), ("QUILLCO", 14))


def test_a_stamp_misread_by_the_scanner_belongs_to_the_series_of_the_others() -> None:
    pages = [PAGE.format(f"OST-SCB{number:07d}") for number in (1, 2)] + [PAGE.format("OST-5CB0000003")]
    registry = learn([pages])
    assert registry.series == (BatesSeries(prefix="OST-SCB", width=7, first=1, last=3),)
    assert [stamp.prefix for stamp in stamps(pages[2], registry)] == ["OST-SCB"]
    assert bates("See OST-5CB0000003.", registry) == [("OST-5CB0000003", "OST-5CB", 3, 3, False)], "a citation is exact"
