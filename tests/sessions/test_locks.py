"""Locks that die with their process."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.sessions import locks, oslock
from steersman.sessions.locks import FallbackLocker, Locker, MemoryLocker, OsLocker
from steersman.sessions.oslock import LockUnsupportedError

HOLD = """
import sys
from pathlib import Path
from steersman.sessions.locks import OsLocker
lock = OsLocker().try_lock(Path(sys.argv[1]))
print("held" if lock else "refused", flush=True)
sys.stdin.read()
"""


def hold_elsewhere(path: Path) -> "subprocess.Popen[str]":
    """Start a process that takes the lock and waits; return it once it has said how that went."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


@pytest.fixture(params=[OsLocker, MemoryLocker])
def locker(request: pytest.FixtureRequest) -> Locker:
    return request.param()


def test_a_lock_is_had_by_one_at_a_time(locker: Locker, tmp_path: Path):
    path = tmp_path / "a.lock"
    lock = locker.try_lock(path)
    assert lock is not None
    assert locker.try_lock(path) is None
    lock.release()
    assert locker.try_lock(path) is not None


def test_looking_does_not_take(locker: Locker, tmp_path: Path):
    path = tmp_path / "a.lock"
    assert not locker.is_locked(path)
    lock = locker.try_lock(path)
    assert lock is not None
    assert locker.is_locked(path)
    lock.release()
    assert not locker.is_locked(path)


def test_releasing_twice_does_no_harm(locker: Locker, tmp_path: Path):
    path = tmp_path / "a.lock"
    lock = locker.try_lock(path)
    assert lock is not None
    lock.release()
    other = locker.try_lock(path)
    lock.release()
    assert other is not None
    assert locker.is_locked(path)


def test_no_file_stays_behind(tmp_path: Path):
    lock = OsLocker().try_lock(tmp_path / "a.lock")
    assert lock is not None
    lock.release()
    assert list(tmp_path.iterdir()) == []


def test_another_process_is_kept_out_until_the_holder_is_killed(tmp_path: Path):
    path = tmp_path / "a.lock"
    holder = hold_elsewhere(path)
    assert OsLocker().try_lock(path) is None
    end(holder)
    assert OsLocker().try_lock(path) is not None


def test_a_lock_taken_on_a_file_that_was_just_removed_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The last holder removes the file between our opening and our locking it: it is taken again by its name."""
    path, first = tmp_path / "a.lock", [True]
    real = oslock.try_lock

    def remove_in_between(descriptor: int) -> bool:
        if first.pop():
            first.append(False)
            path.unlink()
        else:
            first.append(False)
        return real(descriptor)

    monkeypatch.setattr(locks, "try_lock", remove_in_between)
    lock = OsLocker().try_lock(path)
    assert lock is not None
    assert path.exists()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_that_cannot_lock_is_told_from_a_lock_that_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
):
    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(oslock, "_lock", refuse)
    with pytest.raises(LockUnsupportedError):
        OsLocker().try_lock(tmp_path / "a.lock")


def test_the_second_way_is_used_once_the_first_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(_: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(oslock, "_lock", refuse)
    locker = FallbackLocker(OsLocker(), MemoryLocker())
    path = tmp_path / "a.lock"
    assert not locker.is_locked(path)
    assert locker.try_lock(path) is not None
    assert locker.is_locked(path)
    assert locker.try_lock(path) is None
