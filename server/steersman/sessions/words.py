"""What a search finds of a message besides its text: tools' names, their arguments as written, names of files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath

from steersman.agent.messages import AssistantMessage, Message, ToolMessage
from steersman.sessions.rows import clean

MAX_WORDS_CHARS = 64 * 1024
"""At most so much of a message's arguments is searched."""


def words_of(message: Message, folder: str) -> str | None:
    """Return these words, a line each, or None. Paths inside ``folder`` are relative to it."""
    if isinstance(message, AssistantMessage):
        lines = [line for call in message.tool_calls for line in (call.name, *_argument_texts(call.arguments))]
    elif isinstance(message, ToolMessage):
        paths = [path for change in message.changes for path in (change.moved_from, change.path) if path]
        lines = [relative(path, folder) for path in paths]
    else:
        return None
    return clean("\n".join(lines)[:MAX_WORDS_CHARS]) or None


def relative(path: str, folder: str) -> str:
    """Return the path relative to the folder with "/", or as it is when it lies elsewhere."""
    if not folder:
        return path
    try:
        return PurePath(path).relative_to(folder).as_posix()
    except ValueError:
        return path


def _argument_texts(arguments: str) -> Iterator[str]:
    """Yield the texts among the arguments; arguments that are not JSON as they are."""
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        yield arguments
        return
    yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed(list[object](item.values())))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        elif isinstance(item, list):
            waiting.extend(reversed(list[object](item)))  # pyright: ignore[reportUnknownArgumentType]
