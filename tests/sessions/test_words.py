from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.sessions.words import MAX_WORDS_CHARS, words_of
from support.session_store import call


def test_names_and_texts_of_arguments_are_found():
    message = AssistantMessage(
        "", (ToolCall("c1", "edit_file", '{"path": "a.py", "edits": [{"new": "line\\none"}], "n": 3}'),)
    )
    assert words_of(message, "") == "edit_file\na.py\nline\none"


def test_arguments_that_are_not_json_are_found_as_they_are():
    assert words_of(AssistantMessage("", (call(1, "x", '{"broken'),)), "") == 'x\n{"broken'


def test_changed_files_are_found_relative_to_the_folder():
    changes = (
        ChangeSummary("/w/src/new.py", "move", 0, 0, moved_from="/w/src/old.py"),
        ChangeSummary("/o/b", "edit", 1, 1),
    )
    assert words_of(ToolMessage("c1", "moved", changes=changes), "/w") == "src/old.py\nsrc/new.py\n/o/b"


def test_nothing_to_add_is_none():
    assert words_of(UserMessage("hello"), "/w") is None
    assert words_of(AssistantMessage("hello"), "/w") is None
    assert words_of(ToolMessage("c1", "x"), "/w") is None


def test_arguments_nested_without_end_do_not_end_us():
    deep = "[" * 100_000 + "]" * 100_000
    words = words_of(AssistantMessage("", (call(1, "x", deep),)), "") or ""
    assert len(words) <= MAX_WORDS_CHARS
