"""The packet of a run: what the attorney receives, written as a whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from lexforge.attorney.docx.write import write_docx
from lexforge.domain.canaries import Canaries
from lexforge.domain.draft import OWN_MARK, Draft
from lexforge.domain.filing import FilingNotes
from lexforge.domain.findings import GateReport, Objection
from lexforge.domain.record import Record, canonical_json
from lexforge.errors import DocumentError

RUNS = "runs"


class Packet(Record):
    """Number of the run and the sha256 of each file in `work/runs/<number>/`.

    `canaries` are the hashes of the measures of its adversaries that `objections.json` tells.
    """

    number: int
    draft: str
    files: dict[str, str]
    canaries: tuple[str, ...] = ()

    def folder(self, work: Path) -> Path:
        """Where the files are."""
        return work / RUNS / str(self.number)

    def is_whole(self, work: Path) -> bool:
        """Whether every file is still there as it was written."""
        folder = self.folder(work)
        return all((folder / name).is_file() and _sha256(folder / name) == sha for name, sha in self.files.items())


class Opinions(Record):
    """What no gate proves: the objections, the facts that nothing supports, and what the adversaries are worth."""

    objections: tuple[Objection, ...] = ()
    unsupported: tuple[str, ...] = ()
    canaries: tuple[Canaries, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """Hashes of the measures."""
        return tuple(one.content_sha256 for one in self.canaries)


def write_packet(work: Path, draft: Draft, report: GateReport, opinions: Opinions, notes: FilingNotes) -> Packet:
    """Write `draft.docx`, `draft.txt`, `gate.json`, `objections.json` and `filing-checklist.txt`.

    They lie under the next free run number.
    """
    runs = work / RUNS
    runs.mkdir(parents=True, exist_ok=True, mode=0o700)
    number = 1 + max((int(p.name) for p in runs.iterdir() if re.fullmatch(r"[1-9]\d*", p.name)), default=0)
    partial = runs / f".{number}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(mode=0o700)
        write_docx(draft, report, partial / "draft.docx", notes=notes)
        _write(partial / "draft.txt", f"{draft.text}\n\n[{OWN_MARK}:{draft.id}]\n")
        _write(partial / "gate.json", report.model_dump_json(indent=1) + "\n")
        measures = [one.model_dump(mode="json") | {"told": one.told} for one in opinions.canaries]
        told = opinions.model_dump(mode="json") | {"canaries": measures}
        _write(partial / "objections.json", canonical_json(told) + "\n")
        _write(partial / "filing-checklist.txt", notes.checklist)
        files = {path.name: _sha256(path) for path in sorted(partial.iterdir())}
        partial.rename(runs / str(number))
    except OSError as error:
        raise DocumentError(
            f"The packet could not be written to {runs}: {error.strerror}.",
            "Free some space or mend the permissions and run the same command again; finished steps are kept.",
        ) from None
    return Packet(number=number, draft=draft.id, files=files, canaries=opinions.measures)


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
