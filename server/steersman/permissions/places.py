"""Where the permissions of a folder are kept: apart from the code that reads them, which loads much more."""

from __future__ import annotations

import hashlib
from pathlib import Path


def always_file(state_dir: Path, folder_key: str) -> Path:
    """Return where the permissions of a workspace folder are kept. ``folder_key`` names the folder uniquely."""
    digest = hashlib.sha256(folder_key.encode("utf-8", "surrogatepass")).hexdigest()
    return state_dir / "permissions" / f"{digest[:32]}.json"
