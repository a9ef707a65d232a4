"""Finding matters, and messages about `matter.toml` that name the key and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexforge.errors import MatterError
from lexforge.store.folder import Matter, find_matter


@pytest.mark.parametrize("where", ["matters", "variable", "path"])
def test_a_matter_is_found(where: str, matter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    monkeypatch.chdir(empty)
    name = matter.name
    if where == "matters":
        (empty / "matters").symlink_to(matter.parent, target_is_directory=True)
    elif where == "variable":
        monkeypatch.setenv("LEXFORGE_MATTERS", str(matter.parent))
    else:
        name = str(matter)
    assert find_matter(name).config.declarant is not None
    assert find_matter(name).name == "orchard"


def test_a_missing_matter_says_where_it_looked() -> None:
    with pytest.raises(MatterError, match=r"matters/nowhere.*lexforge new nowhere"):
        find_matter("nowhere")


FLAWS = {
    "unknown_key": ('boards = "embedded"\ncolour = "red"\n', "colour: is not a key"),
    "wrong_kind": ('document_kind = "poem"\n', "document_kind: must be one of"),
    "missing_table": ("[court]\n", "court.name: is missing; add it"),
    "one_party": ("", r"parties: tuple should have at least 2 items"),
    "repairs_too_many": ("repairs = 99\n", "repairs: input should be less than or equal to 5"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named_by_its_key(flaw: str, matter: Path) -> None:
    added, message = FLAWS[flaw]
    text = (matter / "matter.toml").read_text(encoding="utf-8")
    if flaw == "one_party":
        text = text.replace('[[parties]]\nname = "Basalt Freight Co."\nrole = "defendant"\nshort = "Basalt"\n', "")
    elif flaw == "missing_table":
        text = text.replace('name = "United States District Court for the District of Aldersea"\n', "")
    elif flaw == "wrong_kind":
        text = text.replace('document_kind = "declaration"\n', added)
    else:
        text = added + text
    (matter / "matter.toml").write_text(text, encoding="utf-8")
    with pytest.raises(MatterError, match=message):
        Matter(matter)


@pytest.mark.parametrize("content", [b"court = [", b"\xff\xfe\x00 not text", b"court = 1\n"])
def test_what_is_no_toml_is_said_so(content: bytes, matter: Path) -> None:
    (matter / "matter.toml").write_bytes(content)
    with pytest.raises(MatterError, match=r"matter\.toml"):
        Matter(matter)


def test_missing_intake_is_said_so(matter: Path) -> None:
    (matter / "intake.md").unlink()
    with pytest.raises(MatterError, match=r"intake\.md is missing"):
        _ = Matter(matter).intake
