from collections.abc import Iterator
from pathlib import Path

import pytest

from support.crew import Crew
from support.session_store import Stores


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    folder = tmp_path / "project"
    folder.mkdir()
    made = Stores(tmp_path / "state", folder)
    yield made
    made.close()


@pytest.fixture
def crew(stores: Stores) -> Iterator[Crew]:
    made = Crew(stores)
    yield made
    made.close()
