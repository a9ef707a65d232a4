"""The house rules that no linter knows."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = [*(ROOT / "lexforge").rglob("*.py"), *(ROOT / "graphs").rglob("*.py")]

HOMES = {
    "langgraph": {"graphs"},
    "llama_cpp": {"lexforge/llm/embedded.py"},
    "sqlite_utils": {"lexforge/store", "graphs/steps.py", "graphs/sources.py"},
    "sqlite3": {"lexforge/store"},
    "jinja2": {"lexforge/templating.py"},
    "pypdf": {"lexforge/ingest/pdf"},
    "pypdfium2": {"lexforge/ingest/pdf", "lexforge/ingest/picture"},
    "openpyxl": {"lexforge/ingest/office"},
    "oxmsg": {"lexforge/ingest/mail"},
    "PIL": {"lexforge/ingest/picture", "lexforge/ingest/web/style.py", "lexforge/ingest/pdf/ground.py"},
    "distributed": {"lexforge/ingest/workers.py"},
    "docx": {"lexforge/attorney/docx"},
    "eyecite": {"lexforge/extract"},
    "rich": {"lexforge/cli"},
}
"""One library, one home. The two files of `graphs` only name the type of the open database."""

ANY_CLOUD_CLIENT = ("openai", "anthropic", "litellm", "google.genai", "ollama")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize(("library", "homes"), HOMES.items(), ids=HOMES)
def test_one_library_one_home(library: str, homes: set[str]) -> None:
    strays = []
    for path in FILES:
        name = path.relative_to(ROOT).as_posix()
        at_home = any(name == home or name.startswith(f"{home}/") for home in homes)
        if library in imported(path) and not at_home:
            strays.append(name)
    assert strays == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_files_stay_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_folders_are_at_most_two_deep_below_lexforge() -> None:
    deep = [p for p in FILES if p.is_relative_to(ROOT / "lexforge") and len(p.relative_to(ROOT).parts) > 4]
    assert deep == []


def test_no_cloud_client_can_be_imported() -> None:
    from lexforge.cli.doctor import CLOUD_CLIENTS, cloud_clients

    assert set(ANY_CLOUD_CLIENT) <= set(CLOUD_CLIENTS)
    assert cloud_clients() == []


def test_the_check_for_cloud_clients_can_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from lexforge.cli.doctor import cloud_clients

    (tmp_path / "ollama.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert cloud_clients() == ["ollama"]


def test_no_tracked_file_names_a_package_registry() -> None:
    hosts = [
        ".".join(parts) for parts in (("pypi", "org"), ("files", "pythonhosted", "org"), ("registry", "npmjs", "org"))
    ]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    naming = [p.name for p in paths if p.is_file() and any(h.encode() in p.read_bytes() for h in hosts)]
    assert naming == []


def test_the_gate_imports_no_model_library() -> None:
    code = "import sys, lexforge.cli.gate; print([m for m in ('llama_cpp', 'langgraph', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_template_is_asked_for_by_its_name() -> None:
    from lexforge.domain.matter import DocumentKind
    from lexforge.templating import templates

    sources = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    parts = {f"{kind.value}.{part}" for kind in DocumentKind for part in ("opening", "closing")}
    unused = [
        path.name
        for path in templates().rglob("*.j2")
        if f"/{path.name}" not in sources and path.name.removesuffix(".j2") not in parts
    ]
    assert unused == []
