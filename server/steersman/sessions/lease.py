"""A lock by heartbeat, only for file systems that cannot lock (DESIGN S4).

The holder counts up a number in a file. Whoever wants the lock watches that number with a monotonic clock of its own:
only when it has stood still for the whole lease is the holder taken for dead. The wall clock plays no part, so it may
jump as it likes; a holder that was merely suspended is stopped by the generation number when it wakes.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LEASE_S = 15.0
"""How long the number must stand still before the holder is taken for dead."""

BEAT_S = 3.0
"""How often the holder counts."""


class Lease:
    """A lease that is held: a thread counts until ``release``, or until somebody else's token stands in the file."""

    def __init__(self, path: Path, token: str, beat_s: float) -> None:
        self._path = path
        self._token = token
        self._beat_s = beat_s
        self._count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="steersman-lease", daemon=True)
        self._thread.start()

    def beat(self) -> bool:
        """Count up; False when the lease was lost."""
        if _token_in(self._path) != self._token:
            return False
        self._count += 1
        with suppress(OSError):  # the next beat tries again; a lease that runs out is only a lost convenience
            _replace(self._path, f"{self._token} {self._count}")
        return True

    def release(self) -> None:
        """Stop counting and remove the file if it is still ours."""
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join()
        if _token_in(self._path) == self._token:
            with suppress(OSError):
                self._path.unlink()

    def _run(self) -> None:
        while not self._stop.wait(self._beat_s) and self.beat():
            pass


class LeaseLocker:
    """Hands out leases.

    The first attempt on a lease that somebody holds always fails; a later one succeeds if the number stood still for
    ``lease_s`` seconds of ``monotonic`` in between.
    """

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        lease_s: float = LEASE_S,
        beat_s: float = BEAT_S,
        new_token: Callable[[], str] = secrets.token_hex,
    ) -> None:
        self._monotonic = monotonic
        self._lease_s = lease_s
        self._beat_s = beat_s
        self._new_token = new_token
        self._watched: dict[Path, tuple[str, float]] = {}

    def try_lock(self, path: Path) -> Lease | None:
        """Take the lease if nobody has it, or if its holder was seen dead."""
        path, token = _lease_of(path), self._new_token()
        if self._create(path, token):
            return Lease(path, token, self._beat_s)
        if not self._stood_still(path):
            return None
        _replace(path, f"{token} 0")
        if _token_in(path) != token:  # another one was quicker
            return None
        self._watched.pop(path, None)
        return Lease(path, token, self._beat_s)

    def is_locked(self, path: Path) -> bool:
        """Say whether there is a holder that was not seen dead."""
        path = _lease_of(path)
        return path.exists() and not self._stood_still(path)

    def _create(self, path: Path, token: str) -> bool:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return False
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{token} 0")
        return True

    def _stood_still(self, path: Path) -> bool:
        content, now = _read(path), self._monotonic()
        seen = self._watched.get(path)
        if seen is None or seen[0] != content:
            self._watched[path] = (content, now)
            return False
        return now - seen[1] >= self._lease_s


def _lease_of(path: Path) -> Path:
    """Return the lease's own file: the one of that name may be there, from an attempt to lock it."""
    return path.with_name(f"{path.name}.lease")


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""


def _token_in(path: Path) -> str:
    return _read(path).partition(" ")[0]


def _replace(path: Path, content: str) -> None:
    draft = path.with_name(f"{path.name}.{content.partition(' ')[0]}")
    draft.write_text(content, "ascii")
    draft.replace(path)
