"""What a run tells the machine's register, and what it asks of it."""

from __future__ import annotations

from collections.abc import Iterator

from lexforge.attorney.packet import Packet
from lexforge.domain.draft import Draft
from lexforge.domain.evidence import Bundle
from lexforge.domain.record import sha256_of
from lexforge.ingest.fingerprint import fingerprint, novel
from lexforge.ingest.own_output import Admission, Hits, candidates, set_apart
from lexforge.store import register
from lexforge.store.bundle import Screens
from lexforge.store.folder import Matter
from lexforge.store.ledger import Ledger
from lexforge.store.register import Entry, Status
from lexforge.templating import templates


def written(draft: Draft, packet: Packet, bundle: Bundle, matter: Matter) -> None:
    """Register a packet: the hashes of its files, and what was new in its draft. Doing it again changes nothing."""
    entry = Entry(
        draft=draft.id,
        status=Status.WRITTEN,
        matter=sha256_of(matter.name.encode()),
        files=tuple(packet.files.values()),
    )
    with register.opened() as known:
        if not known.knows(draft.id):
            known.add(entry, _novel(draft, bundle, matter))
        else:
            known.add(entry)


def _novel(draft: Draft, bundle: Bundle, matter: Matter) -> frozenset[int]:
    """New runs of the draft as the text has it, with paragraph numbers, and as Word has it, without."""
    known = list(_stood_before(draft, bundle, matter))
    plain = "\n\n".join(block.text for block in draft.blocks)
    return novel(draft.text, known) | novel(plain, known)


def _stood_before(draft: Draft, bundle: Bundle, matter: Matter) -> Iterator[str]:
    """All that the draft was made from: sources, intake, templates (filled as well), and `matter.toml`.

    Words that a source has from an earlier draft of ours are no source's.
    """
    # Each source as one text: a quotation may run across a page break.
    yield from ("\n".join(page.proving for page in source.pages) for source in bundle.sources)
    yield matter.intake
    yield from (path.read_text(encoding="utf-8") for path in sorted(templates().rglob("*.j2")))
    yield "\n".join(block.text for block in draft.blocks if block.provenance.seat == "template")
    lines = list(_strings(matter.config.model_dump(mode="json")))
    yield from lines
    yield "\n".join(lines)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def known_files(hashes: frozenset[str], ledger: Ledger) -> frozenset[str]:
    """Those of these file hashes that LexForge wrote, by the machine's register and by the matter's own ledger."""
    packets = (ledger.artifact(output, Packet) for output in ledger.outputs("packet"))
    here = {sha256 for packet in packets for sha256 in packet.files.values()}
    with register.opened() as known:
        return known.files(hashes) | (here & hashes)


def admissions(hashes: frozenset[str], ledger: Ledger) -> dict[str, str]:
    """Those of these files that the attorney has admitted as procedural record, with the latest reason."""
    made = (ledger.artifact(output, Admission) for output in ledger.outputs("admit"))
    return {admission.sha256_file: admission.reason for admission in made if admission.sha256_file in hashes}


def registered_again(ledger: Ledger, matter: Matter) -> None:
    """Bring back what a lost register, or another machine's, does not know of this matter's own packets."""
    if not (matter.path / "intake.md").is_file():  # without it, words of the attorney would pass for words of ours
        return
    for output in ledger.outputs("packet"):
        packet = ledger.artifact(output, Packet)
        with register.opened() as known:
            if known.knows(packet.draft):
                continue
        draft = next(
            (ledger.artifact(sha, Draft) for sha in ledger.outputs("assemble") if sha.startswith(packet.draft)), None
        )
        if draft is not None:
            written(draft, packet, ledger.artifact(draft.bundle, Bundle), matter)


def hits(screens: Screens, bundle: Bundle) -> Hits:
    """The runs of the bundle that are in the register; looked up once for each state of the register."""
    with register.opened() as known:
        head = known.head
    kept = screens.find(bundle.content_sha256, head)
    if kept is not None:
        return Hits.model_validate_json(kept)
    found = looked_up(bundle)
    screens.keep(bundle.content_sha256, head, found.model_dump_json())
    return found


def looked_up(bundle: Bundle) -> Hits:
    """The same, asked of the register now.

    Only the fixed quarter of all runs is looked up for every source, and all runs of the sources it finds something in.
    """
    with register.opened() as known:
        if not known.has_prints:
            return Hits()
    quick = {run for source in bundle.sources for page in source.pages for run in fingerprint(page.text)}
    with register.opened() as known:
        near = Hits(prints=known.hits(quick))
    every = set(candidates(bundle, near))
    with register.opened() as known:
        return Hits(prints=known.hits(every))


def screened(bundle: Bundle) -> Bundle:
    """The bundle without what the register knows to be our own words."""
    found = looked_up(bundle)
    return set_apart(bundle, found) if found.prints else bundle
