"""What the tests in Helix share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.helix import HelixWorkspace


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs an editor that ``make test-editors`` installs, and let one worker run all of it."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.editor)
            item.add_marker(pytest.mark.heavy_editor)
            item.add_marker(pytest.mark.xdist_group("editor"))


@pytest.fixture
def work(tmp_path: Path) -> Iterator[HelixWorkspace]:
    """A workspace of this test alone, and a Helix once it opens a file."""
    workspace = HelixWorkspace(tmp_path)
    yield workspace
    workspace.close()
