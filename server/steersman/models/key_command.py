"""A key from a program that the user names (``pass``, a keychain); the only subprocess under models/ (DESIGN M1).

The command comes from the user's own configuration, never from a workspace. No shell is involved, and what it prints
is never shown.
"""

from __future__ import annotations

import asyncio
import shutil
from asyncio import subprocess
from contextlib import suppress
from pathlib import Path

from steersman.agent.errors import AuthenticationError

TIME_LIMIT_S = 60.0


async def read_key(command: tuple[str, ...], *, time_limit_s: float = TIME_LIMIT_S) -> str:
    """Run the command in the user's home folder and return what it prints, stripped.

    Raises:
        AuthenticationError: it is not there, failed, took too long or printed nothing.
    """
    program = shutil.which(command[0]) if command else None
    if program is None:
        raise _failed(command, "was not found")
    try:
        process = await subprocess.create_subprocess_exec(
            program,
            *command[1:],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path.home(),
        )
    except OSError as error:
        raise _failed(command, f"could not be started ({type(error).__name__})") from None
    try:
        async with asyncio.timeout(time_limit_s):
            output, _ = await process.communicate()
    except TimeoutError:
        raise _failed(command, f"took longer than {time_limit_s:g} s") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode != 0:
        raise _failed(command, f"failed with exit code {process.returncode}")
    key = output.decode("utf-8", "replace").strip()
    if not key:
        raise _failed(command, "printed nothing")
    return key


def _failed(command: tuple[str, ...], how: str) -> AuthenticationError:
    name = command[0] if command else "(empty)"
    return AuthenticationError(
        f"The command for the key, “{name}”, {how}.", hint="Run it in a terminal to see why; it must print the key."
    )
