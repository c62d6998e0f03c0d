"""From the client's ``file:`` URIs, in whatever spelling, to canonical paths (DESIGN W2; reports 32).

The one place that does: documents, folders and command parameters all get their paths here, so that one file has one
key. Other schemes have no path (DESIGN W11): nothing is ever made up for them.
"""

from __future__ import annotations

import os
from pathlib import Path

from steersman_tools.kit.names import to_absolute
from steersman_tools.kit.paths import RealFileSystem, respell
from steersman_tools.kit.workspace import PathRefusedError


def canonical_path(uri: str) -> Path | None:
    """Return the real path of a ``file:`` URI, links resolved and spelled as on disk, or None for what is no file."""
    if uri[:5].lower() != "file:":
        return None
    try:
        path = to_absolute(uri, folder=Path(Path.cwd().anchor), roots=())
        return Path(respell(os.path.realpath(path), RealFileSystem()))
    except (PathRefusedError, OSError, ValueError):
        return None
