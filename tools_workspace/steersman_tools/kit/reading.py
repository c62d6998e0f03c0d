"""What the reading tools have in common."""

from __future__ import annotations

from typing import TypeVar, cast

from pydantic import BaseModel

from steersman.agent.tool import Plan, ToolError
from steersman_tools.kit.workspace import FileMissingError, Location

_Arguments = TypeVar("_Arguments", bound=BaseModel)


def check_folder(location: Location) -> None:
    """Raise the error that says why this cannot be looked through as a folder: one look, as ``locate`` takes many."""
    check_not_git(location)
    if location.path.is_dir():
        return
    if not location.path.exists():
        raise FileMissingError(f"{location.display} does not exist; list_dir of “.” shows what does")
    raise ToolError(f"{location.display} is a file, not a folder; read_file shows it")


def check_not_git(location: Location) -> None:
    """Raise ``ToolError`` for git's own folder: it is never listed or searched."""
    if any(part.lower() == ".git" for part in location.path.relative_to(location.root.path).parts):
        raise ToolError(
            f"{location.display} is git's own data, which is not listed; run_command with git shows history"
        )


def payload_of(plan: Plan, kind: type[_Arguments]) -> tuple[Location, _Arguments]:
    """Return what ``prepare`` kept in a plan."""
    location, args = cast("tuple[object, object]", plan.payload)
    if not isinstance(location, Location) or not isinstance(args, kind):
        raise TypeError(f"this plan holds no {kind.__name__}")
    return location, args


def relative_pattern(pattern: str, location: Location) -> str:
    """Return the pattern below the folder, for models that write the folder's absolute path into it."""
    absolute = location.path.as_posix().rstrip("/") + "/"
    return pattern.removeprefix(absolute) if pattern.startswith(absolute) else pattern


def display_prefix(location: Location) -> str:
    """Return what turns a path below the folder into one that tools take."""
    return "" if location.display == "." else f"{location.display}/"
