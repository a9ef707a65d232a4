"""Files that a command leaves for the user, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from lexforge.errors import DocumentError


def write_whole(path: Path, content: str) -> None:
    """Write a file whole or not at all; DocumentError when it cannot be. A device or pipe is written to directly."""
    temporary = None
    try:
        # Renaming onto /dev/stdout would put an ordinary file in the place of the device.
        if (path.exists() and not path.is_file()) or path.absolute().parts[1:2] in {("dev",), ("proc",)}:
            path.write_text(content, encoding="utf-8")
            return
        target = path.resolve()
        # One name for each target, so that what a killed run left behind is replaced.
        temporary = target.with_name(f".{target.name}.lexforge.tmp")
        temporary.write_text(content, encoding="utf-8", newline="\n")
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise DocumentError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Name a folder that exists and that you may write to.",
        ) from None
