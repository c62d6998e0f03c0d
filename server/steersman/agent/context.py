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
    return list(ContextWindow(messages).view(max_chars).messages)


@dataclass(frozen=True, slots=True)
class View:
    """What is sent of a history, and its size in characters."""

    messages: tuple[Message, ...]
    chars: int


class ContextWindow:
    """``trim_context`` for a history that grows: each look at it costs what is new, not what there is (DESIGN §9).

    Groups (a user message, or an assistant message with its results) stay or go together. Those before the cut were
    looked at once and for all: they are gone, or must stay.

    Attributes:
        chars: the size of the whole history when it was last looked at.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self.chars = 0
        self._messages = messages
        self._known = 0
        self._starts: list[int] = []
        self._sizes: list[int] = []
        self._must_stay: tuple[int, int] = (-1, -1)
        self._step = (0, (-1, -1))
        self._cut = 0
        self._kept: list[int] = []
        self._dropped = 0
        self._note = UserMessage(LEFT_OUT_NOTE, origin="host")
        self._noted: tuple[UserMessage, UserMessage] = (self._note, self._note)

    def view(self, max_chars: int | None) -> View:
        """Return what to send of the history as it is now; None: all of it.

        Raises:
            ContextTooSmallError: as ``trim_context`` does.
        """
        if max_chars is not None and max_chars < 1:
            raise ContextTooSmallError(
                f"A context of {max_chars} characters holds nothing; set contextMaxChars higher."
            )
        self._take_new()
        if max_chars is None or self.chars <= max_chars:
            return View(tuple(self._messages), self.chars)
        self._move_cut(max_chars - len(LEFT_OUT_NOTE) - 2)
        is_left_out = len(self._kept) < self._cut
        sent = [message for group in self._kept for message in self._group(group)]
        sent += self._messages[self._starts[self._cut] :]
        chars = self.chars - self._dropped
        budget = max_chars - (len(LEFT_OUT_NOTE) + 2 if is_left_out else 0)
        if chars > budget:
            sent = _clip_last_results(sent, budget)
            chars = history_chars(sent)
        if is_left_out:
            chars += self._put_note(sent)
        return View(tuple(sent), chars)

    def _take_new(self) -> None:
        """Form the groups of what was added, and see which user messages must stay now."""
        for place in range(self._known, len(self._messages)):
            message = self._messages[place]
            size = message_chars(message)
            self.chars += size
            if isinstance(message, ToolMessage) and self._sizes:
                self._sizes[-1] += size
                continue
            self._starts.append(place)
            self._sizes.append(size)
            if isinstance(message, UserMessage):
                group = len(self._sizes) - 1
                self._must_stay = (group, group if message.origin == "person" else self._must_stay[1])
        self._known = len(self._messages)

    def _move_cut(self, max_chars: int) -> None:
        """Drop old groups until the rest fits; by steps of half the budget where that leaves anything to drop."""
        if self._step != (max_chars, self._must_stay):
            self._step = (max_chars, self._must_stay)
            self._cut, self._kept, self._dropped = 0, [], 0
        step = max(max_chars // 2, 1)
        wanted = -(-(self.chars - max_chars) // step) * step
        while self._dropped < wanted and self._cut < len(self._sizes) - 1:
            if self._cut in self._must_stay:
                self._kept.append(self._cut)
            else:
                self._dropped += self._sizes[self._cut]
            self._cut += 1

    def _group(self, group: int) -> Sequence[Message]:
        return self._messages[self._starts[group] : self._starts[group + 1]]

    def _put_note(self, sent: list[Message]) -> int:
        """Say in the first message that earlier ones are left out, by the same message each time; return its size."""
        first = sent[0]
        if not isinstance(first, UserMessage):
            sent.insert(0, self._note)
            return len(LEFT_OUT_NOTE)
        if first is not self._noted[0]:
            self._noted = (first, UserMessage(f"{LEFT_OUT_NOTE}\n\n{first.content}", origin=first.origin))
        sent[0] = self._noted[1]
        return len(LEFT_OUT_NOTE) + 2


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
