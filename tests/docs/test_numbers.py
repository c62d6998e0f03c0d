"""The numbers that pages give are those of the code."""

import pytest

from steersman import wire
from steersman.agent import calls, loop
from steersman.lsp import answers, apply_edit, events, progress, shown_documents
from steersman.lsp.overlay import RELOAD_S
from steersman.lsp.params import MAX_LISTED
from steersman.models.http_client import HttpLimits
from steersman.models.retry import RetryPolicy
from steersman.permissions import render
from steersman.runs import registry
from steersman_tools import run_command
from steersman_tools.kit.disk import MAX_FILE_BYTES
from support.documents import ROOT

WORDS = {
    1: "one",
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    8: "eight",
    10: "ten",
    30: "thirty",
    50: "fifty",
    1000: "thousand",
}

SAID = [
    ("protocol.md", "after {} seconds a `warning` event names", calls.IGNORED_SIGNAL_AFTER_S),
    ("protocol.md", "one of the last {} that ended", registry._REMEMBERED),
    ("protocol.md", "1 to {}", MAX_LISTED),
    ("protocol.md", "at most {}\ntimes a second", 1 / progress.REPORT_INTERVAL_S),
    ("protocol.md", "merged to about {}", 1 / events.DELTA_INTERVAL_S),
    ("protocol.md", "({} characters, four lines", answers.MAX_MESSAGE_CHARS),
    ("protocol.md", "characters, {} lines", answers.MAX_MESSAGE_LINES),
    ("protocol.md", "clipped at {} characters", wire.MAX_EVENT_TEXT),
    ("protocol.md", "up to {}\nlines of the change", render.MAX_CHANGED_LINES),
    ("protocol.md", "a {} characters at most", render.MAX_CHARS),
    ("protocol.md", "whole up to {} characters", render.MAX_COMMAND_CHARS),
    ("protocol.md", "after {} requests to go on", loop._MAX_CONTINUATIONS),
    ("protocol.md", "{} turns in a row held nothing but repeated calls", loop._MAX_REPEAT_TURNS),
    ("configuration.md", "the last {})", shown_documents.KEPT),
    ("models.md", "trimmed to {} %", loop._OVERFLOW_SHARE * 100),
    ("models.md", "obeyed up to {} minutes", RetryPolicy().longest_asked_s / 60),
    ("models.md", "{} minutes without a byte", HttpLimits().silence_s / 60),
    ("permissions.md", "A command has {} seconds", run_command.DEFAULT_TIMEOUT_S),
    ("permissions.md", "({} minutes at most)", run_command.MAX_TIMEOUT_S / 60),
    ("permissions.md", "after {} times the model is told", calls._MAX_ROUNDS),
    ("editing.md", "Files up to {} MB", MAX_FILE_BYTES / 1024 / 1024),
    ("editing.md", "the editor gets {} second", RELOAD_S),
    ("editing.md", "quiet for {} seconds", apply_edit.Timing().quiet_s),
]


def forms(number):
    """How a number may be written."""
    exact = round(number, 6)
    yield f"{exact:g}"
    yield f"{exact:,.0f}"
    if exact in WORDS:
        yield WORDS[exact]
    if exact == 1:
        yield "a"


@pytest.mark.parametrize(("page", "words", "number"), SAID)
def test_a_page_gives_the_number_that_holds(page, words, number):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert any(words.format(form) in text for form in forms(number)), words
