"""What a machine carries from node to node: hashes and counters, never a client's words."""

from __future__ import annotations

from typing import TypedDict


class DraftingState(TypedDict, total=False):
    """State of one drafting run; every value but the counters is the hash of an artifact in the ledger."""

    bundle: str
    plan: str
    next_section: int
    sections: list[str]
    reviews: list[str]
    canaries: list[str]
    draft: str
    report: str
    attempt: int
    repairable: int
    packet: str
