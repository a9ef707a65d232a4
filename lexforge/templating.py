"""Jinja2 templates: strict, shipped with the package, and hashed into everything they helped to make."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lexforge.domain.record import sha256_of


def templates() -> Path:
    """The folder of templates: inside the installed package, or at the top of a checkout."""
    installed = Path(__file__).parent / "templates"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "templates"


@cache
def _environment(*, html: bool = False) -> Environment:
    # Prompts and court papers are plain text: escaping for HTML would change what the attorney reads.
    return Environment(
        loader=FileSystemLoader(templates()),
        autoescape=html,  # noqa: S701 - see above; pages have it on
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )


def render(name: str, **values: Any) -> str:
    """A template such as `prompts/draft/system.j2`, filled; an undefined name is an error."""
    return _environment().get_template(name).render(**values).strip()


def render_html(name: str, **values: Any) -> str:
    """A template that is a web page, filled; every value is escaped, an undefined name is an error."""
    return _environment(html=True).get_template(name).render(**values).strip() + "\n"


def template_sha256(folder: str) -> str:
    """Hash over all templates of one folder such as `prompts/draft`, names included."""
    files = sorted((templates() / folder).glob("*.j2"))
    return sha256_of({file.name: file.read_text(encoding="utf-8") for file in files})
