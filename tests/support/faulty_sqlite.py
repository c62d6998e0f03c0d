"""A SQLite connection that fails at the statement a test chooses, as a full or broken disk makes it fail."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Fault:
    """Counts statements that write or commit; the one numbered ``at`` (from 0) fails, and those after it if ``lasts``.

    Attributes:
        at: which one; None: none.
        code: SQLite's result code.
        lasts: every later one fails too.
        count: how many there were.
        statements: what they were, for the test's own messages.
    """

    at: int | None = None
    code: int = sqlite3.SQLITE_FULL
    lasts: bool = False
    count: int = 0
    statements: list[str] = field(default_factory=list[str])

    def check(self, sql: str) -> None:
        """Fail if it is this one's turn. Taking back and reading do not count: they need no space."""
        if sql.lstrip().split(maxsplit=1)[0].upper() in {"SELECT", "PRAGMA", "ROLLBACK"}:
            return
        number, self.count = self.count, self.count + 1
        self.statements.append(sql)
        if self.at is not None and (number == self.at or (self.lasts and number > self.at)):
            error = sqlite3.OperationalError("the test says so")
            error.sqlite_errorcode = self.code
            error.sqlite_errorname = "SQLITE_TEST"
            raise error

    def connect(self, *arguments: Any, **options: Any) -> sqlite3.Connection:
        """Open a connection that fails as told; give it to ``SessionStore.open(connect=…)``."""
        fault = self

        class Failing(sqlite3.Connection):
            def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                fault.check(sql)
                return super().execute(sql, *values)

            def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
                fault.check(sql)
                return super().executemany(sql, rows)

        return sqlite3.connect(*arguments, factory=Failing, **options)
