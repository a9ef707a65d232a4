"""Reading a large .DAT on one core, against Python's csv module in the same run, and what a few flaws do to both.

`python -m bench.ingest.load_file [ROWS]`: CPU seconds, and the rows of a flawed file that come out as they went in.
"""

from __future__ import annotations

import csv
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from time import process_time

from lexforge.ingest.load_file import dat
from lexforge.ingest.load_file.dialect import COLUMN, THORN

ROWS = 100_000
RUNS = 3
ENCODINGS = ("utf-8-sig", "utf-16", "cp1252")
NAMES = (
    "BEGBATES ENDBATES BEGATTACH ENDATTACH PARENTID CUSTODIAN FROM TO CC SUBJECT DATESENT FILENAME PGCOUNT "
    "CONFIDENTIALITY REDACTED MD5HASH MESSAGEID VOLUME TEXTPATH NATIVELINK"
).split()


def row(number: int) -> list[str]:
    """Values as long as those of real productions, about 500 characters in all."""
    bates = f"ABC{number:08d}"
    return [
        *(bates, bates, bates, bates, ""),
        *("Müller, Jörg", "Ann Smith <ann.smith@example.com>", "a@example.com; b@example.com; c@example.com", ""),
        *(
            f"Re: budget {number % 97}, “final”",
            "03/04/2019 10:11:12",
            "budget.xlsx",
            "1",
            "CONFIDENTIAL",
            "No",
        ),
        *(f"{number:032x}", f"<{number}.abc.def@mail.example.com>", "VOL001"),
        *(rf"TEXT\{number // 1000:03d}\{bates}.txt", rf"NATIVES\{number // 1000:03d}\{bates}.xlsx"),
    ]


def written(values: Iterable[str]) -> str:
    """A row as Concordance writes it."""
    return COLUMN.join(f"{THORN}{value}{THORN}" for value in values)


def by_csv(path: Path, encoding: str) -> list[tuple[str, ...]]:
    """The rows as the csv module reads them."""
    with path.open(encoding=encoding, newline="") as file:
        return [tuple(values) for values in csv.reader(file, delimiter=COLUMN, quotechar=THORN)][1:]


def timed(work: Callable[[], object]) -> float:
    """Median CPU seconds."""
    taken = []
    for _ in range(RUNS):
        start = process_time()
        work()
        taken.append(process_time() - start)
    return median(taken)


def speed(folder: Path, rows: list[list[str]]) -> None:
    """Seconds by encoding."""
    path = folder / "load.dat"
    for encoding in ENCODINGS:
        path.write_text("\r\n".join(map(written, [NAMES, *rows])) + "\r\n", encoding=encoding, newline="")
        ours, theirs = timed(lambda: dat.read(path)), timed(lambda name=encoding: by_csv(path, name))  # type: ignore[misc]
        size = path.stat().st_size / 1e6
        print(f"{encoding:10} {len(rows):,} rows, {size:.0f} MB: {ours:.2f} s, csv {theirs:.2f} s")


def flaws(folder: Path, rows: list[list[str]]) -> None:
    """Rows kept exactly when one in a thousand lacks a qualifier or has one too many."""
    path, chance = folder / "flawed.dat", random.Random(1)  # noqa: S311 - the same every time
    lines, spoilt = list(map(written, rows)), sorted(chance.sample(range(len(rows)), max(1, len(rows) // 1000)))
    for at in spoilt:
        place = chance.choice([n for n, char in enumerate(lines[at]) if char == THORN][1:])
        lines[at] = lines[at][:place] + chance.choice(["", THORN * 2]) + lines[at][place + 1 :]
    path.write_text("\r\n".join([written(NAMES), *lines]) + "\r\n", encoding="utf-8", newline="")
    load = dat.read(path)
    named = {defect.line for defect in load.defects}
    for name, read in (("ours", [record.values for record in load.records]), ("csv", by_csv(path, "utf-8"))):
        kept = len(set(read) & {tuple(values) for values in rows})
        print(f"{name:5} {kept:,} of {len(rows):,} rows as written, {len(rows) - len(spoilt):,} are sound")
    missed = [at + 2 for at in spoilt if at + 2 not in named]
    others = len(named) - len(spoilt) + len(missed)
    print(f"      {len(spoilt)} spoilt lines, {len(missed)} not named, {others} others named")


def main() -> None:
    """Print all figures."""
    rows = [row(number) for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS)]
    with tempfile.TemporaryDirectory() as folder:
        speed(Path(folder), rows)
        flaws(Path(folder), rows)
    print(
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB, with the rows of the bench itself"
    )


if __name__ == "__main__":
    main()
