"""The error tree: every error has its exit code, and the codes do not collide with results."""

import pytest

from lexforge import errors
from lexforge.errors import BLOCKED_EXIT_CODE, LexForgeError


def tree(root: type[LexForgeError]) -> list[type[LexForgeError]]:
    return [root, *(found for child in root.__subclasses__() for found in tree(child))]


@pytest.mark.parametrize("error", tree(LexForgeError), ids=lambda e: e.__name__)
def test_exit_code_is_no_result(error: type[LexForgeError]) -> None:
    assert error.exit_code not in (0, BLOCKED_EXIT_CODE, errors.INTERRUPTED_EXIT_CODE)


def test_every_exit_code_is_documented() -> None:
    documented = {int(line.split()[0]) for line in (errors.__doc__ or "").splitlines() if line[:1].isdigit()}
    assert {error.exit_code for error in tree(LexForgeError)} <= documented


def test_advice_is_part_of_the_text() -> None:
    assert str(LexForgeError("The disk is full.", "Free some space.")) == "The disk is full. Free some space."
