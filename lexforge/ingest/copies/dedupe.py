"""Which documents are copies of which: by bytes, by text, as messages, nearly, and as part of a longer one.

Only a copy that says nothing of its own is represented by another: the same bytes, the same text, the same message. A
near-duplicate may differ in the one number that matters, a version has a number or a redaction of its own that someone
will cite, and a mail within a longer one has its own date and readers; all of these stay, and are told.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from lexforge.domain.evidence import Correspondence
from lexforge.domain.record import Record
from lexforge.ingest.copies.containment import CONTAINED, inside
from lexforge.ingest.copies.message_hash import NOTE, body_of, content_hash, head_key, letters, message_id_hash
from lexforge.ingest.copies.minhash import Runs, jaccard, near, runs_of
from lexforge.ingest.fingerprint import words


class Kind(StrEnum):
    """How one document is like another, the strictest first."""

    SAME_BYTES = "same_bytes"
    SAME_TEXT = "same_text"
    SAME_MESSAGE = "same_message"
    VERSION = "version"
    NEAR = "near"
    CONTAINED = "contained"
    SHARES_BLOCK = "shares_block"


_LEAST_LETTERS = 40
"""Fewer letters are no text that could stand within another, such as a page of numbers."""
SAME = frozenset({Kind.SAME_BYTES, Kind.SAME_TEXT, Kind.SAME_MESSAGE})


@dataclass(frozen=True, slots=True)
class Text:
    """What is compared of a document. `text` is without stamps; `id` is unique, and its order is that of the paths.

    `attachments` are names or hashes; where the attachments are documents of their own, they name this one as `parent`
    and are compared by their hashes. `redactions` counts the boxes.
    """

    id: str
    text: str
    sha256_file: str = ""
    message_id: str | None = None
    correspondence: Correspondence | None = None
    attachments: tuple[str, ...] = ()
    bates: tuple[str, ...] = ()
    redactions: int = 0
    parent: str | None = None


class Copy(Record):
    """Document `id` is like document `of`. `similarity` (0 to 1) is the share of runs of words.

    Jaccard's index for versions and near-duplicates; for `contained` and `shares_block` the share of `id` within `of`.
    """

    id: str
    of: str
    kind: Kind
    similarity: float


class Group(Record):
    """Documents with the same or nearly the same text, around the one that comes first."""

    representative: str
    members: tuple[Copy, ...]


class Copies(Record):
    """All groups of two or more, and what is alike across groups.

    `related` are documents within a longer one (the longest of those that hold most of it) and messages with the id of
    another but other content. `represented` are those that another stands for; they need not be looked at again.
    """

    groups: tuple[Group, ...] = ()
    related: tuple[Copy, ...] = ()
    represented: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Facts:
    """What tells a text from others: its keys for each kind of sameness, and how many letters it has."""

    keys: tuple[tuple[Kind, bytes], ...]
    message: str | None
    letters: int


_Marks = tuple[tuple[str, ...], int]
"""Bates numbers and count of redactions: what makes two documents with one text two versions."""
_Links = dict[int, tuple[int, Kind, float]]
"""Which document (by its place in the order) is like which earlier one, how, and by how much."""


def copies(texts: Iterable[Text]) -> Copies:
    """What is a copy of what; the order of the input does not matter.

    The earliest Bates number comes first and represents a group; without numbers, a document of its own comes before an
    attachment, and then the order of ids decides. Members are compared with the representative and not with each other,
    so a chain of small changes does not make strangers a group.
    """
    ordered = _ordered(tuple(texts))
    runs, facts = _read(ordered)
    links = _same(ordered, facts)
    links |= _near(
        ordered, facts, runs, [n for n in range(len(ordered)) if n not in links and facts[n].letters >= NOTE]
    )
    top = _tops(links, len(ordered))
    return Copies(
        groups=_groups(ordered, links, top),
        related=tuple(_related(ordered, facts, runs, links, top)),
        represented=_represented(ordered, links),
    )


def _ordered(texts: tuple[Text, ...]) -> list[Text]:
    by_id = {text.id: text for text in texts}

    def rank(text: Text) -> tuple[object, ...]:
        root = _root(text, by_id)
        return _first_number(root), text.parent is not None, root.id, _first_number(text), text.id

    return sorted(texts, key=rank)


def _root(text: Text, by_id: dict[str, Text]) -> Text:
    """The document that a family begins with; the attachment itself where its family is not there or names itself."""
    above, passed = text, {text.id}
    while above.parent is not None:
        if above.parent not in by_id or above.parent in passed:
            return text
        above = by_id[above.parent]
        passed.add(above.id)
    return above


def _first_number(text: Text) -> tuple[bool, str, int, str]:
    """The earliest Bates number, by prefix and then by value, as a sorting key; without a number after all others."""
    return min(map(_number, text.bates), default=(True, "", 0, ""))


def _number(bates: str) -> tuple[bool, str, int, str]:
    *prefix, digits, _ = re.split("([0-9]+)", bates) if re.search("[0-9]", bates) else (bates, "", "")
    value = digits.lstrip("0")
    return False, "".join(words("".join(prefix))), len(value), value


def _read(ordered: list[Text]) -> tuple[Runs, list[_Facts]]:
    """The runs of all texts and the facts of each; every text is cut into words once."""
    children: dict[str, list[str]] = defaultdict(list)
    for text in ordered:
        if text.parent is not None:
            children[text.parent].append(text.sha256_file or text.id)
    facts: list[_Facts] = []

    def in_words() -> Iterator[list[str]]:
        for text in ordered:
            found = words(text.text)
            facts.append(_facts(text, "".join(found), sorted(children.get(text.id) or text.attachments)))
            yield found

    return runs_of(in_words()), facts


def _facts(text: Text, said: str, attached: list[str]) -> _Facts:
    """A mail is no copy of one with other attachments, so these are part of every key."""
    body = body_of(text.text, said)
    message = message_id_hash(text.message_id or "")
    content = content_hash(text.correspondence, body, attached)
    count = letters(said)
    keys = []
    if text.sha256_file:
        keys.append((Kind.SAME_BYTES, _digest("bytes", text.sha256_file, *attached)))
    if count >= NOTE:
        keys.append((Kind.SAME_TEXT, _digest("text", said, head_key(text.correspondence), *attached)))
    if message is not None:
        keys.append((Kind.SAME_MESSAGE, _digest("message", message, body, *attached)))
    if content is not None:
        keys.append((Kind.SAME_MESSAGE, _digest("content", content)))
    return _Facts(keys=tuple(keys), message=message, letters=count)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).digest()


def _same(ordered: list[Text], facts: list[_Facts]) -> _Links:
    """Copies, and versions: the same with other Bates numbers or redactions. A copy without numbers has all of them."""
    held: dict[bytes, dict[_Marks, int]] = defaultdict(dict)
    links: _Links = {}
    for number, text in enumerate(ordered):
        marks = (tuple(sorted(text.bates)), text.redactions)
        alike = [(kind, held[key]) for kind, key in facts[number].keys if key in held]
        twins = ((_twin(marks, holders), kind) for kind, holders in alike)
        twin = next(((first, kind, 1.0) for first, kind in twins if first is not None), None)
        if twin is not None:
            links[number] = twin
            continue
        if alike:
            links[number] = (next(iter(alike[0][1].values())), Kind.VERSION, 1.0)
        for _, key in facts[number].keys:
            held[key].setdefault(marks, number)
    return links


def _twin(marks: _Marks, holders: dict[_Marks, int]) -> int | None:
    """The earlier document with the same marks; for one without numbers, the first with the same redactions."""
    bates, redactions = marks
    if bates or marks in holders:
        return holders.get(marks)
    return next((first for (_, boxes), first in holders.items() if boxes == redactions), None)


def _near(ordered: list[Text], facts: list[_Facts], runs: Runs, chosen: list[int]) -> _Links:
    """Near-duplicates among the rest; one message changed on its way, or one text redacted, is a version."""
    links: _Links = {}
    for member, principal, similarity in near(runs, chosen):
        one_message = facts[member].message is not None and facts[member].message == facts[principal].message
        redacted = ordered[member].redactions != ordered[principal].redactions
        links[member] = (principal, Kind.VERSION if one_message or redacted else Kind.NEAR, similarity)
    return links


def _tops(links: _Links, count: int) -> list[int]:
    """The representative of each document's group; links always lead to an earlier document."""
    top = list(range(count))
    for number in range(count):
        if number in links:
            top[number] = top[links[number][0]]
    return top


def _groups(ordered: list[Text], links: _Links, top: list[int]) -> tuple[Group, ...]:
    members: dict[int, list[Copy]] = defaultdict(list)
    for number in sorted(links):
        of, kind, similarity = links[number]
        members[top[number]].append(Copy(id=ordered[number].id, of=ordered[of].id, kind=kind, similarity=similarity))
    return tuple(Group(representative=ordered[first].id, members=tuple(members[first])) for first in sorted(members))


def _related(ordered: list[Text], facts: list[_Facts], runs: Runs, links: _Links, top: list[int]) -> Iterator[Copy]:
    """What is alike across groups, of documents that no other one stands for."""
    of_its_own = [n for n in range(len(ordered)) if n not in links or links[n][1] not in SAME]
    first_with: dict[str, int] = {}
    for number in of_its_own:
        first = first_with.setdefault(facts[number].message or ordered[number].id, number)
        if top[first] != top[number]:
            similarity = jaccard(runs.of(number), runs.of(first))
            yield Copy(id=ordered[number].id, of=ordered[first].id, kind=Kind.VERSION, similarity=similarity)
    told: set[int] = set()
    for inner, outer, share in inside(runs, [n for n in of_its_own if facts[n].letters >= _LEAST_LETTERS]):
        if inner in told or top[inner] == top[outer]:
            continue
        told.add(inner)
        kind = Kind.CONTAINED if share >= CONTAINED else Kind.SHARES_BLOCK
        yield Copy(id=ordered[inner].id, of=ordered[outer].id, kind=kind, similarity=share)


def _represented(ordered: list[Text], links: _Links) -> frozenset[str]:
    """Families stay whole: an attachment is represented only where the document that its family begins with is too."""
    by_id = {text.id: text for text in ordered}
    same = {ordered[number].id for number, (_, kind, _) in links.items() if kind in SAME}
    alone = {text.id for text in ordered if text.parent is not None and _root(text, by_id) is text}
    return frozenset(name for name in same - alone if _root(by_id[name], by_id).id in same)
