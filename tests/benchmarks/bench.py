"""``make bench``: ratios against named peers or floors, all measured in one run; printed as a table, kept as JSON.

No test asserts any of it: see README.md beside this file for how each is measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import looping
import reading
import starting

import sessions

TARGET = Path("build/bench.json")
Row = tuple[str, float, float, float | None]
SESSION_TARGETS: dict[str, float] = {}


def reading_rows() -> list[Row]:
    """Listing and searching beside ripgrep on 100,000 files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        reading.grow(root)
        return [(name, ours, theirs, 1.5) for name, ours, theirs in asyncio.run(reading.compare(root))]


def session_rows() -> list[Row]:
    """The session store beside plain SQLite doing the same."""
    found: list[Row] = []
    for bench in (sessions.bench_append_and_load, sessions.bench_list, sessions.bench_search):
        with tempfile.TemporaryDirectory() as folder:
            found += [(name, ours, theirs, SESSION_TARGETS.get(name)) for name, ours, theirs in bench(Path(folder))]
    return found


SUITES: list[tuple[str, str, Callable[[], list[Row]]]] = [
    ("starting", "bare pygls / bare imports", lambda: list(starting.rows())),
    ("loop", "its own first turns", lambda: list(looping.rows())),
    ("reading", "ripgrep", reading_rows),
    ("sessions", "plain SQLite", session_rows),
]


def main() -> int:
    """Measure, print and keep."""
    kept: list[dict[str, object]] = []
    print(f"{'':52}{'ours':>12}{'floor':>12}{'ratio':>8}  target")
    for suite, floor, rows in SUITES:
        print(f"{suite} (floor: {floor})")
        for name, ours, theirs, target in rows():
            ratio = ours / theirs if theirs else float("nan")
            mark = "" if target is None else f"  ≤ {target}{'' if ratio <= target else '  MISSED'}"
            print(f"  {name:50}{ours * 1000:>9.2f} ms{theirs * 1000:>9.2f} ms{ratio:>8.2f}{mark}", flush=True)
            kept.append(
                {"suite": suite, "name": name, "ours_s": ours, "floor_s": theirs, "ratio": ratio, "target": target}
            )
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(f"kept as {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
