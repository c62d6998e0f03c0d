"""What sessions were allowed, and that nothing is kept of those that were allowed nothing."""

import gc

from steersman.permissions.grants import PathGrant
from steersman.permissions.memory import SessionMemories

GRANT = PathGrant("/w/a.txt", "edit")


def test_a_session_that_was_allowed_nothing_leaves_nothing_behind():
    memories = SessionMemories()
    for number in range(100):
        memories.of(str(number))
    gc.collect()
    assert len(memories._memories) == 0


def test_what_was_allowed_outlives_the_run_that_asked():
    memories = SessionMemories()
    memories.of("a").add([GRANT])
    gc.collect()
    assert memories.of("a").grants == (GRANT,)
    assert memories.all() == {"a": (GRANT,)}


def test_what_was_forgotten_can_be_allowed_anew():
    memories = SessionMemories()
    held = memories.of("a")
    held.add([GRANT])
    assert memories.clear() == 1
    assert (held.grants, memories.all()) == ((), {})
    held.add([GRANT])
    assert memories.of("a") is held
    assert memories.all() == {"a": (GRANT,)}
