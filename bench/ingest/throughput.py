"""Pages a CPU second of the whole ingest gives, against plain pypdf on the same PDFs; and what a second run costs.

    python -m bench.ingest.throughput DIR [--copies N] [--repeat N]

The PDFs of the folder are copied into a matter that is thrown away, `N` times with `--copies`, each with a last page of
its own, so that none is a duplicate. Then, in turn, as often as `--repeat` says: the ingest through one worker process
(CPU seconds of this process and the worker, whose start is included, and shown by itself), and pypdf's text of every
page in one process. Last, the path of `lexforge ingest` with a database, twice over unchanged files (wall seconds).
"""

from __future__ import annotations

import argparse
import io
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter, process_time

from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from graphs.sources import SourceSteps
from lexforge.domain.evidence import Bundle, Fate
from lexforge.ingest import workers
from lexforge.ingest.bundle import ingest
from lexforge.ingest.folder import Means
from lexforge.ingest.listing import listing
from lexforge.store import database
from lexforge.store.folder import Matter
from lexforge.store.ledger import Ledger

SETTINGS = Path(__file__).parents[2] / "matters" / "matter-123" / "matter.toml"


@dataclass
class Spent:
    """CPU seconds of this process and of its children that have ended."""

    here: float
    children: float

    @staticmethod
    def so_far() -> Spent:
        return Spent(*(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)))

    @property
    def whole(self) -> float:
        return self.here + self.children

    def since(self, before: Spent) -> Spent:
        return Spent(self.here - before.here, self.children - before.children)


def last_page(words: str) -> PdfReader:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for line in range(30):
        canvas.drawString(72, 740 - 20 * line, f"Line {line} of the last page of {words}, which no other has.")
    canvas.save()
    return PdfReader(buffer)


def prepared(folder: Path, matter: Path, copies: int) -> list[Path]:
    """The PDFs in the matter; what pypdf cannot copy or read is left out."""
    evidence = matter / "evidence"
    evidence.mkdir(parents=True)
    shutil.copyfile(SETTINGS, matter / "matter.toml")
    made: list[Path] = []
    for path in sorted(folder.rglob("*.pdf")):
        try:
            for number in range(max(1, copies)):
                target = evidence / f"{len(made):04d}-{path.name}"
                if copies:
                    writer = PdfWriter(clone_from=path)
                    writer.append(last_page(f"copy {number} of {path.name}"))
                    writer.write(target)
                else:
                    shutil.copyfile(path, target)
                plain([target])
                made.append(target)
        except Exception as error:
            target.unlink(missing_ok=True)
            print(f"{path.name} is left out: pypdf cannot read or copy it ({type(error).__name__})")
    return made


def plain(paths: list[Path]) -> tuple[int, float]:
    """Pages and CPU seconds of pypdf."""
    began = process_time()
    pages = sum(len([page.extract_text() for page in PdfReader(path).pages]) for path in paths)
    return pages, process_time() - began


def whole(matter: Path) -> tuple[Bundle, Spent]:
    """The ingest through one worker, and what it took."""
    before = Spent.so_far()
    with workers.local(1) as executor:
        bundle = ingest(matter, listing(matter), means=Means(executor=executor))
    return bundle, Spent.so_far().since(before)


def start(matter: Path) -> float:
    """CPU seconds of a worker that reads one small text."""
    small = matter / "small.txt"
    small.write_text("A few words.")
    before = Spent.so_far()
    with workers.local(1) as executor:
        list(workers.read_all([small], executor, Means().limits))
    return Spent.so_far().since(before).whole


def twice(folder: Path) -> tuple[float, float]:
    """Wall seconds of the first and the second run of `lexforge ingest`, without its start and its report."""
    matter = Matter(folder)
    seconds = []
    for _ in range(2):
        began = perf_counter()
        with database.opened(matter.work) as db:
            steps = SourceSteps(matter, db, Ledger(db))
            listed = steps.listed()
            if steps.unchanged(listed) is None:
                steps.ingest(listed)
        seconds.append(perf_counter() - began)
    return seconds[0], seconds[1]


def compared(matter: Path, paths: list[Path], repeat: int) -> None:
    pages, theirs, ours = 0, 0.0, Spent(0, 0)
    for _ in range(repeat):
        bundle, spent = whole(matter)
        count, seconds = plain(paths)
        pages, theirs = pages + count, theirs + seconds
        ours = Spent(ours.here + spent.here, ours.children + spent.children)
    read = sum(len(source.pages) for source in bundle.sources)
    apart = sum(file.fate is not Fate.INGESTED for file in bundle.files)
    print(
        f"{len(paths)} files, {pages // repeat} pages, {read} of them ingested, {apart} files set apart; {repeat} runs"
    )
    print(f"{'':32} {'CPU s':>8} {'pages a CPU s':>14} {'times pypdf':>12}")
    rows = {"ingest": ours.whole, "  of it the worker": ours.children, "  of it the parent": ours.here, "pypdf": theirs}
    for name, took in rows.items():
        print(f"{name:32} {took / repeat:8.2f} {pages / took:14.0f} {theirs / took:12.2f}")
    print(f"{'start of a worker (in the above)':32} {start(matter):8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.ingest.throughput", description="The whole ingest, with pypdf.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        matter = Path(scratch) / "matter"
        paths = prepared(asked.folder, matter, asked.copies)
        if not paths:
            parser.error("no PDF that both can read")
        compared(matter, paths, asked.repeat)
        first, second = twice(matter)
        print(f"lexforge ingest: {first:.2f} s, unchanged again {second:.2f} s, {first / second:.1f} times faster")


if __name__ == "__main__":
    main()
