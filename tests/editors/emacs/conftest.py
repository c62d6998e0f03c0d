"""An Emacs for the tests of a module, a workspace and a server for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.emacs import Emacs, EmacsWorkspace, steersman_configuration


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs an editor that ``make test-editors`` installs, and let one worker run all of it."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.editor)
            item.add_marker(pytest.mark.heavy_editor)
            item.add_marker(pytest.mark.xdist_group("editor"))


@pytest.fixture(scope="module")
def emacs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emacs]:
    """An Emacs with the package."""
    with Emacs(tmp_path_factory.mktemp("emacs"), steersman_configuration()) as started:
        yield started


@pytest.fixture
def work(emacs: Emacs, tmp_path: Path) -> Iterator[EmacsWorkspace]:
    """A workspace of this test alone."""
    workspace = EmacsWorkspace(emacs, tmp_path / "work")
    yield workspace
    workspace.close()
