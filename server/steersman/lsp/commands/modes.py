"""The command that changes what runs at work may do without asking (DESIGN A1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject

if TYPE_CHECKING:
    from steersman.lsp.params import SetModeParams


async def set_mode(call: CommandCall, params: SetModeParams) -> JsonObject:
    """``steersman.setMode``: the ids of the runs that obey it from their next call on; later runs name their own."""
    from steersman.permissions.modes import Mode  # noqa: PLC0415 - kept out of the start

    changed = call.face.engine().runs.set_mode(Mode(params.mode), session_id=params.session_id)
    return {"changed": changed}


COMMANDS = (Command("steersman.setMode", "SetModeParams", set_mode),)
