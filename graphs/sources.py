"""The steps that turn a matter's folder into its bundle."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from sqlite_utils import Database

from graphs import own_output
from graphs.keys import code_sha256, key_of
from lexforge.domain.draft import Draft
from lexforge.domain.evidence import Bundle, Notice
from lexforge.domain.record import sha256_of
from lexforge.ingest import workers
from lexforge.ingest.bundle import ingest
from lexforge.ingest.folder import Means
from lexforge.ingest.listing import Known, Listing, listing
from lexforge.ingest.own_output import Admission, set_apart
from lexforge.ingest.picture import tesseract
from lexforge.store import bundle as bundles
from lexforge.store.folder import Matter
from lexforge.store.ledger import Ledger
from lexforge.store.readings import Remembered

Progress = Callable[[str, int, int], None]
"""Called with the stage, how many parts of it are done, and how many there are."""


def silent(stage: str, done: int, total: int) -> None:
    """Report nothing."""


@dataclass
class SourceSteps:
    """What these steps work on."""

    matter: Matter
    db: Database
    ledger: Ledger
    progress: Progress = silent
    executor: Executor | None = None

    def ingest(self, listed: Listing) -> Bundle:
        """Seal the listed files, without what the register or this matter's ledger knows to be our own.

        The keys hold only what is known of the listed files: another draft registered elsewhere changes nothing here.
        """
        own_output.registered_again(self.ledger, self.matter)
        hashes = frozenset(f.sha256_file for f in listed.files if f.sha256_file)
        known = own_output.known_files(hashes, self.ledger)
        admitted = own_output.admissions(hashes, self.ledger)
        done = 0

        def report(path: str) -> None:
            nonlocal done
            done += 1
            self.progress("read", done, len(listed.files))

        readers = readers_sha256()
        key = key_of(
            "ingest",
            listing=listed.content_sha256,
            known=sha256_of(sorted(known)),
            admitted=sha256_of(admitted),
            readers=readers,
        )
        means = Means(executor=self.executor, cache=Remembered(self.db, "readings", f"{readers}:{code_sha256()}:"))
        read = partial(ingest, self.matter.path, listed, known, report, admitted, means=means)
        bundle = self._set_apart(self.ledger.step(key, Bundle, read))
        bundles.seal(self.db, bundle)
        return bundle

    def listed(self) -> Listing:
        """What lies in the matter's folder now; only what has changed is hashed again."""
        hashes = Remembered(self.db, "hashes")
        known = {path: Known.model_validate_json(body) for path, body in hashes.all()}
        learned: dict[str, Known] = {}
        found = listing(self.matter.path, known, learned.__setitem__, partial(self.progress, "hash"))
        for path, new in learned.items():
            hashes.put(path, new.model_dump_json())
        hashes.keep_only([file.path for file in found.files])
        return found

    def vanished(self, bundle: Bundle) -> tuple[Notice, ...]:
        """The files that an earlier draft, or the last bundle, relied on, and that are gone from where they were."""
        drafts = (self.ledger.artifact(sha256, Draft) for sha256 in self.ledger.outputs("assemble"))
        before = bundles.files_of(self.db, {*(draft.bundle for draft in drafts), *bundles.last(self.db, 2)})
        now = {file.path for file in bundle.files}
        moved = {file.sha256_file: file.path for file in bundle.files}
        return tuple(
            Notice(path=path, code="vanished", message=_vanished(path, moved.get(sha256)))
            for path, sha256 in sorted(before.items())
            if path not in now
        )

    def _set_apart(self, bundle: Bundle) -> Bundle:
        hits = own_output.hits(bundles.Screens(self.db), bundle)
        if not hits.prints:
            return bundle
        key = key_of("own_output", bundle=bundle.content_sha256, hits=hits.content_sha256)
        return self.ledger.step(key, Bundle, lambda: set_apart(bundle, hits))

    def admit(self, sha256_file: str, reason: str) -> None:
        """Keep the attorney's decision that a filed paper is procedural record."""
        admission = Admission(sha256_file=sha256_file, reason=reason)
        self.ledger.step(key_of("admit", admission=admission.content_sha256), Admission, lambda: admission)


def _vanished(path: str, moved: str | None) -> str:
    if moved is not None:
        return f"{path} is now {moved}; what was drafted from it stands."
    return f"{path} was in an earlier bundle and is gone. Put it back, or check every draft that relied on it."


def readers_sha256() -> str:
    """Hash over the libraries and programs that decide the text of a file."""
    return sha256_of([*workers.versions(), ("ocr", tesseract.available() or "absent")])
