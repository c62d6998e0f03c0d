"""Where the user's state and settings are (PROTOCOL §7). Kept apart, because starting needs it before anything else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steersman.agent.errors import InvalidRequestError


def state_dir(environ: Mapping[str, str]) -> Path:
    """Return where sessions, logs and remembered permissions live; ``STEERSMAN_STATE_DIR`` overrides.

    Raises:
        InvalidRequestError: that names the home folder of nobody; or it does not, and whoever runs this has none.
    """
    named = _named_state(environ)
    if named is not None:
        return named
    import platformdirs  # noqa: PLC0415 - not before the client has its first answer

    try:
        return Path(platformdirs.user_state_dir("steersman", appauthor=False))
    except RuntimeError:
        raise _homeless("STEERSMAN_STATE_DIR") from None


def config_file(environ: Mapping[str, str]) -> Path:
    """Return the user's ``config.toml``; ``STEERSMAN_CONFIG`` overrides.

    Raises:
        InvalidRequestError: as ``state_dir``.
    """
    named = _named_config(environ)
    if named is not None:
        return named
    import platformdirs  # noqa: PLC0415 - likewise

    try:
        return Path(platformdirs.user_config_dir("steersman", appauthor=False)) / "config.toml"
    except RuntimeError:
        raise _homeless("STEERSMAN_CONFIG") from None


def check_named(environ: Mapping[str, str]) -> None:
    """Look at what the environment names, and load nothing; raises as the two above."""
    _named_state(environ)
    _named_config(environ)


def _named_state(environ: Mapping[str, str]) -> Path | None:
    return _path("STEERSMAN_STATE_DIR", environ.get("STEERSMAN_STATE_DIR", ""))


def _named_config(environ: Mapping[str, str]) -> Path | None:
    return _path("STEERSMAN_CONFIG", environ.get("STEERSMAN_CONFIG", ""))


def _path(variable: str, text: str) -> Path | None:
    """Return what a variable names, None for nothing."""
    text = text.strip()
    if not text:
        return None
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise _wrong(f"{variable} is {text!r}, and there is no such home folder.", "Write the whole path.") from None


def _homeless(variable: str) -> InvalidRequestError:
    return _wrong("You have no home folder here to keep things in: HOME is not set.", f"Set HOME, or {variable}.")


def _wrong(message: str, hint: str) -> InvalidRequestError:
    from steersman.agent.errors import InvalidRequestError  # noqa: PLC0415 - only where something is wrong

    return InvalidRequestError(message, hint=hint)
