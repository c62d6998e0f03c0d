"""The question to the person, and what may answer it (DESIGN A2, A3, A7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from steersman.agent.approval import Option
from steersman.agent.tool import Plan

NOBODY_TO_ASK = "this needs a person's approval, and there is nobody to ask."
"""What a call is refused with where no person can be asked; the terminal tells how such calls can be allowed."""


@dataclass(frozen=True, slots=True)
class Question:
    """One plan that a person shall decide on.

    Attributes:
        run_id: the run that waits.
        session_id: its session.
        call_id: the call that waits.
        tool: the tool's name.
        plan: exactly what would be done; an answer holds for this and nothing else (A4).
        options: the answers there are, ``reject`` first; ids of PROTOCOL §6. Labels say what they would remember; for
            the short titles of a plain message box see ``render.buttons``.
        round: 1, or higher when the change had to be worked out anew and differs from the one shown before.
        protected: it touches what always asks (W7), so nothing may be remembered.
        warning: one more line a person must see (no sandbox, unsaved edits, changed since), or None.
        remembers: what ``allow_session`` (and ``allow_always``) would cover, in words; None when not offered.
    """

    run_id: str
    session_id: str
    call_id: str
    tool: str
    plan: Plan
    options: tuple[Option, ...]
    round: int = 1
    protected: bool = False
    warning: str | None = None
    remembers: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer: an option's id, and the reason for a rejection where one was given."""

    option_id: str
    reason: str | None = None


class Asker(Protocol):
    """Whoever can put a question to a person: an editor, a terminal."""

    async def ask(self, question: Question) -> Answer | None:
        """Return the answer, or None for silence (a closed window, an error, a lost client): never consent.

        Cancelled when the run is: the question is then withdrawn and a late answer discarded (A7).
        """
        ...
