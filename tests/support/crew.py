"""Processes at work on one store, what they told, and a check of what they leave behind."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steersman.agent.messages import ToolMessage
from steersman.agent.validity import check_history
from steersman.sessions.store import SessionStore
from support.session_store import Stores
from support.session_worker import digest

TESTS = Path(__file__).parent.parent


@dataclass
class Worker:
    """A process at work, and what it told so far. A thread reads along, so that it never waits to be heard."""

    process: subprocess.Popen[str]
    told: list[list[Any]] = field(default_factory=list[list[Any]])
    lines: queue.Queue[str] = field(default_factory=queue.Queue[str])

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self.lines.put(line)
        self.lines.put("")

    def next(self) -> list[Any]:
        """Return the next thing it tells; an empty list at its end."""
        line = self.lines.get()
        if not line.endswith("\n"):  # cut off by the kill: it never left the process whole
            self.lines.put("")
            return []
        self.told.append(json.loads(line))
        return self.told[-1]

    def order(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """End it at once, and read what it had told by then."""
        self.process.kill()
        self._end()

    def _end(self) -> int:
        while self.next():
            pass
        self._reader.join()
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        return self.process.wait()

    def finish(self) -> None:
        """Let it come to its own end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self._end() == 0


@dataclass
class Crew:
    """Starts workers on one store and checks what they leave."""

    stores: Stores
    workers: list[Worker] = field(default_factory=list[Worker])
    acknowledged: dict[str, dict[int, str]] = field(default_factory=dict[str, dict[int, str]])

    def start(self, name: str, *orders: str) -> Worker:
        arguments = [
            sys.executable, "-P", "-m", "support.session_worker",
            str(self.stores.state_dir), str(self.stores.folder), name, *orders,
        ]  # fmt: skip
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )
        worker = Worker(process)
        self.workers.append(worker)
        return worker

    def note(self, worker: Worker) -> None:
        """Remember what a worker said was committed."""
        for kind, *rest in worker.told:
            if kind == "ack":
                session_id, seq, what = rest
                assert self.acknowledged.setdefault(session_id, {}).setdefault(seq, what) == what
        worker.told.clear()

    def check(self, session_id: str, store: SessionStore) -> list[str]:
        """Check one session: sound, complete, and free; return how its calls were closed."""
        with store.acquire(session_id, "check") as handle:
            loaded = handle.load()
        if loaded:
            check_history(loaded)
        stored = {each.seq: digest(each.message) for each in store.messages(session_id)}
        assert list(stored) == list(range(len(stored)))
        for seq, what in self.acknowledged.get(session_id, {}).items():
            assert stored[seq] == what, f"message {seq} of {session_id} is lost"
        return [message.outcome for message in loaded if isinstance(message, ToolMessage)]

    def close(self) -> None:
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.process.send_signal(signal.SIGCONT)
                worker.kill()
