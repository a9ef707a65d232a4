"""How many PDF pages a second of processor time gives: the product's reader against plain pypdf.

    python -m bench.ingest.pdf_speed DIR [ROUNDS]

Both read every PDF of the folder in turn, so that a busy machine slows both. The product's reader also finds stamps,
pictures, redactions and hidden text, whose share is shown (without the walk over a page's objects, which the others
need as well); pypdf gives plain text. A file that either cannot read is left out for both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from pypdf import PdfReader

from lexforge.errors import UnreadableFile
from lexforge.ingest.pdf import hidden_text
from lexforge.ingest.pdf import reader as pdf


class Auditor:
    """The look for hidden text, with the time that it takes."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._audit = hidden_text.audit

    def audit(self, *arguments: Any) -> Any:
        began = process_time()
        try:
            return self._audit(*arguments)
        finally:
            self.seconds += process_time() - began


def ours(path: Path) -> int:
    return len(pdf.read(path).pages)


def plain(path: Path) -> int:
    return len([page.extract_text() for page in PdfReader(path).pages])


def timed(read: Callable[[Path], int], path: Path) -> tuple[int, float]:
    began = process_time()
    pages = read(path)
    return pages, process_time() - began


def readable(path: Path) -> bool:
    try:
        return ours(path) == plain(path)
    except UnreadableFile:
        return False
    except Exception as error:
        print(f"{path.name} is left out: pypdf cannot read it ({type(error).__name__})")
        return False


def main() -> None:
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    paths = [path for path in sorted(folder.rglob("*.pdf")) if readable(path)]  # the first reading warms both up
    auditor = Auditor()
    setattr(hidden_text, "audit", auditor.audit)  # noqa: B010
    pages, seconds, seconds_plain = 0, 0.0, 0.0
    for _ in range(rounds):
        for path in paths:
            count, took = timed(ours, path)
            _, took_plain = timed(plain, path)
            pages, seconds, seconds_plain = pages + count, seconds + took, seconds_plain + took_plain
    print(f"{len(paths)} files, {pages // rounds} pages, {rounds} rounds")
    if not pages:
        sys.exit("no file that both can read")
    rows = {"lexforge": seconds, "lexforge without the look for hidden text": seconds - auditor.seconds}
    for name, spent in rows.items():
        print(f"{name:42} {pages / spent:6.0f} pages a CPU second, {seconds_plain / spent:5.1f} times pypdf")
    print(f"{'pypdf':42} {pages / seconds_plain:6.0f} pages a CPU second")


if __name__ == "__main__":
    main()
