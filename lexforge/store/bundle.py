"""Sealed bundles, in tables a person can query with any SQLite tool."""

from __future__ import annotations

from sqlite_utils import Database

from lexforge.domain.evidence import Bundle


def seal(db: Database, bundle: Bundle) -> None:
    """Write the files and passages of a bundle in one transaction; sealing the same bundle again changes nothing."""
    sha256 = bundle.content_sha256
    with db.atomic():
        if db.table("bundles").count_where("sha256 = ?", [sha256]):
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
            }
            for source in bundle.sources
            for page in source.pages
            for passage in page.passages
        )
        db.table("bundles").insert({"sha256": sha256})
