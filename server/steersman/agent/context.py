"""What the model sees of a long conversation; the session keeps everything (DESIGN L12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from steersman.agent.errors import ContextOverflowError
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage

LEFT_OUT_NOTE = "[Earlier messages of this conversation are left out here.]"
CLIP_MARK = "\n[… cut to fit the context …]\n"


class ContextTooSmallError(ContextOverflowError, ValueError):
    """The budget cannot hold what must stay: the prompt, the latest user message and the last group."""


def message_chars(message: Message) -> int:
    """Return the size of a message as it is sent, in characters."""
    size = len(message.content)
    if isinstance(message, AssistantMessage):
        size += sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
    return size


def history_chars(messages: Sequence[Message]) -> int:
    """Return the size of a history in characters."""
    return sum(message_chars(message) for message in messages)


@dataclass(frozen=True, slots=True)
class _Group:
    """Messages that stay or go together: a user message, or an assistant message with its results."""

    messages: tuple[Message, ...]
    size: int
    must_stay: bool


def trim_context(messages: Sequence[Message], max_chars: int) -> list[Message]:
    """Return what to send: at most ``max_chars`` characters of ``messages``, every call with its result.

    This run's first prompt (the last message a person began a run with), the latest user message and the last group
    always stay; results of a last group that is too big are clipped in the copy and marked. The cut moves in steps of
    half the budget, so that the prefix stays the same for many turns. What is sent begins with a user message that
    says that earlier ones are left out. Nothing is changed when everything fits.

    Args:
        messages: a valid history that begins with a user message.
        max_chars: the budget, in characters as counted by ``history_chars``.

    Raises:
        ContextTooSmallError: (a ValueError) the budget is below 1 or cannot hold what must stay.
    """
    if max_chars < 1:
        raise ContextTooSmallError(f"A context of {max_chars} characters holds nothing; set contextMaxChars higher.")
    total = history_chars(messages)
    if total <= max_chars:
        return list(messages)
    groups = _group(messages)
    kept = _cut(groups, max_chars - len(LEFT_OUT_NOTE) - 2)
    left_out = len(kept) < len(groups)
    sent = [message for group in kept for message in group.messages]
    budget = max_chars - (len(LEFT_OUT_NOTE) + 2 if left_out else 0)
    if history_chars(sent) > budget:
        sent = _clip_last_results(sent, budget)
    return _with_note(sent) if left_out else sent


def _group(messages: Sequence[Message]) -> list[_Group]:
    """Form the groups and mark those that must stay."""
    parts: list[list[Message]] = []
    for message in messages:
        if isinstance(message, ToolMessage) and parts:
            parts[-1].append(message)
        else:
            parts.append([message])
    origins = {index: part[0].origin for index, part in enumerate(parts) if isinstance(part[0], UserMessage)}
    stay = {len(parts) - 1, *list(origins)[-1:]}
    stay.update([index for index, origin in origins.items() if origin == "person"][-1:])
    return [_Group(tuple(part), history_chars(part), index in stay) for index, part in enumerate(parts)]


def _cut(groups: list[_Group], max_chars: int) -> list[_Group]:
    """Drop old groups until the rest fits; by steps of half the budget where that leaves anything to drop."""
    total = sum(group.size for group in groups)
    step = max(max_chars // 2, 1)
    wanted = -(-(total - max_chars) // step) * step
    dropped = 0
    kept: list[_Group] = []
    for group in groups:
        if not group.must_stay and dropped < wanted:
            dropped += group.size
        else:
            kept.append(group)
    return kept


def _clip_last_results(sent: list[Message], budget: int) -> list[Message]:
    """Clip the results of the last group, the largest most, until everything fits."""
    start = len(sent)
    while start > 0 and isinstance(sent[start - 1], ToolMessage):
        start -= 1
    results = [message for message in sent[start:] if isinstance(message, ToolMessage)]
    room = budget - history_chars(sent[:start])
    cap = _fair_cap([len(message.content) for message in results], room)
    if cap is None:
        raise ContextTooSmallError(
            f"The prompt and what must go with it need more than the context's {budget} characters.",
            hint="Shorten the prompt, start a new conversation, or use a model with a larger context.",
        )
    return [*sent[:start], *(_clip(message, cap) for message in results)]


def _fair_cap(sizes: list[int], room: int) -> int | None:
    """Return the largest cap for which the capped sizes fit the room, or None when not even the mark fits."""
    if not sizes:
        return None
    low, high = len(CLIP_MARK), max(sizes)
    if sum(min(size, low) for size in sizes) > room:
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in sizes) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _clip(message: ToolMessage, cap: int) -> ToolMessage:
    if len(message.content) <= cap:
        return message
    keep = cap - len(CLIP_MARK)
    head = keep - keep // 3
    tail = keep // 3
    text = message.content[:head] + CLIP_MARK + (message.content[-tail:] if tail else "")
    return replace(message, content=text)


def _with_note(sent: list[Message]) -> list[Message]:
    """Say in the first message that earlier ones are left out; put a user message first if there is none."""
    first = sent[0]
    if isinstance(first, UserMessage):
        noted = UserMessage(f"{LEFT_OUT_NOTE}\n\n{first.content}", origin=first.origin)
        return [noted, *sent[1:]]
    return [UserMessage(LEFT_OUT_NOTE, origin="host"), *sent]
