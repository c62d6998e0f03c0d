"""The names that a permission rule may speak of: a rule for a tool that there is not would protect nothing (A5).

Settings are read before any tool is loaded, so the names stand here; a test keeps them those of the tools themselves.
"""

from __future__ import annotations

import difflib

TOOL_NAMES = (
    *("read_file", "list_dir", "find_files", "search"),
    *("edit_file", "write_file", "apply_patch", "move_file", "delete_file"),
    *("run_command", "get_diagnostics"),
)
"""Every tool that a run may have."""


def unknown_tool(name: str) -> str | None:
    """Return what is wrong with the ``tool`` of a rule, as a sentence, or None for a tool's name and for ``*``."""
    if name == "*" or name in TOOL_NAMES:
        return None
    near = difflib.get_close_matches(name.strip().lower().replace("-", "_"), TOOL_NAMES, n=1)
    if near:
        return f"There is no tool {name}; did you mean {near[0]}?"
    return f"There is no tool {name or '“”'}; there are {', '.join(TOOL_NAMES)}, and * for all of them."
