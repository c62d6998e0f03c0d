"""The tool that changes several files by one patch, all of them or none (DESIGN W6)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman_tools.kit.changing import Remarks, apply_plan
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Workspace

_EFFECTS = {"edit": Effect.EDIT, "create": Effect.EDIT, "delete": Effect.DELETE, "move": Effect.MOVE}
_VERBS = {"edit": "edit", "create": "create", "delete": "delete", "move": "move to"}
_MAX_NAMED = 3


class ApplyPatchArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    patch: str = Field(
        description="From `*** Begin Patch` to `*** End Patch`, with sections `*** Update File: PATH` (optionally "
        "`*** Move to: PATH`), `*** Add File: PATH` and `*** Delete File: PATH`; or a unified diff. Lines begin with a "
        "space (context), - or +. Give three lines of context, or an `@@ def name` line before a hunk whose lines "
        "stand in several places."
    )


class ApplyPatch:
    """Applies a patch in one of the formats that models write."""

    name = "apply_patch"
    description = "Change, add, move and delete several files by one patch: all of it or nothing."
    parameters: type[BaseModel] = ApplyPatchArguments
    effects = frozenset({Effect.EDIT, Effect.DELETE, Effect.MOVE})

    def __init__(self, workspace: Workspace, seen: SeenTexts, lister: Lister | None = None) -> None:
        self._workspace = workspace
        self._seen = seen
        self._lister = lister

    async def prepare(self, args: BaseModel) -> Plan:
        """Work out what every file would hold.

        Raises:
            ToolError: the patch cannot be read, or does not fit; the message names file and hunk.
        """
        from steersman_tools.patch.parsing import parse_patch  # noqa: PLC0415 - only when there is a patch
        from steersman_tools.patch.planning import plan_patch  # noqa: PLC0415 - likewise

        assert isinstance(args, ApplyPatchArguments)
        planned = await plan_patch(self._workspace, parse_patch(args.patch), self._lister)
        changes = planned.changes
        targets = {path: None for change in changes for path in (change.moved_from, change.path) if path}
        return Plan(
            title=_title(changes),
            effects=frozenset(_EFFECTS[change.kind] for change in changes),
            targets=tuple(targets),
            changes=changes,
            payload=Remarks(planned.notes, planned.written),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Make all the changes, or none."""
        return await apply_plan(self._workspace, self._seen, plan)


def _title(changes: tuple[Change, ...]) -> str:
    if len(changes) == 1:
        return f"{_VERBS[changes[0].kind]} {changes[0].display}"
    named = ", ".join(f"{_VERBS[change.kind]} {change.display}" for change in changes[:_MAX_NAMED])
    more = f" and {len(changes) - _MAX_NAMED} more" if len(changes) > _MAX_NAMED else ""
    return f"patch {len(changes)} files: {named}{more}"
