"""Commands that take back what runs did (DESIGN S7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject

if TYPE_CHECKING:
    from steersman.lsp.params import RewindParams, UndoRewindParams


async def rewind(call: CommandCall, params: RewindParams) -> JsonObject:
    """``steersman.rewind``: files, conversation or both, back to a message; or what that would do."""
    return await call.face.engine().sessions.rewind(
        params.session_id,
        to_message=params.to_message,
        files=params.files,
        conversation=params.conversation,
        force=params.force,
        dry_run=params.dry_run,
        preview=params.preview,
    )


async def undo(call: CommandCall, params: UndoRewindParams) -> JsonObject:
    """``steersman.rewind.undo``."""
    return await call.face.engine().sessions.undo_rewind(params.rewind_id, force=params.force)


COMMANDS = (
    Command("steersman.rewind", "RewindParams", rewind),
    Command("steersman.rewind.undo", "UndoRewindParams", undo),
)
