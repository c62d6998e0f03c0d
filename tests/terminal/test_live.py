"""The trace as a person watches it: what moves, what is gone before other things are printed (DESIGN L8)."""

import io

import pytest

from steersman.agent.approval import Option
from steersman.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessageCommitted,
    Event,
    RunEnded,
    TextDelta,
    ToolCallBegan,
    ToolOutput,
    ToolResultCommitted,
    ToolStarted,
    TurnStarted,
)
from steersman.agent.messages import ToolCall
from steersman.terminal.live import LiveTrace, Trace
from steersman.terminal.output import cells
from steersman.terminal.style import Style, can_move

COMMAND = ToolCall("1", "run_command", '{"command": "make"}')
PLAIN = Style(coloured=False)


class Screen(io.StringIO):
    """A terminal of one growing text; knows what a person sees of its last line."""

    def isatty(self):
        return True

    @property
    def last_line(self):
        shown = ""
        for piece in self.getvalue().rpartition("\n")[2].split("\r"):
            shown = piece + shown[len(piece) :]
        return shown.replace("\b", "").rstrip()

    @property
    def lines(self):
        return self.getvalue().split("\n")[:-1]


class Watched:
    """A live trace over a screen, with a clock that is set by hand."""

    def __init__(self, columns=80):
        self.now = 0.0
        self.screen = Screen()
        self.trace = LiveTrace(self.screen, PLAIN, clock=lambda: self.now, columns=lambda: columns)

    def hear(self, *bodies):
        for body in bodies:
            self.trace(Event("run", 0, 1, 0.0, body))

    def see(self, after=0.0):
        self.now += after
        self.trace.tick()
        return self.screen.last_line


@pytest.fixture
def watched():
    return Watched()


def test_while_the_model_works_the_seconds_and_the_end_of_its_text_are_seen(watched):
    watched.hear(TurnStarted(40))
    assert watched.see() == "[turn 1] model · 0 s"
    watched.hear(TextDelta("I look "), TextDelta("at it"))
    assert watched.see(after=12.5) == "[turn 1] model · 12 s · I look at it"


def test_a_running_command_is_named_with_the_end_of_what_it_prints(watched):
    watched.hear(TurnStarted(40), ToolCallBegan(COMMAND), ToolStarted("1", "run_command", "make all"))
    watched.hear(ToolOutput("1", "compiling a.c\n"))
    assert watched.see(after=3) == "[turn 1] make all · 3 s · compiling a.c"


def test_it_is_gone_before_a_line_of_the_trace(watched):
    watched.hear(TurnStarted(40))
    watched.see()
    watched.hear(ToolCallBegan(COMMAND))
    assert watched.screen.lines[-1].rpartition("\r")[2].startswith("[turn 1] call   run_command")
    assert watched.screen.last_line == ""


def test_while_a_question_is_open_nothing_moves(watched):
    watched.hear(TurnStarted(40))
    watched.see()
    watched.hear(ApprovalRequested("1", "run_command", "make", (), "make", (Option("reject", "Reject"),)))
    before = watched.screen.getvalue()
    assert watched.see(after=60) == ""
    assert watched.screen.getvalue() == before
    watched.hear(ApprovalDecided("1", "allow_once", "person"), ToolStarted("1", "run_command", "make"))
    assert watched.see() == "[turn 1] make · 0 s"


def test_nothing_is_written_when_nothing_changed_or_between_two_looks(watched):
    watched.hear(TurnStarted(40))
    watched.see()
    before = watched.screen.getvalue()
    watched.see(after=0.5)
    watched.hear(*[TextDelta(str(number)) for number in range(100)])
    assert watched.screen.getvalue() == before


def test_a_shorter_line_leaves_nothing_of_the_longer_one(watched):
    watched.hear(TurnStarted(40), TextDelta("a long, long text"))
    watched.see()
    watched.hear(ToolStarted("1", "run_command", "ls"))
    assert watched.see() == "[turn 1] ls · 0 s"
    watched.hear(ToolResultCommitted("1", "run_command", "a", is_error=False, outcome="returned", duration_ms=1))
    assert watched.see() == ""


@pytest.mark.parametrize("columns", [1, 10, 24, 40])
@pytest.mark.parametrize("text", ["漢字" * 300, "e\u0301" * 300, "plain " * 100, "\x1b[2J\u202e" * 50])
def test_it_never_fills_the_terminal_s_width_and_steers_nothing(columns, text):
    watched = Watched(columns)
    watched.hear(TurnStarted(40), TextDelta(text))
    watched.trace.tick()
    drawn = watched.screen.getvalue().lstrip("\r")
    assert cells(drawn) <= max(1, columns - 1)
    assert drawn.isprintable()


def test_what_is_printed_anyway_has_no_line():
    screen = Screen()
    trace = Trace(screen, PLAIN)
    trace(Event("run", 0, 1, 0.0, AssistantMessageCommitted(1, "The answer.", ())))
    trace(Event("run", 1, 1, 0.0, ApprovalRequested("1", "run_command", "make", (), "make", ())))
    trace(Event("run", 2, 1, 0.0, RunEnded(None, "storage", "The disk is full.")))
    assert screen.getvalue() == ""


@pytest.mark.parametrize(
    ("stream", "environ", "moves", "coloured"),
    [
        (Screen(), {"TERM": "xterm"}, True, True),
        (Screen(), {"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        (Screen(), {"TERM": "dumb"}, False, False),
        (io.StringIO(), {"TERM": "xterm"}, False, False),
    ],
)
def test_nothing_moves_in_a_pipe_or_a_dumb_terminal_and_no_color_is_obeyed(stream, environ, moves, coloured):
    assert (can_move(stream, environ), Style.of(stream, environ).coloured) == (moves, coloured)


def test_a_change_has_its_colours_and_nothing_has_without_them():
    assert Style(coloured=True).diff("+a\n b\n-c") == "\x1b[32m+a\x1b[0m\n b\n\x1b[31m-c\x1b[0m"
    assert Style(coloured=False).diff("+a\n b\n-c") == "+a\n b\n-c"
