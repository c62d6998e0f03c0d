"""``make bench``: ratios beside named floors and peers, all measured in one run; printed as a table, kept as JSON.

No test asserts any of it: README.md beside this file says how each row is measured and what it was last.

``make bench ONLY="loop streaming"`` measures these suites alone; ``make bench PEERS=1`` measures other agents too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import cancelling, looping, reading, remembering, rivals, scaling, sessions, starting, streaming
from benchmarks.rows import Suite
from benchmarks.table import Paint, Table

TARGET = Path("build/bench.json")
PARTS = Path("build/bench")
MODULES = (starting, looping, streaming, cancelling, remembering, reading, sessions, scaling)
SUITES = tuple(module.SUITE for module in MODULES)


def machine() -> dict[str, Any]:
    """Return what a reader must know of the machine."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    about = {"system": platform.system(), "python": platform.python_version(), "cores": os.cpu_count()}
    return about | {"load": load, "at": datetime.now(UTC).isoformat(timespec="seconds")}


def measure(suites: list[Suite]) -> list[dict[str, Any]]:
    """Measure the suites, print each row as it comes, and return them for the file."""
    table = Table(Paint(sys.stdout.isatty() and "NO_COLOR" not in os.environ))
    kept: list[dict[str, Any]] = []
    print(table.head())
    for suite in suites:
        print(table.open(suite), flush=True)
        for row in suite.rows():
            print(table.line(row), flush=True)
            kept.append(row.as_json(suite.name))
    print(table.end())
    return kept


def main() -> int:
    """Measure, print and keep."""
    known = {suite.name: suite for suite in (*SUITES, rivals.SUITE)}
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="SUITE", help=f"of {', '.join(known)}")
    parser.add_argument("--peers", action="store_true", help="measure other agents too, from the package registry")
    args = parser.parse_args()
    if unknown := set(args.only) - known.keys():
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [known[name] for name in args.only] or [*SUITES, *([rivals.SUITE] if args.peers else [])]
    about, began = machine(), time.perf_counter()
    rows = measure(chosen)
    about["seconds"] = round(time.perf_counter() - began)
    target = PARTS / f"{'-'.join(args.only)}.json" if args.only else TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps({"machine": about, "rows": rows}, indent=1), encoding="utf-8")
    print(f"\nTook {about['seconds']} s; kept as {target}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
