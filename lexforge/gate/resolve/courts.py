"""Courts as parentheticals name them (Bluebook T1, T7), made comparable."""

from __future__ import annotations

import re

from lexforge.gate.tokens import norms_of

NUMBERED = re.compile(r"\b(?:ca\s*(\d{1,2})\b|(\d{1,2})(?:st|nd|rd|th|d)\s*\.?\s*cir)", re.I)
LETTERED = re.compile(r"\b(?:ca\s*(d\.?\s*c|fed)\b|(d\.?\s*c|fed)\.?\s*cir)", re.I)
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
SUPREME = ("supreme", "court", "of", "the", "united", "states")
DISTRICT_SIDES = {"n": "northern", "s": "southern", "e": "eastern", "w": "western", "m": "middle", "c": "central"}


def court_key(court: str | None) -> str | None:
    """A court in one spelling: "CA9", "9th Cir." and "9 th Cir." are `cir9`; others keep their letters."""
    if court is None or not court.strip(" ,."):
        return None
    if numbered := NUMBERED.search(court):
        return f"cir{int(numbered[1] or numbered[2])}"
    if lettered := LETTERED.search(court):
        return "cir" + re.sub(r"\W", "", (lettered[1] or lettered[2]).lower())
    return "".join(c for c in court.lower() if c.isalnum()) or None


def _phrase(key: str) -> tuple[str, ...] | None:
    """How the head of an opinion spells out a circuit."""
    if key == "cirdc":
        return ("district", "of", "columbia", "circuit")
    if key == "cirfed":
        return ("federal", "circuit")
    number = key.removeprefix("cir")
    if key.startswith("cir") and number.isdigit() and 1 <= int(number) <= len(ORDINALS):
        return (ORDINALS[int(number) - 1], "circuit")
    return None


def _stands(phrase: tuple[str, ...], head: list[str]) -> bool:
    size = len(phrase)
    return any(tuple(head[at : at + size]) == phrase for at in range(len(head) - size + 1))


def _initial_words(court: str, head: list[str]) -> bool:
    """Whether the head spells the court out: "S.D.N.Y." as Southern District of New York, "D. Mass." likewise."""
    wanted = [norm for norm in norms_of(court) if norm != "of"]
    kept = [norm for norm in head if norm not in ("of", "the", "for")]
    for at in range(len(kept) - len(wanted) + 1):
        if all(word.startswith(short) for short, word in zip(wanted, kept[at : at + len(wanted)], strict=True)):
            return True
    return False


def is_court_of(court: str, head: list[str]) -> bool:
    """Whether an opinion whose first words (folded) are `head` comes from this court."""
    key = court_key(court)
    if key is None:
        return True
    if key in ("us", "ussupct", "sct"):
        return _stands(SUPREME, head)
    phrase = _phrase(key)
    return _stands(phrase, head) if phrase else _initial_words(court, head)
