"""What `lexforge doctor` looks at besides the models: the closed network, who may read the files, the memory."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from lexforge import local_only, sealed
from lexforge.config import cache, home, register_file
from lexforge.errors import ConnectionRefused
from lexforge.ingest.picture import tesseract
from lexforge.local_only import Endpoint
from lexforge.store.folder import matter_folders

GIB = 1024**3
BESIDE_THE_MODELS = 2 * GIB
"""Bytes of memory for everything that is not weights: contexts, the readers of files, the rest of the machine."""

_ANYTHING_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NAMED = 3  # files that a line names before it only counts


class Mark(StrEnum):
    """How a check came out: only a FAIL changes the exit code."""

    OK = "ok"
    FAIL = "FAIL"
    NOTE = "note"


class Line(NamedTuple):
    """One check as it is printed."""

    mark: Mark
    told: str


def tracing() -> Line:
    """Whether the libraries' tracing is off in this process, and what the shell had said."""
    on = [
        name
        for name, value in os.environ.items()
        if name.startswith(local_only.TRACING_PREFIXES)
        and (name not in local_only.TRACING_VARIABLES or value != "false")
    ]
    if on:
        return Line(Mark.FAIL, f"tracing is off: {', '.join(sorted(on))}")
    if found := local_only.tracing_found():
        return Line(Mark.NOTE, f"tracing is off in LexForge, but your shell sets {', '.join(found)}")
    return Line(Mark.OK, "tracing is off")


def network(endpoints: Iterable[Endpoint]) -> Iterator[Line]:
    """The audit hook, the listed endpoints, and whether a run can be sealed."""
    listed = tuple(endpoints)
    allowed = ", ".join(map(str, listed)) or "none"
    hook = Mark.OK if local_only.is_installed() else Mark.FAIL
    yield Line(hook, f"connections are refused in this process; listed endpoints: {allowed}")
    for endpoint in listed:
        if endpoint.path and not Path(endpoint.path).is_socket():
            yield Line(Mark.NOTE, f"{endpoint}: there is no such socket; start the llama-server of that seat")
    reason = sealed.can_seal()
    if reason is not None:
        yield Line(Mark.NOTE, f"a sealed run is not possible: {reason}")
        return
    yield Line(Mark.OK, "this process is sealed: no network" if sealed.is_sealed() else "a sealed run is possible")
    try:
        sealed.require_unix(listed)
    except ConnectionRefused as error:
        yield Line(Mark.NOTE, str(error))


def programs() -> Iterator[Line]:
    """The optional programs."""
    found = tesseract.available()
    yield Line(Mark.OK, f"{found} (reading scans)") if found else Line(Mark.NOTE, tesseract.HOW_TO_INSTALL)
    office = shutil.which("soffice") or shutil.which("libreoffice")
    what = "LibreOffice (looking at a .docx as PDF; optional)"
    yield Line(Mark.OK, what) if office else Line(Mark.NOTE, f"{what} is not installed")


def memory(files: Iterable[Path], available: int | None) -> Line:
    """The model files against `available` bytes of memory; None where the system does not say.

    Only a note: llama.cpp maps the files, and layers on an accelerator do not stay in this memory.
    """
    models = sum(path.stat().st_size for path in {path.resolve() for path in files})
    want = f"the model files take {models / GIB:.1f} GiB, and {BESIDE_THE_MODELS / GIB:.0f} GiB are wanted beside them"
    if available is None:
        return Line(Mark.NOTE, f"free memory: this system does not say; {want}")
    enough = available >= models + BESIDE_THE_MODELS
    return Line(Mark.OK if enough else Mark.NOTE, f"free memory: {available / GIB:.1f} GiB; {want}")


def available_memory() -> int | None:
    """Bytes that programs can still take without swapping (proc_meminfo(5), MemAvailable); None outside Linux."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def permissions() -> Iterator[Line]:
    """One line for each folder that LexForge keeps: folders 0700, files 0600.

    A FAIL is a work folder or the register that others can enter, and settings or weights that everybody can change. A
    file that only its folder protects is one `chmod` of that folder away from being read, which is a note.
    """
    works = [toml.parent / "work" for root in matter_folders("") for toml in sorted(root.glob("*/matter.toml"))]
    for path in {path.resolve(): path for path in [*works, register_file().parent]}.values():
        yield from _closed(path, _ANYTHING_BY_OTHERS)
    for path in (home(), cache()):
        yield from _closed(path, stat.S_IWOTH)


def _closed(folder: Path, forbidden: int) -> Iterator[Line]:
    """A line about `folder`, if it is there; `forbidden` are the bits of a mode that fail on it and, if open, in it."""
    if not folder.is_dir():
        return
    remedy = f"run `chmod -R go-rwx {shlex.quote(str(folder))}`"
    inside = {path: bits for path in _all_below(folder) if (bits := _open_bits(path))}
    if bits := _open_bits(folder.resolve()):
        wrong = any(each & forbidden for each in (bits, *inside.values()))
        yield Line(Mark.FAIL if wrong else Mark.NOTE, f"{folder} is open to other users: {remedy}")
    elif inside:
        named = ", ".join(sorted(str(path.relative_to(folder)) for path in inside)[:_NAMED])
        more = f" and {len(inside) - _NAMED} more" if len(inside) > _NAMED else ""
        yield Line(Mark.NOTE, f"{folder} is closed, but not what lies in it ({named}{more}): {remedy}")
    else:
        yield Line(Mark.OK, f"{folder} is closed to other users")


def _all_below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        yield from (Path(parent) / name for name in [*folders, *files])


def _open_bits(path: Path) -> int:
    """Those bits of the mode that let others do anything; a symbolic link has none of its own."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:  # it was gone before it could be asked
        return 0
    return 0 if stat.S_ISLNK(mode) else mode & _ANYTHING_BY_OTHERS
