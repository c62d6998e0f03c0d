"""The tool that deletes one file (DESIGN W12). Never a folder."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman_tools.kit.changing import apply_plan, read_present, refuse_link
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Workspace


class DeleteFileArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    path: str


class DeleteFile:
    """Deletes a file; what it held can be brought back by a rewind (S7)."""

    name = "delete_file"
    description = "Delete one file, not a folder."
    parameters: type[BaseModel] = DeleteFileArguments
    effects = frozenset({Effect.DELETE})

    def __init__(self, workspace: Workspace, seen: SeenTexts, lister: Lister | None = None) -> None:
        self._workspace = workspace
        self._seen = seen
        self._lister = lister

    async def prepare(self, args: BaseModel) -> Plan:
        """Look at what would be deleted.

        Raises:
            ToolError: nothing is there, or it is a folder or a link.
        """
        assert isinstance(args, DeleteFileArguments)
        location = self._workspace.locate(args.path)
        refuse_link(location)
        present = await read_present(self._workspace, location, self._lister)
        change = Change(
            path=str(location.path),
            kind="delete",
            before_digest=present.digest,
            before=present.text,
            after=None,
            display=location.display,
        )
        return Plan(
            title=f"delete {location.display}",
            effects=self.effects,
            targets=(str(location.path),),
            changes=(change,),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Delete it."""
        return await apply_plan(self._workspace, self._seen, plan)
