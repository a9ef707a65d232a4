"""The files beneath a production's folder, and the paths of its load files, which never lead out of it.

A path is looked up in the list of what is there; it is never opened as written. Device names and reserved characters:
Microsoft, "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from lexforge.ingest.load_file.decoding import shown

_DEVICE = re.compile(
    r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])(?:\..*)?[ .]*", re.I | re.S
)
_DRIVE = re.compile(r"[A-Za-z]:")
_FORBIDDEN = re.compile(r'[\x00-\x1f:*?"<>|]')
_SEPARATOR = re.compile(r"[\\/]+")
_LONGEST = 1_024
_DEEPEST = 64


class Resolved(NamedTuple):
    """A path of a load file: the file it means, relative to the evidence folder with `/`, and what is wrong with it."""

    path: str | None
    code: str = ""
    message: str = ""


class Folder:
    """Everything beneath a production's folder: files by path whatever their case, and by their name without ending."""

    def __init__(self, root: Path, relative: str, load_folder: str) -> None:
        """`relative` is the production's folder, `load_folder` that of its load file; both relative to `root`."""
        self._base = root / relative
        self._name = self._base.resolve().name.casefold()
        self._prefix = "" if relative in ("", ".") else f"{relative}/"
        inside = load_folder.removeprefix(self._prefix.rstrip("/")).strip("/")
        self._load_folder = [part for part in inside.split("/") if part not in ("", ".")]
        self._links: set[str] = set()
        self.files: list[str] = sorted(self._walk())
        self._exact = set(self.files)
        self._by_case: dict[str, str] = {name.casefold(): name for name in reversed(self.files)}
        self._by_stem: dict[str, list[str]] = defaultdict(list)
        for name in self.files:
            self._by_stem[name.rsplit("/", 1)[-1].rsplit(".", 1)[0].casefold()].append(name)

    def named(self, stem: str) -> list[str]:
        """Files that are called so but for their ending, relative to the evidence folder."""
        return [self._prefix + name for name in self._by_stem.get(stem.casefold(), ())]

    def resolve(self, raw: str) -> Resolved:
        """The file that a path of a load file means; what is no name in this folder is refused with a code."""
        name = shown(raw, 120)
        drive = _DRIVE.match(raw)
        rooted = bool(drive) or raw.startswith(("\\\\", "//"))
        parts = [part for part in _SEPARATOR.split(raw[2:] if drive else raw) if part not in ("", ".")]
        if len(raw) > _LONGEST or len(parts) > _DEEPEST:
            return Resolved(None, "path_invalid", f"The path {name} is too long.")
        if any(_DEVICE.fullmatch(part) for part in parts):
            return Resolved(None, "path_device", f"The path {name} names a device; it was not opened.")
        if not parts or any(_FORBIDDEN.search(part) for part in parts):
            return Resolved(None, "path_invalid", f"The path {name} is no name of a file.")
        if ".." in parts:
            return self._climbing(parts, name)
        if rooted:
            return self._rooted(parts, name)
        return self._looked_up(parts, name)

    def _climbing(self, parts: list[str], name: str) -> Resolved:
        place = list(self._load_folder)
        for part in parts:
            if part != "..":
                place.append(part)
            elif place:
                place.pop()
            else:
                return Resolved(
                    None, "path_parent", f"The path {name} leads out of the production's folder; it was not opened."
                )
        found = self._find(place)
        return Resolved(found, "path_parent", f"The path {name} climbs with '..'; it should start at the volume.")

    def _rooted(self, parts: list[str], name: str) -> Resolved:
        """A path of the vendor's machine: its longest end of two parts or more that is a file here."""
        ends = (self._find(parts[start:]) for start in range(max(len(parts) - 1, 0)))
        found = next((end for end in ends if end is not None), None)
        what = "was looked for by its end" if found else "is nowhere in the production"
        return Resolved(
            found,
            "path_absolute",
            f"The path {name} is that of another machine and {what}. Ask for paths relative to the volume.",
        )

    def _looked_up(self, parts: list[str], name: str) -> Resolved:
        tries = [parts, [*self._load_folder, *parts]]
        if len(parts) > 1 and parts[0].casefold() == self._name:
            tries.append(parts[1:])
        for place in tries:
            found = self._find(place)
            if found is not None:
                if self._exactly(place):
                    return Resolved(found)
                return Resolved(
                    found, "path_case", f"The path {name} differs in case from the file {shown(found, 120)}."
                )
        if any("/".join(place[:end]).casefold() in self._links for place in tries for end in range(1, len(place) + 1)):
            return Resolved(
                None,
                "path_symlink",
                f"The path {name} is a link out of the production or to a folder; it was not opened.",
            )
        return Resolved(None, "file_missing", f"The file {name} is not in the production. Ask for it.")

    def _find(self, place: list[str]) -> str | None:
        name = self._by_case.get("/".join(place).casefold())
        if name is None:
            return None
        return self._prefix + ("/".join(place) if self._exactly(place) else name)

    def _exactly(self, place: list[str]) -> bool:
        return "/".join(place) in self._exact

    def _walk(self) -> list[str]:
        """Regular files; a link counts where it ends at a file inside, and otherwise is kept among the refused."""
        real, files, open_folders = self._base.resolve(), [], [""]
        while open_folders:
            inside = open_folders.pop()
            try:
                entries = list(os.scandir(self._base / inside))
            except OSError:  # a folder that may not be listed has no files for us; what it should hold is missing
                continue
            for entry in entries:
                relative = f"{inside}/{entry.name}" if inside else entry.name
                if entry.is_symlink():
                    target = Path(entry.path).resolve()
                    if target.is_relative_to(real) and target.is_file():
                        files.append(relative)
                    else:
                        self._links.add(relative.casefold())
                elif entry.is_dir():
                    open_folders.append(relative)
                elif entry.is_file():
                    files.append(relative)
        return files
