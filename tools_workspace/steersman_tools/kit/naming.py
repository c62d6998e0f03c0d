"""The names that exist, for a model that named one that does not (DESIGN L7)."""

from __future__ import annotations

import asyncio
import difflib
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.workspace import Location, Workspace

_MAX_NAMES = 5
_MAX_SECONDS = 2.0
_CUTOFF = 0.6


async def nearest_names(location: Location, workspace: Workspace, lister: Lister) -> list[str]:
    """Return paths that the model may have meant, best first, as tools take them."""
    signal = CancelSignal()
    timer = asyncio.get_running_loop().call_later(_MAX_SECONDS, signal.set)  # what was found by then is good enough
    try:
        listing = await lister.files(location.root.path, location.root.path, signal)
    except ToolError:
        return []
    finally:
        timer.cancel()
    wanted = location.path.relative_to(location.root.path).as_posix()
    nearest = await asyncio.to_thread(_nearest, wanted, listing.paths)
    return [workspace.locate(str(location.root.path / path)).display for path in nearest]


def did_you_mean(names: list[str]) -> str:
    """Return the end of an error message that names what exists, or ""."""
    return f"; did you mean {' or '.join(names)}?" if names else ""


def _nearest(wanted: str, paths: tuple[str, ...]) -> list[str]:
    """Same name elsewhere first (any case, any ending), then names written alike."""
    name = wanted.rpartition("/")[2].casefold()
    stem = name.partition(".")[0]
    same = [path for path in paths if path.rpartition("/")[2].casefold() == name]
    if not same:
        by_name: dict[str, list[str]] = {}
        for path in paths:
            by_name.setdefault(path.rpartition("/")[2].casefold(), []).append(path)
        alike = [each for each in by_name if stem and each.partition(".")[0] == stem]
        alike += difflib.get_close_matches(name, by_name, n=_MAX_NAMES, cutoff=_CUTOFF) if len(by_name) < 20_000 else []
        same = [path for each in dict.fromkeys(alike) for path in by_name[each]]
    same.sort(key=lambda path: -_shared_parents(wanted, path))
    return same[:_MAX_NAMES]


def _shared_parents(one: str, other: str) -> int:
    return len(set(Path(one).parts[:-1]) & set(Path(other).parts[:-1]))
