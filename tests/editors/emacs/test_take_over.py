"""A session that another program holds: taken over when the person says so, and left there otherwise (DESIGN S4)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from steersman.agent.errors import SessionLockedError
from steersman.agent.messages import UserMessage
from steersman.sessions.store import SessionStore
from support.emacs import Emacs, EmacsWorkspace

HOLDER = "another editor (pid 4711)"


@pytest.fixture
def store(emacs: Emacs, work: EmacsWorkspace) -> Iterator[SessionStore]:
    """The store that the server of this Emacs works with."""
    state = Path(emacs.eval('(getenv "STEERSMAN_STATE_DIR")'))
    opened = SessionStore.open(state, work.folder, clock=time.time, new_id=lambda: uuid.uuid4().hex)
    yield opened
    opened.close()


def say(emacs: Emacs, words: str, command: str) -> None:
    """Give a task, or go on with a conversation, by a command."""
    emacs.command(command)
    prompt = "(and (active-minibuffer-window) (with-selected-window (active-minibuffer-window) (minibuffer-prompt)))"
    emacs.wait(f'(and (string-prefix-p "Steersman" (or {prompt} "")) t)', "the prompt")
    emacs.terminal.type(words)
    emacs.terminal.keys("Enter")


def wait_for(emacs: Emacs, words: str) -> None:
    """Wait until the conversation shows some words."""
    emacs.wait(
        f'(and (get-buffer "*Steersman work*")'
        f' (with-current-buffer "*Steersman work*" (string-search "{words}" (buffer-string))))',
        f"{words} in the conversation",
    )


def test_it_is_taken_over_only_when_the_person_says_so(emacs: Emacs, work: EmacsWorkspace, store: SessionStore) -> None:
    work.script(["Once."], ["Mine now."])
    work.open("a.txt", "one\n")
    say(emacs, "tell", "steersman")
    wait_for(emacs, "complete")
    session = emacs.eval('(with-current-buffer "*Steersman work*" steersman-conversation-session)')
    emacs.eval('(progn (pop-to-buffer "*Steersman work*") nil)')
    with store.acquire(session, HOLDER) as handle:
        say(emacs, "go on", "steersman-reply")
        emacs.terminal.wait_for(HOLDER, "Take it over?")
        emacs.terminal.keys("n")
        emacs.terminal.wait_for("not started")
        handle.append(UserMessage("still mine"))
        say(emacs, "go on", "steersman-reply")
        emacs.terminal.wait_for("Take it over?")
        emacs.terminal.keys("y")
        wait_for(emacs, "Mine now.")
        with pytest.raises(SessionLockedError, match="was taken over"):
            handle.append(UserMessage("late"))
