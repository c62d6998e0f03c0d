"""A look into a file at one place, however large it is (DESIGN W9). Blocks briefly."""

from __future__ import annotations

import os
from pathlib import Path

from steersman.agent.tool import ToolError
from steersman_tools.kit.anchored import check_regular, open_folder

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_part(root: Path, path: Path, offset: int, size: int) -> bytes | None:
    """Return up to ``size`` bytes of a canonical path from ``offset`` on.

    None when it cannot be read, or its bytes are not the ones that ripgrep counts (UTF-16).
    """
    try:
        with open_folder(str(root), path.relative_to(root).parts[:-1]) as folder:
            check_regular(folder.lstat(path.name), path.name)
            with open(folder.open(path.name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:  # noqa: PTH123
                if file.read(2) in _WIDE_MARKS:
                    return None
                file.seek(offset)
                return file.read(size)
    except (OSError, ToolError):
        return None
