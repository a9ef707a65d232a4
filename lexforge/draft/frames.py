"""Openings of a sentence that say who states what, so that author and recipient cannot be turned round."""

from __future__ import annotations

from lexforge.draft.slots import SlotTable


def frames(table: SlotTable, pattern: str) -> list[str]:
    """The openings that fit a passage and a pattern; each takes " that …" or ": “…”" after it."""
    own = {role: f"⟦{key}⟧" for role, key in table.own.items()}
    if pattern == "law":
        return _law(own)
    return _document(own) if pattern == "document" else _fact(own)


def _fact(own: dict[str, str]) -> list[str]:
    date, author, recipient = own.get("date"), own.get("author"), own.get("recipient")
    if author and recipient:
        dated = (
            [f"On {date}, {author} wrote to {recipient}", f"{author} informed {recipient} on {date}"] if date else []
        )
        return dated or [f"{author} wrote to {recipient}", f"{author} informed {recipient}"]
    if author:
        return [f"On {date}, {author} wrote"] if date else [f"{author} wrote"]
    if date:
        return [f"A document dated {date} states", f"A document dated {date} records"]
    return ["The record states", "The record shows"]


def _document(own: dict[str, str]) -> list[str]:
    place = own.get("bates") or own.get("place")
    what = "I have reviewed the document" + (f" produced at {place}" if "bates" in own else f" kept as {place}")
    if own.get("date"):
        what += f", dated {own['date']}"
    if own.get("author") and own.get("recipient"):
        what += f", from {own['author']} to {own['recipient']}"
    elif own.get("author"):
        what += f", written by {own['author']}"
    return [what + ", which states", what + ", which records"]


def _law(own: dict[str, str]) -> list[str]:
    citation = own.get("citation")
    if citation is None:
        return ["The authority states", "The authority explains"]
    return [f"The court held in {citation}", f"The court explained in {citation}"]
