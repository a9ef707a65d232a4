"""`lexforge ingest` stopped at any moment: the next run goes on, ends as if nothing had happened, and nothing stays."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.conftest import MATTER_TOML
from tests.ingest.test_child import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")

RUN = [sys.executable, "-c", "from lexforge.cli.main import main; main()"]
KILLS = int(os.environ.get("LEXFORGE_KILLS", "4"))
"""How many moments are tried; twenty take a minute and a half."""
MOMENTS = [random.Random(number).uniform(0.4, 1.0) for number in range(KILLS)]  # noqa: S311 - before, it imports
MARK = "LEXFORGE_TEST_RUN"


def write_text(path: Path, number: int) -> None:
    path.with_suffix(".txt").write_text(f"Sack {number} was wet.\n" * 50, encoding="utf-8")


def write_pdf(path: Path, number: int) -> None:
    canvas = Canvas(str(path.with_suffix(".pdf")), invariant=1)
    for page in range(20):
        canvas.drawString(72, 700, f"Invoice {number} for the flour, on sheet {page}.")
        canvas.drawString(480, 30, f"QUILL-{20 * number + page:06}")
        canvas.showPage()
    canvas.save()


def write_docx(path: Path, number: int) -> None:
    document = docx.Document()
    document.add_paragraph(f"Note {number} on the flour that was grey.")
    document.save(str(path.with_suffix(".docx")))


def write_mail(path: Path, number: int) -> None:
    head = f"From: a@quillfeather.example\nTo: b@basalt.example\nSubject: Sack {number}\nMessage-ID: <{number}@x>\n"
    path.with_suffix(".eml").write_text(f"{head}\nThe sack with the number {number} is still wet.\n", encoding="utf-8")


def write_zip(path: Path, number: int) -> None:
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as package:
        for n in range(20):
            package.writestr(zipfile.ZipInfo(f"{n}.txt"), f"Slip {n} of sack {number} was signed.")


def write_broken(path: Path, number: int) -> None:
    path.with_suffix(".pdf").write_bytes(b"%PDF-1.7\n" + bytes(number))


MAKERS: list[Callable[[Path, int], None]] = [write_text, write_pdf, write_docx, write_mail, write_zip, write_broken]
FILES = 60


def filled(folder: Path) -> Path:
    """A matter of sixty files of six kinds; the same each time, as its hash must be."""
    (folder / "evidence").mkdir(parents=True)
    (folder / "matter.toml").write_text(MATTER_TOML, encoding="utf-8")
    for number in range(FILES):
        MAKERS[number % len(MAKERS)](folder / "evidence" / f"file {number}", number)
    return folder


class Ended(NamedTuple):
    """How a run ended: what it printed, and how long it took."""

    out: str
    seconds: float

    @property
    def bundle(self) -> str:
        return self.out.splitlines()[-1]


def ingested(matter: Path) -> Ended:
    began = time.monotonic()
    done = subprocess.run([*RUN, "ingest", str(matter)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return Ended(done.stdout, time.monotonic() - began)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The matter, and how a run ends that nobody disturbs; what it left is put aside."""
    matter = filled(tmp_path_factory.mktemp("matters") / "orchard")
    ended = ingested(matter)
    (matter / "work").rename(matter.parent / "undisturbed")
    return matter, ended


@pytest.fixture
def matter(made: tuple[Path, Ended]) -> Path:
    """The matter as it was before anything ran."""
    left = made[0] / "work"
    if left.exists():
        left.rename(made[0].parent / uuid.uuid4().hex)
    return made[0]


def started(matter: Path, mark: str) -> subprocess.Popen[str]:
    """A run in a session of its own, whose every process carries the mark."""
    return subprocess.Popen(
        [*RUN, "ingest", str(matter)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, MARK: mark},
    )


def marked(mark: str) -> set[int]:
    """Every process with this mark in its environment, and that still runs."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():  # a zombie's is empty
                found.add(int(entry.name))
    return found


def readings(matter: Path) -> int:
    """How many readings are kept."""
    with suppress(sqlite3.OperationalError), closing(database(matter)) as db:
        return int(db.execute("select count(*) from readings").fetchone()[0])
    return 0


def database(matter: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{matter}/work/matter.db?mode=ro", uri=True)


def assert_whole(matter: Path, ended: Ended, undisturbed: Ended) -> None:
    """The next run ended as the undisturbed one, and left no more than that did."""
    assert ended.bundle == undisturbed.bundle
    # A run that was killed after it had sealed everything leaves nothing to do.
    assert ended.out.removeprefix("Nothing has changed since the last time.\n") == undisturbed.out
    kept = {path.name for path in (matter / "work").iterdir()}
    assert kept == {path.name for path in (matter.parent / "undisturbed").iterdir()}
    with closing(database(matter)) as db:
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert db.execute("select count(*) from bundles").fetchone() == (1,)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_costs_nothing_but_time(moment: float, matter: Path, made: tuple[Path, Ended]) -> None:
    undisturbed, mark = made[1], uuid.uuid4().hex
    with started(matter, mark) as run:
        with suppress(subprocess.TimeoutExpired):
            run.wait(moment * undisturbed.seconds)
        run.kill()
    until(lambda: not marked(mark))
    assert_whole(matter, ingested(matter), undisturbed)


def test_ctrl_c_says_so_and_the_next_run_goes_on(matter: Path, made: tuple[Path, Ended]) -> None:
    mark = uuid.uuid4().hex
    with started(matter, mark) as run:
        until(lambda: readings(matter) > 0 or run.poll() is not None)
        os.killpg(run.pid, signal.SIGINT)
        _, told = run.communicate(timeout=60)
    assert run.returncode == 130, told
    assert "run the same command again to go on" in told
    assert "Traceback" not in told
    until(lambda: not marked(mark))
    assert 0 < readings(matter) < FILES
    assert_whole(matter, ingested(matter), made[1])


def test_the_ledger_of_a_killed_run_can_be_verified(matter: Path) -> None:
    with started(matter, "verified") as run:
        until(lambda: readings(matter) > 0 or run.poll() is not None)
        run.kill()
    ingested(matter)
    done = subprocess.run([*RUN, "ledger", "verify", str(matter)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
