"""A state folder that cannot be written keeps nobody from reading what was recorded (DESIGN S6)."""

import pytest

from steersman.agent.errors import StoreUnavailableError
from steersman.agent.messages import UserMessage
from steersman.sessions.store import SessionStore
from support.session_store import Stores


@pytest.fixture
def locked_up(steersman, typed, monkeypatch):
    """A folder with one session whose store cannot be opened, as on a full disk; its last message is in the log yet."""
    typed("run", "the beginning", "--model", steersman.script(["Done."]))
    stores = Stores(steersman.state, steersman.folder)
    store = stores.open()
    with store.acquire(store.latest().id, "test") as handle:
        handle.append(UserMessage("the end"))
    really_open = SessionStore.open

    def open_store(state_dir, *args, **options):
        if state_dir == steersman.state:
            raise StoreUnavailableError("The disk is full.", hint="Free some space.")
        return really_open(state_dir, *args, **options)

    monkeypatch.setattr(SessionStore, "open", open_store)
    yield
    stores.close()


@pytest.mark.parametrize(
    "command", [["list"], ["show", "latest"], ["search", "end"], ["export", "latest"]], ids=lambda words: words[0]
)
def test_what_only_reads_reads_a_copy_and_says_so(typed, locked_up, command, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    printed = typed("sessions", *command)
    assert (printed.code, printed.err) == (0, "steersman: The disk is full. What is there is read from a copy.\n")
    assert "the beginning" in printed.out
    assert command == ["list"] or "the end" in printed.out
    assert not list(tmp_path.glob("steersman-*"))


@pytest.mark.parametrize(
    "command",
    [["rename", "latest", "x"], ["delete", "latest"], ["fork", "latest"], ["rewind", "latest"], ["check"], ["prune"]],
    ids=lambda words: words[0],
)
def test_what_changes_something_fails_and_says_why(typed, locked_up, command):
    assert typed("sessions", *command) == (1, "", "steersman: The disk is full. Free some space.\n")


def test_without_room_for_a_copy_the_first_reason_is_told(typed, locked_up, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert typed("sessions", "list") == (1, "", "steersman: The disk is full. Free some space.\n")


def test_where_nothing_was_recorded_there_is_nothing_to_copy(steersman, typed, locked_up):
    for file in steersman.state.glob("workspaces/*/sessions.db*"):
        file.unlink()
    assert typed("sessions", "list") == (1, "", "steersman: The disk is full. Free some space.\n")
