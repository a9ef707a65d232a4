"""Each generator on an invented text: faults that are faults, twins that say what the source says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.gate import altered, cases, facts, law, layout, licensed, tally
from bench.gate.material import Material, load
from bench.gate.papers import judge
from bench.gate.planted import Planted, changed_number, folded, seeded

OPINION = """SUPREME COURT OF THE UNITED STATES

TEALWOOD FERRY CO. V. ORMSKIRK HARBOR AUTHORITY

991 U.S. 412 (2031)

No. 30-118. Decided March 4, 2031.

The harbor authority had never published a schedule of seven fees without the consent of its members. The
carrier must not withhold the invoices that the harbor’s officers demanded from its agents. A carrier may
recover 450 shillings of the fees that it paid under a written protest. The council adopted a longer schedule
on June 2, 2027 after it had heard the masters of the vessels. It then paid the sum of $1,250.00 to the owners
of the northern wharf. The office shall forward every protest to the council within the same calendar month.
The rule is not new. See Quillfeather v. Dunmore Lines, Inc., 988 U.S. 77, 81 (2028). The same was held
before. See Nye v. Orrin, 612 F.3d 90, 94 (7th Cir. 2013). So it was later. See Grimsby v. Ashwell Docks Co.,
55 F.3d 10, 12 (2d Cir. 1999). It has been said that
46 U.S.C. § 9912(b) governs. So does Fed. R. Civ. P. 12(b)(6). See Compl. ¶ 12. See Tr. at 45. The court affirms.
"""
LETTER = """From: Ada Quill
To: Bram Oster

We counted the vessels twice. The master of the vessel asked for the ledger on July 9, 2027 before the office
had closed. The engine bears the model number QX-40771. It was tested again by two mechanics in the northern dock
before the winter.

HARBOR-000101
"""
REPLY = """From: Bram Oster
To: Ada Quill

The hold was lifted. The master has not signed the letter of the office.

HARBOR-000102
"""
DECLARATION = "DECLARATION OF CORA VANE\n\n1. I keep the books.\n\n2. I saw the protest.\n\n3. It bears my name.\n"


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    root: Path = tmp_path_factory.mktemp("invented")
    files = {"tealwood": OPINION, "letter": LETTER, "reply": REPLY, "vane": DECLARATION}
    for name, text in files.items():
        (root / f"{name}.txt").write_text(text, encoding="utf-8")
    return load(root)


def planted(material: Material) -> list[Planted]:
    faults = [one for maker in (cases, law, facts, altered) for one in maker.plant(material, 5)]
    return [*faults, *licensed.plant(material, 5), *layout.plant(material, 5)[1]]


def test_a_flat_folder_is_told_apart(material: Material) -> None:
    roles = {d.source.path: d.source.role.value for d in material.documents}
    assert roles["tealwood.txt"] == "authority"
    assert roles["letter.txt"] == "evidence"
    assert next(d.name for d in material.documents if d.name) == (
        "Tealwood Ferry Co. v. Ormskirk Harbor Authority, 991 U.S. 412 (2031)"
    )


def test_every_fault_differs_from_its_twin(material: Material) -> None:
    same = [p for p in planted(material) if p.altered is not None and folded(p.altered) == folded(p.clean)]
    assert same == []


def test_every_twin_repeats_words_of_a_source(material: Material) -> None:
    for one in planted(material):
        assert material.holds(one.words), one
        if not one.kind.startswith("licensed"):
            assert folded(one.words) in folded(one.clean) or one.kind.startswith(("record", "Bates", "date")), one


def test_no_altered_quotation_stands_in_a_source(material: Material) -> None:
    for one in planted(material):
        if one.kind.startswith("quotation") and one.altered and "moved" not in one.kind:
            words = re.search(r"“(.+)”", one.altered, re.S)
            assert words is not None
            assert "begins" in one.kind or not material.holds(words[1])


def test_each_group_yields_something(material: Material) -> None:
    groups = {one.kind.split(":")[0] for one in planted(material)}
    assert groups == set(tally.GROUPS)


def test_the_same_folder_gives_the_same_faults(material: Material) -> None:
    assert planted(material) == planted(material)


def test_a_changed_number_is_another_number() -> None:
    random = seeded("test")
    assert all(changed_number(random, number) != number for number in ("7", "10", "11", "1,250", "2031") * 20)


def test_the_gate_judges_a_paper(material: Material) -> None:
    faults = [p for p in facts.plant(material, 2) if p.kind.startswith("Bates")]
    judged = judge(faults, material, material)
    assert all(one.is_caught and not one.on_clean for one in judged)


@pytest.mark.parametrize(("hits", "of", "low", "high"), [(0, 600, 0.0, 0.0064), (10, 10, 0.722, 1.0), (0, 0, 0.0, 1.0)])
def test_wilson(hits: int, of: int, low: float, high: float) -> None:
    assert tally.wilson(hits, of) == pytest.approx((low, high), abs=5e-4)
