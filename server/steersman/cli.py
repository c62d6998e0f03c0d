"""The command line: what can be typed, and who does it. No logic."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn, Protocol

from steersman.ending_signals import ended_by_interrupt
from steersman.terminal import streams

WRONG_USAGE = 64
"""Exit code for wrong usage (BSD's EX_USAGE)."""

_MAX_NUMBER = 2**53 - 1
"""The greatest whole number that is taken; the protocol's too."""

_START = """\
Try it without a model, a key or an editor:

  steersman run "Read README.md"

“steersman COMMAND --help” tells more about each command; “steersman doctor” tells what is set up.
"""

_EXIT_CODES = """\
exit codes:
  0    the model chose to stop        5    the answer was cut off by the output limit
  1    the run failed                 64   wrong usage
  2    all turns are used up          124  the deadline passed
  3    the budget is used up          130  cancelled (Ctrl-C)
  4    it went in circles             141  whoever read the output has left

Without a terminal nobody can be asked: what would ask is refused, and the model is told so.
"""


class _Add(Protocol):
    """``add_parser`` of argparse's sub-commands."""

    def __call__(self, name: str, *, help: str, epilog: str | None = None) -> argparse.ArgumentParser: ...  # noqa: A002


class _AddAction(Protocol):
    """Adds an action on sessions."""

    def __call__(self, name: str, text: str, *, with_id: bool = True) -> argparse.ArgumentParser: ...


class _Parser(argparse.ArgumentParser):
    """An argument parser that leaves with 64 for wrong usage, takes no abbreviations, and keeps an epilog's lines."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Leave with the one line that matters."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (“{self.prog} --help” tells more)\n")

    def parse_known_args(self, *words: Any, **named: Any) -> tuple[Any, list[str]]:
        """Parse; words too many are told by the command they were given to."""
        namespace, rest = super().parse_known_args(*words, **named)
        if rest:
            self._refuse(rest, getattr(namespace, "prompt", None))
        return namespace, rest

    def _refuse(self, rest: list[str], prompt: str | None) -> None:
        """Say what there is too much of, and what was meant, where it is near: a task without quotes, an option."""
        if prompt is not None and not any(word.startswith("-") for word in rest):
            self.error(f'put the task in quotes: steersman run "{" ".join([prompt, *rest])}"')
        meant = self._near(next((word for word in rest if word.startswith("-")), ""))
        asked = f". Did you mean {' or '.join(f'“{each}”' for each in meant)}?" if meant else ""
        self.error(f"unrecognized arguments: {' '.join(rest)}{asked}")

    def _near(self, word: str) -> list[str]:
        """Return the options that an unknown one begins, or else the one it is a slip of."""
        plain = {option.lstrip("-").casefold(): option for option in self._option_string_actions}
        typed = word.partition("=")[0].lstrip("-").casefold()
        if typed in plain:
            return [plain[typed]]
        begun = [option for name, option in plain.items() if name.startswith(typed) and len(typed) > 1]
        if begun:
            return begun
        from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only

        names = [name for name in plain if len(name) > 1]
        return [plain[name] for name in get_close_matches(typed, names, n=2, cutoff=0.7)]

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print as every command does; argparse would not notice that nobody gets the help."""
        streams.say(message, end="", flush=True) if file is sys.stdout else streams.note(message, end="")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say what was meant, where it is near; argparse lists all there is."""
        choices = [str(choice) for choice in action.choices or ()]
        if choices and value not in choices:
            from difflib import get_close_matches  # noqa: PLC0415 - for mistakes only

            near = get_close_matches(str(value), choices, n=1)
            said = f"Did you mean “{near[0]}”?" if near else f"There are: {', '.join(choices)}."
            raise argparse.ArgumentError(action, f"there is no {value!r}. {said}")


def build_parser() -> _Parser:
    """Return the parser. Each command names the module under ``steersman.terminal`` that does it."""
    from steersman import __version__  # noqa: PLC0415 - keeps this module free of the package at import

    parser = _Parser(prog="steersman", description="A coding agent that lives in a language server.", epilog=_START)
    parser.add_argument(
        "--version", action="version", version=f"steersman {__version__}", help="print the version and leave"
    )
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
    doctor.add_argument("--online", action="store_true", help="also try each provider with a tiny request")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(does="doctor:examine")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line. Returns the exit code."""
    streams.make_usable()
    try:
        args = build_parser().parse_args(argv)
        module, function = args.does.split(":")
        with ended_by_interrupt(), _collecting_nothing():
            does = import_module(f"steersman.terminal.{module}").__dict__[function]
        code = does(args)
        streams.finish()
    except streams.OutputLostError as lost:
        return lost.tell()
    except KeyboardInterrupt:
        return 130
    return code


@contextmanager
def _collecting_nothing() -> Generator[None]:
    """Look for no garbage while modules are loaded: they leave none, and looking takes a twentieth of that time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _add_lsp(add: _Add) -> None:
    lsp = add("lsp", help="serve an editor over standard input and output")
    lsp.add_argument("--stdio", action="store_true", help="accepted and ignored: there is no other way")
    lsp.add_argument(
        "--log-level",
        default="info",
        choices=["error", "warning", "info", "debug"],
        help="what goes into lsp.log in the state folder; default: info",
    )
    lsp.set_defaults(does="lsp:serve")


def _add_run(add: _Add) -> None:
    run = add("run", help="do a task without an editor", epilog=_EXIT_CODES)
    run.add_argument("prompt", metavar="PROMPT", help="what shall be done; - reads it from standard input")
    run.add_argument("-C", dest="folder", default=".", metavar="DIR", help="the folder to work in; default: this one")
    which = run.add_mutually_exclusive_group()
    which.add_argument("--session", metavar="ID", help="go on with this session; the beginning of its id is enough")
    which.add_argument("--continue", dest="continue_latest", action="store_true", help="go on with the latest session")
    run.add_argument(
        "--take-over", action="store_true", help="take that session from a program that hangs or is suspended"
    )
    run.add_argument("--model", metavar="PROVIDER/MODEL", help="such as anthropic/…, ollama/… or demo/rules")
    mode = run.add_mutually_exclusive_group()
    mode.add_argument(
        "--mode",
        choices=["plan", "ask", "accept-edits", "auto"],
        help="what is done without asking: reading (plan: and nothing else), edits too, or commands too",
    )
    mode.add_argument("--yes", action="store_true", help="the same as --mode auto")
    run.add_argument("--max-turns", type=_positive_int, metavar="N", help="stop after so many model responses")
    run.add_argument("--max-tokens", type=_positive_int, metavar="N", help="stop after so many tokens, in and out")
    run.add_argument("--max-cost", type=_positive_float, metavar="X", help="stop after so many US dollars, by estimate")
    run.add_argument("--deadline", type=_positive_float, metavar="S", help="stop after so many seconds")
    run.add_argument(
        "--output",
        choices=["text", "json", "stream-json"],
        default="text",
        help="the answer (default), the result as JSON, or each event as a line of JSON and then the result",
    )
    run.set_defaults(does="run:run")


def _add_sessions(add: _Add) -> None:
    sessions = add("sessions", help="the conversations of a folder: list, show, search, export, rewind, …")
    actions = sessions.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)

    def action(name: str, text: str, *, with_id: bool = True) -> argparse.ArgumentParser:
        return _add_action(actions.add_parser(name, help=text), name, with_id=with_id)

    _add_reading(action)
    _add_changing(action)
    _add_keeping(action)


def _add_action(parser: argparse.ArgumentParser, name: str, *, with_id: bool) -> argparse.ArgumentParser:
    """Add what every action on sessions has."""
    parser.add_argument("-C", dest="folder", default=".", metavar="DIR", help="the workspace folder; default: this one")
    parser.add_argument("--json", action="store_true", help="print JSON")
    if with_id:
        parser.add_argument("id", metavar="ID", help="the session's id or its beginning; latest for the latest")
    parser.set_defaults(does=f"sessions:{name}")
    return parser


def _add_reading(action: _AddAction) -> None:
    listing = action("list", "the sessions of a folder, newest first", with_id=False)
    listing.add_argument("--limit", type=_positive_int, default=20, metavar="N", help="show so many; default: 20")
    action("show", "the conversation")
    search = action("search", "find words in messages, file names and titles", with_id=False)
    search.add_argument("words", nargs="+", metavar="WORD", help="all of them must be there; case does not count")
    search.add_argument("--limit", type=_positive_int, default=20, metavar="N", help="show so many; default: 20")
    export = action("export", "write a session as JSON, Markdown or one HTML page")
    export.add_argument("--format", choices=["json", "markdown", "html"], help="default: markdown; with --open: html")
    export.add_argument("--output", metavar="FILE", help="write there instead of to standard output")
    export.add_argument("--force", action="store_true", help="overwrite FILE")
    export.add_argument(
        "--open", action="store_true", help="look at it in the browser; without --output the file goes to Downloads"
    )
    export.set_defaults(does="sessions_export:export")
    export.add_argument("--keep-secrets", action="store_true", help="do not mask text that looks like a secret")
    export.add_argument(
        "--with-files", action="store_true", help="with what files held before calls changed them (JSON only)"
    )


def _add_changing(action: _AddAction) -> None:
    fork = action("fork", "copy a session up to a message and go on from there")
    fork.add_argument("--at", type=_whole, metavar="N", help="the last message to copy; default: the end")
    rename = action("rename", "give a session another title")
    rename.add_argument("title", metavar="TITLE", help="the new title")
    action("delete", "delete a session and its checkpoints, at once and for good")
    rewind = action("rewind", "put files and conversation back to a message")
    rewind.add_argument(
        "--to",
        type=_whole,
        metavar="N",
        help="the last message that stays (-1: none); default: before the last prompt",
    )
    rewind.add_argument("--files-only", action="store_true", help="leave the conversation as it is")
    rewind.add_argument("--conversation-only", action="store_true", help="leave the files as they are")
    rewind.add_argument("--force", action="store_true", help="also files that were changed since")
    rewind.add_argument("--dry-run", action="store_true", help="only tell what would be done, with each file's change")
    rewind.set_defaults(does="sessions_rewind:rewind")
    undo = action("undo-rewind", "take a rewind back", with_id=False)
    undo.add_argument("id", metavar="REWIND", help="its id, as the rewind and `sessions show` tell it; or latest")
    undo.add_argument("--force", action="store_true", help="also files that were changed since")
    undo.add_argument("--dry-run", action="store_true", help="only tell what would be done, with each file's change")
    undo.set_defaults(does="sessions_rewind:undo_rewind")


def _add_keeping(action: _AddAction) -> None:
    take_over = action("take-over", "take a session from a program that hangs or is suspended")
    take_over.set_defaults(does="sessions:take_over")
    check = action("check", "look for damage in a folder's sessions, and say what to do", with_id=False)
    check.set_defaults(does="sessions_check:check")
    prune = action("prune", "delete old sessions", with_id=False)
    prune.add_argument(
        "--older-than", default="90d", metavar="AGE", help="unused for so long: 90d (default), 4w, 12h, 30m, 10s"
    )
    prune.add_argument("--keep", type=_whole, default=50, metavar="N", help="never the latest N; default: 50")
    prune.add_argument("--dry-run", action="store_true", help="only tell what would be deleted")


def _add_permissions(add: _Add) -> None:
    permissions = add("permissions", help="what is always allowed in a folder: list it, forget it")
    permissions.add_argument(
        "action",
        choices=["list", "reset"],
        help="show it and your own rules; or forget what was always allowed",
    )
    permissions.add_argument(
        "-C", dest="folder", default=".", metavar="DIR", help="the workspace folder; default: this one"
    )
    permissions.add_argument("--json", action="store_true", help="print JSON")
    permissions.set_defaults(does="permissions:permissions")


def _add_mock(add: _Add) -> None:
    mock = add("mock-llm", help="serve the rule-based model over HTTP, OpenAI-compatible; key: test-key")
    mock.add_argument(
        "--port", type=_whole, default=8787, metavar="N", help="on 127.0.0.1; 0 takes a free one; default: 8787"
    )
    mock.set_defaults(does="mock:serve")


def _whole(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if abs(value) > _MAX_NUMBER:
        raise argparse.ArgumentTypeError(f"must be at most {_MAX_NUMBER}")
    return value


def _positive_int(text: str) -> int:
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _positive_float(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be above 0")
    return value


if __name__ == "__main__":
    sys.exit(main())
