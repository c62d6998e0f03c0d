"""The folder for temporary files and caches that the commands of a run share, and nobody else (DESIGN W10)."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import weakref
from pathlib import Path

from steersman.agent.tool import ToolError
from steersman_tools.kit.leftovers import SCRATCH_PREFIX, Leftover, LeftoverStore


class Scratch:
    """Made when first needed; removed with this object, or once the process is gone.

    Args:
        given: the folder to use, which then stays; or None.
        leftovers: where one that is made is noted, or None.
    """

    def __init__(self, given: Path | None, leftovers: LeftoverStore | None) -> None:
        self._given = given
        self._leftovers = leftovers
        self._made: Path | None = None

    def folder(self) -> Path:
        """Return it, with ``tmp`` and ``cache`` in it. Blocks.

        Raises:
            ToolError: there is no place for one.
        """
        if self._made is None:
            try:
                self._made = self._make()
            except OSError as error:
                raise ToolError(
                    "A command needs a folder for temporary files, and none can be made: "
                    f"{error.strerror or error}. Tell the person to set TMPDIR to a folder that can be written to, "
                    "or to free some space, and to start Steersman again."
                ) from None
        return self._made

    def _make(self) -> Path:
        made = self._given or self._make_private()
        for name in ("tmp", "cache"):
            (made / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        return made

    def _make_private(self) -> Path:
        path = Path(tempfile.gettempdir()).resolve() / f"{SCRATCH_PREFIX}{secrets.token_hex(8)}"
        if self._leftovers is None:
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        else:
            record = self._leftovers.begin([Leftover("scratch", str(path))])
            weakref.finalize(self, record.end)
        path.mkdir(mode=0o700)
        return path
