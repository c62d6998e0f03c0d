"""A session as Markdown that reads like a conversation: what was said, what was done, the changes as diffs.

What stands in code fences cannot break out of them: a fence is always longer than any run of its sign inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.sessions.export.diffs import FileDiff, Mark, diffs_of
from steersman.sessions.export.inline import split_code
from steersman.sessions.export.prompts import split_prompt
from steersman.sessions.export.transcript import Exchange, Transcript, changed_files, find_exchanges
from steersman.sessions.export.wording import count, duration, money, number, short_time, show_controls, target_of
from steersman.sessions.words import relative

_MAX_RESULT_LINES = 30
_MAX_RESULT_CHARS = 4000
_MAX_DIFF_LINES = 400

_FENCE = re.compile(r"\s{0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"^(#{1,4})(?= )")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")

_SPEAKERS = {"person": "You", "steered": "You, meanwhile", "host": "Steersman"}
_OUTCOMES = {
    "aborted": "not run",
    "failed": "crashed",
    "skipped": "not run after an earlier failure",
    "interrupted": "interrupted, outcome unknown",
}


def to_markdown(transcript: Transcript) -> str:
    """Return the document."""
    blocks = [*_head(transcript), *_conversation(transcript), *_changes(transcript), _foot(transcript)]
    return "\n\n".join(show_controls(block) for block in blocks if block) + "\n"


def fence(text: str, language: str = "") -> str:
    """Return the text as a code block."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{ticks}"


def code(text: str) -> str:
    """Return the text as inline code, on one line."""
    text = " ".join(text.split())
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""


def plain(text: str) -> str:
    """Return a title or name with Markdown's and HTML's signs escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _head(transcript: Transcript) -> Iterator[str]:
    session = transcript.session
    yield f"# {plain(session.title)}"
    usage = session.usage
    facts = [
        code(session.folder),
        code(session.model),
        short_time(session.created_at),
        count(len(transcript.messages), "message"),
    ]
    if usage.total_tokens:
        facts.append(f"{number(usage.input_tokens)} tokens in, {number(usage.output_tokens)} out")
    if session.cost is not None:
        facts.append(f"{money(session.cost)} (estimate)")
    yield " · ".join(fact for fact in facts if fact)


def _conversation(transcript: Transcript) -> Iterator[str]:
    speaker, exchanges = "", find_exchanges(transcript)
    for index, stored in enumerate(transcript.messages):
        message = stored.message
        if isinstance(message, ToolMessage):
            continue  # told with its call
        who = _SPEAKERS[message.origin] if isinstance(message, UserMessage) else "Assistant"
        if who != speaker:
            yield f"---\n\n## {who}"
        speaker = who
        if isinstance(message, AssistantMessage) and message.reasoning:
            yield f"<details><summary>Reasoning</summary>\n\n{fence(message.reasoning)}\n\n</details>"
        yield from _prompt(message.content) if isinstance(message, UserMessage) else [_said(message.content)]
        if isinstance(message, AssistantMessage) and message.truncated:
            yield "*(The reply was cut off by the output limit.)*"
        for exchange in exchanges.get(index, ()):
            yield from _exchange(exchange)


def _prompt(content: str) -> Iterator[str]:
    prompt, context = split_prompt(content)
    yield _said(prompt)
    if context:
        yield f"<details><summary>From the editor</summary>\n\n{_said(context)}\n\n</details>"


def _said(source: str) -> str:
    """Return a message's own Markdown: its headings below ours, its fences closed, its HTML as text."""
    lines: list[str] = []
    fence_sign = ""
    for line in source.strip().split("\n"):
        opening = _FENCE.match(line)
        if fence_sign:
            if line.strip().startswith(fence_sign) and not line.strip().strip(fence_sign[0]):
                fence_sign = ""
        elif opening is not None:
            fence_sign = opening[1]
        else:
            line = _HEADING.sub(r"##\1", _without_tags(line))  # noqa: PLW2901 - the same line, made harmless
        lines.append(line)
    return "\n".join([*lines, fence_sign] if fence_sign else lines)


def _without_tags(line: str) -> str:
    return "".join(f"{tick}{piece if tick else _TAG.sub('&lt;', piece)}{tick}" for tick, piece in split_code(line))


def _exchange(exchange: Exchange) -> Iterator[str]:
    heading = f"**{plain(exchange.call.name)}** {code(target_of(exchange.call))}".rstrip()
    result = exchange.result.message if exchange.result is not None else None
    notes: list[str] = []
    if isinstance(result, ToolMessage):
        notes += [_OUTCOMES[result.outcome]] if result.outcome != "returned" else ["error"] if result.is_error else []
    else:
        notes.append("no result yet")
    if exchange.ran is not None:
        notes.append(duration(exchange.ran.ended - exchange.ran.started))
    yield f"> {heading}{' — ' if notes else ''}{', '.join(notes)}"
    diffs = diffs_of(exchange.call)
    for diff in diffs:
        if len(diffs) > 1 or diff.title != target_of(exchange.call):
            yield code(diff.title)
        yield from _diff(diff)
    if isinstance(result, ToolMessage) and result.content and result.outcome == "returned":
        yield fence(_shorten(result.content))


def _diff(diff: FileDiff) -> Iterator[str]:
    if diff.lines:
        lines = [_diff_line(mark, text) for mark, text in diff.lines[:_MAX_DIFF_LINES]]
        left_out = len(diff.lines) - _MAX_DIFF_LINES
        if left_out > 0:
            lines.append(f"@@ {count(left_out, 'more line')}")
        yield fence("\n".join(lines), "diff")


def _diff_line(mark: Mark, text: str) -> str:
    if mark != "@":
        return mark + text
    return text if text.startswith("@@") else f"@@ {text}"


def _shorten(text: str) -> str:
    lines = text.split("\n")
    kept = "\n".join(lines[:_MAX_RESULT_LINES])[:_MAX_RESULT_CHARS]
    if len(kept) == len(text):
        return text
    left_out = len(text) - len(kept)
    return f"{kept}\n… {number(left_out)} more characters"


def _changes(transcript: Transcript) -> Iterator[str]:
    changes = changed_files(transcript)
    if not changes:
        return
    yield "---\n\n## Files changed"
    rows = ["| file | what | added | removed |", "|---|---|---:|---:|"]
    for change in changes:
        name = plain(relative(change.path, transcript.session.folder))
        rows.append(f"| {name} | {change.kind} | +{change.added} | −{change.removed} |")
    yield "\n".join(rows)


def _foot(transcript: Transcript) -> str:
    masked = " Text that looks like a secret is masked." if transcript.masked else ""
    when = short_time(transcript.exported_at)
    return f"---\n\n*Session {code(transcript.session.id)}, exported by Steersman {when}.{masked}*"
