"""Steersman beside other agents on the same scripted model, in turn (``PEERS=1``; who they are: ``peers.py``).

A task of 50 calls that read a file, then a text; and each one's server for editors, idle. Medians of the rounds.
"""

from __future__ import annotations

import contextlib
import json
import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.model import Model, plant, reading_calls, scripted_model
from benchmarks.peers import PEERS, Peer, PeerError, Place
from benchmarks.processes import SERVER, clean_environment, ended, family_bytes
from benchmarks.rows import Row, Suite, Unit, ratio_at_most
from benchmarks.starting import INITIALIZE, RUN, message

TURNS, EDGE, ROUNDS = 50, 10, 3
RUN_S, REPLY_S = 120.0, 30.0
SETTLED_S = 3.0
STATUS = message(2, "workspace/executeCommand", {"command": "steersman.status", "arguments": []})


@dataclass
class Found:
    """What one agent's rounds gave; ``failure`` says why there is nothing."""

    requests: list[float] = field(default_factory=list[float])
    first: list[float] = field(default_factory=list[float])
    last: list[float] = field(default_factory=list[float])
    sizes: list[float] = field(default_factory=list[float])
    replies: list[float] = field(default_factory=list[float])
    idle: list[float] = field(default_factory=list[float])
    failure: str = ""


@dataclass(frozen=True)
class Start:
    """How something is started."""

    argv: list[str]
    environ: dict[str, str]
    cwd: Path


def time_run(model: Model, script: str, start: Start, found: Found) -> None:
    """Do the task once.

    Raises:
        PeerError: it did not end, or asked too little.
    """
    began = time.perf_counter()
    try:
        subprocess.run(
            start.argv,
            env=start.environ,
            cwd=start.cwd,
            capture_output=True,
            timeout=RUN_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PeerError(f"its run did not end within {RUN_S:.0f} s") from None
    taken = model.take(script)
    if len(taken.received) <= TURNS:
        raise PeerError(f"its run ended after {len(taken.received)} of {TURNS + 1} requests")
    found.requests.append(taken.received[0] - began)
    found.first += taken.gaps[:EDGE]
    found.last += taken.gaps[-EDGE:]
    found.sizes.append(taken.sizes[0])


def time_server(start: Start, hello: bytes, found: Found, more: bytes = b"") -> None:
    """Start the server for editors, wait for its first reply, let it settle, and look at its memory.

    Args:
        start: how.
        hello: what it replies to.
        found: takes the numbers.
        more: said after the reply, to have it do all that it puts off.

    Raises:
        PeerError: it said nothing.
    """
    began = time.perf_counter()
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        start.argv, env=start.environ, cwd=start.cwd, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    )
    with ended(process):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(hello)
        process.stdin.flush()
        if not process.stdout.readline():
            raise PeerError("its server ended without a reply")
        found.replies.append(time.perf_counter() - began)
        process.stdin.write(more)
        process.stdin.flush()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SETTLED_S)
            raise PeerError("its server ended after its first reply")
        found.idle.append(family_bytes(process.pid))


def measure_ours(model: Model, folder: Path, found: Found) -> None:
    """Measure Steersman once."""
    script = model.open(calls=reading_calls(TURNS), pieces=["Done."])
    environ = clean_environment(folder, **model.environ(script))
    work = plant(folder / "ws")
    argv = [*RUN, "Read it.", "--mode", "plan", "--max-turns", str(TURNS + 5)]
    time_run(model, script, Start(argv, environ, work), found)
    time_server(Start(list(SERVER), environ, work), INITIALIZE, found, STATUS)


def measure_peer(model: Model, peer: Peer, found: Found) -> None:
    """Measure a peer once; what fails is told and never tried again."""
    try:
        place = _placed(model, peer)
        environ = peer.environment(place[0])
        if peer.run is not None:
            argv = peer.command(place[0], peer.run(place[0]))
            time_run(model, place[1], Start(argv, environ, place[0].work), found)
        serving = peer.command(place[0], peer.serve)
        time_server(Start(serving, environ, place[0].work), peer.hello, found)
    except (PeerError, OSError) as error:
        found.failure = getattr(error, "strerror", None) or str(error)


def _placed(model: Model, peer: Peer) -> tuple[Place, str]:
    place = peer.place("")
    calls = [peer.call(place.work, number) for number in range(TURNS)]
    script = model.open(calls=[(name, json.dumps(arguments)) for name, arguments in calls], pieces=["Done."])
    plant(place.work)
    return Place(place.package, place.home, place.work, model.origin(script)), script


def installed() -> dict[str, tuple[Peer, Found]]:
    """Install what can be installed; return each under its name and version."""
    found: dict[str, tuple[Peer, Found]] = {}
    for peer in PEERS:
        try:
            found[f"{peer.name} {peer.install()}"] = (peer, Found())
        except PeerError as error:
            found[peer.name] = (peer, Found(failure=str(error)))
    return found


COLUMNS: list[tuple[str, Callable[[Found], list[float]], Unit]] = [
    ("process start to first request", lambda found: found.requests, Unit.SECONDS),
    (f"gap, first {EDGE} turns of {TURNS}", lambda found: found.first, Unit.SECONDS),
    (f"gap, last {EDGE} turns of {TURNS}", lambda found: found.last, Unit.SECONDS),
    ("first request", lambda found: found.sizes, Unit.BYTES),
    ("editor's server: start to first reply", lambda found: found.replies, Unit.SECONDS),
    ("editor's server: idle memory", lambda found: found.idle, Unit.BYTES),
]


def rows() -> Iterator[Row]:
    """Measure everybody in turn."""
    peers, ours = installed(), Found()
    with scripted_model() as model:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                measure_ours(model, Path(folder), ours)
            for peer, found in peers.values():
                if not found.failure:
                    measure_peer(model, peer, found)
    for name, (_, found) in peers.items():
        if found.failure:
            yield Row(name, math.nan, missing=f"could not be measured: {found.failure}")
    for title, column, unit in COLUMNS:
        for name, (_, found) in peers.items():
            if numbers := column(found):
                middle = statistics.median(column(ours))
                yield Row(f"  {name}", middle, statistics.median(numbers), unit, ratio_at_most(1), group=title)


SUITE = Suite("peers", "Other agents on the same scripted model", "each of them", rows)
