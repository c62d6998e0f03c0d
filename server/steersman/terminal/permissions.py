"""``steersman permissions``: what is always allowed in a folder, listed and forgotten."""

from __future__ import annotations

import argparse

from steersman.app import HeadlessApp, headless_settings
from steersman.terminal.output import exits, print_json, table


@exits
def permissions(args: argparse.Namespace) -> int:
    """List or forget."""
    app = HeadlessApp(args.folder, headless_settings()).app
    folder = app.roots()[0].path
    if args.action == "reset":
        removed = app.permissions.reset(folder)
        print_json({"removed": removed}) if args.json else print(f"Forgot {removed} permissions.")
        return 0
    rules = app.permissions.list(folder)
    if args.json:
        print_json({"rules": rules})
    elif rules:
        print(table([[rule["words"]] for rule in rules], ["always allowed here"]))
    else:
        print("Nothing is always allowed in this folder.")
    return 0
