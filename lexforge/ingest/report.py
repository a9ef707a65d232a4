"""The report on a matter's sources as one HTML page that stands alone: every file, its fate, and what to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lexforge.domain.draft import OWN_MARK
from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice, Source
from lexforge.templating import render_html

_TITLES = {
    "vanished": "Gone or moved since an earlier bundle",
    "hidden": "Text that nobody can see",
    "page": "Pages without text",
    "read": "Text read from pictures",
    "redacted": "Redacted pages",
    "bates": "Bates numbers",
    "load": "Load files and what they list",
    "warning": "Seen and not taken in",
}
"""By the first word of a notice's code; what has none of them is a copy."""
_COPIES = "Copies: one of each group reaches prompts, all can be cited"


@dataclass(frozen=True)
class _Group:
    title: str
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class _Row:
    file: FileRecord
    pages: str
    bates: str
    read_by: str


def page(matter: str, bundle: Bundle, more: Sequence[Notice] = ()) -> str:
    """The page; `more` are notices that depend on earlier bundles and not on the files alone."""
    by_path = {source.path: source for source in bundle.sources}
    return render_html(
        "documents/ingest.html.j2",
        matter=matter,
        counts=counts(bundle.files),
        share=f"{len(bundle.own_output)} of the evidence files ({bundle.own_output_share:.0%}), "
        f"{bundle.own_output_words:.0%} of its words.",
        bundle=bundle.content_sha256,
        mark=f"{OWN_MARK}:{bundle.content_sha256[:16]}",
        attention=[file for file in bundle.files if file.fate in (Fate.FAILED, Fate.QUARANTINED)],
        groups=list(grouped([*more, *bundle.notices])),
        rows=[_row(file, by_path.get(file.path)) for file in bundle.files],
    )


def counts(files: Iterable[FileRecord]) -> str:
    """How many files ended how."""
    fates = Counter(file.fate for file in files)
    return f"{fates.total()} files: {', '.join(f'{fates[fate]} {fate.value}' for fate in Fate)}."


def grouped(notices: Iterable[Notice]) -> Iterator[_Group]:
    """Notices of one sort together, the gravest sort first."""
    sorts: dict[str, list[Notice]] = {title: [] for title in (*_TITLES.values(), _COPIES)}
    for notice in notices:
        sorts[_TITLES.get(notice.code.split("_")[0], _COPIES)].append(notice)
    return (_Group(title, tuple(found)) for title, found in sorts.items() if found)


def _row(file: FileRecord, source: Source | None) -> _Row:
    if source is None or file.fate is not Fate.INGESTED:
        return _Row(file, "", "", "")
    numbers = [number for page in source.pages for number in page.bates]
    how = next((page.stamped_by.value.replace("_", " ") for page in source.pages if page.stamped_by), "")
    bates = "" if not numbers else numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    return _Row(file, str(len(source.pages)), f"{bates} (from {how})" if bates else "", source.extractor)
