"""What a resolver answers, before the policy of the matter is applied."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lexforge.domain.findings import Reason, Support, Verdict


@dataclass(frozen=True)
class Outcome:
    """Verdict, stable reason, one sentence for a lawyer, and the places in the bundle that were looked at."""

    verdict: Verdict
    reason: Reason
    message: str
    support: tuple[Support, ...] = ()
    nearest: Support | None = None

    @property
    def is_grounded(self) -> bool:
        """Whether the mention may stand."""
        return self.verdict is Verdict.GROUNDED

    def saying(self, message: str) -> Outcome:
        """The same verdict in other words."""
        return replace(self, message=message)


def grounded(message: str, support: tuple[Support, ...] = (), reason: Reason = Reason.FOUND) -> Outcome:
    """The mention stands in the bundle at `support`."""
    return Outcome(Verdict.GROUNDED, reason, message, support)


def blocked(reason: Reason, message: str, support: tuple[Support, ...] = (), nearest: Support | None = None) -> Outcome:
    """The mention may not stand; `nearest` is what was found instead."""
    return Outcome(Verdict.BLOCKED, reason, message, support, nearest)
