"""The heartbeat that stands in for locks; time is the test's, and the wall clock plays no part."""

from pathlib import Path

import pytest

from steersman.sessions.lease import Lease, LeaseLocker

NEVER_S = 10_000.0
"""The holder's thread never counts by itself in these tests: they call ``beat``."""


class Monotonic:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Monotonic:
    return Monotonic()


def locker(clock: Monotonic) -> LeaseLocker:
    return LeaseLocker(clock, lease_s=15, beat_s=NEVER_S)


def taken(lease: Lease | None) -> Lease:
    assert lease is not None
    return lease


def test_a_lease_is_had_by_one_at_a_time(tmp_path: Path, clock: Monotonic):
    lease = taken(locker(clock).try_lock(tmp_path / "a"))
    assert locker(clock).try_lock(tmp_path / "a") is None
    lease.release()
    taken(locker(clock).try_lock(tmp_path / "a")).release()
    assert list(tmp_path.iterdir()) == []


def test_a_holder_that_counts_keeps_it_for_as_long_as_it_likes(tmp_path: Path, clock: Monotonic):
    lease, other = taken(locker(clock).try_lock(tmp_path / "a")), locker(clock)
    for _ in range(10):
        assert other.try_lock(tmp_path / "a") is None
        clock.now += 14
        assert lease.beat()
    lease.release()


def test_a_holder_that_stood_still_for_the_whole_lease_is_taken_for_dead(tmp_path: Path, clock: Monotonic):
    dead, other = taken(locker(clock).try_lock(tmp_path / "a")), locker(clock)
    assert other.try_lock(tmp_path / "a") is None
    clock.now += 14.9
    assert other.is_locked(tmp_path / "a")
    clock.now += 0.1
    assert not other.is_locked(tmp_path / "a")
    heir = taken(other.try_lock(tmp_path / "a"))
    assert not dead.beat()
    dead.release()
    assert locker(clock).is_locked(tmp_path / "a")
    heir.release()


def test_the_watching_begins_anew_with_every_count(tmp_path: Path, clock: Monotonic):
    lease, other = taken(locker(clock).try_lock(tmp_path / "a")), locker(clock)
    assert other.try_lock(tmp_path / "a") is None
    clock.now += 14
    lease.beat()
    clock.now += 14
    assert other.try_lock(tmp_path / "a") is None
    lease.release()


def test_who_never_watched_never_takes_it(tmp_path: Path, clock: Monotonic):
    """However old the file is by the wall clock: only what one's own monotonic clock saw counts."""
    lease = taken(locker(clock).try_lock(tmp_path / "a"))
    clock.now += 1_000_000
    assert locker(clock).try_lock(tmp_path / "a") is None
    lease.release()


def test_its_own_thread_counts_and_ends_with_it(tmp_path: Path, clock: Monotonic):
    """The thread is woken at once by ``release``, however long its beat is."""
    lease = taken(LeaseLocker(clock, beat_s=0.001).try_lock(tmp_path / "a"))
    file = tmp_path / "a.lease"
    before = file.read_text()
    while file.read_text() in {before, ""}:
        pass
    lease.release()
    assert not file.exists()
