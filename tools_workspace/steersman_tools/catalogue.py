"""What the tools say of themselves, written down beforehand (DESIGN §9).

A run's first request needs the names, descriptions and schemas of the tools, and nothing else of them; pydantic and
what the tools work with are loaded at the first call. ``catalogue.json`` is written by ``make catalogue``, and a test
holds it equal to what the tools say. This module must never import a tool but to write the file anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from steersman.agent.messages import JsonValue
from steersman.agent.tool import Effect

FILE = Path(__file__).with_name("catalogue.json")


class Entry(NamedTuple):
    """One tool.

    Attributes:
        description: for the model; "" where it depends on the run (``run_command``).
        effects: all it may ever do.
        schema: of its arguments.
    """

    description: str
    effects: frozenset[Effect]
    schema: Mapping[str, JsonValue]


def read_catalogue() -> dict[str, Entry]:
    """Return the entries by name, in the order in which a model is told of the tools."""
    return {
        name: Entry(said["description"], frozenset(map(Effect, said["effects"])), said["schema"])
        for name, said in json.loads(FILE.read_text(encoding="utf-8")).items()
    }


def write_down() -> str:
    """Return what the file has to hold."""
    from steersman.agent.tool import schema_of  # noqa: PLC0415 - only to write the file
    from steersman_tools.apply_patch import ApplyPatch  # noqa: PLC0415 - likewise, as all that follow
    from steersman_tools.delete_file import DeleteFile  # noqa: PLC0415
    from steersman_tools.edit_file import EditFile  # noqa: PLC0415
    from steersman_tools.find_files import FindFiles  # noqa: PLC0415
    from steersman_tools.list_dir import ListDir  # noqa: PLC0415
    from steersman_tools.move_file import MoveFile  # noqa: PLC0415
    from steersman_tools.read_file import ReadFile  # noqa: PLC0415
    from steersman_tools.run_command import RunCommand  # noqa: PLC0415
    from steersman_tools.search import Search  # noqa: PLC0415
    from steersman_tools.write_file import WriteFile  # noqa: PLC0415

    tools = (
        *(ReadFile, ListDir, FindFiles, Search, EditFile),
        *(WriteFile, ApplyPatch, MoveFile, DeleteFile, RunCommand),
    )
    entries = {
        tool.name: {
            "description": tool.description if isinstance(tool.description, str) else "",
            "effects": sorted(tool.effects),
            "schema": schema_of(tool.parameters),
        }
        for tool in tools
    }
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(write_down(), encoding="utf-8")
