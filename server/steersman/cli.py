"""The command line: what can be typed, and who does it. No logic."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, Protocol

WRONG_USAGE = 64
"""Exit code for wrong usage (BSD's EX_USAGE)."""

_EXIT_CODES = """\
exit codes of run: 0 complete, 1 failure, 2 turns used up, 3 budget used up, 4 no progress, 5 answer cut off,
64 wrong usage, 124 deadline, 130 cancelled
"""


class _Add(Protocol):
    """``add_parser`` of argparse's sub-commands."""

    def __call__(self, name: str, *, help: str, epilog: str | None = None) -> argparse.ArgumentParser: ...  # noqa: A002


class _Parser(argparse.ArgumentParser):
    """An argument parser that leaves with 64 for wrong usage."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(WRONG_USAGE, f"{self.prog}: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser. Each command names the module under ``steersman.terminal`` that does it."""
    from steersman import __version__  # noqa: PLC0415 - keeps this module free of the package at import

    parser = _Parser(prog="steersman", description="A coding agent that lives in a language server.")
    parser.add_argument("--version", action="version", version=f"steersman {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _add_lsp(commands.add_parser)
    _add_run(commands.add_parser)
    _add_sessions(commands.add_parser)
    _add_permissions(commands.add_parser)
    _add_mock(commands.add_parser)
    models = commands.add_parser("models", help="list the models that the configured providers offer")
    models.add_argument("--json", action="store_true", help="print JSON")
    models.set_defaults(does="doctor:list_models")
    doctor = commands.add_parser("doctor", help="what is configured, from where, what is reachable, what is missing")
    doctor.add_argument("--online", action="store_true", help="try each provider with one tiny request")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(does="doctor:examine")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line. Returns the exit code."""
    args = build_parser().parse_args(argv)
    module, function = args.does.split(":")
    return import_module(f"steersman.terminal.{module}").__dict__[function](args)


def _add_lsp(add: _Add) -> None:
    lsp = add("lsp", help="serve an editor over standard input and output")
    lsp.add_argument("--stdio", action="store_true", help="accepted and ignored: there is no other way")
    lsp.add_argument("--log-level", default="info", choices=["error", "warning", "info", "debug"])
    lsp.set_defaults(does="lsp:serve")


def _add_run(add: _Add) -> None:
    run = add("run", help="do a task without an editor", epilog=_EXIT_CODES)
    run.add_argument("prompt", help="what shall be done; - reads it from standard input")
    run.add_argument("-C", dest="folder", default=".", metavar="DIR", help="the folder to work in")
    which = run.add_mutually_exclusive_group()
    which.add_argument("--session", metavar="ID", help="go on with this session")
    which.add_argument("--continue", dest="continue_latest", action="store_true", help="go on with the latest session")
    run.add_argument("--model", metavar="PROVIDER/MODEL")
    mode = run.add_mutually_exclusive_group()
    mode.add_argument("--mode", choices=["plan", "ask", "accept-edits", "auto"])
    mode.add_argument("--yes", action="store_true", help="the same as --mode auto")
    run.add_argument("--max-turns", type=_positive_int, metavar="N")
    run.add_argument("--max-tokens", type=_positive_int, metavar="N")
    run.add_argument("--max-cost", type=_positive_float, metavar="X", help="US dollars, by estimate")
    run.add_argument("--deadline", type=_positive_float, metavar="S", help="seconds")
    run.add_argument("--output", choices=["text", "json", "stream-json"], default="text")
    run.set_defaults(does="run:run")


def _add_sessions(add: _Add) -> None:
    sessions = add("sessions", help="list, show, search, export, fork, rename, delete, rewind")
    actions = sessions.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)

    def action(name: str, text: str, *, with_id: bool = True) -> argparse.ArgumentParser:
        parser = actions.add_parser(name, help=text)
        parser.add_argument("-C", dest="folder", default=".", metavar="DIR", help="the workspace folder")
        parser.add_argument("--json", action="store_true", help="print JSON")
        if with_id:
            parser.add_argument("id", help="the session's id, or the beginning of it; “latest” for the latest")
        parser.set_defaults(does=f"sessions:{name}")
        return parser

    listing = action("list", "the sessions of a folder, newest first", with_id=False)
    listing.add_argument("--limit", type=_positive_int, default=20)
    action("show", "the conversation")
    search = action("search", "find words in messages, file names and titles", with_id=False)
    search.add_argument("words", nargs="+")
    search.add_argument("--limit", type=_positive_int, default=20)
    export = action("export", "write a session as JSON, Markdown or one HTML page")
    export.add_argument("--format", choices=["json", "markdown", "html"], default="markdown")
    export.add_argument("--output", metavar="FILE", help="write there instead of to standard output")
    export.add_argument("--force", action="store_true", help="overwrite FILE")
    export.add_argument("--open", action="store_true", help="open the page in the browser")
    export.add_argument("--keep-secrets", action="store_true", help="do not mask text that looks like a secret")
    fork = action("fork", "copy a session up to a message and go on from there")
    fork.add_argument("--at", type=int, metavar="N", help="the message's number; default: the end")
    rename = action("rename", "give a session another title")
    rename.add_argument("title")
    action("delete", "delete a session and its checkpoints")
    rewind = action("rewind", "put files and conversation back to a message")
    rewind.add_argument("--to", type=int, metavar="N", help="the message's number; default: before the last prompt")
    rewind.add_argument("--files-only", action="store_true", help="leave the conversation as it is")
    rewind.add_argument("--conversation-only", action="store_true", help="leave the files as they are")
    rewind.add_argument("--force", action="store_true", help="also files that were changed since")
    undo = action("undo-rewind", "take a rewind back", with_id=False)
    undo.add_argument("id", help="the rewind's id")
    undo.set_defaults(does="sessions:undo_rewind")
    prune = action("prune", "delete old sessions", with_id=False)
    prune.add_argument("--older-than", default="90d", metavar="AGE", help="such as 90d, 12h")
    prune.add_argument("--keep", type=int, default=50, metavar="N", help="never the latest N")
    prune.add_argument("--dry-run", action="store_true", help="only tell")


def _add_permissions(add: _Add) -> None:
    permissions = add("permissions", help="what is always allowed: list it, forget it")
    permissions.add_argument("action", choices=["list", "reset"])
    permissions.add_argument("-C", dest="folder", default=".", metavar="DIR")
    permissions.add_argument("--json", action="store_true", help="print JSON")
    permissions.set_defaults(does="permissions:permissions")


def _add_mock(add: _Add) -> None:
    mock = add("mock-llm", help="serve the rule-based model, OpenAI-compatible; key: test-key")
    mock.add_argument("--port", type=int, default=8787)
    mock.set_defaults(does="mock:serve")


def _positive_int(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _positive_float(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be above 0")
    return value


if __name__ == "__main__":
    sys.exit(main())
