from collections.abc import Callable

import pytest

from steersman.agent.messages import Message
from steersman.sessions.store import SessionStore
from support.sample_session import SetClock, record_sample
from support.session_store import Stores, append_all


@pytest.fixture
def clock(stores: Stores) -> SetClock:
    clock = SetClock()
    stores.clock = clock  # pyright: ignore[reportAttributeAccessIssue]
    return clock


@pytest.fixture
def store(stores: Stores, clock: SetClock) -> SessionStore:
    del clock
    return stores.in_memory()


@pytest.fixture
def sample(store: SessionStore, stores: Stores, clock: SetClock) -> str:
    return record_sample(store, clock, str(stores.folder))


@pytest.fixture
def session_of(store: SessionStore) -> Callable[..., str]:
    """Make a session of these messages."""

    def make(*messages: Message, title: str = "title") -> str:
        session = store.create(title)
        append_all(store, session.id, list(messages))
        return session.id

    return make
