"""Asking a person on the terminal (DESIGN A2, A3)."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Self

from steersman.permissions.approver import SAVE_AND_ALLOW
from steersman.permissions.question import Answer, Question
from steersman.permissions.render import full_text, needs_show, question_text, show_label

_KEYS = {"reject": "r", SAVE_AND_ALLOW: "w", "allow_once": "y", "allow_session": "s", "allow_always": "a"}


class TerminalAsker:
    """Puts questions to the terminal, one at a time. End of input, an empty line and nonsense are no consent."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    @classmethod
    def if_there_is_a_terminal(cls) -> Self | None:
        """Return an asker when a person can both read and type, else None."""
        return cls() if sys.stdin.isatty() and sys.stderr.isatty() else None

    async def ask(self, question: Question) -> Answer | None:
        """Show the question and read an answer; cancelled, it leaves the terminal as it is."""
        async with self._turn:
            print(f"\n{question_text(question)}", file=sys.stderr)
            while True:
                line = await _read_line(self._prompt(question))
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


async def _read_line(prompt: str) -> str | None:
    """Read a line of standard input without holding up the event loop. None at its end."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str | None] = loop.create_future()

    def settle(line: str) -> None:
        if not answer.done():
            answer.set_result(line or None)

    try:
        loop.add_reader(sys.stdin.fileno(), lambda: settle(sys.stdin.readline()))
    except NotImplementedError:  # Windows' loop cannot watch a console: a thread reads, and is left behind on cancel
        threading.Thread(target=lambda: loop.call_soon_threadsafe(settle, sys.stdin.readline()), daemon=True).start()
        return await answer
    try:
        return await answer
    finally:
        loop.remove_reader(sys.stdin.fileno())
