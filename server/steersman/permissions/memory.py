"""What a session and a run remember of a person's answers (DESIGN A5).

"For this session" means this conversation in this process: it is kept here, in memory, and nowhere else. What was
refused once is kept for the run. All of it lives in the event loop's thread and nothing awaits in between, so several
runs may share it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from weakref import WeakValueDictionary

from steersman.agent.changes import Change, changed_hunks
from steersman.permissions.grants import Grant
from steersman.permissions.proposal import Proposal


class SessionMemory:
    """What was allowed "for this session"."""

    def __init__(self, keep: Callable[[SessionMemory], None] | None = None) -> None:
        """Make an empty one; ``keep`` is told of it when there is something to remember."""
        self._grants: dict[Grant, None] = {}
        self._keep = keep

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What was allowed, oldest first."""
        return tuple(self._grants)

    def add(self, grants: Iterable[Grant]) -> None:
        """Remember more."""
        self._grants.update(dict.fromkeys(grants))
        if self._keep is not None:
            self._keep(self)

    def clear(self) -> int:
        """Forget all; return how much there was."""
        count = len(self._grants)
        self._grants.clear()
        return count


class SessionMemories:
    """The memories of all sessions of this process, by session id. A fork has an id of its own, so it inherits none.

    One that holds nothing lives only as long as somebody has it.
    """

    def __init__(self) -> None:
        self._memories: WeakValueDictionary[str, SessionMemory] = WeakValueDictionary()
        self._kept: set[SessionMemory] = set()

    def of(self, session_id: str) -> SessionMemory:
        """Return the session's memory; an empty one at first."""
        memory = self._memories.get(session_id)
        if memory is None:
            memory = self._memories[session_id] = SessionMemory(self._kept.add)
        return memory

    def all(self) -> dict[str, tuple[Grant, ...]]:
        """Return what each session was allowed, by session id; sessions that were allowed nothing are left out."""
        return {session_id: memory.grants for session_id, memory in self._memories.items() if memory.grants}

    def clear(self) -> int:
        """Forget what all sessions were allowed; return how much there was."""
        forgotten = sum(memory.clear() for memory in self._kept)
        self._kept.clear()
        return forgotten


class Rejections:
    """What a person said no to in one run, so that the same is not asked again."""

    def __init__(self) -> None:
        self._reasons: dict[str, str | None] = {}

    def add(self, proposal: Proposal, reason: str | None) -> None:
        """Remember a no, with the reason that was given."""
        self._reasons[fingerprint(proposal)] = reason

    def holds(self, proposal: Proposal) -> bool:
        """Whether the very same was refused before, by whatever tool."""
        return fingerprint(proposal) in self._reasons

    def reason(self, proposal: Proposal) -> str | None:
        """Return the reason given then."""
        return self._reasons.get(fingerprint(proposal))


def fingerprint(proposal: Proposal) -> str:
    """Return a digest that two proposals share when they would do the very same, whatever tool is used."""
    plan = proposal.plan
    parts: list[object] = [[_essence(change) for change in plan.changes]]
    if plan.command is not None:
        parts.append((plan.command, plan.folder))
    if not plan.changes and plan.command is None:
        parts.append((proposal.tool, proposal.arguments))
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()


def _essence(change: Change) -> tuple[object, ...]:
    if change.before is not None and change.after is not None:
        what: object = changed_hunks(change.before, change.after)
    else:
        what = (change.after, change.before_digest)
    return change.kind, change.path, change.moved_from, what
