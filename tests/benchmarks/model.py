"""The scripted model from the outside: starts its process, opens scripts, takes the times (``endpoint.py``)."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import PYTHON, ended


@dataclass(frozen=True, slots=True)
class Taken:
    """What an address was asked.

    Attributes:
        received: when each request was there, in ``time.perf_counter``'s seconds of this system.
        answered: when the last byte of each answer had been handed to the system.
        sizes: of the requests, in bytes.
        aside: requests without tools.
    """

    received: Sequence[float]
    answered: Sequence[float]
    sizes: Sequence[int]
    aside: int

    @property
    def gaps(self) -> list[float]:
        """Seconds between each answer and the next request: what the loop itself costs, and its tools."""
        return [later - before for before, later in zip(self.answered, self.received[1:], strict=False)]


class Model:
    """The endpoint's process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._names = (f"s{number}" for number in itertools.count())
        self._port = self._hear()["port"]

    def open(self, **script: Any) -> str:
        """Open a script (``endpoint.Script``'s fields); return its name."""
        name = next(self._names)
        self._ask({"open": name, "script": script})
        return name

    def origin(self, name: str) -> str:
        """Return a script's address without the API's version."""
        return f"http://127.0.0.1:{self._port}/{name}"

    def environ(self, name: str) -> dict[str, str]:
        """Return the environment that points Steersman to a script."""
        own = {"OPENAI_BASE_URL": f"{self.origin(name)}/v1", "OPENAI_API_KEY": "test-key"}
        return {**own, "STEERSMAN_MODEL": "openai/scripted"}

    def take(self, name: str) -> Taken:
        """Return what a script was asked so far."""
        return Taken(**self._ask({"take": name}))

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        return self._hear()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextlib.contextmanager
def scripted_model() -> Generator[Model]:
    """Start the endpoint; end it at last."""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    argv = [*PYTHON, "-m", "benchmarks.endpoint"]
    with ended(subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)) as process:
        yield Model(process)


def reading_calls(count: int, tool: str = "read_file", path: str = "a.py") -> list[tuple[str, str]]:
    """Return calls that read a file of forty lines, none like another."""
    return [
        (tool, json.dumps({"path": path, "offset": number % 40 + 1, "limit": 5 + number // 40}))
        for number in range(count)
    ]


def plant(folder: Path) -> Path:
    """Make the workspace that ``reading_calls`` reads."""
    folder.mkdir(exist_ok=True)
    (folder / "a.py").write_text("".join(f"line {number}\n" for number in range(40)), encoding="utf-8")
    return folder
