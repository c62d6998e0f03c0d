"""A server with its client, for the tests of the face."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from steersman.models.scripted import Answering
from support.face import Face


@pytest.fixture
async def make_face(tmp_path: Path) -> AsyncIterator[Callable[..., Face]]:
    """Return a function that makes a face whose model plays the replies given."""
    faces: list[Face] = []

    def make(*replies: Answering) -> Face:
        faces.append(Face(tmp_path, replies))
        return faces[-1]

    yield make
    for face in faces:
        await face.close()
