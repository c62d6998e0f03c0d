"""Asking a person on the terminal (DESIGN A2, A3)."""

from __future__ import annotations

import asyncio
import os
import sys

from steersman.permissions.approver import SAVE_AND_ALLOW
from steersman.permissions.question import Answer, Question
from steersman.permissions.render import (
    ALLOW_ALWAYS,
    ALLOW_SESSION,
    full_text,
    needs_show,
    question_text,
    show_label,
)
from steersman.terminal.keyboard import forget_typed_ahead, read_line
from steersman.terminal.streams import note
from steersman.terminal.style import Style

_KEYS = {"allow_once": "y", SAVE_AND_ALLOW: "w", "allow_session": "s", "allow_always": "a", "reject": "n"}
_SHORT = {"allow_session": ALLOW_SESSION, "allow_always": f"{ALLOW_ALWAYS} the same"}
_WORDS = {"no": "reject", "r": "reject", "yes": "allow_once", "": "reject"}


class TerminalAsker:
    """Puts questions to the terminal, one at a time. End of input, an empty line and nonsense are no consent."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Answer | None:
        """Show the question and read an answer; cancelled, it leaves the terminal as it is."""
        style = Style.of(sys.stderr, os.environ)
        async with self._turn:
            shown = f"\n{_question(question, style)}\n{_choices(question)}\n"
            while True:
                line = await _answer_to(f"{shown}{_reminder(question)}")
                if line is None:
                    return None
                key, _, reason = line.strip().partition(" ")
                option = self._option(question, key.lower())
                if key.lower() in ("d", "diff", "show"):
                    shown = style.diff(full_text(question.plan).rstrip("\n")) + "\n"
                elif option is None:
                    shown = "That is none of the answers. "
                else:
                    return Answer(option, reason.strip() or None)

    def _option(self, question: Question, key: str) -> str | None:
        letters = {letter: option for option, letter in _KEYS.items()}
        wanted = _WORDS.get(key) or letters.get(key)
        return wanted if wanted in {option.id for option in question.options} else None


def _question(question: Question, style: Style) -> str:
    """Return the question: its first line stands out, and changed lines have their colours."""
    first, _, rest = question_text(question).partition("\n")
    return style.paint(first, "bold") + (f"\n{style.diff(rest)}" if rest else "")


def _choices(question: Question) -> str:
    """Return one answer a line; what "for this session" covers stands in the question, once."""
    labels = {option.id: _SHORT.get(option.id, option.label) for option in question.options}
    lines = [f"  [{key}] {labels[option]}" for option, key in _KEYS.items() if option in labels]
    lines[-1] += " (n REASON says why)"
    if needs_show(question.plan):
        lines.append(f"  [d] {show_label(question.plan)}")
    return "\n".join(lines)


def _reminder(question: Question) -> str:
    """Return the short prompt: the letters there are, and what an empty line means."""
    offered = {option.id: option.label for option in question.options}
    letters = [key for option, key in _KEYS.items() if option in offered]
    letters = ["y", "n", *(letter for letter in letters if letter not in "yn")]
    if needs_show(question.plan):
        letters.append("d")
    return f"{'/'.join(letters)} (Enter: {offered.get('reject', 'reject').lower()}) > "


async def _answer_to(prompt: str) -> str | None:
    """Print the prompt and read a line typed after it; what was typed before nobody meant for it."""
    forget_typed_ahead()
    note(prompt, end="")
    line: str | None = None
    try:
        line = await read_line()
    finally:
        if line is None:  # nobody typed a line end, and what comes next is no part of the prompt
            note()
    return line
