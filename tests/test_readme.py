"""The README keeps to the truth: commands, exit codes and files it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lexforge import errors
from lexforge.cli.main import lexforge

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", sorted(set(re.findall(r"lexforge ((?:[a-z]+ ?){1,2})", README))))
def test_commands_exist(words: str) -> None:
    import click

    found: click.Command = lexforge
    for word in words.split():
        if not isinstance(found, click.Group):
            return
        following = found.get_command(click.Context(found), word)
        assert following is not None, f"lexforge {words}"
        found = following


def test_every_exit_code_of_the_tree_is_in_the_table() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.M)}
    documented = {int(line.split()[0]) for line in (errors.__doc__ or "").splitlines() if line[:1].isdigit()}
    assert documented | {0, errors.BLOCKED_EXIT_CODE} == listed


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.M)):
        assert re.search(rf"^{target}:", makefile, re.M), target


@pytest.mark.parametrize("option", sorted(set(re.findall(r"--[a-z][a-z-]+", README))))
def test_options_exist(option: str) -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "lexforge" / "cli").rglob("*.py"))
    assert f'"{option}"' in sources
