"""Commands about sessions: found, shown, renamed, forked, exported, deleted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.agent.errors import InvalidRequestError
from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject

if TYPE_CHECKING:
    from steersman.lsp.params import (
        ExportSessionParams,
        ForkSessionParams,
        GetSessionParams,
        ListSessionsParams,
        RenameSessionParams,
        SearchSessionsParams,
        SessionParams,
    )


async def list_sessions(call: CommandCall, params: ListSessionsParams) -> JsonObject:
    """``steersman.sessions.list``: newest first, over all workspace folders or one."""
    folder = call.face.requests.folder(params.folder)
    sessions = call.face.engine().sessions
    return await sessions.list(folder=folder, query=params.query, limit=params.limit, offset=params.offset)


async def search(call: CommandCall, params: SearchSessionsParams) -> JsonObject:
    """``steersman.sessions.search``: the best first, each session with its best line."""
    folder = call.face.requests.folder(params.folder)
    return await call.face.engine().sessions.search(folder=folder, query=params.query, limit=params.limit)


async def get(call: CommandCall, params: GetSessionParams) -> JsonObject:
    """``steersman.sessions.get``: a session and its messages."""
    return await call.face.engine().sessions.get(params.session_id, after=params.after, limit=params.limit)


async def rename(call: CommandCall, params: RenameSessionParams) -> JsonObject:
    """``steersman.sessions.rename``."""
    return await call.face.engine().sessions.rename(params.session_id, params.title)


async def delete(call: CommandCall, params: SessionParams) -> JsonObject:
    """``steersman.sessions.delete``."""
    return await call.face.engine().sessions.delete(params.session_id)


async def fork(call: CommandCall, params: ForkSessionParams) -> JsonObject:
    """``steersman.sessions.fork``."""
    return await call.face.engine().sessions.fork(params.session_id, at_message=params.at_message)


async def export(call: CommandCall, params: ExportSessionParams) -> JsonObject:
    """``steersman.sessions.export``: as text, or into a file that is never overwritten without ``force``."""
    path = _target(call, params.path) if params.path is not None else None
    text = await call.face.engine().sessions.export(
        params.session_id, format=params.format, mask_secrets=not params.keep_secrets, with_files=params.files
    )
    if path is None:
        return {"content": text}
    try:
        await asyncio.to_thread(_write, path, text, overwrite=params.force)
    except FileExistsError:
        raise InvalidRequestError(f"{path} is there already.", hint="Ask with force to overwrite it.") from None
    except OSError as error:
        raise InvalidRequestError(f"{path} cannot be written: {error.strerror or error}.") from error
    return {"uri": path.as_uri()}


async def take_over(call: CommandCall, params: SessionParams) -> JsonObject:
    """``steersman.sessions.takeOver``: from a program that hangs or is suspended."""
    return await call.face.engine().sessions.take_over(params.session_id)


def _target(call: CommandCall, name: str) -> Path:
    """Return an absolute path for a path or ``file:`` URI; a relative one starts at the first folder."""
    if name.startswith("file:"):
        path = call.face.requests.folder(name)
        assert path is not None
        return path
    path = Path(name).expanduser()
    roots = call.face.folders.roots
    if not path.is_absolute():
        if not roots:
            raise InvalidRequestError(f"{name} is relative, and no folder is open.", hint="Name an absolute path.")
        path = roots[0].path / path
    return path


def _write(path: Path, text: str, *, overwrite: bool) -> None:
    with path.open("w" if overwrite else "x", encoding="utf-8", newline="") as file:
        file.write(text)


COMMANDS = (
    Command("steersman.sessions.list", "ListSessionsParams", list_sessions),
    Command("steersman.sessions.search", "SearchSessionsParams", search),
    Command("steersman.sessions.get", "GetSessionParams", get),
    Command("steersman.sessions.rename", "RenameSessionParams", rename),
    Command("steersman.sessions.delete", "SessionParams", delete),
    Command("steersman.sessions.fork", "ForkSessionParams", fork),
    Command("steersman.sessions.export", "ExportSessionParams", export),
    Command("steersman.sessions.takeOver", "SessionParams", take_over),
)
