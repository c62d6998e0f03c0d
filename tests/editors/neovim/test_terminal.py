"""Neovim in a real terminal: what a person sees, compared as text with the README's screens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.neovim import NVIM, PLUGIN, isolated
from support.tmux import Tmux

SCREENS = PLUGIN / "screens"
TASK = ':Steersman replace "Hello" with "Good morning" in greet.py; then delete notes.md'


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Tmux]:
    """A terminal with Neovim and the plugin in a small project."""
    folder = tmp_path / "hello"
    (folder / ".git").mkdir(parents=True)
    (folder / "greet.py").write_text('def greet(name):\n    return f"Hello, {name}!"\n', encoding="utf-8")
    (folder / "notes.md").write_text("# Notes\n", encoding="utf-8")
    environment = isolated(tmp_path, {"STEERSMAN_PLUGIN": str(PLUGIN), "TERM": "tmux-256color"})
    argv = [str(NVIM), "--clean", "-u", str(Path(__file__).with_name("init.lua")), "greet.py"]
    with Tmux(tmp_path, argv, environment, folder=folder) as started:
        started.wait_for("def greet")
        yield started


def steady(screen: str) -> str:
    """Take out what differs from machine to machine: how long a tool took, and the count of tokens."""
    screen = re.sub(r"(?m)(  \d+\.\d s)$", "", screen)
    return re.sub(r"\d+ tokens", "812 tokens", screen)


def expect(screen: str, name: str) -> None:
    """Compare with a kept screen; with STEERSMAN_KEEP_SCREENS in the environment, keep this one."""
    if os.environ.get("STEERSMAN_KEEP_SCREENS"):
        (SCREENS / f"{name}.txt").write_text(steady(screen), encoding="utf-8")
    kept = (SCREENS / f"{name}.txt").read_text(encoding="utf-8")
    assert steady(screen) == kept


def test_a_task_in_a_terminal_looks_as_the_readme_shows_it(screen: Tmux) -> None:
    screen.type(TASK)
    screen.keys("Enter")
    screen.wait_for("Steersman wants to edit greet.py", "Steersman ? edit greet.py")
    screen.type(":SteersmanAnswer")
    screen.keys("Enter")
    expect(screen.wait_for("side by side", " steersman://question"), "question")
    screen.keys("a")
    screen.wait_for("Steersman wants to delete notes.md")
    screen.type(":SteersmanAnswer")
    screen.keys("Enter")
    screen.wait_for("side by side")
    screen.keys("r")
    screen.wait_for("Why not?")
    screen.type("I still need them")
    screen.keys("Enter")
    screen.wait_for("complete · 3 turns", "\n greet.py")
    expect(screen.wait_until_gone("Why not?"), "conversation")
    screen.keys("u")
    screen.wait_for('return f"Hello, {name}!"')


def test_the_readme_shows_the_screens() -> None:
    readme = (PLUGIN / "README.md").read_text(encoding="utf-8")
    for path in sorted(SCREENS.glob("*.txt")):
        assert f"```text\n{path.read_text(encoding='utf-8')}```\n" in readme, path.name
