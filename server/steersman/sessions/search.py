"""Full-text search over a store (DESIGN S5): FTS5 where this SQLite has it, a scan where it has not.

The index is brought up to date at the end of a run and when somebody searches, so that recording a message costs
nothing more; it points at the messages and holds no copy of them. It may be missing, stale or built by another program
version: never an error.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from steersman.agent.errors import StorageError
from steersman.sessions.database import Database
from steersman.sessions.failures import DAMAGED_CODES, primary_code
from steersman.sessions.history import read_segments
from steersman.sessions.records import SearchHit, SessionRecord
from steersman.sessions.segments import Segments, is_inside
from steersman.sessions.terms import Terms, fold, holds_all, matching_line, parse_terms

_BATCH = 500
_BATCH_CHARS = 1_000_000
_MERGED_PAGES = 300
_MAX_MATCHES = 20_000
_TITLE_BONUS = 100.0
_WEIGHTS = {"user": 1.5, "assistant": 1.2, "tool": 0.8}
_MOST_WEIGHT = 1.5
_LOOK_EVERY = 100
_SECURE_DELETE_SINCE = (3, 42, 0)


@dataclass(slots=True)
class _Found:
    """A match, or the best one of a session so far. ``at_most``: no later match has a higher rank."""

    key: int
    seq: int | None
    role: str
    rank: float
    at_most: float
    line: str = ""


def search_sessions(
    database: Database, text: str, limit: int | None, to_record: Callable[[int], SessionRecord | None]
) -> list[SearchHit]:
    """Return the sessions in which all terms are found, best first.

    Args:
        database: the store's.
        text: what a person typed; without a term nothing is found.
        limit: at most so many.
        to_record: gives the record of a session's key, None when it is gone.
    """
    terms = parse_terms(text)
    if not terms.words:
        return []
    indexed = terms.has_words and _try_index(database)
    with database.reading() as connection:
        matches = _indexed(connection, terms) if indexed else _scanned(connection, terms)
        found = _best_of(connection, matches, limit)
        _add_titles(connection, terms, found)
        best = sorted(found.values(), key=lambda each: each.rank, reverse=True)[:limit]
        for each in best:
            each.line = each.line or _line_of(connection, each, terms)
    hits = [(to_record(each.key), each) for each in best]
    return [SearchHit(record, each.seq, each.role, each.line, each.rank) for record, each in hits if record]


def update_index(database: Database, *, max_chars: int | None = None) -> bool:
    """Add to the index what was recorded since; about ``max_chars`` of it. Return False without FTS5."""
    with database.reading() as connection:
        if _is_fresh(connection):
            return True
    with database.writing() as connection:
        if not _make_index(connection):
            return False
    left = max_chars
    while left is None or left > 0:
        with database.writing() as connection:
            last, chars = _next_batch(connection, _BATCH_CHARS if left is None else left)
            if last is None:
                break
            connection.execute(
                "INSERT INTO message_index (rowid, content, words)"
                " SELECT id, content, words FROM message WHERE id > ? AND id <= ?",
                (_indexed_upto(connection), last),
            )
            _set_meta(connection, "indexed_upto", str(last))
        left = None if left is None else left - chars
    return True


def _next_batch(connection: sqlite3.Connection, max_chars: int) -> tuple[int | None, int]:
    """Return the last message to index now, and how long they are: little enough to keep no writer waiting."""
    rows = connection.execute(
        "SELECT id, length(content) + length(coalesce(words, '')) FROM message WHERE id > ? ORDER BY id LIMIT ?",
        (_indexed_upto(connection), _BATCH),
    )
    last, chars = None, 0
    for message_id, length in rows:
        last, chars = message_id, chars + length
        if chars >= max_chars:
            rows.close()
            break
    return last, chars


def _try_index(database: Database) -> bool:
    """Bring the index up to date; False where it cannot be written or read: then the messages are looked through."""
    try:
        return update_index(database)
    except StorageError:
        return False


def _is_fresh(connection: sqlite3.Connection) -> bool:
    if not _has_index(connection) or _meta(connection, "index_is_stale") == "1":
        return False
    last = connection.execute("SELECT coalesce(max(id), 0) FROM message").fetchone()[0]
    try:
        connection.execute("SELECT 1 FROM message_index LIMIT 0")
    except sqlite3.OperationalError:  # made by a SQLite that has FTS5, and this one has not
        return False
    return last <= _indexed_upto(connection)


def mend_index(database: Database) -> bool:
    """Compare the index with the messages; return True when it was wrong, and let the next search build it anew."""
    if not _try_index(database):
        return False
    with database.writing() as connection:
        try:
            connection.execute("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            if primary_code(error) not in DAMAGED_CODES:
                raise
            _set_meta(connection, "index_is_stale", "1")
            return True
    return False


def forget_in_index(connection: sqlite3.Connection, key: int) -> None:
    """Take a session's messages out of the index, before they are deleted in the same transaction."""
    if not _has_index(connection):
        return
    try:
        connection.execute(
            "INSERT INTO message_index (message_index, rowid, content, words)"
            " SELECT 'delete', id, content, words FROM message WHERE session = ? AND id <= ?",
            (key, _indexed_upto(connection)),
        )
    except sqlite3.OperationalError:  # made by a SQLite that has FTS5, and this one has not
        _set_meta(connection, "index_is_stale", "1")


def compact_index(database: Database) -> None:
    """Merge the index into one piece where only that takes deleted words out of it (before SQLite 3.42).

    In small steps, between which others may write.
    """
    if sqlite3.sqlite_version_info >= _SECURE_DELETE_SINCE:
        return
    pages, is_done = -_MERGED_PAGES, False  # the first step, by its sign, begins a merge of everything
    while not is_done:
        with database.writing() as connection:
            if not _has_index(connection):
                return
            before = connection.total_changes
            try:
                connection.execute("INSERT INTO message_index (message_index, rank) VALUES ('merge', ?)", (pages,))
            except sqlite3.OperationalError:  # made by a SQLite that has FTS5, and this one has not
                return
            is_done = connection.total_changes - before < 2
        pages = _MERGED_PAGES


def _make_index(connection: sqlite3.Connection) -> bool:
    """Make sure that there is a sound index; False when this SQLite has no FTS5."""
    try:
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS message_index USING fts5"
            " (content, words, content='message', content_rowid='id', tokenize='unicode61 remove_diacritics 2')"
        )
        if sqlite3.sqlite_version_info >= _SECURE_DELETE_SINCE:
            connection.execute("INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1)")
        if _meta(connection, "index_is_stale") == "1":
            connection.execute("INSERT INTO message_index (message_index) VALUES ('rebuild')")
            last = connection.execute("SELECT coalesce(max(id), 0) FROM message").fetchone()[0]
            _set_meta(connection, "indexed_upto", str(last))
            _set_meta(connection, "index_is_stale", "0")
    except sqlite3.OperationalError as error:
        if "no such module" in str(error):
            return False
        raise
    return True


def _has_index(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'message_index'").fetchone() is not None


def _indexed(connection: sqlite3.Connection, terms: Terms) -> Iterator[_Found]:
    """Yield matches, those with the best words first; each is read only when it is wanted."""
    rows = connection.execute(
        "SELECT m.session, m.seq, m.role, -message_index.rank FROM message_index JOIN message m"
        " ON m.id = message_index.rowid WHERE message_index MATCH ? ORDER BY message_index.rank LIMIT ?",
        (terms.match_expression(), _MAX_MATCHES),
    )
    return (_Found(key, seq, role, rank * _WEIGHTS[role], rank * _MOST_WEIGHT) for key, seq, role, rank in rows)


def _scanned(connection: sqlite3.Connection, terms: Terms) -> Iterator[_Found]:
    """Look through every message, the latest first."""
    patterns = terms.like_patterns()
    condition = " AND ".join([r"(content LIKE ? ESCAPE '\' OR words LIKE ? ESCAPE '\')"] * len(patterns))
    rows = connection.execute(
        f"SELECT session, seq, role FROM message WHERE {condition} ORDER BY id DESC LIMIT ?",
        (*(pattern for each in patterns for pattern in (each, each)), _MAX_MATCHES),
    )
    for place, (key, seq, role) in enumerate(rows):
        rank = 1 / (1 + place / 1000)
        yield _Found(key, seq, role, rank * _WEIGHTS[role], rank * _MOST_WEIGHT)


def _best_of(connection: sqlite3.Connection, matches: Iterable[_Found], limit: int | None) -> dict[int, _Found]:
    """Return the best match a session, of messages that still belong to its conversation.

    With a limit it reads on only while another session might still be among the best ones.
    """
    best: dict[int, _Found] = {}
    spans: dict[int, Segments] = {}
    for number, match in enumerate(matches):
        if limit is not None and number % _LOOK_EVERY == 0 and _is_settled(best, limit, match.at_most):
            break
        if match.key not in spans:
            spans[match.key] = read_segments(connection, match.key)
        if match.seq is not None and not is_inside(spans[match.key], match.seq):
            continue
        known = best.get(match.key)
        if known is None:
            best[match.key] = match
            continue
        if match.rank > known.rank:
            known.seq, known.role, known.rank = match.seq, match.role, match.rank
    return best


def _is_settled(best: dict[int, _Found], limit: int, at_most: float) -> bool:
    """Say whether nothing of this rank or a lower one can change which sessions are the best."""
    if not limit or len(best) < limit:
        return not limit
    return sorted((each.rank for each in best.values()), reverse=True)[limit - 1] > at_most


def _add_titles(connection: sqlite3.Connection, terms: Terms, found: dict[int, _Found]) -> None:
    """Put sessions whose title holds all terms before the others."""
    for key, title in connection.execute("SELECT key, title FROM session ORDER BY activity DESC"):
        if not holds_all(title, terms):
            continue
        known = found.get(key)
        rank = _TITLE_BONUS + (known.rank if known else 0)
        found[key] = _Found(key, None, "title", rank, rank, title)


def _line_of(connection: sqlite3.Connection, found: _Found, terms: Terms) -> str:
    row = connection.execute(
        "SELECT content, coalesce(words, '') FROM message WHERE session = ? AND seq = ?", (found.key, found.seq)
    ).fetchone()
    content, words = row
    lines = [line for line in (matching_line(content, terms), matching_line(words, terms)) if line]
    return max(lines, key=lambda line: sum(fold(word) in fold(line) for word in terms.words), default="")


def _indexed_upto(connection: sqlite3.Connection) -> int:
    return int(_meta(connection, "indexed_upto") or 0)


def _meta(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def _set_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )
