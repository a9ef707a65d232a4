"""Recognising what LexForge wrote itself, so that it never becomes evidence.

Three signs, in this order: a mark in the file, a file hash that is known, the words. What the words decide:

- A file is ours when one stretch of it holds enough new runs of our drafts. Stretches are pages, long pages in halves
  that overlap, so that a short draft merged into a long production is seen as well.
- A message is never set aside by its words: that it was sent is a fact which only it can prove. What was pasted into
  it is marked passage by passage, and such a passage proves nothing. The same is done for a paragraph pasted into any
  other file that is genuine as a whole.
- An authority is only judged as a whole: a court may quote a brief of ours at length, and its words are law all the
  same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from pydantic import Field

from lexforge.domain.evidence import ADMITTED, Bundle, Fate, FileRecord, Page, Passage, Role, Source
from lexforge.domain.record import Record
from lexforge.errors import BundleError
from lexforge.ingest.fingerprint import of_words, sample, shingles, words
from lexforge.ingest.reading import Reading

SHARE, HITS = 0.10, 4
"""Of a stretch's fingerprint. The demo's draft has .53 as written, .21 with a fifth of its words changed, .11 with a
third; its sources have 0 by construction."""
STRETCH = 400
"""Words of a stretch: a page of double-spaced text, and some more."""
PASSAGE_SHARE, PASSAGE_HITS = 0.20, 8
"""Of all runs of a passage that stands alone. Paragraphs of the demo's draft have 11 and more, .26 and more; an
opponent who tells in his own words of the letter that we told of has 6 and .19, by its date and names."""
NEAR_SHARE, NEAR_HITS = 0.05, 3
"""The same in a file that holds a stretch of ours: there an edited paragraph is no coincidence."""
SHORT = 8
"""Words; a shorter passage between two derived ones is a heading or a number of theirs."""


class Admission(Record):
    """A paper of ours that was filed: part of the procedural record, by the attorney's decision, and no evidence."""

    sha256_file: str
    reason: str


class Hits(Record):
    """The runs of a bundle that stand in the register, each with the draft it was new in."""

    prints: dict[int, str] = Field(default_factory=dict)


def quarantined(
    file: FileRecord, reading: Reading, known: frozenset[str], admitted: Mapping[str, str]
) -> FileRecord | None:
    """The record of a file of our own, by its mark or by its hash; None for anything else."""
    sha256 = file.sha256_file or ""
    if sha256 in admitted:
        told = f"{_name(file)} is part of the procedural record and no evidence: {admitted[sha256]}"
        return _apart(file, ADMITTED, told)
    if reading.own_draft is not None:
        return _ours(file, "own_output_marked", f"it carries the mark of LexForge draft {reading.own_draft}")
    if sha256 in known:
        return _ours(file, "own_output_known", "LexForge wrote exactly this file")
    return None


def _ours(file: FileRecord, reason: str, told: str) -> FileRecord:
    detail = f"{_name(file)} is our own earlier output ({told}); it proves nothing. Move it away."
    return _apart(file, reason, detail)


def _apart(file: FileRecord, reason: str, detail: str) -> FileRecord:
    return file.model_copy(update={"fate": Fate.QUARANTINED, "reason": reason, "detail": detail, "source": None})


def _name(file: FileRecord) -> str:
    return file.path.rsplit("/", 1)[-1]


def candidates(bundle: Bundle, registered: Hits) -> Iterator[int]:
    """All runs of the sources that have at least one run in the register: what must be looked up in full."""
    for source in bundle.sources:
        prints = prints_of(source)
        if not prints.isdisjoint(registered.prints):
            yield from prints


def prints_of(source: Source) -> frozenset[int]:
    """All runs of a source, page by page."""
    return frozenset().union(*(shingles(page.text) for page in source.pages))


def set_apart(bundle: Bundle, hits: Hits) -> Bundle:
    """The bundle without sources that are ours by their words, and with passages marked that were pasted from us."""
    if not hits.prints:
        return bundle
    ours: dict[str, tuple[str, int]] = {}
    kept = []
    for source in bundle.sources:
        found = _stretch(source, hits)
        if found is not None and not _is_message(source):
            ours[source.id] = found
        elif source.role is Role.EVIDENCE:
            kept.append(_marked(source, hits, in_company=found is not None))
        else:
            kept.append(source)
    files = tuple(_by_words(file, ours) for file in bundle.files)
    return bundle.model_copy(update={"sources": tuple(kept), "files": files})


def _by_words(file: FileRecord, ours: Mapping[str, tuple[str, int]]) -> FileRecord:
    """A duplicate shares the fate of the file it repeats, and every file of a document that of the document."""
    found = ours.get(file.source or "")
    if found is None or file.fate not in (Fate.INGESTED, Fate.DUPLICATE):
        return file
    draft, page = found
    return _ours(file, "own_output_text", f"page {page} holds words that were new in LexForge draft {draft}")


def _is_message(source: Source) -> bool:
    """Whether its own head says who sent it, or when."""
    head = source.correspondence
    return source.role is Role.EVIDENCE and head is not None and bool(head.author or head.sent)


def _stretch(source: Source, hits: Hits) -> tuple[str, int] | None:
    """Draft and page of the first stretch that is ours."""
    if source.role is Role.AUTHORITY:
        stretches = iter([(1, [word for page in source.pages for word in words(page.text)])])
    else:
        stretches = _stretches(source)
    for number, found in stretches:
        own = sample(of_words(found))
        held = own & hits.prints.keys()
        if len(held) >= HITS and len(held) >= SHARE * len(own):
            return _draft(held, hits), number
    return None


def _stretches(source: Source) -> Iterator[tuple[int, list[str]]]:
    for page in source.pages:
        found = words(page.text)
        for start in range(0, max(1, len(found) - STRETCH // 2), STRETCH // 2):
            yield page.number, found[start : start + STRETCH]


def _draft(held: frozenset[int] | set[int], hits: Hits) -> str:
    """The draft most of the runs come from; of several, the first by name."""
    counts = Counter(hits.prints[number] for number in held)
    return min(counts, key=lambda draft: (-counts[draft], draft))


def _marked(source: Source, hits: Hits, in_company: bool) -> Source:
    passages = list(source.passages)
    drafts = [_derived(passage, hits, in_company) for passage in passages]
    if not any(drafts):
        return source
    marks = {p.id: draft for p, draft in zip(passages, _filled(passages, drafts, in_company), strict=True) if draft}
    return source.model_copy(update={"pages": tuple(_marked_page(page, marks) for page in source.pages)})


def _marked_page(page: Page, marks: Mapping[str, str]) -> Page:
    passages = (p.model_copy(update={"derived_from": marks.get(p.id)}) for p in page.passages)
    return page.model_copy(update={"passages": tuple(passages)})


def _derived(passage: Passage, hits: Hits, in_company: bool) -> str | None:
    own = shingles(passage.text)
    held = own & hits.prints.keys()
    share, least = (NEAR_SHARE, NEAR_HITS) if in_company else (PASSAGE_SHARE, PASSAGE_HITS)
    return _draft(held, hits) if len(held) >= least and len(held) >= share * len(own) else None


def _filled(passages: list[Passage], drafts: list[str | None], in_company: bool) -> list[str | None]:
    """Passages between two derived ones are theirs: short ones always, others where a whole draft seems to stand."""
    many = in_company and sum(draft is not None for draft in drafts) >= 3
    filled: list[str | None] = []
    last: str | None = None
    for known, group in groupby(zip(passages, drafts, strict=True), key=lambda pair: pair[1] is not None):
        run = list(group)
        if known:
            last = run[-1][1]
            filled += [draft for _, draft in run]
            continue
        between = bool(filled) and len(filled) + len(run) < len(passages)
        theirs = between and (many or all(len(p.text.split()) < SHORT for p, _ in run))
        filled += [last if theirs else None] * len(run)
    return filled


def refuse_ours(bundle: Bundle, waiver: str | None) -> None:
    """BundleError when files of our own lie in the evidence, unless the attorney has waived that with a reason."""
    ours = bundle.own_output
    if not ours or waiver is not None:
        return
    names = ", ".join(file.path for file in ours[:5]) + (f" and {len(ours) - 5} more" if len(ours) > 5 else "")
    raise BundleError(
        f"{len(ours)} of the evidence files are our own earlier output: {names}.",
        "Move them out of evidence/. For a paper that was filed, `lexforge own admit FILE --matter NAME --reason …`; "
        'to draft although they lie there (they are not used), set own_output_waiver = "reason" in matter.toml.',
    )


def keep_apart(root: Path, folders: Mapping[Role, str]) -> None:
    """BundleError when sources and what LexForge writes share a place: by path, by link, or by hard link."""
    work = root / "work"
    written = {_identity(path) for path in [work, *work.rglob("*")]} - {None}
    for folder in folders.values():
        sources = root / folder
        if not sources.exists():
            continue
        for path in [sources, *sources.rglob("*")]:
            if _identity(path) in written or (path.is_symlink() and _is_below(path, work)):
                raise _shared(path, root)
        # `work` may lie below the sources although its name is beside them: it can be a link.
        if _identity(sources) in {_identity(path) for path in work.resolve().parents} or _is_below(sources, work):
            raise _shared(sources, root)


def _identity(path: Path) -> tuple[int, int] | None:
    """The same for every name of one file: links, hard links, and names that differ in case where case is ignored.

    None for what cannot be looked at; whoever reads it says so.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_below(path: Path, folder: Path) -> bool:
    try:
        inner, outer = (Path(str(p.resolve()).casefold()) for p in (path, folder))
    except (OSError, RuntimeError):  # a link that leads to itself leads nowhere
        return False
    return inner == outer or inner.is_relative_to(outer)


def _shared(path: Path, root: Path) -> BundleError:
    return BundleError(
        f"{path.relative_to(root)} is, or holds, what LexForge writes into {root.name}/work.",
        "Evidence and output must lie apart: remove the link, and put a copy of the genuine file there.",
    )
