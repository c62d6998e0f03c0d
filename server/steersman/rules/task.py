"""A conversation, read as tasks: what was asked, in steps, and what was done about it so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.rules.comments import REMOVAL, InstructionComment, read_comment
from steersman.rules.steps import Part, split_task

_GO_ON = re.compile(
    r"\s*(?:please\W+)?(?:(?:go\s+on|continue|carry\s+on|proceed|resume|keep\s+going)\b.{0,20}"
    r"|your last reply was cut off\b.*)\s*",
    re.IGNORECASE | re.DOTALL,
)
_FOCUS = re.compile(r"The person has (.+?)(?: \([^()\n]*\))? open in the editor\.")


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was made, and its result."""

    call: ToolCall
    result: ToolMessage


@dataclass(slots=True)
class Task:
    """What a person asked for, the texts they added while it was worked on included.

    Attributes:
        prompt: the person's own words, without what the editor added.
        steps: all of them, in order.
        in_doubt: the numbers of the steps (1 for the first) that a denial or question beside them leaves in doubt.
        done: the calls made for it, in order.
        focus: the file that the person has before them, which "this" and "it" mean where no step named another.
        comment: the instruction comment that it is, whose removal is the first step, or None.
        said: the text of the answer so far, where the output limit cut it.
        was_answered: it was brought to an end, by an answer without a call.
    """

    prompt: str
    steps: list[str]
    in_doubt: set[int] = field(default_factory=set[int])
    done: list[Done] = field(default_factory=list[Done])
    focus: str | None = None
    comment: InstructionComment | None = None
    said: str = ""
    was_answered: bool = False


def read_tasks(messages: Sequence[Message]) -> list[Task]:
    """Return the tasks of a conversation, the present one last; never empty.

    A person's message begins a task, unless it only says to go on. What was steered in adds its steps to the task at
    hand; what the host says in the person's place adds nothing.
    """
    tasks: list[Task] = []
    calls: dict[str, ToolCall] = {}
    for message in messages:
        match message:
            case UserMessage():
                _hear(message, tasks)
            case AssistantMessage():
                calls = {call.id: call for call in message.tool_calls}
                _speak(message, tasks)
            case ToolMessage():
                call = calls.get(message.tool_call_id)
                if call is not None and tasks:
                    tasks[-1].done.append(Done(call, message))
    return tasks or [Task("", [])]


def _hear(message: UserMessage, tasks: list[Task]) -> None:
    if tasks and (message.origin == "host" or _GO_ON.fullmatch(message.content)):
        return
    if tasks and message.origin == "steered":
        _add_steps(tasks[-1], split_task(_own_words(message.content)))
        tasks[-1].said = ""
        return
    words = _own_words(message.content)
    context = message.content[len(words) :]
    focus = _FOCUS.search(context)
    task = Task(words, [], focus=None if focus is None else focus.group(1))
    comment = read_comment(words, context)
    if comment is not None:
        task.comment, task.focus = comment, comment.path
        task.steps = [REMOVAL] if comment.text is not None else []
    _add_steps(task, split_task(words if comment is None else comment.says))
    tasks.append(task)


def _add_steps(task: Task, parts: Sequence[Part]) -> None:
    for part in parts:
        task.steps.append(part.text)
        if part.in_doubt:
            task.in_doubt.add(len(task.steps))


def _own_words(content: str) -> str:
    """Return a prompt without the context that an editor put behind it."""
    return content.partition("\n\n<context>\n")[0] if content.endswith("</context>") else content


def _speak(message: AssistantMessage, tasks: list[Task]) -> None:
    if not tasks:
        return
    if message.tool_calls:
        tasks[-1].said = ""
    else:
        tasks[-1].said += message.content
        tasks[-1].was_answered = True
