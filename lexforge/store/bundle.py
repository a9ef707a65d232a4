"""Sealed bundles, in tables a person can query with any SQLite tool."""

from __future__ import annotations

from collections.abc import Iterable

from sqlite_utils import Database

from lexforge.domain.evidence import Bundle


def seal(db: Database, bundle: Bundle) -> None:
    """Write the files and passages of a bundle in one transaction; sealing the same bundle again changes nothing."""
    sha256 = bundle.content_sha256
    with db.atomic():
        if db.table("bundles").count_where("sha256 = ?", [sha256]):
            db.table("bundles").insert({"sha256": sha256}, replace=True)  # with a new rowid, by which `last` goes
            return
        db.table("files").insert_all({"bundle": sha256, **file.model_dump(mode="json")} for file in bundle.files)
        db.table("passages").insert_all(
            {
                "bundle": sha256,
                "id": passage.id,
                "source": source.id,
                "path": source.path,
                "page": page.number,
                "bates": " ".join(page.bates),
                "text": passage.text,
                "derived_from": passage.derived_from,
                "place": passage.place,
                "copy_of": source.copy_of,
            }
            for source in bundle.sources
            for page in source.pages
            for passage in page.passages
        )
        db.table("notices").insert_all(
            {"bundle": sha256, "position": position, **notice.model_dump(mode="json")}
            for position, notice in enumerate(bundle.notices)
        )
        db.table("bundles").insert({"sha256": sha256})


def last(db: Database, count: int) -> list[str]:
    """The bundles sealed last, the newest first."""
    return [str(row["sha256"]) for row in db.table("bundles").rows_where(order_by="rowid desc", limit=count)]


def files_of(db: Database, bundles: Iterable[str]) -> dict[str, str]:
    """Path to hash of every file that was taken into one of these bundles."""
    wanted = list(bundles)
    marks = ", ".join("?" * len(wanted))
    rows = db.table("files").rows_where(
        f"bundle in ({marks}) and fate in ('ingested', 'duplicate')", wanted, select="path, sha256_file"
    )
    return {str(row["path"]): str(row["sha256_file"]) for row in rows}


class Screens:
    """What the machine's register said of a bundle, so that it is asked again only when it has grown."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def find(self, bundle: str, register: str) -> str | None:
        """The answer for this bundle while the register had this head."""
        kept = self._db.table("screens").rows_where("bundle = ? and register = ?", [bundle, register], select="body")
        return next((str(row["body"]) for row in kept), None)

    def keep(self, bundle: str, register: str, body: str) -> None:
        """Remember an answer, in place of the one for an earlier head."""
        with self._db.atomic():
            self._db.table("screens").delete_where("bundle = ?", [bundle])
            self._db.table("screens").insert({"bundle": bundle, "register": register, "body": body})
