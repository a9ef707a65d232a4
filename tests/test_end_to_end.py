"""The main job with the real embedded models, as a person runs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from lexforge.ingest.office.edited import read_docx
from lexforge.ingest.picture import tesseract

RUN = [sys.executable, "-c", "from lexforge.cli.main import main; main()"]
NAMESPACE = ["unshare", "--user", "--map-root-user", "--net"]


def lexforge(*words: str | Path, prefix: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*(prefix or []), *RUN, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "300"},
        timeout=1200,
    )


def namespace() -> list[str]:
    """A network namespace without interfaces, where the machine permits one."""
    for prefix in (NAMESPACE, ["unshare", "--net"]):
        if (
            shutil.which("unshare")
            and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0
        ):
            return prefix
    return []


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo matter, drafted where no network exists at all; in the ordinary network where that is not permitted."""
    folder = tmp_path_factory.mktemp("matters") / "matter-123"
    demo = Path(__file__).parent.parent / "matters" / "matter-123"
    shutil.copytree(demo, folder, ignore=shutil.ignore_patterns("work"))
    done = lexforge("draft", folder, prefix=namespace())
    (folder / "summary.txt").write_text(done.stdout, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def ledger_rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "work" / "matter.db") as db:
        return db.execute(query).fetchall()


def test_the_demo_is_drafted_without_a_network(drafted: Path) -> None:
    prefix = namespace()
    if not prefix:
        pytest.skip("this machine does not permit network namespaces; the demo was drafted in the ordinary network")
    code = "import socket; print([name for _, name in socket.if_nameindex()])"
    seen = subprocess.run([*prefix, sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "['lo']"


def test_everything_exact_in_the_draft_is_grounded(drafted: Path) -> None:
    run = drafted / "work" / "runs" / "1"
    text = (run / "draft.txt").read_text(encoding="utf-8")
    report = json.loads((run / "gate.json").read_text(encoding="utf-8"))
    assert report["passed"]
    kinds = {finding["kind"] for finding in report["findings"]}
    assert {"date", "bates", "quotation", "citation"} <= kinds
    for finding in report["findings"]:
        assert finding["verdict"] == "grounded"
        words = text[finding["start"] : finding["end"]]
        assert finding["support"] or words == "“Harlow”", f"{words}: only a defined term needs no support"


def test_the_traps_are_told(drafted: Path) -> None:
    summary = (drafted / "summary.txt").read_text(encoding="utf-8")
    assert re.search(r"quarantined evidence/Motion draft v1\.docx: .*our own earlier output", summary)
    assert re.search(r"duplicate evidence/service visit .*byte for byte the same", summary)
    report = (drafted / "work" / "ingest-report.html").read_text(encoding="utf-8")
    if tesseract.available():
        assert re.search(r"delivery-receipt-scan\.pdf.*read from a picture by OCR", report, re.S)
    else:
        assert re.search(r"failed evidence/delivery-receipt-scan\.pdf: .*install tesseract", summary, re.I)
    assert "Asked back: nothing in the sources supports “Harlow's insurance broker" in summary
    text = (drafted / "work" / "runs" / "1" / "draft.txt").read_text(encoding="utf-8")
    assert "CASTELLAN-000977" not in text, "the Bates number that only our own earlier draft invented"
    assert "RTX" not in text


def test_both_seats_wrote_and_reviewed(drafted: Path) -> None:
    answers = ledger_rows(drafted, "select step, count(distinct provenance) from ledger group by step")
    assert dict(answers)["draft"] == 2, "two identities wrote"
    assert dict(answers)["adversary"] == 2, "two identities reviewed"


def test_the_document_opens_as_word_and_is_marked_as_ours(drafted: Path) -> None:
    path = drafted / "work" / "runs" / "1" / "draft.docx"
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert "lexforge-own-output:" in archive.read("docProps/core.xml").decode()
    text = "\n".join(block.text for block in read_docx(path).blocks)
    assert "Harlow Press, Inc." in text
    assert "Castellan" in text


def edited(source: Path, target: Path, replacements: dict[str, str], delete: str) -> None:
    """The document with words replaced in their runs, and the paragraph that holds `delete` emptied of its words."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "word/document.xml":
                xml = data.decode()
                for before, after in replacements.items():
                    assert before in xml, before
                    xml = xml.replace(before, after)
                start = xml.index(delete)
                paragraph = slice(xml.rindex("<w:p>", 0, start), xml.index("</w:p>", start) + len("</w:p>"))
                xml = xml[: paragraph.start] + xml[paragraph.stop :]
                data = xml.encode()
            new.writestr(item, data)


def test_the_attorneys_edits_become_corrections(drafted: Path, tmp_path: Path) -> None:
    path = tmp_path / "edited.docx"
    changes = {"gave an express warranty that": "gave a written warranty that", "CASTELLAN-000101": "CASTELLAN-000103"}
    edited(drafted / "work" / "runs" / "1" / "draft.docx", path, changes, "Bellweather cancelled its calendar")
    done = lexforge("import", path, "--matter", drafted)
    assert "2 replace, 0 insert, 1 delete" in done.stdout, done.stdout + done.stderr
    records = [json.loads(line) for line in lexforge("corrections", "export", "--matter", drafted).stdout.splitlines()]
    changed = {r["block"]: r for r in records if r["operation"] != "accept_unchanged"}
    assert {block: r["operation"] for block, r in changed.items()} == {"f1": "replace", "f2": "replace", "f8": "delete"}
    assert "a written warranty" in changed["f1"]["after"]
    assert "an express warranty" in changed["f1"]["before"]
    assert "CASTELLAN-000103" in changed["f2"]["after"]
    assert changed["f8"]["after"] is None
    assert len(records) > 15, "the blocks that were left alone are records too"
    assert all(r["train_ok"] is False for r in records)
    assert all(r["provenance"]["model"] and r["sources"] for r in records if r["block"] in ("f1", "f2", "a1"))


def test_a_mistyped_bates_number_in_the_edit_is_blocked(drafted: Path, tmp_path: Path) -> None:
    path = tmp_path / "mistyped.docx"
    edited(
        drafted / "work" / "runs" / "1" / "draft.docx", path, {"CASTELLAN-000101": "CASTELLAN-001001"}, "Bellweather"
    )
    done = lexforge("import", path, "--matter", drafted)
    assert done.returncode == 3
    assert "CASTELLAN" in done.stdout
    assert "001001" in done.stdout


SHORT_INTAKE = """\
## Facts

- Castellan's bench test showed that most laser modules lost color alignment after hours of warm operation.
- The field technician replaced the laser module at the plant, but he could not cure the color drift.

## Argument

- The elements of a claim for breach of express warranty are a written promise, a defect, notice, and a failure to cure.
"""


def test_kill_and_run_again(demo: Path, tmp_path: Path) -> None:
    (demo / "intake.md").write_text(SHORT_INTAKE, encoding="utf-8")
    undisturbed = Path(shutil.copytree(demo, tmp_path / "undisturbed" / demo.name))
    assert lexforge("draft", undisturbed).returncode == 0
    steps = "select key, output from ledger where step not like 'sitting%' order by seq"  # one of those a start
    total = len(ledger_rows(undisturbed, steps))
    for after in (3, 5):
        process = subprocess.Popen(
            [*RUN, "draft", str(demo)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        wait_for_entries(demo, after, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert not list((demo / "work").glob("runs/*"))
    kept = ledger_rows(demo, steps)
    done = lexforge("draft", demo)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = ledger_rows(demo, steps)
    assert rows[: len(kept)] == kept
    assert len(rows) == total, "a finished step ran twice"
    assert len({key for key, _ in rows}) == len(rows)
    texts = [(f / "work" / "runs" / "1" / "draft.txt").read_text(encoding="utf-8") for f in (demo, undisturbed)]
    assert texts[0] == texts[1]
    assert lexforge("ledger", "verify", demo).returncode == 0


def wait_for_entries(folder: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Until the ledger of a running draft has `count` entries."""
    for _ in range(6000):
        assert process.poll() is None, "the run ended before it could be killed"
        try:
            if ledger_rows(folder, "select count(*) from ledger")[0][0] >= count:  # type: ignore[operator]
                return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.05)
    pytest.fail("the run did not come so far")


def test_ctrl_c_stops_with_a_word_and_its_own_exit_code(demo: Path) -> None:
    process = subprocess.Popen(
        [*RUN, "draft", str(demo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_entries(demo, 1, process)  # type: ignore[arg-type]
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command again to go on" in told
    assert "Traceback" not in told


def test_no_engine_outlives_a_killed_run(demo: Path) -> None:
    process = subprocess.Popen([*RUN, "draft", str(demo)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_entries(demo, 2, process)  # the first is the bundle's; the second is a seat's
    children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    assert len(children) == 2
    process.kill()
    process.wait()
    for _ in range(200):
        if not any(is_running(pid) for pid in children):
            return
        time.sleep(0.05)
    pytest.fail("an engine still runs after its parent was killed")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not shutil.which("soffice"), reason="LibreOffice is not installed")
def test_libreoffice_opens_the_draft(drafted: Path, tmp_path: Path) -> None:
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "pdf"]
    subprocess.run(
        [*command, "--outdir", str(tmp_path), str(drafted / "work" / "runs" / "1" / "draft.docx")],
        check=True,
        capture_output=True,
        timeout=180,
    )
    from pypdf import PdfReader

    text = "\n".join(page.extract_text() for page in PdfReader(tmp_path / "draft.pdf").pages)
    assert "HARLOW PRESS" in text.upper()
    assert "Statement of Facts".upper() in text.upper()
