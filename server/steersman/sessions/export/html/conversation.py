"""The conversation itself: what was said, and each tool call with its changes and its result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.sessions.export.diffs import diffs_of
from steersman.sessions.export.html.changes import render_diff
from steersman.sessions.export.html.escape import text
from steersman.sessions.export.html.prose import code_block, prose
from steersman.sessions.export.prompts import split_prompt
from steersman.sessions.export.transcript import Exchange, Transcript, arguments_of
from steersman.sessions.export.wording import clock_time, day, decision, duration, number, rfc3339, target_of
from steersman.sessions.records import StoredMessage

_MAX_SAID_CHARS = 200_000
_MAX_RESULT_CHARS = 60_000
_OPEN_RESULT_LINES = 8
_OPEN_ERROR_LINES = 40

_SPEAKERS = {"person": "You", "steered": "You, meanwhile", "host": "Steersman"}
_OUTCOMES = {
    "aborted": "not run",
    "failed": "crashed",
    "skipped": "not run after an earlier failure",
    "interrupted": "interrupted, outcome unknown",
}


def conversation_section(transcript: Transcript, exchanges: dict[int, list[Exchange]]) -> str:
    """Return the section."""
    articles, today = "", ""
    for index, stored in enumerate(transcript.messages):
        if isinstance(stored.message, ToolMessage):
            continue  # told with its call
        if day(stored.created_at) != today:
            today = day(stored.created_at)
            articles += f'<p class="day">{today}</p>'
        articles += _article(stored, exchanges.get(index, ()))
    empty = '<p class="quiet">Nothing was said yet.</p>' if not articles else ""
    return f'<section id="conversation"><h2>Conversation</h2>{articles}{empty}</section>'


def _article(stored: StoredMessage, exchanges: Sequence[Exchange]) -> str:
    message = stored.message
    who = _SPEAKERS[message.origin] if isinstance(message, UserMessage) else "Assistant"
    kind = message.role if not isinstance(message, UserMessage) or message.origin != "host" else "host"
    time = f'<time datetime="{rfc3339(stored.created_at)}">{clock_time(stored.created_at)}</time>'
    model = f'<span class="quiet">{text(message.model)}</span>' if isinstance(message, AssistantMessage) else ""
    anchor = f'<a class="anchor" href="#m{stored.seq}">#{stored.seq}</a>'
    head = f"<header><strong>{who}</strong>{model}<span>{time} {anchor}</span></header>"
    body = "".join(_body(stored, exchanges))
    return f'<article class="{kind}" id="m{stored.seq}">{head}{body}</article>'


def _body(stored: StoredMessage, exchanges: Sequence[Exchange]) -> Iterator[str]:
    message = stored.message
    if isinstance(message, AssistantMessage) and message.reasoning:
        said = _prose(message.reasoning, _MAX_RESULT_CHARS)
        yield f'<details class="reasoning"><summary>Reasoning</summary>{said}</details>'
    if isinstance(message, UserMessage):
        yield from _prompt(message.content)
    elif message.content:
        yield _prose(message.content, _MAX_SAID_CHARS)
    if isinstance(message, AssistantMessage) and message.truncated:
        yield '<p class="note">The reply was cut off by the output limit.</p>'
    for exchange in exchanges:
        yield _call(exchange)


def _prompt(content: str) -> Iterator[str]:
    prompt, context = split_prompt(content)
    if prompt:
        yield _prose(prompt, _MAX_SAID_CHARS)
    if context:
        seen = _prose(context, _MAX_RESULT_CHARS)
        yield f'<details class="context"><summary>From the editor</summary>{seen}</details>'


def _prose(source: str, most: int) -> str:
    shown, note = _clip(source, most)
    return f'<div class="prose" dir="auto">{prose(shown)}</div>{note}'


def _call(exchange: Exchange) -> str:
    call = exchange.call
    result = exchange.result
    message = result.message if result is not None and isinstance(result.message, ToolMessage) else None
    place = f' id="m{result.seq}"' if result is not None else ""
    head = (
        f'<span class="tool">{text(call.name)}</span> <span class="target">{text(target_of(call))}</span>'
        f'<span class="facts">{"".join(_facts(exchange, message))}</span>'
    )
    diffs = "".join(render_diff(diff) for diff in diffs_of(call))
    asked = "" if diffs else _asked(call)
    answer = _result(message) if message is not None else ""
    state = "failed" if message is not None and message.is_error else "done" if message is not None else "open"
    return f'<div class="call {state}"{place}><div class="head">{head}</div>{diffs}{asked}{answer}</div>'


def _facts(exchange: Exchange, message: ToolMessage | None) -> Iterator[str]:
    if exchange.asked is not None:
        waited = duration(exchange.asked.ended - exchange.asked.started)
        yield f'<span class="badge ask">{text(decision(exchange.asked.label))} after {waited}</span>'
    if message is None:
        yield '<span class="badge">no result yet</span>'
    elif message.outcome != "returned":
        yield f'<span class="badge bad">{_OUTCOMES[message.outcome]}</span>'
    elif message.is_error:
        yield '<span class="badge bad">error</span>'
    if exchange.ran is not None:
        yield f"<span>{duration(exchange.ran.ended - exchange.ran.started)}</span>"


def _result(message: ToolMessage) -> str:
    if not message.content:
        return ""
    content = message.content.removesuffix("\n")
    lines = content.count("\n") + 1
    words = "Result" if lines == 1 else f"Result, {number(lines)} lines"
    is_short = lines <= _OPEN_RESULT_LINES and len(content) < 1000
    is_open = is_short or (message.is_error and lines <= _OPEN_ERROR_LINES and len(content) < 4000)
    return _folded(words, code_block(*_clip_code(content)), is_open=is_open)


def _asked(call: ToolCall) -> str:
    """Return the arguments, folded; "" where the heading says it all."""
    arguments = arguments_of(call)
    if arguments is not None and [*arguments.values()] == [target_of(call)]:
        return ""
    return _folded("Arguments", code_block(*_clip_code(_arguments(call))), is_open=False)


def _arguments(call: ToolCall) -> str:
    """Return them indented; what is no JSON object, or too much to be looked at, as it is."""
    arguments = arguments_of(call) if len(call.arguments) <= _MAX_RESULT_CHARS else None
    return call.arguments if arguments is None else json.dumps(arguments, ensure_ascii=False, indent=2)


def _folded(words: str, html: str, *, is_open: bool) -> str:
    return f"<details{' open' if is_open else ''}><summary>{words}</summary>{html}</details>"


def _clip(source: str, most: int) -> tuple[str, str]:
    """Return the beginning, and a note on how much is left out."""
    if len(source) <= most:
        return source, ""
    left_out = number(len(source) - most)
    return source[:most], f'<p class="note">… {left_out} more characters; the JSON export has them all.</p>'


def _clip_code(source: str) -> tuple[str]:
    shown, note = _clip(source, _MAX_RESULT_CHARS)
    left_out = f"\n… {number(len(source) - len(shown))} more characters; the JSON export has them all." if note else ""
    return (shown + left_out,)
