"""Where the user's state and settings are (PROTOCOL §7). Kept apart, because starting needs it before anything else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def state_dir(environ: Mapping[str, str]) -> Path:
    """Return where sessions, logs and remembered permissions live; ``STEERSMAN_STATE_DIR`` overrides."""
    named = environ.get("STEERSMAN_STATE_DIR", "").strip()
    if named:
        return Path(named).expanduser()
    import platformdirs  # noqa: PLC0415 - not before the client has its first answer

    return Path(platformdirs.user_state_dir("steersman", appauthor=False))


def config_file(environ: Mapping[str, str]) -> Path:
    """Return the user's ``config.toml``; ``STEERSMAN_CONFIG`` overrides."""
    named = environ.get("STEERSMAN_CONFIG", "").strip()
    if named:
        return Path(named).expanduser()
    import platformdirs  # noqa: PLC0415 - likewise

    return Path(platformdirs.user_config_dir("steersman", appauthor=False)) / "config.toml"
