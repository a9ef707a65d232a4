"""Finding the model file that a board file pins, and proving that it is that file."""

from __future__ import annotations

import importlib.util
import os
from importlib import import_module
from pathlib import Path

from lexforge.config import cache
from lexforge.errors import SeatUnavailable
from lexforge.llm.boards import SeatConfig
from lexforge.llm.identity import file_sha256


def locate(seat: SeatConfig, name: str) -> Path:
    """The verified model file of a seat; SeatUnavailable `file_missing` or `hash_differs`."""
    scheme, _, rest = seat.model.partition(":")
    if scheme == "package":
        path = _in_package(rest, name)
    elif scheme == "assemble":
        path = _assembled(rest, seat.weights_sha256, name)
    else:
        path = Path(seat.model).expanduser()
    if not path.is_file():
        raise SeatUnavailable(
            "file_missing", f"The model file of the {name} is missing: {path}.", "Correct `model` in the board file."
        )
    found = file_sha256(path)
    if found != seat.weights_sha256:
        raise SeatUnavailable(
            "hash_differs",
            f"The model file of the {name} is not the one its board file pins: {path} has sha256 {found}.",
            "If you meant to change the model, pin the new sha256; nothing is drafted with a file nobody chose.",
        )
    return path


def _in_package(reference: str, name: str) -> Path:
    """`NAME/FILE` inside an installed package, without importing it (its code may want what is not installed)."""
    package, _, file = reference.partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise _not_installed(package, name)
    return Path(spec.origin).parent / file


def _assembled(package: str, sha256: str, name: str) -> Path:
    """The file that a package of weights puts together from its parts, kept in the cache folder."""
    path = cache() / "weights" / f"{sha256}.gguf"
    if path.is_file():
        return path
    if importlib.util.find_spec(package) is None:
        raise _not_installed(package, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two seats or two runs may assemble at once: each into a file of its own, renamed when whole.
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        import_module(package).assemble(partial, overwrite=True)
        partial.replace(path)
    except (OSError, ValueError) as error:
        raise SeatUnavailable(
            "file_missing",
            f"The model file of the {name} could not be assembled: {error}.",
            f"Check the free space of {path.parent} and install {package} again.",
        ) from None
    finally:
        partial.unlink(missing_ok=True)
    return path


def _not_installed(package: str, name: str) -> SeatUnavailable:
    return SeatUnavailable(
        "file_missing",
        f"The model file of the {name} comes with the package {package}, which is not installed.",
        "Run `make install`, or pin a model file of your own in a board file.",
    )
