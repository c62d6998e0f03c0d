"""What a run as a whole did to each file."""

import pytest

from steersman.agent.changes import ChangeSummary
from steersman.agent.events import Event, ToolCallBegan, ToolResultCommitted, ToolStarted
from steersman.agent.messages import ToolCall
from steersman.agent.repeats import guard_repeats
from steersman.runs.activity import progressive
from steersman.runs.report import RefusedCall, ReportBuilder, merge_changes
from support.fake_tools import FakeTool


def change(path, kind, added=1, removed=0, moved_from=None):
    return ChangeSummary(path, kind, added, removed, moved_from=moved_from)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([change("a", "edit", 1, 2), change("a", "edit", 3, 4)], [change("a", "edit", 4, 6)]),
        ([change("a", "create", 5), change("a", "edit", 1, 1)], [change("a", "create", 6, 1)]),
        ([change("a", "create", 5), change("a", "delete", 0, 5)], []),
        ([change("a", "delete", 0, 5), change("a", "create", 5)], [change("a", "edit", 5, 5)]),
        ([change("a", "create", 5), change("b", "move", 0, 0, "a")], [change("b", "create", 5, 0)]),
        ([change("a", "edit", 1, 1), change("b", "move", 0, 0, "a")], [change("b", "move", 1, 1, "a")]),
        (
            [change("b", "move", 0, 0, "a"), change("c", "move", 0, 0, "b")],
            [change("c", "move", 0, 0, "a")],
        ),
        ([change("b", "move", 0, 0, "a"), change("b", "edit", 2, 1)], [change("b", "move", 2, 1, "a")]),
    ],
)
def test_changes_are_merged_to_one_entry_a_file(changes, expected):
    assert list(merge_changes(changes)) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [("read src/a.py", "reading src/a.py"), ("run pytest -q", "running pytest -q"), ("ponder", "ponder")],
)
def test_titles_become_activities(title, expected):
    assert progressive(title) == expected


CALL = ToolCall("c1", "edit_file", '{"path":"a"}')


def refused(content, *, is_error=True, starts=False):
    """Return what a report lists as refused of one call that was closed like this."""
    builder = ReportBuilder("r1", "s1")
    closed = ToolResultCommitted("c1", CALL.name, content, is_error=is_error, outcome="returned", duration_ms=0)
    for body in [ToolCallBegan(CALL), *([ToolStarted("c1", CALL.name, "")] if starts else []), closed]:
        builder.add(Event("r1", 0, 1, 0.0, body))
    return builder.build().refused


def test_a_call_that_was_not_allowed_is_listed_with_the_reason():
    assert refused("Refused: the person said no.") == (RefusedCall(CALL, "the person said no."),)


@pytest.mark.parametrize(
    ("content", "how"),
    [
        ("There is no file a.", {}),
        ("Refused: by the printer", {"starts": True}),
        ("Refused: is a word", {"is_error": False, "starts": True}),
    ],
)
def test_an_error_and_what_a_tool_says_are_no_refusal(content, how):
    assert refused(content, **how) == ()


async def test_a_call_that_was_made_once_too_often_is_a_repetition_and_no_refusal():
    (guarded,) = guard_repeats([FakeTool(CALL.name)], max_repeats=1)
    for _ in range(2):
        said = await guarded.prepare(guarded.parameters.model_validate({"text": "x"}))
    assert said.content.startswith("Refused: ")
    assert refused(said.content) == ()
