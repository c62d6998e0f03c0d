"""Neovims for the tests of a module: one process each, a workspace and a server for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.neovim import PLUGIN, Neovim
from support.neovim_plugin import PluginWorkspace, start_plugin
from support.neovim_workspace import Workspace


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts an editor, and let one worker run all of it: editors starve each other."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.editor)
            item.add_marker(pytest.mark.xdist_group("editor"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    """A Neovim with the documented lines of configuration and no plugin."""
    with Neovim(tmp_path_factory.mktemp("plain"), "-u", str(PLUGIN / "plain.lua")) as nvim:
        nvim.watch_progress()
        nvim.watch_prompts()
        yield nvim


@pytest.fixture(scope="module")
def nvim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    """A Neovim with the plugin."""
    with start_plugin(tmp_path_factory.mktemp("plugin")) as started:
        yield started


@pytest.fixture
def plugin(nvim: Neovim, tmp_path: Path) -> Iterator[PluginWorkspace]:
    """The module's workspace, empty, with a script of this test alone."""
    workspace = PluginWorkspace(nvim, nvim.home / "work", tmp_path / "script.jsonl")
    yield workspace
    workspace.close()


@pytest.fixture
def work(plain: Neovim, tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of this test alone, for the module's plain Neovim."""
    workspace = Workspace(plain, tmp_path / "work")
    yield workspace
    workspace.close()
