"""What can be typed, and what is said to wrong usage (PROTOCOL §7)."""

import argparse
import gc
import io
import sys

import pytest

from steersman import cli
from steersman.cli import build_parser


def parsers(parser, name="steersman"):
    """Yield every command's parser with its whole name."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command, inner in action.choices.items():
                yield from parsers(inner, f"{name} {command}")


def test_every_command_and_every_option_has_a_help_text():
    silent = [
        f"{name} {action.dest}"
        for name, parser in parsers(build_parser())
        for action in parser._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert silent == []


def test_every_command_names_a_function_that_does_it(typed):
    from importlib import import_module

    for name, parser in parsers(build_parser()):
        does = parser.get_default("does")
        if does is not None:
            module, function = does.split(":")
            assert callable(getattr(import_module(f"steersman.terminal.{module}"), function)), name


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "arguments are required: COMMAND"),
        (["frobnicate"], "'frobnicate'"),
        (["run"], "arguments are required: PROMPT"),
        (["run", "x", "--max-turns", "many"], "'many' is not a whole number"),
        (["run", "x", "--max-turns", "0"], "must be at least 1"),
        (["run", "x", "--max-turns", "9" * 30], "must be at most 9007199254740991"),
        (["sessions", "list", "--limit", "9" * 30], "must be at most 9007199254740991"),
        (["sessions", "fork", "x", "--at", "9" * 5000], "is not a whole number"),
        (["sessions", "rewind", "x", "--to=-99999999999999999999"], "must be at most 9007199254740991"),
        (["run", "x", "--deadline", "soon"], "'soon' is not a number"),
        (["run", "x", "--max-cost", "inf"], "must be above 0"),
        (["run", "x", "--max-tok", "5"], "--max-tok"),
        (["run", "x", "--yes", "--mode", "plan"], "not allowed with"),
        (["sessions"], "arguments are required: ACTION"),
        (["sessions", "rewind", "x", "--to", "back"], "'back' is not a whole number"),
        (["permissions", "grant"], "'grant'"),
        (["mock-llm", "--port", "http"], "'http' is not a whole number"),
    ],
)
def test_wrong_usage_names_what_is_wrong_and_where_help_is(typed, args, said):
    code, out, err = typed(*args)
    assert (code, out) == (64, "")
    assert said in err
    assert "--help” tells more" in err
    assert "_positive" not in err


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["run", "Read", "README.md"], 'steersman run: put the task in quotes: steersman run "Read README.md" '),
        (
            ["run", "x", "--max-tok", "5"],
            "steersman run: unrecognized arguments: --max-tok 5. Did you mean “--max-tokens”? ",
        ),
        (["run", "--mod", "ask"], "steersman run: unrecognized arguments: --mod. Did you mean “--model” or “--mode”? "),
        (
            ["run", "x", "--modle=a/b"],
            "steersman run: unrecognized arguments: --modle=a/b. Did you mean “--mode” or “--model”? ",
        ),
        (["run", "x", "-mode", "ask"], "steersman run: unrecognized arguments: -mode ask. Did you mean “--mode”? "),
        (["run", "x", "-c", "/"], "steersman run: unrecognized arguments: -c /. Did you mean “-C”? "),
        (["run", "x", "--zz"], "steersman run: unrecognized arguments: --zz "),
        (
            ["run", "x", "--max-t", "5"],
            "steersman run: unrecognized arguments: --max-t 5. Did you mean “--max-turns” or “--max-tokens”? ",
        ),
        (
            ["sessions", "rewind", "x", "--dryrun"],
            "steersman sessions rewind: unrecognized arguments: --dryrun. Did you mean “--dry-run”? ",
        ),
        (["--verson", "doctor"], "steersman: unrecognized arguments: --verson. Did you mean “--version”? "),
        (["sessions", "list", "x"], "steersman sessions list: unrecognized arguments: x "),
        (["permissions", "list", "x"], "steersman permissions: unrecognized arguments: x "),
        (["docter"], "steersman: argument COMMAND: there is no 'docter'. Did you mean “doctor”? "),
        (["sessions", "lst"], "steersman sessions: argument ACTION: there is no 'lst'. Did you mean “list”? "),
        (["run", "x", "--mode", "autp"], "steersman run: argument --mode: there is no 'autp'. Did you mean “auto”? "),
        (["permissions", "z"], "steersman permissions: argument action: there is no 'z'. There are: list, reset. "),
    ],
)
def test_wrong_usage_is_the_one_line_that_matters_and_names_the_command_s_own_help(typed, args, line):
    printed = typed(*args)
    command = line.partition(":")[0]
    assert (printed.code, printed.err) == (64, f"{line}(“{command} --help” tells more)\n")


def test_help_is_on_stdout_and_shows_how_to_begin(typed):
    code, out, err = typed("--help")
    assert (code, err) == (0, "")
    assert 'steersman run "Read README.md"' in out


def test_a_pipe_gets_utf_8_whatever_the_system_s_encoding(monkeypatch, typed):
    piped = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", errors="strict")
    monkeypatch.setattr(sys, "stdout", piped)
    from steersman.terminal.streams import make_usable

    make_usable()
    print("→ \udc80", file=piped, flush=True)
    assert piped.buffer.getvalue() == "→ \\udc80\n".encode()


@pytest.mark.parametrize("enabled", [True, False])
def test_no_garbage_is_looked_for_while_a_command_is_loaded(monkeypatch: pytest.MonkeyPatch, *, enabled: bool):
    """Whatever becomes of it, the collector is as it was afterwards."""
    seen: list[bool] = []

    def load(name: str) -> None:
        seen.append(gc.isenabled())
        raise ImportError(name)

    monkeypatch.setattr(cli, "import_module", load)
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ImportError):
            cli.main(["doctor"])
        assert (seen, gc.isenabled()) == ([False], enabled)
    finally:
        (gc.enable if before else gc.disable)()
