"""The names of all commands, apart from what they do: ``initialize`` is answered before the rest is loaded."""

from __future__ import annotations

NAMES = (
    "steersman.run",
    "steersman.start",
    "steersman.wait",
    "steersman.cancel",
    "steersman.steer",
    "steersman.setMode",
    "steersman.approvals.list",
    "steersman.answer",
    "steersman.sessions.list",
    "steersman.sessions.search",
    "steersman.sessions.get",
    "steersman.sessions.rename",
    "steersman.sessions.delete",
    "steersman.sessions.fork",
    "steersman.sessions.export",
    "steersman.sessions.takeOver",
    "steersman.rewind",
    "steersman.rewind.undo",
    "steersman.status",
    "steersman.models",
    "steersman.permissions.list",
    "steersman.permissions.reset",
)
"""In the order of the table; a test holds the two equal."""
