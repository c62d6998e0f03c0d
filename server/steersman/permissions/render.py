"""The question in words: short enough for any editor, with nothing hidden in it (DESIGN A2, PROTOCOL §3).

Tool and target come first, because some clients cut the message. Everything that comes from a model or a file goes
through ``visible``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from steersman.agent.approval import Option
from steersman.agent.changes import Change, count_changed_lines
from steersman.agent.tool import Plan
from steersman.permissions.commands import analyse
from steersman.permissions.diff import changed_lines, source_name, unified_lines
from steersman.permissions.question import Question
from steersman.permissions.visible import mixed_letters, visible, visible_name

MAX_CHARS = 1000
"""Clients cut messages at about this length."""

MAX_CHANGED_LINES = 8
MAX_COMMAND_CHARS = 200
_MAX_LINE_CHARS = 76
_MAX_NAME_CHARS = 120
_MAX_SCOPE_CHARS = 60

REJECT = "Reject"
SHOW_DIFF = "Show diff"
SHOW_COMMAND = "Show command"
ALLOW_ONCE = "Allow once"
ALLOW_SESSION = "Allow for this session"
ALLOW_ALWAYS = "Always allow"


def question_text(question: Question) -> str:
    """Return the whole question for a message box or a terminal, at most ``MAX_CHARS`` characters.

    The first line names tool and target; then come what a person must know, what "for this session" would remember, and
    last the first lines of the change or the command.
    """
    plan = question.plan
    notes = [*(question.warning or "").splitlines(), *_unusual(plan)]
    if question.remembers:
        notes.append(f"“For this session” would cover: {_clip(visible_name(question.remembers), 2 * _MAX_SCOPE_CHARS)}")
    lines = [headline(plan, question.tool), *(_clip(visible_name(note), 160) for note in notes)]
    if plan.changes:
        room = MAX_CHARS - sum(len(line) + 1 for line in lines)
        lines.extend(_within(_excerpt(plan.changes), room))
    return _clip("\n".join(lines), MAX_CHARS)


def headline(plan: Plan, tool: str) -> str:
    """Return the first line: what would be done to what, such as ``Steersman wants to edit src/app.py (+3 −1)``."""
    if plan.command is not None:
        return f"Steersman wants to run: {command_text(plan.command)}"
    if not plan.changes:
        return f"Steersman wants to use {visible_name(tool)}: {_clip(visible_name(plan.title), MAX_COMMAND_CHARS)}"
    counts = [count_changed_lines(change) for change in plan.changes]
    size = f"(+{sum(added for added, _ in counts)} −{sum(removed for _, removed in counts)})"
    if len(plan.changes) == 1:
        return f"Steersman wants to {_deed(plan.changes[0])} {size}"
    names = ", ".join(_clip(_name(change), 40) for change in plan.changes[:4])
    more = f" and {len(plan.changes) - 4} more" if len(plan.changes) > 4 else ""
    return f"Steersman wants to change {len(plan.changes)} files {size}: {names}{more}"


def command_text(command: str) -> str:
    """Return a command as one line: all of it up to 200 characters, else its beginning and how much more there is."""
    shown = visible_name(command)
    if len(shown) <= MAX_COMMAND_CHARS:
        return shown
    programs = dict.fromkeys(visible_name(part.program) for part in analyse(command).parts)
    runs = f"; runs: {_clip(', '.join(programs), 80)}" if len(programs) > 1 else ""
    return f"{shown[:MAX_COMMAND_CHARS]} … ({len(shown) - MAX_COMMAND_CHARS} more characters{runs})"


def needs_show(plan: Plan) -> bool:
    """Whether there is more to show than the question holds: a change, or a command longer than 200 characters."""
    return bool(plan.changes) or len(visible_name(plan.command or "")) > MAX_COMMAND_CHARS


def show_label(plan: Plan) -> str | None:
    """Return the label of the button that shows all of it, or None when the question shows it already."""
    if not needs_show(plan):
        return None
    return SHOW_DIFF if plan.changes else SHOW_COMMAND


def full_text(plan: Plan) -> str:
    """Return everything there is to see: the diff of all changes, or the whole command, with nothing hidden."""
    if plan.command is not None:
        return visible(plan.command, keep="\n")
    return unified_diff(plan.changes)


def unified_diff(changes: Sequence[Change]) -> str:
    """Return the changes as a unified diff for people; ends with a line end unless empty."""
    return "".join(f"{line}\n" for change in changes for line in unified_lines(change))


def buttons(question: Question) -> tuple[Option, ...]:
    """Return the buttons of a plain message box in the order of A2, with short titles; ``show`` asks again.

    ``Always allow`` is for richer clients and left out; what "for this session" covers stands in the text.
    """
    offered = [
        Option(option.id, ALLOW_SESSION) if option.id == "allow_session" else option
        for option in question.options
        if option.id != "allow_always"
    ]
    show = show_label(question.plan)
    return (*offered[:1], *([Option("show", show)] if show else []), *offered[1:])


def scoped_label(label: str, scope: str) -> str:
    """Return a label that says what it would remember: ``Allow for this session (git status …)``."""
    return f"{label} ({_clip(visible_name(scope), _MAX_SCOPE_CHARS)})"


def _deed(change: Change) -> str:
    if change.kind == "move":
        return f"move {_name_of(source_name(change))} to {_name(change)}"
    return f"{change.kind} {_name(change)}"


def _name(change: Change) -> str:
    return _name_of(change.display or change.path)


def _name_of(path: str) -> str:
    """Return a path with its end, which tells most, kept."""
    shown = visible_name(path)
    return shown if len(shown) <= _MAX_NAME_CHARS else f"…{shown[-_MAX_NAME_CHARS:]}"


def _excerpt(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the first changed lines, and how many more there are."""
    lines = (
        f"{line.sign} {_clip(line.text.expandtabs(4), _MAX_LINE_CHARS)}" for c in changes for line in changed_lines(c)
    )
    yield from islice(lines, MAX_CHANGED_LINES)
    rest = sum(1 for _ in lines)
    if rest:
        yield f"… and {rest} more lines"


def _unusual(plan: Plan) -> Iterator[str]:
    """Yield a warning where names or commands hold look-alike letters."""
    texts = [change.display or change.path for change in plan.changes] + [plan.command or ""]
    if any(mixed_letters(text) for text in texts):
        yield "Careful: a word in it mixes letters of different alphabets that look alike."


def _within(lines: Iterable[str], room: int) -> Iterator[str]:
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return
        yield line


def _clip(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"
