"""Contents of files as the store keeps them: each once, compressed, named by its SHA-256 (DESIGN S7)."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from steersman.sessions.failures import damage

_LEVEL = 3  # source code halves at any level; the higher ones cost several times the time


@dataclass(frozen=True, slots=True)
class Blob:
    """Content that is ready to be stored; ``size`` in bytes, uncompressed."""

    digest: str
    size: int
    data: bytes


def make_blob(content: bytes) -> Blob:
    """Compress the content. Slow for megabytes; belongs in a thread then."""
    return Blob(hashlib.sha256(content).hexdigest(), len(content), zlib.compress(content, _LEVEL))


def keep_blobs(connection: sqlite3.Connection, blobs: Iterable[Blob]) -> None:
    """Store what is not there yet."""
    connection.executemany(
        "INSERT OR IGNORE INTO blob (digest, size, data) VALUES (?, ?, ?)",
        ((blob.digest, blob.size, blob.data) for blob in blobs),
    )


def read_blob(connection: sqlite3.Connection, digest: str) -> bytes:
    """Return the content; raise ``sqlite3.DatabaseError`` when it is missing or not what its name says."""
    row = connection.execute("SELECT data FROM blob WHERE digest = ?", (digest,)).fetchone()
    try:
        content = zlib.decompress(row[0]) if row else None
    except zlib.error:
        content = None
    if content is None or hashlib.sha256(content).hexdigest() != digest:
        raise damage(f"the kept content {digest[:12]} is missing or damaged")
    return content


def drop_unused(connection: sqlite3.Connection) -> None:
    """Delete contents that no checkpoint needs any more."""
    connection.execute(
        "DELETE FROM blob WHERE NOT EXISTS (SELECT 1 FROM touch WHERE touch.data = blob.digest)"
        " AND NOT EXISTS (SELECT 1 FROM touch WHERE touch.buffer = blob.digest)"
    )


def stored_bytes(connection: sqlite3.Connection) -> int:
    """Return the compressed size of all contents."""
    return connection.execute("SELECT coalesce(sum(length(data)), 0) FROM blob").fetchone()[0]
