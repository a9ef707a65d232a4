"""What is done with a mention that the bundle does not ground: data, kept in TOML, one rule for each kind."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, model_validator

from lexforge.domain.mentions import MentionKind
from lexforge.domain.record import Record
from lexforge.errors import MatterError
from lexforge.gate.tokens import norms_of


class Action(StrEnum):
    """What happens to a finding of one kind that is not grounded."""

    BLOCK = "block"
    WARN = "warn"
    ALLOW = "allow"


class Rule(Record):
    """The action for one kind; anything but BLOCK needs the attorney's reason."""

    action: Action
    reason: str = ""

    @model_validator(mode="after")
    def _reason_given(self) -> Rule:
        if self.action is not Action.BLOCK and not self.reason.strip():
            message = f"action “{self.action}” needs a reason"
            raise ValueError(message)
        return self


class Vouched(Record):
    """One exact text that the attorney vouches for ("28 U.S.C. § 1746" in an oath), with the reason that is kept."""

    text: Annotated[str, Field(min_length=3)]
    reason: Annotated[str, Field(min_length=3)]


class Policy(Record):
    """The rules of a matter. A kind without a rule is blocked; a policy without any rule lets nothing pass.

    `vouched` texts pass word for word, typography aside, whatever their kind.
    """

    name: Annotated[str, Field(min_length=1)]
    kinds: dict[MentionKind, Rule] = Field(default_factory=dict)
    vouched: tuple[Vouched, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is no rule at all."""
        return not self.kinds

    def rule(self, kind: MentionKind) -> Rule:
        """The rule for this kind."""
        return self.kinds.get(kind, Rule(action=Action.BLOCK))

    def voucher(self, written: str) -> Vouched | None:
        """The entry that vouches for exactly these words, or None."""
        words = norms_of(written)
        return next((entry for entry in self.vouched if norms_of(entry.text) == words), None)


def read_policy(text: str, origin: str) -> Policy:
    """A policy from TOML; raises MatterError that names `origin` and the first fault."""
    try:
        return Policy.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as fault:
        first = fault.errors()[0]["msg"] if isinstance(fault, ValidationError) else str(fault)
        raise MatterError(f"{origin} is not a gate policy: {first}") from fault


def load_policy(path: Path) -> Policy:
    """The policy in a file of the user's; raises MatterError when it cannot be read or is not one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise MatterError(f"The gate policy {path} cannot be read: {fault}") from fault
    return read_policy(text, str(path))


def default_policy() -> Policy:
    """The policy that is shipped: everything that is not grounded blocks."""
    text = files(__package__).joinpath("default.toml").read_text(encoding="utf-8")
    return read_policy(text, "default.toml")
