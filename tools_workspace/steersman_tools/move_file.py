"""The tool that moves or renames one file (DESIGN W12)."""

from __future__ import annotations

from pathlib import PurePath, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman_tools.kit.changing import apply_plan, read_present, refuse_link
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Workspace


class MoveFileArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    path: str
    new_path: str = Field(description="Ending in `/`: the folder to move it into.")


class MoveFile:
    """Moves a file to a place where nothing is yet."""

    name = "move_file"
    description = "Move or rename a file. Missing folders are made; nothing is overwritten."
    parameters: type[BaseModel] = MoveFileArguments
    effects = frozenset({Effect.MOVE})

    def __init__(self, workspace: Workspace, seen: SeenTexts, lister: Lister | None = None) -> None:
        self._workspace = workspace
        self._seen = seen
        self._lister = lister

    async def prepare(self, args: BaseModel) -> Plan:
        """Look at both places.

        Raises:
            ToolError: nothing is to be moved, it is a folder or a link, or something is at the new path.
        """
        assert isinstance(args, MoveFileArguments)
        source = self._workspace.locate(args.path)
        wanted = args.new_path
        if wanted.endswith("/"):
            wanted += PurePath(source.path).name
        target = self._workspace.locate(wanted)
        refuse_link(source)
        present = await read_present(self._workspace, source, self._lister)
        new_path, shown = target.path, target.display
        if new_path == source.path:  # a rename that changes case alone, on a system that folds it
            if target.respelled is None:
                raise ToolError(f"{source.display} is already there; path and new_path are the same file.")
            new_path, shown = target.respelled, str(PurePosixPath(shown).with_name(target.respelled.name))
        elif await self._workspace.exists(target):
            raise ToolError(
                f"{target.display} exists already, and move_file overwrites nothing. "
                "Choose another new_path (one that ends in / moves into a folder), or delete that file first."
            )
        change = Change(
            path=str(new_path),
            kind="move",
            before_digest=present.digest,
            before=present.text,
            after=present.text,
            moved_from=str(source.path),
            display=shown,
        )
        return Plan(
            title=f"move {source.display} to {shown}",
            effects=self.effects,
            targets=(str(source.path), str(new_path)),
            changes=(change,),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Move it."""
        return await apply_plan(self._workspace, self._seen, plan)
