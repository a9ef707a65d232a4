"""What was read before: the text of files, and their hashes, so that what has not changed is not read again."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator

from sqlite_utils import Database


class Remembered:
    """A table of JSON bodies by key, compressed; it may be emptied at any time, and then everything is read again."""

    def __init__(self, db: Database, table: str, salt: str = "") -> None:
        self._db = db
        self._table = db.table(table)
        self._salt = salt

    def get(self, key: str) -> str | None:
        """What was kept under this key, or None."""
        rows = self._table.rows_where("key = ?", [self._salt + key], select="body")
        return next((zlib.decompress(row["body"]).decode() for row in rows), None)

    def put(self, key: str, body: str) -> None:
        """Keep a body in place of an earlier one."""
        with self._db.atomic():
            self._table.insert({"key": self._salt + key, "body": zlib.compress(body.encode(), 1)}, replace=True)

    def all(self) -> Iterator[tuple[str, str]]:
        """Every key with its body."""
        return ((str(row["key"]), zlib.decompress(row["body"]).decode()) for row in self._table.rows)

    def keep_only(self, keys: Collection[str]) -> None:
        """Forget everything else; what a client took back must not stay behind."""
        wanted = {self._salt + key for key in keys}
        with self._db.atomic():
            for row in list(self._table.rows_where(select="key")):
                if row["key"] not in wanted:
                    self._table.delete(row["key"])
