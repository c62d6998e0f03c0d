"""What a run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steersman.permissions.modes import Mode


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits for one run; None: as configured."""

    max_tokens: int | None = None
    max_cost: float | None = None
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One task.

    Attributes:
        prompt: what the person wrote; not blank.
        folder: the workspace folder it works in; None: the session's, the one around ``focus``, or the first.
        session_id: the session to go on with; None: a new one.
        continue_latest: go on with the folder's latest session, if there is one.
        take_over: take the session from a program that hangs or is suspended; that one writes nothing more (S4).
        context: more for the model, shown apart from the prompt (a selection, diagnostics); "" for nothing.
        focus: the document the person looks at; its AGENTS.md files count.
        mode: permission mode; None: as configured.
        model: ``provider/model``; None: the session's or as configured.
        max_turns: model responses; None: as configured.
        limits: tokens, cost, seconds.
    """

    prompt: str
    folder: Path | None = None
    session_id: str | None = None
    continue_latest: bool = False
    take_over: bool = False
    context: str = ""
    focus: Path | None = None
    mode: Mode | None = None
    model: str | None = None
    max_turns: int | None = None
    limits: RunLimits = RunLimits()

    def user_text(self) -> str:
        """Return the user message: the prompt, then what goes with it."""
        if not self.context.strip():
            return self.prompt
        return f"{self.prompt}\n\n<context>\n{self.context.strip()}\n</context>"
