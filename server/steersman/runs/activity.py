"""What a run is doing, in a few words for a status line."""

from __future__ import annotations

from steersman.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    ReasoningDelta,
    RetryWaiting,
    RunEnded,
    TextDelta,
    ToolCallBegan,
    ToolStarted,
    TurnStarted,
)

_PROGRESSIVE = {
    "apply": "applying",
    "create": "creating",
    "delete": "deleting",
    "edit": "editing",
    "find": "finding",
    "get": "getting",
    "list": "listing",
    "move": "moving",
    "overwrite": "overwriting",
    "patch": "patching",
    "read": "reading",
    "replace": "replacing",
    "run": "running",
    "search": "searching",
    "write": "writing",
}


def activity_after(event: Event, before: str) -> str:
    """Return what the run is doing now: "waiting for the model", "reading src/app.py", "asking: edit src/app.py"."""
    match event.body:
        case TurnStarted():
            return "waiting for the model"
        case ReasoningDelta():
            return "thinking"
        case TextDelta():
            return "answering"
        case RetryWaiting(reason=reason, seconds=seconds):
            return f"{reason}, trying again in {seconds:.0f} s"
        case ToolCallBegan(call=call):
            return f"preparing {call.name}"
        case ApprovalRequested(title=title):
            return f"waiting for your answer: {title}"
        case ApprovalDecided():
            return "going on"
        case ToolStarted(title=title):
            return progressive(title)
        case RunEnded():
            return "ended"
        case _:
            return before


def progressive(title: str) -> str:
    """Return a plan's title as something under way: "read a.py" becomes "reading a.py"."""
    verb, _, rest = title.partition(" ")
    return f"{_PROGRESSIVE.get(verb, verb)} {rest}".strip()
