"""``steersman permissions``: what is always allowed in a folder, listed and forgotten; and the user's own rules."""

from __future__ import annotations

import argparse
import os

from steersman.agent.errors import StorageError
from steersman.app import HeadlessApp
from steersman.configuration import load_settings
from steersman.permissions.rule import Rule, check_rules
from steersman.setting_parts import PermissionPart
from steersman.terminal.output import counted, exits, print_json, print_warning, printable, table
from steersman.terminal.streams import say


@exits
def permissions(args: argparse.Namespace) -> int:
    """List or forget. The user's own rules are listed only: they are taken back in config.toml."""
    settings = load_settings(os.environ)
    app = HeadlessApp(args.folder, settings).app
    folder = app.roots()[0].path
    if args.action == "reset":
        try:
            removed = app.permissions.reset(folder)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise StorageError(
                f"What is always allowed here could not be forgotten: {error.filename}: {reason}.",
                hint="Remove that file yourself; it holds nothing else.",
            ) from None
        print_json({"removed": removed}) if args.json else say(f"Forgot {counted(removed, 'permission')}.")
        return 0
    always, own = app.permissions.list(folder), settings.permissions
    for warning in [*settings.warnings, *check_rules([_rule(rule) for rule in own])]:
        print_warning(warning)
    if args.json:
        print_json({"rules": always, "ownRules": [rule.model_dump() for rule in own]})
        return 0
    if always:
        say(table([[printable(rule["words"])] for rule in always], ["always allowed here"]))
    else:
        say("Nothing is always allowed in this folder.")
    if own:
        say("\n" + table([[rule.action, rule.tool, rule.match] for rule in own], ["your rules", "tool", "match"]))
    return 0


def _rule(part: PermissionPart) -> Rule:
    return Rule(part.tool, part.match, part.action)
