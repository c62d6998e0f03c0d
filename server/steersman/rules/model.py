"""The rule-based model: from a request to the next reply (DESIGN M7). Pure and deterministic."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from steersman.agent.messages import JsonValue, ToolCall
from steersman.agent.model import FinishReason, ModelRequest, Usage
from steersman.rules.choice import ToolChooser
from steersman.rules.progress import Order, Progress, Variant, find_order, is_object, new_call
from steersman.rules.task import Task, read_tasks
from steersman.rules.telling import tell
from steersman.rules.usage import CHARS_A_TOKEN, count_usage

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Reply:
    """One response of the model.

    Attributes:
        text: its text, "" for none.
        calls: its tool calls, at most one.
        finish: how it ended; ``length`` when the request's output limit cut it.
        usage: what it cost.
    """

    text: str
    calls: tuple[ToolCall, ...]
    finish: FinishReason
    usage: Usage


def next_reply(request: ModelRequest, variant: Variant = "mock", *, notice: str = "") -> Reply:
    """Return the rule-based model's reply.

    It makes one call for each step of the person's task that a tool fits, in order, and then answers with what came of
    them; so a task of n steps takes n + 1 replies at most (one more for ``mock-sloppy``; a ``mock-gullible`` one has no
    bound).

    Args:
        request: any valid history and any tools.
        variant: how it behaves.
        notice: a sentence that is added to the first answer of a conversation.
    """
    tasks = read_tasks(request.messages)
    chooser = ToolChooser(request.tools)
    progress = Progress(tasks[-1], chooser, variant)
    call = _ordered(request, progress, chooser) if variant == "mock-gullible" else None
    text = ""
    if call is None:
        call, text = _next_step(request, tasks[-1], progress, variant)
    if call is None:
        text = tell(tasks, progress, chooser.names)
        if notice and not any(task.was_answered for task in tasks[:-1]):
            text += f"\n\n{notice}"
        said = tasks[-1].said
        text = text[len(said) :] if said and said != text and text.startswith(said) else text
    return _finish(request, _clean(text), call)


def _next_step(request: ModelRequest, task: Task, progress: Progress, variant: Variant) -> tuple[ToolCall | None, str]:
    following = progress.next_call()
    if following is None:
        return None, ""
    step, chosen = following
    text = f"Step {step} of {len(task.steps)}: {task.steps[step - 1]}." if len(task.steps) > 1 else ""
    arguments = _to_json(chosen.arguments)
    if variant == "mock-sloppy" and not progress.made:
        return new_call(request.messages, 0, chosen.tool, arguments[:-1]), text
    return new_call(request.messages, step, chosen.tool, arguments), text


def _ordered(request: ModelRequest, progress: Progress, chooser: ToolChooser) -> ToolCall | None:
    """Obey what the last tool result says, if it says anything."""
    if not progress.made or not request.messages or request.messages[-1] != progress.made[-1].done.result:
        return None
    order = find_order(request.messages[-1].content)
    if order is None:
        return None
    return new_call(request.messages, progress.last_step, order.tool, _order_arguments(order, chooser))


def _order_arguments(order: Order, chooser: ToolChooser) -> str:
    words = order.words.strip().rstrip(".")
    if words.startswith("{"):
        end = words.rfind("}") + 1
        if is_object(words[:end]):
            return words[:end]
    return _to_json(chooser.fill_words(order.tool, words))


def _to_json(arguments: Mapping[str, JsonValue]) -> str:
    return _clean(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))


def _clean(text: str) -> str:
    """Put U+FFFD for halves of surrogate pairs, which no provider can send (DESIGN M2)."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _finish(request: ModelRequest, text: str, call: ToolCall | None) -> Reply:
    """Count the reply, and cut it at the request's output limit."""
    finish: FinishReason = "stop" if call is None else "tool_calls"
    limit = request.max_output_tokens
    if limit is not None:
        room = max(limit, 1) * CHARS_A_TOKEN
        needed = len(text) + (len(call.name) + len(call.arguments) if call is not None else 0)
        if needed > room:
            finish = "length"
            if call is not None:
                left = room - len(text) - len(call.name)
                call = replace(call, arguments=call.arguments[: max(left, 0)]) if len(text) < room else None
            text = text[:room]
    calls = () if call is None else (call,)
    return Reply(text, calls, finish, count_usage(request, text, calls))
