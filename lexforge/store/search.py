"""Full-text search over the passages of one bundle, by SQLite's FTS5.

The index holds words as the caller folded them, and Bates numbers in a column of their own. Every term of a query is
quoted, because FTS5 reads `-`, `'`, `(` and words such as NEAR as operators (sqlite.org/fts5.html, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from sqlite_utils import Database


class Entry(NamedTuple):
    """What is indexed of a passage: folded words and numbers, both without anything but letters and digits in them."""

    id: str
    words: Iterable[str]
    numbers: Iterable[str]


class PassageSearch:
    """An index of passages, called `name`, made when the database holds none under that name with this `key`.

    The key is a hash of what is indexed. `size` is the number of passages.
    """

    def __init__(self, db: Database, name: str, key: str, entries: Callable[[], Iterable[Entry]]) -> None:
        self._db = db
        self._table, self._terms = f"search_{name}", f"search_{name}_terms"
        db.execute("CREATE TABLE IF NOT EXISTS searches (name TEXT PRIMARY KEY, key TEXT, passages INTEGER)")
        if not db.table("searches").count_where("name = ? and key = ?", [name, key]):
            self._make(name, key, entries())
        self.size = int(next(db.query("SELECT passages FROM searches WHERE name = ?", [name]))["passages"])

    def _make(self, name: str, key: str, entries: Iterable[Entry]) -> None:
        rows = [(entry.id, " ".join(entry.words), " ".join(entry.numbers)) for entry in entries]
        with self._db.atomic():
            for table in (self._terms, self._table):
                self._db.execute(f"DROP TABLE IF EXISTS {table}")
            self._db.execute(
                f"CREATE VIRTUAL TABLE {self._table} USING fts5 (id UNINDEXED, words, bates, tokenize = 'unicode61')"
            )
            self._db.execute(f"CREATE VIRTUAL TABLE {self._terms} USING fts5vocab ({self._table}, col)")
            self._db.conn.executemany(f"INSERT INTO {self._table} (id, words, bates) VALUES (?, ?, ?)", rows)  # noqa: S608
            self._db.table("searches").insert({"name": name, "key": key, "passages": len(rows)}, replace=True)

    def find(self, words: Iterable[str], numbers: Iterable[str] = (), most: int = 200) -> list[str]:
        """Ids of the passages that hold any of the words or bear any of the numbers, the best by BM25 first."""
        query = " OR ".join([*(f'words : "{_plain(w)}"' for w in words), *(f'bates : "{_plain(n)}"' for n in numbers)])
        if not query:
            return []
        rows = self._db.query(
            f"SELECT id FROM {self._table} WHERE {self._table} MATCH ? ORDER BY rank, rowid LIMIT ?",  # noqa: S608
            [query, most],
        )
        return [str(row["id"]) for row in rows]

    def count(self, word: str) -> int:
        """How many passages hold this word."""
        rows = self._db.query(f"SELECT doc FROM {self._terms} WHERE term = ? AND col = 'words'", [word])  # noqa: S608
        return next((int(row["doc"]) for row in rows), 0)


def _plain(term: str) -> str:
    return term.replace('"', '""')


Opener = Callable[[str, str, Callable[[], Iterable[Entry]]], PassageSearch]
"""What opens the index of this name and key, making it from the entries when need be."""


def in_memory(name: str, key: str, entries: Callable[[], Iterable[Entry]]) -> PassageSearch:
    """An index that is gone with the process."""
    return PassageSearch(Database(memory=True), name, key, entries)


def kept_in(db: Database) -> Opener:
    """Indexes that stay in this database."""
    return partial(PassageSearch, db)
