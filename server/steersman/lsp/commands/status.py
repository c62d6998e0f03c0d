"""Commands that tell how things stand: status, models, remembered permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject

if TYPE_CHECKING:
    from steersman.lsp.params import FolderParams, Nothing


async def status(call: CommandCall, _params: Nothing) -> JsonObject:
    """``steersman.status``: quick, also while runs stream at full speed."""
    from steersman.wire import time_to_wire  # noqa: PLC0415 - kept out of the start

    face = call.face
    engine = face.engine()
    return {
        "version": face.host.version,
        "model": engine.model,
        "mode": engine.mode,
        "stateDir": str(face.host.state_dir),
        "folders": [root.path.as_uri() for root in face.folders.roots],
        "runs": [
            {
                "runId": run.id,
                "sessionId": run.session_id,
                "turn": run.turn,
                "activity": run.activity,
                "startedAt": time_to_wire(run.started_at),
            }
            for run in engine.runs.active()
        ],
        "warnings": [*face.warnings, *face.folders.warnings, *engine.warnings],
    }


async def models(call: CommandCall, _params: Nothing) -> JsonObject:
    """``steersman.models``: the models there are."""
    return {"models": [dict(model) for model in await call.face.engine().models()]}


async def list_permissions(call: CommandCall, params: FolderParams) -> JsonObject:
    """``steersman.permissions.list``: what "always allow" left behind."""
    folder = call.face.requests.folder(params.folder)
    return {"rules": call.face.engine().permissions.list(folder)}


async def reset_permissions(call: CommandCall, params: FolderParams) -> JsonObject:
    """``steersman.permissions.reset``: forget it."""
    folder = call.face.requests.folder(params.folder)
    return {"removed": call.face.engine().permissions.reset(folder)}


COMMANDS = (
    Command("steersman.status", "Nothing", status),
    Command("steersman.models", "Nothing", models),
    Command("steersman.permissions.list", "FolderParams", list_permissions),
    Command("steersman.permissions.reset", "FolderParams", reset_permissions),
)
