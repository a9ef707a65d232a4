"""The base of all domain types, and the one canonical form that is hashed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen, closed (unknown keys are an error), and hashable by content."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @cached_property
    def content_sha256(self) -> str:
        """Hash of the canonical JSON form; 64 hex digits."""
        return sha256_of(self.model_dump(mode="json"))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed; what was computed from the old fields does not go along."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no free whitespace: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_of(value: Any) -> str:
    """SHA-256 over the canonical JSON of `value`; bytes are hashed as they are."""
    data = value if isinstance(value, bytes) else canonical_json(value).encode()
    return hashlib.sha256(data).hexdigest()
