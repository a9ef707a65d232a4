"""Keys of the steps that no model takes part in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import lexforge
from lexforge.domain.record import sha256_of
from lexforge.store.ledger import StepKey


def key_of(step: str, **inputs: str | int) -> StepKey:
    """A key without a model. The code itself is an input: other code may give another result."""
    return StepKey(step=step, inputs={**inputs, "code": code_sha256()})


@cache
def code_sha256() -> str:
    """Hash over the code that makes results: all of `lexforge` but the command line."""
    root = Path(lexforge.__file__).parent
    files = sorted(path for path in root.rglob("*.py") if path.parent.name != "cli")
    return sha256_of({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in files})
