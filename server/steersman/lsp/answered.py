"""Which changes a person was asked about and allowed, for editors whose edits need a question first (DESIGN §8)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from steersman.agent.changes import Change, same_effect

if TYPE_CHECKING:
    from steersman.agent.approval import Option
    from steersman.permissions.question import Answer, Asker, Question

_REMEMBERED = 64


class AnsweredChanges:
    """The last changes that were allowed by an answer. An answer holds for one edit: it is used up by it."""

    def __init__(self) -> None:
        self._allowed: deque[tuple[Change, ...]] = deque(maxlen=_REMEMBERED)

    def record(self, changes: tuple[Change, ...]) -> None:
        """The person allowed these changes just now."""
        if changes:
            self._allowed.append(changes)

    def take(self, changes: tuple[Change, ...]) -> bool:
        """Whether these changes were allowed by an answer, wherever their text stands now; forgets it."""
        for allowed in self._allowed:
            if same_effect(allowed, changes):
                self._allowed.remove(allowed)
                return True
        return False


class RememberingAsker:
    """An ``Asker`` that records what was allowed."""

    def __init__(self, asker: Asker, answered: AnsweredChanges) -> None:
        self._asker = asker
        self._answered = answered

    async def ask(self, question: Question) -> Answer | None:
        """Put the question; see ``Asker.ask``."""
        answer = await self._asker.ask(question)
        if answer is not None and _allows(answer.option_id, question.options):
            self._answered.record(question.plan.changes)
        return answer


def _allows(option_id: str, options: tuple[Option, ...]) -> bool:
    return option_id.startswith("allow") and any(option.id == option_id for option in options)
