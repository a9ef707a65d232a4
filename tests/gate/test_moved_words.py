"""Words of one opinion given to another that it speaks of: the other is in the bundle and does not have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.domain.evidence import Bundle
from lexforge.gate.check import check
from lexforge.gate.policy import default_policy
from lexforge.ingest.bundle import ingest
from lexforge.ingest.listing import listing

NAMED = "Tansy Grain Co. v. Ferris Carting, Inc., 1203 F.3d 41 (14th Cir. 2018)"
FIRST = f"Fictional.\n\n{NAMED}\n\nA buyer may refuse goods that are not as promised at the dock.\n"
SECOND = (
    "Fictional.\n\nPrue Mills, Inc. v. Otter Barge Co., 1250 F.3d 7 (14th Cir. 2020)\n\n"
    f"We have held that a refusal must come in time. {NAMED}. The carrier that waits in silence takes the loss "
    "upon itself.\n"
)
WORDS = "The carrier that waits in silence takes the loss upon itself"


def bundle(folder: Path, *texts: str) -> Bundle:
    (folder / "authorities").mkdir(parents=True)
    for n, text in enumerate(texts):
        (folder / "authorities" / f"{n}.txt").write_text(text, encoding="utf-8")
    return ingest(folder, listing(folder))


@pytest.mark.parametrize(
    ("name", "passes", "reason"),
    [
        (NAMED, False, "the opinion named is in the bundle and does not say so"),
        ("Prue Mills, Inc. v. Otter Barge Co., 1250 F.3d 7 (14th Cir. 2020)", True, "this one does"),
    ],
)
def test_moved_words(name: str, passes: bool, reason: str, tmp_path: Path) -> None:
    report = check(f"In {name}, the court wrote: “{WORDS}.”", bundle(tmp_path, FIRST, SECOND), default_policy())
    assert report.passed is passes, reason
