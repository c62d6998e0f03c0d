"""The rule-based model's words: what was done, what went wrong, and what it cannot do, told plainly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steersman.agent.lines import split_lines
from steersman.agent.messages import ToolMessage
from steersman.rules.choice import Chosen
from steersman.rules.progress import Made, Progress, asks_about_past
from steersman.rules.task import Task

_MAX_LINE = 200
_MAX_LINES = 8
_REFUSED = re.compile(r"\s*(?:refused|rejected|denied)\b\s*:?\s*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")
_SUMMARY = re.compile(
    r"\b(?:sum\s+up|summari[sz]e|summary|recap)\b(?:\W*$|.*\b(?:so\s+far|what|our|conversation|session|work|everything)\b)",
    re.IGNORECASE,
)
_GREETING = re.compile(r"\W*(?:hello|hi|hey|good\s+(?:morning|day|evening))\b", re.IGNORECASE)
_THANKS = re.compile(r"\W*(?:thanks|thank\s+you|thx)\b", re.IGNORECASE)
_HELP = re.compile(r"\bhelp\b|\bwho\s+are\s+you\b|\bwhat\s+(?:can|do)\s+you\s+do\b|\bwhat\s+are\s+you\b", re.IGNORECASE)


def tell(tasks: Sequence[Task], progress: Progress, names: Sequence[str]) -> str:
    """Return the answer that ends a task: each step with what came of it.

    Args:
        tasks: all tasks of the conversation, the present one last.
        progress: of the present one.
        names: the tools' names.
    """
    task = tasks[-1]
    if not task.steps:
        return f"There is nothing to do in that.\n{_what_i_am(names)}"
    made = {item.step: item for item in reversed(progress.made) if item.step and not item.obeyed}
    told: list[str] = []
    is_lost = False
    for number, step in enumerate(task.steps, start=1):
        item = made.get(number)
        if item is not None:
            told.append(tell_result(step, item.done.result))
        elif number <= progress.last_step and _was_left_out(progress, number):
            told.append(f"{step}: done earlier; its result is no longer before me.")
        else:
            told.append(_in_words(step, progress.choose(number), tasks[:-1]))
            is_lost = is_lost or not _is_clear(step, progress.choose(number))
    obeyed = [item for item in progress.made if item.obeyed]
    lines = told if len(told) == 1 else [f"{number}. {line}" for number, line in enumerate(told, start=1)]
    lines.extend(f"(A tool's result told me to, so I did: {_call_words(item)})" for item in obeyed)
    if is_lost:
        lines.append(_what_i_am(names))
    return "\n".join(lines)


def tell_result(step: str, result: ToolMessage) -> str:
    """Return what came of a step, in words that never make a failure look like a success."""
    text = clip(result.content)
    if result.outcome == "interrupted":
        return f"{step}: it was interrupted, so I do not know whether it was done."
    if result.outcome == "aborted":
        return f"{step}: it was stopped before it began, so it was not done."
    if result.is_error and _REFUSED.match(text):
        reason = _SENTENCE_END.split(_REFUSED.sub("", text, count=1))[0]  # what follows is advice to the model
        return f"{step}: this was refused, so it was not done." + (f" The reason: {reason}" if reason else "")
    if result.is_error or result.outcome != "returned":
        return f"{step}: this did not work: {text}"
    if not text:
        return f"{step}: done; it gave no output."
    return f"{step}: {text}" if "\n" not in text else f"{step}:\n{text}"


def clip(text: str) -> str:
    """Return a result, short enough for an answer, with what was left out said."""
    lines = [line.rstrip() for line in split_lines(text.strip())]
    shown = [line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]} …" for line in lines[:_MAX_LINES]]
    if len(lines) > _MAX_LINES:
        shown.append(f"… and {len(lines) - _MAX_LINES} more lines")
    return "\n".join(shown)


def _was_left_out(progress: Progress, number: int) -> bool:
    """Whether a step's call must have been made, but is not in the history that was sent."""
    chosen = progress.choose(number)
    return chosen is not None and not chosen.missing


def _is_clear(step: str, chosen: Chosen | None) -> bool:
    """Whether the answer in words is one that needs no explanation of what this model is."""
    return chosen is not None or _is_about_past(step, chosen) or _THANKS.match(step) is not None


def _is_about_past(step: str, chosen: Chosen | None) -> bool:
    return asks_about_past(step) or (chosen is None and _SUMMARY.search(step[:_MAX_LINE]) is not None)


def _in_words(step: str, chosen: Chosen | None, earlier: Sequence[Task]) -> str:
    """Answer a step that no tool does."""
    if _is_about_past(step, chosen):
        return _past(earlier)
    if chosen is not None:
        missing = " and ".join(f"`{name}`" for name in chosen.missing)
        return f"For “{clip(step)}” I would call `{chosen.tool}`, but the words do not tell me its {missing}."
    if _GREETING.match(step):
        return "Hello."
    if _THANKS.match(step):
        return "You are welcome."
    if _HELP.search(step):
        return "Give me a task in steps, joined by “then”, such as: read README.md, then list the files."
    return f"None of my tools fits “{clip(step)}”."


def _what_i_am(names: Sequence[str]) -> str:
    tools = f"the tools {', '.join(names)}" if names else "no tools"
    return f"I am a rule-based model: I match words with tools and understand nothing else. Now I have {tools}."


def _past(earlier: Sequence[Task]) -> str:
    told: list[str] = []
    for task in earlier:
        if not task.steps:
            continue
        told.append(f"You asked: {clip(task.prompt)}")
        told.extend(
            f"- {tell_result(_call_name(done.call.name, done.call.arguments), done.result)}" for done in task.done
        )
        if not task.done:
            told.append("- I called no tool.")
    return "\n".join(told) if told else "Nothing yet: this is the beginning of our conversation."


def _call_words(item: Made) -> str:
    call = item.done.call
    return tell_result(_call_name(call.name, call.arguments), item.done.result)


def _call_name(name: str, arguments: str) -> str:
    shown = arguments if len(arguments) <= _MAX_LINE else f"{arguments[:_MAX_LINE]} …"
    return f"{name}({shown})"
