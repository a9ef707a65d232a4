"""The steps that turn a matter's folder into its bundle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from sqlite_utils import Database

from graphs import own_output
from graphs.keys import code_sha256, key_of
from lexforge.domain.account import Account
from lexforge.domain.draft import Draft
from lexforge.domain.evidence import Bundle, Fate, FileRecord, Notice
from lexforge.domain.record import sha256_of
from lexforge.ingest import workers
from lexforge.ingest.bundle import ingest
from lexforge.ingest.folder import PASSING, Means, reading_key
from lexforge.ingest.listing import Known, Listing, listing
from lexforge.ingest.own_output import Admission, set_apart
from lexforge.ingest.picture import tesseract
from lexforge.store import bundle as bundles
from lexforge.store import register
from lexforge.store.folder import Matter
from lexforge.store.ledger import Ledger, StepKey
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
    again: bool = False

    def ingest(self, listed: Listing) -> Bundle:
        """Seal the listed files, without what the register or this matter's ledger knows to be our own.

        The keys hold only what is known of the listed files: another draft registered elsewhere changes nothing here.
        """
        whole, known, admitted = self._key(listed)
        key = self._attempt(whole)
        done = 0

        def report(path: str) -> None:
            nonlocal done
            done += 1
            self.progress("read", done, len(listed.files))

        salt = f"{readers_sha256()}:{code_sha256()}:"
        readings = Remembered(self.db, "readings", salt)
        means = Means(executor=self.executor, cache=readings)
        read = partial(ingest, self.matter.path, listed, known, report, admitted, means=means)
        bundle = self._set_apart(self.ledger.step(key, Bundle, read))
        bundles.seal(self.db, bundle)
        readings.keep_only([reading_key(file) for file in listed.files])
        accounts = Remembered(self.db, "accounts")
        name = self._account(whole)
        accounts.put(name, Account.of(bundle).model_dump_json())
        accounts.keep_only([name])
        return bundle

    def unchanged(self, listed: Listing) -> Account | None:
        """The account of the bundle that was sealed last, when nothing it depends on has changed since; else None."""
        key, _, _ = self._key(listed)
        kept = Remembered(self.db, "accounts").get(self._account(key))
        account = None if kept is None else Account.model_validate_json(kept)
        return None if account is None or _failed_for_now(account.files) else account

    def _attempt(self, key: StepKey) -> StepKey:
        """The key of the last attempt at this folder; of a new one, with `again`, when that failed for now only.

        What the machine could not read once (out of time, out of memory) may be read the next time; a draft stays with
        what it was told.
        """
        last, number = key, 0
        while self.ledger.find(following := _numbered(key, number + 1)) is not None:
            last, number = following, number + 1
        done = self.ledger.find(last)
        if self.again and done is not None and _failed_for_now(self.ledger.artifact(done, Bundle).files):
            return _numbered(key, number + 1)
        return last

    def _key(self, listed: Listing) -> tuple[StepKey, frozenset[str], dict[str, str]]:
        """The key of ingest, the hashes of listed files that are known to be ours, and those that were admitted."""
        own_output.registered_again(self.ledger, self.matter)
        hashes = frozenset(f.sha256_file for f in listed.files if f.sha256_file)
        known = own_output.known_files(hashes, self.ledger)
        admitted = own_output.admissions(hashes, self.ledger)
        key = key_of(
            "ingest",
            listing=listed.content_sha256,
            known=sha256_of(sorted(known)),
            admitted=sha256_of(admitted),
            readers=readers_sha256(),
        )
        return key, known, admitted

    def _account(self, key: StepKey) -> str:
        """What an account depends on: the key of ingest, and all that the machine's register knows."""
        with register.opened() as known:
            return f"{key.content_sha256}:{known.head}"

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

    def vanished(self, files: Sequence[FileRecord]) -> tuple[Notice, ...]:
        """The files that an earlier draft, or the last bundle, relied on, and that are gone from where they were."""
        drafts = (self.ledger.artifact(sha256, Draft) for sha256 in self.ledger.outputs("assemble"))
        before = bundles.files_of(self.db, {*(draft.bundle for draft in drafts), *bundles.last(self.db, 2)})
        now = {file.path for file in files}
        moved = {file.sha256_file: file.path for file in files}
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


def _numbered(key: StepKey, attempt: int) -> StepKey:
    return key.model_copy(update={"inputs": {**key.inputs, "attempt": attempt}})


def _failed_for_now(files: Sequence[FileRecord]) -> bool:
    return any(file.fate is Fate.FAILED and file.reason in PASSING for file in files)


def _vanished(path: str, moved: str | None) -> str:
    if moved is not None:
        return f"{path} is now {moved}; what was drafted from it stands."
    return f"{path} was in an earlier bundle and is gone. Put it back, or check every draft that relied on it."


def readers_sha256() -> str:
    """Hash over the libraries and programs that decide the text of a file."""
    return sha256_of([*workers.versions(), ("ocr", tesseract.available() or "absent")])
