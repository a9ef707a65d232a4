"""The matter's folder: found by name, its `matter.toml` and `intake.md` read."""

from __future__ import annotations

import os
from pathlib import Path

from lexforge.config import read_toml
from lexforge.domain.matter import MatterConfig
from lexforge.errors import MatterError

MATTERS_VARIABLE = "LEXFORGE_MATTERS"


class Matter:
    """A matter folder: its path and what its `matter.toml` says."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = read_toml(path / "matter.toml", MatterConfig)

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.path.resolve().name

    @property
    def work(self) -> Path:
        """Where everything generated goes, and nothing else."""
        return self.path / "work"

    @property
    def intake(self) -> str:
        """The attorney's facts; MatterError when there are none to work from."""
        try:
            return (self.path / "intake.md").read_text(encoding="utf-8")
        except FileNotFoundError:
            raise MatterError(
                f"{self.path / 'intake.md'} is missing.",
                "Write the facts the document must state there, one bullet each, under `## Facts`.",
            ) from None
        except UnicodeDecodeError:
            raise MatterError(f"{self.path / 'intake.md'} is not UTF-8 text.", "Save it again as UTF-8.") from None


def matter_folders(name: str) -> list[Path]:
    """Where `name` is looked for, in order: `matters/NAME`, `$LEXFORGE_MATTERS/NAME`, the path itself."""
    roots = [Path("matters")]
    if os.environ.get(MATTERS_VARIABLE):
        roots.append(Path(os.environ[MATTERS_VARIABLE]))
    return [root / name for root in roots] + [Path(name)]


def find_matter(name: str) -> Matter:
    """The first of `matter_folders(name)` that holds a `matter.toml`; MatterError says where it looked."""
    looked = matter_folders(name)
    for folder in looked:
        if (folder / "matter.toml").is_file():
            return Matter(folder)
    raise MatterError(
        f"No matter named {name}: no matter.toml in {', '.join(str(p) for p in looked)}.",
        f"Make one with `lexforge new {name}`, or set {MATTERS_VARIABLE} to the folder that holds your matters.",
    )
