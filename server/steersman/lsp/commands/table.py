"""All commands by name; the parameters' models are loaded when a command is first called."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from steersman.lsp.commands import approvals, modes, rewind, runs, sessions, status
from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject
from steersman.lsp.failures import InvalidParamsError

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        command.name: command
        for module in (runs, modes, approvals, sessions, rewind, status)
        for command in module.COMMANDS
    }
)


async def call_command(call: CommandCall, name: str, arguments: object) -> JsonObject:
    """Do a command; raise ``InvalidParamsError`` for an unknown one and for arguments that do not fit."""
    command = COMMANDS.get(name)
    if command is None:
        raise InvalidParamsError(f"There is no command {name}.", fields=["command"])
    from steersman.lsp import params  # noqa: PLC0415 - brings pydantic, kept out of the start

    return await command.handle(call, params.read_params(getattr(params, command.params), name, arguments))
