"""The ledger: an append-only, hash-chained record of artifacts and of the steps that made them.

It is the memory of a matter. A step is looked up by its key, the hash of everything that decides its result; a stopped
run goes on from here, and two models' results cannot be mixed, because they have different keys.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlite_utils import Database
from sqlite_utils.db import NotFoundError

from lexforge.domain.record import Record, canonical_json, sha256_of
from lexforge.errors import LedgerBroken

Artifact = TypeVar("Artifact", bound=Record)
GENESIS = "0" * 64
_CHAINED = ("seq", "previous", "key", "step", "inputs", "output", "provenance", "at")


class StepKey(Record):
    """All that decides the result of a step.

    `inputs` are content hashes or short scalars by name; `template` the hash of the prompt template, `identity` the
    fingerprint of the model, `sampling` the hash of its parameters; the last three are None for steps without a model.
    """

    step: str
    inputs: dict[str, str | int]
    template: str | None = None
    identity: str | None = None
    sampling: str | None = None


class Ledger:
    """The ledger of one matter, over an open database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.ran = 0
        self.reused = 0

    def step(self, key: StepKey, kind: type[Artifact], compute: Callable[[], Artifact]) -> Artifact:
        """The result of a step: from the ledger when it is there, else computed and recorded in one transaction."""
        done = self.find(key)
        if done is not None:
            self.reused += 1
            return self.artifact(done, kind)
        result = compute()
        self.record(key, result)
        self.ran += 1
        return result

    def find(self, key: StepKey) -> str | None:
        """Hash of the artifact a step with this key made, or None when it never ran."""
        rows = list(self._db.table("ledger").rows_where("key = ?", [key.content_sha256], select="output", limit=1))
        return str(rows[0]["output"]) if rows else None

    def record(self, key: StepKey, result: Record) -> str:
        """Append one entry and its artifact; the hash of the artifact."""
        body = canonical_json(result.model_dump(mode="json"))
        output = sha256_of(body.encode())
        with self._db.atomic():
            self._db.table("artifacts").insert(
                {"sha256": output, "kind": type(result).__name__, "body": body}, ignore=True
            )
            seq, previous = self.head()
            entry: dict[str, Any] = {
                "seq": seq + 1,
                "previous": previous,
                "key": key.content_sha256,
                "step": key.step,
                "inputs": canonical_json(key.inputs),
                "output": output,
                "provenance": canonical_json([key.template, key.identity, key.sampling]),
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            }
            self._db.table("ledger").insert({**entry, "hash": sha256_of(entry)})
        return output

    def artifact(self, sha256: str, kind: type[Artifact]) -> Artifact:
        """An artifact by its hash; LedgerBroken when it is missing or is not what its hash says."""
        try:
            row = self._db.table("artifacts").get(sha256)
        except NotFoundError:
            raise _broken(f"artifact {sha256[:16]} is missing") from None
        if sha256_of(row["body"].encode()) != sha256:
            raise _broken(f"artifact {sha256[:16]} was changed")
        artifact = kind.model_validate_json(row["body"])
        artifact.__dict__["content_sha256"] = sha256  # what was just verified need not be computed again
        return artifact

    def head(self) -> tuple[int, str]:
        """Number and hash of the last entry; (0, 64 zeros) for an empty ledger."""
        rows = list(self._db.table("ledger").rows_where(order_by="seq desc", limit=1, select="seq, hash"))
        return (int(rows[0]["seq"]), str(rows[0]["hash"])) if rows else (0, GENESIS)

    def outputs(self, step: str) -> list[str]:
        """Artifact hashes that this step has made, oldest first."""
        rows = self._db.table("ledger").rows_where("step = ?", [step], select="output", order_by="seq")
        return [str(row["output"]) for row in rows]

    def verify(self) -> int:
        """Recompute the whole chain; the number of entries, or LedgerBroken naming the first that is wrong."""
        previous, seq = GENESIS, 0
        for row in self._db.table("ledger").rows_where(order_by="seq"):
            seq += 1
            entry = {name: row[name] for name in _CHAINED}
            if row["seq"] != seq or row["previous"] != previous or row["hash"] != sha256_of(entry):
                raise _broken(f"entry {row['seq']} ({row['step']}) does not follow from the one before it")
            previous = row["hash"]
        for row in self._db.table("artifacts").rows:
            if sha256_of(row["body"].encode()) != row["sha256"]:
                raise _broken(f"artifact {row['sha256'][:16]} was changed")
        self._verify_outputs()
        return seq

    def _verify_outputs(self) -> None:
        missing = self._db.query("select step, output from ledger where output not in (select sha256 from artifacts)")
        for row in missing:
            raise _broken(f"artifact {row['output'][:16]} of step {row['step']} is missing")

    def steps(self) -> dict[str, int]:
        """How many entries each step has."""
        return {
            row["step"]: row["n"]
            for row in self._db.query("select step, count(*) as n from ledger group by step order by min(seq)")
        }


def _broken(what: str) -> LedgerBroken:
    return LedgerBroken(
        f"The ledger does not verify: {what}.",
        "Somebody or something changed matter.db. Restore it from a backup; drafts made since cannot be traced.",
    )
