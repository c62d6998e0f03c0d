"""Starting: the server's first answer beside a bare pygls server, a run's first request beside its bare imports.

Whole processes, in turn, so that a drift of the machine's speed meets both; medians. Both see what a plain installation
has: httpx loads rich and click where it finds them, and only what the tests need brings those.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.model import Model, scripted_model
from benchmarks.processes import PYTHON, SERVER, Cost, clean_environment, until, whole
from benchmarks.rows import Row, Suite, ratio_at_most
from benchmarks.server import BARE_SERVER

ROUNDS = 9
BARE_IMPORTS = (*PYTHON, "-c", "import httpx, pydantic, sqlite3")
RUN = (*PYTHON, "-m", "steersman", "run")


def message(number: int, method: str, params: object) -> bytes:
    """Return a request in its frame."""
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = message(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})


def plain_installation(folder: Path) -> dict[str, str]:
    """Return the environment in which click cannot be imported, as where Steersman alone is installed."""
    place = folder / "plain"
    place.mkdir(exist_ok=True)
    (place / "click.py").write_text('raise ImportError("not part of a plain installation")\n', encoding="utf-8")
    return {"PYTHONPATH": str(place)}


def first_answer(argv: tuple[str, ...], environ: dict[str, str]) -> Cost:
    """Return what a server takes from its start to the first line of its ``initialize`` answer."""
    return until(argv, environ, lambda _: True, first=INITIALIZE)


def first_turn(environ: dict[str, str], folder: Path) -> Cost:
    """Return what ``steersman run`` takes until it says that it asks the rule-based model."""
    argv = [*RUN, "hello", "-C", str(folder), "--output", "stream-json"]
    return until(argv, environ, lambda line: b'"turn_started"' in line)


def first_request(model: Model, folder: Path) -> float:
    """Return the seconds until a ``steersman run`` has sent its first request over HTTP."""
    name = model.open(pieces=["Done."])
    began = time.perf_counter()
    environ = clean_environment(folder, **plain_installation(folder), **model.environ(name))
    subprocess.run([*RUN, "hello", "-C", str(folder)], env=environ, capture_output=True, check=True)
    return model.take(name).received[0] - began


def rows() -> Iterator[Row]:
    """Measure everything in turn."""
    bare: list[Cost] = []
    ours: list[Cost] = []
    imports: list[Cost] = []
    turns: list[Cost] = []
    requests: list[float] = []
    with tempfile.TemporaryDirectory() as name, scripted_model() as model:
        folder = Path(name)
        environ = clean_environment(folder, **plain_installation(folder))
        for _ in range(ROUNDS):
            bare.append(first_answer(BARE_SERVER, environ))
            ours.append(first_answer(SERVER, environ))
            imports.append(whole(BARE_IMPORTS, environ))
            turns.append(first_turn(environ, folder))
            requests.append(first_request(model, folder))
    server, run = "start to initialize reply", "run with demo/rules to first model request"
    yield Row(f"{server}, CPU", cpu(ours), cpu(bare), target=ratio_at_most(1.3))
    yield Row(f"{server}, wall", wall(ours), wall(bare), target=ratio_at_most(1.3))
    yield Row(f"{run}, CPU", cpu(turns), cpu(imports), target=ratio_at_most(1.5))
    yield Row(f"{run}, wall", wall(turns), wall(imports), target=ratio_at_most(1.5))
    yield Row("run to first request over HTTP, wall", statistics.median(requests), wall(imports))


def cpu(costs: list[Cost]) -> float:
    """Return the median CPU time."""
    return statistics.median(cost.cpu for cost in costs)


def wall(costs: list[Cost]) -> float:
    """Return the median wall time."""
    return statistics.median(cost.wall for cost in costs)


SUITE = Suite("starting", "Start", "a bare pygls server; python -c 'import httpx, pydantic, sqlite3'", rows)
