"""What was refused with nobody to ask, or because the mode only reads; and what would allow exactly that (A5, A7)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import cast

from steersman.agent.events import Event, RunStarted, ToolCallBegan, ToolResultCommitted
from steersman.agent.messages import ToolCall
from steersman.agent.trace import clip_line
from steersman.permissions.modes import Mode
from steersman.permissions.question import NOBODY_TO_ASK
from steersman.terminal.output import print_warning

_MAX_NAMED = 3
_PLAIN_COMMAND = re.compile(r"[\w./=:@ -]+")
_ONLY_ONCE = ("Asked each time, because", "Asked without a sandbox")
_ADVICE = "Do not try the same again"
_PLAN_REFUSES = "plan mode only reads"


@dataclass(frozen=True, slots=True)
class _Refusal:
    what: str
    how: str


class Refusals:
    """Listens to a run and tells at its end."""

    def __init__(self) -> None:
        self._mode = ""
        self._call: ToolCall | None = None
        self._refused: list[_Refusal] = []

    def __call__(self, event: Event) -> None:
        """Note a call, and how it was closed."""
        match event.body:
            case RunStarted(mode=mode):
                self._mode = mode
            case ToolCallBegan(call=call):
                self._call = call
            case ToolResultCommitted(is_error=True, content=content) if self._call is not None:
                how = self._what_allows(self._call, content)
                refusal = None if how is None else _Refusal(_named(self._call), how)
                if refusal is not None and refusal not in self._refused:
                    self._refused.append(refusal)
            case _:
                pass

    def tell(self) -> None:
        """Say it, one line for each way to allow it."""
        for how in dict.fromkeys(refusal.how for refusal in self._refused):
            names = [refusal.what for refusal in self._refused if refusal.how == how]
            more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
            print_warning(f"refused: {', '.join(names[:_MAX_NAMED])}{more}. {how}")

    def _what_allows(self, call: ToolCall, content: str) -> str | None:
        runs = call.name == "run_command"
        if content.startswith(f"Refused: {_PLAN_REFUSES}"):
            return f"Plan mode only reads. {'--yes' if runs else '--mode accept-edits'} would allow it."
        _, nobody, because = content.partition(NOBODY_TO_ASK)
        if not nobody:
            return None
        because = because.partition(_ADVICE)[0].strip()
        only_once = because.startswith(_ONLY_ONCE)
        if self._mode == Mode.AUTO or (because and not only_once):
            return "This asks in every mode, and nobody could be asked: run it in a terminal."
        if not runs:
            return "Nobody could be asked. --mode accept-edits would allow it, or run it in a terminal."
        rule = "" if only_once else _rule(call)
        return f"Nobody could be asked. --yes would allow it{rule}, or run it in a terminal."


def _named(call: ToolCall) -> str:
    command, path = _argument(call, "command"), _argument(call, "path")
    return clip_line(f"`{command}`" if command else f"{call.name} {path or ''}".rstrip(), 80)


def _rule(call: ToolCall) -> str:
    """Return the rule that allows this very command, where its words need no quoting."""
    command = _argument(call, "command") or ""
    if not _PLAIN_COMMAND.fullmatch(command):
        return ""
    return f', also [[permissions]] tool = "run_command", match = "{command}", action = "allow" in config.toml'


def _argument(call: ToolCall, name: str) -> str | None:
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return None
    value = cast("dict[str, object]", arguments).get(name) if isinstance(arguments, dict) else None
    return value if isinstance(value, str) else None
