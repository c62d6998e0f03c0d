"""Where the log goes, and what never gets into it."""

import logging
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from steersman.lsp.logs import FILE_NAME, ClientLog, log_to_file


@pytest.fixture
def restored() -> Iterator[None]:
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield
    root.setLevel(level)
    for handler in set(root.handlers) - set(handlers):
        root.removeHandler(handler)
        handler.close()


@pytest.mark.usefixtures("restored")
def test_the_log_is_a_file_of_the_state_folder_that_only_its_owner_reads(tmp_path: Path) -> None:
    assert log_to_file(tmp_path / "state", "info") is not None
    logging.getLogger("steersman.any").info("hello \ud83d")
    logging.getLogger("pygls.protocol").info("Sending data: everything")
    path = tmp_path / "state" / FILE_NAME
    text = path.read_text(encoding="utf-8")
    assert "hello" in text
    assert "everything" not in text
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.usefixtures("restored")
def test_a_state_folder_that_cannot_be_written_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert log_to_file(tmp_path / "file" / "state", "info") is None


def test_warnings_go_to_the_client_without_stack_traces() -> None:
    sent: list[tuple[int, str]] = []
    calls: list[Callable[[], None]] = []
    handler = ClientLog(lambda kind, text: sent.append((kind, text)), calls.append)
    log = logging.getLogger("steersman.part")
    log.addHandler(handler)
    log.info("nothing")
    log.warning("careful %d", 1)
    try:
        raise ValueError("secret")  # noqa: TRY301
    except ValueError:
        log.exception("failed")
    log.removeHandler(handler)
    for call in calls:
        call()
    assert sent == [(2, "steersman.part: careful 1"), (1, "steersman.part: failed")]


def test_a_closed_event_loop_is_no_crash() -> None:
    def schedule(_call: Callable[[], None]) -> None:
        raise RuntimeError("closed")

    ClientLog(lambda _kind, _text: None, schedule).emit(logging.makeLogRecord({"msg": "m", "levelno": 40}))
