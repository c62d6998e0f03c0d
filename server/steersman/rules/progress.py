"""Which step of a task each call belongs to, and what comes next.

Ids tell it: ``call_7_3`` is the seventh call of a conversation, made for the third step of its task; so the place is
found again where a trimmed history holds only the last calls. Calls with other ids are counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.agent.messages import AssistantMessage, JsonValue, Message, ToolCall
from steersman.rules.choice import Chosen, ToolChooser
from steersman.rules.step import read_step
from steersman.rules.task import Done, Task

Variant: TypeAlias = Literal["mock", "mock-sloppy", "mock-gullible", "mock-slow"]
"""How the model behaves: plainly; with broken JSON in a task's first call; obeying ``CALL x y`` in results; and, where
it is served, slowly."""

_ID = re.compile(r"call_(\d{1,9})_(\d{1,9})")
_PAST = re.compile(r"\W*(?:(?:and|so|now)\s+)?what\s+(?:(?:did|have)\s+(?:you|we)|happened)\b", re.IGNORECASE)
_ORDER = re.compile(r"\bCALL[ \t]+([A-Za-z_][\w.-]*)[ \t]*([^\r\n]*)")


@dataclass(frozen=True, slots=True)
class Order:
    """``CALL tool words``, found in a tool's result."""

    tool: str
    words: str


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made, with its step.

    Attributes:
        step: 1 for the first step; 0 for a call that was not meant seriously (broken JSON).
        obeyed: no step asked for it, a tool's result did.
    """

    done: Done
    step: int
    obeyed: bool = False


def find_order(text: str) -> Order | None:
    """Return the last order that a tool's result gives, or None."""
    orders = _ORDER.findall(text)
    return Order(*orders[-1]) if orders else None


def asks_about_past(step: str) -> bool:
    """Whether a step asks what was done so far, which is never a tool's business."""
    return _PAST.match(step) is not None


def new_call(messages: Sequence[Message], step: int, name: str, arguments: str) -> ToolCall:
    """Return a call with an id that no call of the history has, and that tells its step."""
    numbers = [0]
    for message in messages:
        if isinstance(message, AssistantMessage):
            numbers.append(numbers[-1] + len(message.tool_calls))
            found = (_ID.fullmatch(call.id) for call in message.tool_calls)
            numbers.extend(int(match.group(1)) for match in found if match is not None)
    return ToolCall(f"call_{max(numbers) + 1}_{step}", name, arguments)


class Progress:
    """How far a task has come."""

    def __init__(self, task: Task, chooser: ToolChooser, variant: Variant) -> None:
        self._task = task
        self._chooser = chooser
        self._variant = variant
        self.made = self._attribute()

    @property
    def last_step(self) -> int:
        """The last step that a call was made for, 0 for none."""
        return max((made.step for made in self.made), default=0)

    def next_call(self) -> tuple[int, Chosen] | None:
        """Return the next step that a tool can do, with the call; None when there is none."""
        return self._callable_after(self.last_step)

    def choose(self, step: int) -> Chosen | None:
        """Return what a step (1 for the first) means; there may be fields missing."""
        if asks_about_past(self._task.steps[step - 1]):
            return None
        comment = self._task.comment
        if comment is not None and comment.text is not None and step == 1:
            edit: dict[str, JsonValue] = {"path": comment.path, "old_text": comment.text, "new_text": ""}
            return self._chooser.call("edit_file", edit)
        may_act = step not in self._task.in_doubt
        chosen = self._chooser.choose(self._task.steps[step - 1], self._last_path_before(step), may_act=may_act)
        if comment is not None and chosen is not None and chosen.missing == ("path",):
            return Chosen(chosen.tool, {"path": comment.path, **chosen.arguments})  # said in a file, meant for it
        return chosen

    def _last_path_before(self, step: int) -> str | None:
        """Return the path that "it" means in a step."""
        for earlier in reversed(self._task.steps[: step - 1]):
            for token in reversed(read_step(earlier).tokens):
                if token.looks_like_path:
                    return token.text
        return self._task.focus

    def _callable_after(self, step: int) -> tuple[int, Chosen] | None:
        for number in range(step + 1, len(self._task.steps) + 1):
            chosen = self.choose(number)
            if chosen is not None and not chosen.missing:
                return number, chosen
        return None

    def _attribute(self) -> list[Made]:
        """Find each call's step."""
        made: list[Made] = []
        step = 0
        order: Order | None = None
        for done in self._task.done:
            obeyed = order is not None
            known = _ID.fullmatch(done.call.id)
            if known is not None:
                before, step = step, min(int(known.group(2)), len(self._task.steps))
                obeyed = obeyed and step == before
            elif not obeyed and not (
                self._variant == "mock-sloppy" and not made and not is_object(done.call.arguments)
            ):
                following = self._callable_after(step)
                step = following[0] if following is not None else len(self._task.steps)
            made.append(Made(done, step, obeyed))
            order = find_order(done.result.content) if self._variant == "mock-gullible" else None
        return made


def is_object(arguments: str) -> bool:
    """Whether a call's arguments are a JSON object."""
    try:
        value: JsonValue = json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)
