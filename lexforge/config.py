"""Where settings and caches lie, and TOML files read so that a mistake in one names its key and the remedy."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from lexforge.errors import MatterError
from lexforge.local_only import Endpoint, parse_endpoint

Model = TypeVar("Model", bound=BaseModel)


class Settings(BaseModel):
    """`lexforge.toml`: the only place that may name an address to connect to, and the board file to use.

    A matter that names a board file of its own has that one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoints: tuple[str, ...] = ()
    boards: str = "embedded"

    @field_validator("endpoints")
    @classmethod
    def _only_private(cls, endpoints: tuple[str, ...]) -> tuple[str, ...]:
        for endpoint in endpoints:
            parse_endpoint(endpoint)
        return endpoints

    @property
    def allowed(self) -> tuple[Endpoint, ...]:
        """The endpoints, parsed."""
        return tuple(parse_endpoint(e) for e in self.endpoints)


def home() -> Path:
    """The user's configuration folder (XDG base directory specification)."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "lexforge"


def register_file() -> Path:
    """Where this machine's register of own output lies (XDG base directory specification)."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "lexforge" / "register.db"


def cache() -> Path:
    """Where assembled weights are kept (XDG base directory specification)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lexforge"


def settings() -> Settings:
    """`lexforge.toml` of the working folder, else of the configuration folder, else the closed default."""
    for path in (Path("lexforge.toml"), home() / "lexforge.toml"):
        if path.is_file():
            return read_toml(path, Settings)
    return Settings()


def read_toml(path: Path, model: type[Model]) -> Model:
    """The TOML file as a validated `model`; MatterError names each wrong key and what it wants."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise MatterError(f"{path} is not valid TOML: {error}.", "Mend that line and try again.") from None
    except UnicodeDecodeError:
        raise MatterError(f"{path} is not UTF-8 text.", "Save it again as UTF-8.") from None
    except OSError as error:
        raise MatterError(f"{path} cannot be read: {error.strerror}.", "Check the name and the permissions.") from None
    return validated(raw, model, path)


def validated(raw: dict[str, Any], model: type[Model], path: Path) -> Model:
    """`raw` as a `model`; MatterError lists every problem as `key: what is wrong`."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems = [f"  {_key(item['loc'])}: {_plain(item)}" for item in error.errors()]
        raise MatterError(
            f"{path} cannot be used:\n" + "\n".join(problems) + "\n",
            "Mend the named keys; `lexforge new` writes a file with every key explained.",
        ) from None


def _key(location: tuple[int | str, ...]) -> str:
    key = ""
    for part in location:
        key += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return key.lstrip(".") or "(file)"


def _plain(item: Any) -> str:
    """Pydantic's message in words for someone who does not know pydantic."""
    kind, context = item["type"], item.get("ctx", {})
    if kind == "missing":
        return "is missing; add it"
    if kind == "extra_forbidden":
        return "is not a key LexForge knows; remove it or correct its spelling"
    if kind == "enum":
        return f"must be one of {context.get('expected')}, not {item['input']!r}"
    return f"{item['msg'][0].lower()}{item['msg'][1:]} (it is {item['input']!r})"
