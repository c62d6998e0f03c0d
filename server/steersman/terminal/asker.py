"""Asking a person on the terminal (DESIGN A2, A3)."""

from __future__ import annotations

import asyncio
import sys

from steersman.permissions.approver import SAVE_AND_ALLOW
from steersman.permissions.question import Answer, Question
from steersman.permissions.render import full_text, needs_show, question_text, show_label
from steersman.terminal.keyboard import forget_typed_ahead, read_line

_KEYS = {"reject": "r", SAVE_AND_ALLOW: "w", "allow_once": "y", "allow_session": "s", "allow_always": "a"}


class TerminalAsker:
    """Puts questions to the terminal, one at a time. End of input, an empty line and nonsense are no consent."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Answer | None:
        """Show the question and read an answer; cancelled, it leaves the terminal as it is."""
        async with self._turn:
            shown = f"\n{question_text(question)}\n"
            while True:
                line = await _answer_to(shown + self._prompt(question))
                shown = ""
                if line is None:
                    return None
                key, _, reason = line.strip().partition(" ")
                if key.lower() in ("d", "diff", "show"):
                    print(full_text(question.plan), file=sys.stderr)
                    continue
                option = self._option(question, key.lower())
                if option is None:
                    print("Please answer with one of the letters.", file=sys.stderr)
                    continue
                return Answer(option, reason.strip() or None)

    def _prompt(self, question: Question) -> str:
        answers = [f"[{_KEYS[option.id]}] {option.label}" for option in question.options if option.id in _KEYS]
        if needs_show(question.plan):
            answers.append(f"[d] {show_label(question.plan)}")
        return "  ".join(answers) + "   (r REASON to say why not)\n> "

    def _option(self, question: Question, key: str) -> str | None:
        words = {"n": "reject", "no": "reject", "yes": "allow_once", "": "reject"}
        letters = {letter: option for option, letter in _KEYS.items()}
        wanted = words.get(key) or letters.get(key)
        return wanted if wanted in {option.id for option in question.options} else None


async def _answer_to(prompt: str) -> str | None:
    """Print the prompt and read a line typed after it; what was typed before nobody meant for it."""
    forget_typed_ahead()
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return await read_line()
