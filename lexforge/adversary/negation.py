"""A `not` taken out of a sentence or put into it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lexforge.adversary.amounts import NUMBER_WORDS
from lexforge.adversary.edits import Change, Prose

_TAKEN_OUT = re.compile(
    r"\b(?:(?:could|did|would|was|were|is|are|has|have|had|does|do|will|must|shall|should)(?P<word> not)"
    r"|[Cc]an(?P<joined>not))\b"
    r"(?! (?:only|merely|just|simply|solely|necessarily|least|yet|even)\b)"
)
_AUXILIARY = re.compile(
    r"\b(?:(?P<be>was|were|is|are)|(?P<have>has|have|had)|(?P<modal>would|could|will|must|shall|should)|can(?P<can>))"
    r" (?P<next>[a-z]+)\b"
)
_BOUNDARY = re.compile(r"[,;:()]|\b(?:that|because|and|but|or|which|who|when|where|if|as|than|unless|until)\b")
_WEAK_SUBJECT = frozenset(
    "a an some several few many certain various one any either neither no none nobody nothing never there part parts "
    "portions sometimes often occasionally half other others seldom rarely".split()
)
"""Of such a subject both can be true at once: some sacks were open, and some were not."""
_WEAK = re.compile(
    r"\b(?:some|several|sometimes|often|partly|occasionally|many|few|only|also|any|either|almost|nearly|not|never|no|nor|"
    r"neither|none|nothing|hardly|barely|scarcely|yet|whether|if|maybe|perhaps|may|might)\b"
)
_NEVER_NEXT = frozenset(
    "not no never neither nor none nothing only also any rather better like hardly barely just merely to it they he "
    "she the a an this that these those".split()
)
_PARTICIPLES = frozenset(
    "been made told sent paid sold found left lost kept held met come become run said built brought bought caught "
    "taught thought gone done put set cut read had begun won shut cost dealt felt heard led meant spent stood".split()
)
_PAST = {
    "accepted": "accept", "agreed": "agree", "asked": "ask", "blamed": "blame", "breached": "breach",
    "bought": "buy", "cancelled": "cancel", "canceled": "cancel", "closed": "close", "declined": "decline",
    "delivered": "deliver", "demanded": "demand", "failed": "fail", "found": "find", "gave": "give",
    "inspected": "inspect", "knew": "know", "paid": "pay", "promised": "promise", "received": "receive",
    "refused": "refuse", "rejected": "reject", "repaired": "repair", "replaced": "replace", "sent": "send",
    "shipped": "ship", "showed": "show", "signed": "sign", "sold": "sell", "terminated": "terminate",
    "told": "tell", "took": "take", "warned": "warn",
}  # fmt: skip
"""Past tense → infinitive: verbs of doing whose subject, when it is a name or a pronoun, stands right before them."""


def negated(prose: Prose, names: Sequence[str]) -> tuple[Change, ...]:
    """The first `not` taken out, else one put behind an auxiliary, else `did not` before what somebody named did."""
    for place in (_taken_out(prose), _behind_auxiliary(prose), _before_verb(prose, names)):
        found = next(place, None)
        if found is not None:
            return (found,)
    return ()


def _taken_out(prose: Prose) -> Iterator[Change]:
    for start, _, sentence in prose.sentences():
        for found in _TAKEN_OUT.finditer(sentence):
            if re.search(r"\b(?:whether|if)\b", sentence[: found.start()]):
                continue
            group = "word" if found["word"] else "joined"
            yield Change(start + found.start(group), start + found.end(group), found[group], "")


def _behind_auxiliary(prose: Prose) -> Iterator[Change]:
    for start, _, sentence in prose.sentences():
        for found in _AUXILIARY.finditer(sentence):
            if _takes_not(sentence, found):
                at = start + found.start("next") - 1
                yield Change(at, at, "", "not" if found["can"] is not None else " not")


def _takes_not(sentence: str, found: re.Match[str]) -> bool:
    word = found["next"]
    if word in _NEVER_NEXT and not (found["be"] and word in ("the", "a", "an")):
        return False
    if found["have"] and not (word.endswith(("ed", "en", "wn")) or word in _PARTICIPLES):
        return False  # had a bracket: the verb itself
    subject = _BOUNDARY.split(sentence[: found.start()])[-1].split()
    if not subject and not sentence[: found.start()].strip():
        return False  # Had they known: an inverted condition
    if any(word.lower() in _WEAK_SUBJECT | NUMBER_WORDS or word[0].isdigit() for word in subject[:3]):
        return False
    if not found["be"] and not found["have"] and subject and subject[-1].lower() in ("the", "a", "his", "her", "its"):
        return False  # the will, a can
    return not _WEAK.search(sentence)


def _before_verb(prose: Prose, names: Sequence[str]) -> Iterator[Change]:
    subjects = "|".join(
        [*(re.escape(name) for name in names if name), "he", "she", "it", "they", "He", "She", "It", "They"]
    )
    pattern = re.compile(rf"(?<![\w-])(?:{subjects}) (?P<verb>{'|'.join(_PAST)})\b(?! by\b)")
    for start, _, sentence in prose.sentences():
        for found in pattern.finditer(sentence):
            if not _WEAK.search(sentence):
                verb = found["verb"]
                yield Change(start + found.start("verb"), start + found.end("verb"), verb, f"did not {_PAST[verb]}")
